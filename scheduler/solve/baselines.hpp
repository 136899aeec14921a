// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

/// Tasks in the order in which their jobs could first run, then in the problem's order.
[[nodiscard]] std::vector<std::size_t> by_submission(const Instance& instance);

/// Plain earliest-start: the plan that a queue without any knowledge of carbon makes.
[[nodiscard]] State earliest_start_state(const Instance& instance);

}  // namespace valle::scheduler::solving
