// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/unhindered.hpp"

#include <algorithm>

#include "scheduler/solve/fit.hpp"

namespace valle::scheduler::solving {

std::optional<State> unhindered(const Instance& instance, const TaskList& tasks) {
  constexpr std::size_t k_tasks_a_look = 256;  // at the whole capacity
  const State empty{instance};
  State state{instance};
  StartScratch scratch;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto fit = cheapest_fit(empty, tasks[i], {}, scratch);
    if (!fit) return {};
    place(state, tasks[i], *fit);
    if (i % k_tasks_a_look == 0 && state.overload() > 0) return {};
  }
  if (state.overload() > 0) return {};
  return state;
}

bool best_alone_is_exact(const Instance& instance, const TaskList& tasks) {
  return std::all_of(tasks.begin(), tasks.end(), [&](std::uint32_t t) {
    return instance.tasks[t].members == 1 && instance.tasks[t].interruptible < 0;
  });
}

}  // namespace valle::scheduler::solving
