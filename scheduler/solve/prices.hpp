// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/solve/instance.hpp"

namespace valle::scheduler::solving {

/// Lagrangian prices of capacity: what one granule of a resource costs at a site in a slot, in the objective's unit.
/// Any non-negative prices prove a lower bound; good ones make each job's own best choice fit with the others'.
struct Prices {
  std::vector<double> of_cell;  ///< [resource][site][slot], ≥ 0

  explicit Prices(const Instance& instance) : of_cell(instance.capacity.size(), 0.0) {}
};

}  // namespace valle::scheduler::solving
