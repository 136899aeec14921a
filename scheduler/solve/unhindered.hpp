// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

/// Where there is room for all: each task at the cheapest run that it could have alone, if all of these fit together.
/// Such a plan is optimal. Nothing if capacity binds anywhere.
[[nodiscard]] std::optional<State> unhindered(const Instance& instance, const TaskList& tasks);

/// Whether each task's cheapest run alone is known exactly (single jobs that don't pause), so that their sum is a
/// bound.
[[nodiscard]] bool best_alone_is_exact(const Instance& instance, const TaskList& tasks);

}  // namespace valle::scheduler::solving
