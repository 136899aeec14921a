// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/fit.hpp"

namespace valle::scheduler::solving {

struct ExhaustOptions {
  std::int64_t work = 3'000'000;  ///< runs looked at, in each of a few tries
};

struct Exhausted {
  double bound;                 ///< no plan of these tasks costs less
  std::optional<State> better;  ///< a plan of these tasks that costs less than the given one; others are not in it
};

/// Few tasks can be gone through: branch and bound on where each runs, by the Lagrangian bound of `prices`. A run that
/// alone lifts the bound above the given plan is never tried. Where the whole tree is too much work a smaller rise of
/// the bound is proven instead: half of the gap, then a quarter, and so on. `state` places all of `tasks`, which are
/// single jobs, or groups in one mode, and never pause.
[[nodiscard]] Exhausted exhaust(const State& state, const TaskList& tasks, const Prices& prices,
                                const ExhaustOptions& options, const std::stop_token& stop);

/// Whether the instance says exactly what plans of these tasks may be, and they are few enough.
[[nodiscard]] bool can_exhaust(const Instance& instance, const TaskList& tasks);

}  // namespace valle::scheduler::solving
