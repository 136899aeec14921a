// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "scheduler/solve/solve.hpp"
#include "service/app/plan_problem.hpp"

namespace valle::service::app {

/// `settle` places jobs that have no slot and leaves the others where they are; `replan` may move them too.
enum class PlanKind { settle, replan };

/// A job that had a slot and got another one.
struct PlanMove {
  std::string job;
  JobSlot from;
  JobSlot to;
  std::optional<scheduler::Emissions> saved = {};  ///< by present numbers; nothing where the old slot has none
  std::string reason;                              ///< half a sentence
};

struct PlanDecision {
  PlanningProblem planned;
  scheduler::Solution solution;
  std::vector<Job> changed;  ///< jobs of the snapshot with another slot, reason, warning or state than before
  std::size_t moved = 0;     ///< jobs that had a slot and got another one
  std::vector<PlanMove> moves = {};
  /// For the next snapshot: prices of a plan in which all waiting jobs could move; else those of this one.
  std::shared_ptr<const scheduler::SlotPrices> prices = {};
};

/// Decides where and when the waiting jobs of a snapshot run. Pure and deterministic.
///
/// - A job that has a slot is moved only if more jobs find room by it, or if the jobs moved together emit at least
///   `minGainPercent` less. To start now, any saving will do: what is known of now is surer than what is known of
///   later.
/// - A job whose window is too short for the grid of slots, though everything in it is known, is sent off at its
/// earliest
///   start at home, with a warning; one whose window is not known yet, or is full, goes on waiting.
///
/// Nothing if the solver's plan fails the verifier, which is logged: then the plan in force stays.
[[nodiscard]] std::optional<PlanDecision> decide(const PlanningSnapshot& snapshot, PlanKind kind,
                                                 scheduler::Parallel& parallel, std::stop_token stop = {});

/// The waiting job as it must be at `now`: released where its planned start, or the latest start, has come. Nothing if
/// it goes on waiting.
[[nodiscard]] std::optional<Job> due_release(const Job& job, std::span<const runtime::SiteConfig> sites,
                                             scheduler::Instant now);

}  // namespace valle::service::app
