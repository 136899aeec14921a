// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// `whole` in proportion to the weights (≥ 0), in their order; the parts sum to it exactly, what rounding leaves goes
/// to the largest remainders, the first of equals. Empty where all weights are 0.
[[nodiscard]] std::vector<Energy> shared_in_proportion(Energy whole, std::span<const std::int64_t> weights);

}  // namespace valle::scheduler
