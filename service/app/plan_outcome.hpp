// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/solve/solve.hpp"
#include "service/app/plan_problem.hpp"

namespace valle::service::app {

/// What became of each job of a snapshot: at most one of the three.
struct JobOutcome {
  const scheduler::Placement* placement = nullptr;
  const scheduler::Unplaced* unplaced = nullptr;
  const PlanningProblem::Apart* apart = nullptr;
};
/// By index into the snapshot. Points into `planned` and `plan`.
[[nodiscard]] std::vector<JobOutcome> outcomes(const PlanningProblem& planned, const scheduler::Plan& plan,
                                               std::size_t jobs);

/// A waiting job as its outcome leaves it: with a slot, or with the reason why it has none, or sent off without a plan
/// because it can't meet its deadline otherwise.
[[nodiscard]] Job job_after(const Job& job, const JobOutcome& outcome, const PlanningSnapshot& snapshot,
                            const PlanningGrid& grid, const scheduler::Problem& problem);

/// A start without a plan: at home, at `start`, in the first mode.
[[nodiscard]] JobSlot unplanned_slot(const Job& job, std::span<const runtime::SiteConfig> sites,
                                     scheduler::Instant start);

}  // namespace valle::service::app
