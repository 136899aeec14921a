// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/ports/parallel.hpp"
#include "scheduler/solve/board.hpp"
#include "scheduler/solve/prices.hpp"

namespace valle::scheduler::solving {

/// Whether a plan may ask for more than there is while it is searched.
enum class CapacityKind {
  soft,  ///< one granule too many costs its price and a growing fine
  hard,  ///< never more than before
};

struct AnnealOptions {
  std::int64_t moves = 100'000;
  std::uint64_t seed = 1;
  CapacityKind capacity = CapacityKind::soft;
  double first_temperature = 0, last_temperature = 0;  ///< in the objective's unit; 0: only improvements
  double first_fine = 1, last_fine = 1;                ///< of overload, in units of a resource's typical price
  double single_share = 0.5;                           ///< of moves that relocate one task; the others are chains
  int depth = 8;                                       ///< of chains
  std::size_t parts = 1;                               ///< that tasks are dealt into, to be annealed side by side
  int rounds = 1;                                      ///< after each of which parts see what the others did
};

/// Anneals the tasks of a state; the others stay where they are.
///
/// With several parts the tasks are dealt out anew in each round, and each part is annealed on a board of its own, on
/// which the tasks of the others stand still. Two parts may take the same room in one round; soft capacity bears that,
/// and the fines of the next round sort it out. The result depends on the number of parts, not on that of threads.
void anneal(State& state, const TaskList& tasks, const Prices& prices, const Candidates& candidates,
            const AnnealOptions& options, Parallel& parallel, const std::stop_token& stop);

}  // namespace valle::scheduler::solving
