// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/ledger.hpp"
#include "scheduler/solve/search.hpp"
#include "scheduler/solve/solve.hpp"

namespace valle::scheduler::solving {

/// Which jobs of the incumbent have another place in `plan`, and why. `forced`: the tasks that could not stay.
[[nodiscard]] std::vector<Move> moves_of(const Problem& problem, const Ledger& ledger, const Instance& instance,
                                         const Plan& plan, const Incumbent& incumbent, const std::vector<bool>& forced);

}  // namespace valle::scheduler::solving
