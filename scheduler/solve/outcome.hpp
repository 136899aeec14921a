// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/fit.hpp"
#include "scheduler/solve/ledger.hpp"
#include "scheduler/solve/state.hpp"

// From a searched state back to the words of the problem.
namespace valle::scheduler::solving {

/// The plan of a state: placements with their exact account, and for every job left out the reason and what would help.
[[nodiscard]] Plan plan_of(const Problem& problem, const Ledger& ledger, const State& state);

/// What a plan pays for a task that runs so: the ledger's objective, in whole milligrams.
[[nodiscard]] Wide objective_of(const Problem& problem, const Ledger& ledger, const Instance& instance,
                                std::size_t task, const Fit& fit);

/// What it emits then, all its jobs together.
[[nodiscard]] Emissions emissions_of_fit(const Problem& problem, const Ledger& ledger, const Instance& instance,
                                         std::size_t task, const Fit& fit);

/// Jobs left out, by level of priority, the highest first; then the objective. Smaller is better: the contract's order
/// of plans.
struct Rank {
  std::vector<std::size_t> left_out;
  Wide objective = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};
[[nodiscard]] Rank rank_of(const Problem& problem, const Ledger& ledger, const State& state);

/// Tasks that fit nowhere even alone: no site, no start in the window, or never room. Searching for them is in vain.
[[nodiscard]] std::vector<bool> hopeless_tasks(const Instance& instance);

}  // namespace valle::scheduler::solving
