// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "scheduler/solve/fit.hpp"
#include "scheduler/solve/solve.hpp"

namespace valle::scheduler::solving {

/// Where the plan in force has each task, as far as it can still run there if nobody is in its way: inside its window,
/// at a site where it may run, with all members of a group together. Costs are today's.
[[nodiscard]] std::vector<std::optional<Fit>> standing_fits(const Problem& problem, const Instance& instance,
                                                            const Incumbent& incumbent);

}  // namespace valle::scheduler::solving
