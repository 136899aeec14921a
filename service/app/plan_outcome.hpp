// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "scheduler/solve/solve.hpp"
#include "service/app/plan_problem.hpp"

namespace valle::service::app {

/// The waiting job `index` of a snapshot as a solution leaves it: with a slot, or with the reason why it has none, or
/// sent off without a plan because it can't meet its deadline otherwise.
[[nodiscard]] Job job_after(const PlanningSnapshot& snapshot, const PlanningGrid& grid, const PlanningProblem& planned,
                            const scheduler::Solution& solution, std::size_t index);

/// A start without a plan: at home, at `start`, in the first mode.
[[nodiscard]] JobSlot unplanned_slot(const Job& job, std::span<const runtime::SiteConfig> sites, scheduler::Instant start);

}  // namespace valle::service::app
