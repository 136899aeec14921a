// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/plan.hpp"
#include "service/app/plan_problem.hpp"

namespace valle::service::app {

/// Jobs of the problem, free to move, that the plan lets wait although that saves them less than `least` of what their
/// cleanest site emits at their earliest start. By the problem's numbers: with `planning.risk` those hold the risk that
/// grows with the time ahead, so that a saving is counted by its lower end.
[[nodiscard]] std::vector<std::size_t> not_worth_waiting(const scheduler::Problem& problem, const scheduler::Plan& plan,
                                                         scheduler::Ratio least);

/// A start at once where nothing is known of the time ahead.
struct BlindStart {
  std::size_t site;    ///< index into the grid's sites
  std::string reason;  ///< half a sentence, with the ratio that is promised
};

/// The first of the job's sites of which only the present slot is known, and that by the online threshold rule over its
/// measured values of four weeks, is clean enough to start at once.
[[nodiscard]] std::optional<BlindStart> start_without_forecast(const PlanningSnapshot& snapshot,
                                                               const PlanningGrid& grid, const scheduler::Job& job);

}  // namespace valle::service::app
