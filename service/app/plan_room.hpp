// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "service/app/plan_problem.hpp"

namespace valle::service::app {

/// Waiting jobs (indexes into the snapshot) whose planned slot has no room any more: others have taken it since, or a
/// capacity has shrunk. Jobs that have left waiting hold theirs, for as long as planned; of waiting ones the earlier
/// submitted keep what is left. Starts that an owner has fixed, and jobs that were sent off without a plan, are not
/// looked at.
[[nodiscard]] std::vector<std::size_t> without_room(const PlanningSnapshot& snapshot, const PlanningGrid& grid);

}  // namespace valle::service::app
