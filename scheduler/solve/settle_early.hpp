// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/ledger.hpp"

namespace valle::scheduler::solving {

/// Moves each of `tasks` to the earliest start, at any of its sites, that has room and costs no more, to the milligram;
/// runs in pieces stay. Nobody waits for nothing.
void settle_early(const Problem& problem, const Ledger& ledger, State& state, const TaskList& tasks);

}  // namespace valle::scheduler::solving
