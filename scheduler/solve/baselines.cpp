// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/baselines.hpp"

#include <algorithm>
#include <numeric>

#include "scheduler/solve/fit.hpp"
#include "scheduler/solve/outcome.hpp"
#include "scheduler/solve/solve.hpp"

namespace valle::scheduler {
namespace solving {

std::vector<std::size_t> by_submission(const Instance& instance) {
  std::vector<std::size_t> order(instance.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return instance.tasks[a].first < instance.tasks[b].first; });
  return order;
}

State earliest_start_state(const Instance& instance) {
  State state{instance};
  StartScratch scratch;
  for (const std::size_t task : by_submission(instance)) {
    if (const auto fit = earliest_fit(state, task, scratch)) place(state, task, *fit);
  }
  return state;
}

}  // namespace solving

Plan earliest_start_plan(const Problem& problem) {
  const solving::Instance instance{problem, solving::Objective::carbon_and_cost};
  return plan_of(problem, solving::Ledger{problem}, solving::earliest_start_state(instance));
}

Plan greedy_plan(const Problem& problem) {
  const solving::Instance instance{problem, solving::Objective::carbon_and_cost};
  solving::State state{instance};
  solving::StartScratch scratch;
  for (const std::size_t task : solving::by_submission(instance)) {
    if (const auto fit = solving::cheapest_fit(state, task, {}, scratch)) solving::place(state, task, *fit);
  }
  return plan_of(problem, solving::Ledger{problem}, state);
}

}  // namespace valle::scheduler
