// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/plan.hpp"
#include "scheduler/ports/parallel.hpp"
#include "scheduler/series/intensity_series.hpp"
#include "scheduler/solve/solve.hpp"

namespace valle::service::app {

/// How a backtest decides where and when each job of a trace runs.
enum class Policy {
  run_now,      ///< at home, as soon as there is room, in order of arrival: what happens without valle
  greedy,       ///< on arrival, each takes the cheapest start that still has room: what other tools do
  plan,         ///< valle: whenever a slot begins, all jobs that have arrived are planned together
  clairvoyant,  ///< one joint plan that knows every job from the beginning: what nobody can beat by much
};
[[nodiscard]] std::string_view to_text(Policy policy);

/// What the planner believes about slots that lie ahead. Carbon is always counted on what was measured.
enum class Foresight {
  perfect,  ///< the measured values themselves
  lag24,    ///< the value of the same hour one day, or as many whole days as needed, earlier
  told,     ///< what `BacktestOptions::forecast` says; lag24 where that says nothing
};

/// What is believed of a site's slots from the one that begins at `now` on; nothing for those it does not reach.
using SlotForecast = std::function<std::vector<std::optional<scheduler::CarbonIntensity>>(
    std::size_t site, scheduler::Instant now, std::size_t slots)>;

struct BacktestOptions {
  std::vector<Policy> policies;
  Foresight foresight = Foresight::perfect;
  SlotForecast forecast = {};
  scheduler::Duration horizon{std::chrono::days{7}};  ///< how far `plan` looks ahead from each slot
  scheduler::SolveOptions solve;
};

/// What one policy made of the trace. Every job is run: those that could not be placed by their deadline run as soon as
/// there is room afterwards, are counted as late, and their emissions are part of the total.
struct PolicyOutcome {
  Policy policy;
  scheduler::Problem problem;  ///< as run: late jobs with their deadline lifted
  scheduler::Plan plan;        ///< has passed `check` against `problem`
  std::size_t late = 0;
  std::size_t never_placed = 0;  ///< jobs for which even the end of the data leaves no room
  std::size_t moved = 0;         ///< jobs that ran away from home
  scheduler::Duration mean_wait{};
};

/// Runs each policy over the jobs of `problem`, whose earliest starts are their arrivals and which have one mode each.
/// `progress` (may be empty) gets the share done of one policy. Errors: a plan that fails its check is a programmer
/// error and stops the program.
[[nodiscard]] std::vector<PolicyOutcome> run_backtest(const scheduler::Problem& problem, const BacktestOptions& options,
                                                      scheduler::Parallel& parallel,
                                                      const std::function<void(Policy, double)>& progress = {},
                                                      std::stop_token stop = {});

}  // namespace valle::service::app
