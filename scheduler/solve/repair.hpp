// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/fit.hpp"

// From a plan that asks for too much to one within capacity, with as few tasks left out as possible.
namespace valle::scheduler::solving {

/// In every overloaded slot takes out the tasks that are easiest to place elsewhere, of low priority first, until the
/// rest fits; then places each again where there is room.
void repair(State& state, const TaskList& tasks, const Prices& prices);

struct AdmitOptions {
  int tries = 200;     ///< a task
  int most = 100'000;  ///< tries of all tasks together, but for a few each
  std::uint64_t seed = 1;
};

/// Places tasks that were left out by moving others out of the way; if they can't all be placed again, tasks of lower
/// priority may be left out instead. Keeps hard capacity.
void admit(State& state, const TaskList& tasks, const Prices& prices, const AdmitOptions& options);

/// What each task takes of the capacity: load in shares of the resource's mean capacity at its sites, summed over
/// slots.
[[nodiscard]] std::vector<double> room_of_tasks(const Instance& instance);

}  // namespace valle::scheduler::solving
