// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

/// Adds to `unplaced` each job of a task that the state does not place: why, and the smallest change that would help.
/// Whether it fits alone is judged by the empty state, whether others are in the way by the state's residual capacity.
void explain_unplaced(const Problem& problem, const State& empty, const State& state, std::size_t task,
                      std::vector<Unplaced>& unplaced);

}  // namespace valle::scheduler::solving
