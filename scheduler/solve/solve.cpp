// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduler/solve/search.hpp"
#include "scheduler/solve/unhindered.hpp"
#include "scheduler/solve/volume.hpp"

namespace valle::scheduler {
namespace {

using solving::Instance;
using solving::TaskList;

/// The proven bound on the carbon of the placed jobs: what fixed jobs emit in any case, and the Lagrangian bound of the
/// others.
Emissions prove_bound(const Problem& problem, const Plan& plan, const solving::SearchResult& found, Parallel& parallel,
                      const std::stop_token& stop) {
  // With a price on energy the plan minimises something else; carbon alone has its own instance, with the same tasks.
  std::optional<Instance> own;
  if (problem.eur_per_tonne > 0) own.emplace(problem, solving::Objective::carbon);
  const Instance& instance = own ? *own : found.state.instance();
  TaskList placed;
  for (std::uint32_t t = 0; t < instance.tasks.size(); ++t) {
    if (found.state.spot(t).placed()) placed.push_back(t);
  }
  const int iterations = placed.size() <= 3000 ? 1200 : 60;
  const auto raised = solving::raise_bound(instance, placed, found.prices, static_cast<double>(plan.emissions.base()),
                                           {.iterations = iterations}, parallel, stop);
  double magnitude = std::fabs(raised.bound);
  for (std::size_t i = 0; i < instance.capacity.size(); ++i)
    magnitude += raised.prices.of_cell[i] * instance.capacity[i];
  std::int64_t bound = solving::safe_floor(raised.bound, magnitude, plan.placements.size());
  for (const Placement& placement : plan.placements) {
    if (problem.jobs[placement.job].fixed) bound += placement.emissions.base();
  }
  return Emissions::of_base(std::min(bound, plan.emissions.base()));
}

/// The solution where capacity doesn't bind.
Solution optimal_solution(const Problem& problem, const solving::Ledger& ledger, const solving::State& state,
                          const TaskList& tasks, Parallel& parallel, const std::stop_token& stop) {
  Solution solution{.plan = plan_of(problem, ledger, state)};
  if (problem.eur_per_tonne == 0 && solving::best_alone_is_exact(state.instance(), tasks)) {
    const auto roundings = static_cast<std::int64_t>(solution.plan.placements.size());  // a milligram each
    solution.lower_bound = Emissions::of_base(std::max<std::int64_t>(0, solution.plan.emissions.base() - roundings));
  } else {
    solution.lower_bound =
        prove_bound(problem, solution.plan, {state, solving::Prices{state.instance()}}, parallel, stop);
  }
  if (stop.stop_requested()) solution.stopped_by = StoppedBy::stop_token;
  return solution;
}

}  // namespace

std::string_view to_text(StoppedBy stopped_by) {
  switch (stopped_by) {
    case StoppedBy::converged: return "converged";
    case StoppedBy::budget: return "budget";
    case StoppedBy::stop_token: return "stop-token";
  }
  return "";
}

Solution solve(const Problem& problem, const SolveOptions& options, Parallel& parallel, std::stop_token stop) {
  const Instance instance{problem, solving::Objective::carbon_and_cost};
  const solving::Ledger ledger{problem};
  const std::vector<bool> hopeless = solving::hopeless_tasks(instance);
  TaskList tasks;
  for (std::uint32_t t = 0; t < instance.tasks.size(); ++t) {
    if (!hopeless[t]) tasks.push_back(t);
  }
  if (const auto state = solving::unhindered(instance, tasks)) {
    return optimal_solution(problem, ledger, *state, tasks, parallel, stop);
  }
  const auto found = solving::search({problem, ledger, instance, tasks, options, parallel, stop});
  Solution solution{.plan = plan_of(problem, ledger, found.state)};
  solution.lower_bound = prove_bound(problem, solution.plan, found, parallel, stop);
  const std::int64_t gap = (solution.plan.emissions - solution.lower_bound).base();
  const bool proven = gap <= 2 * static_cast<std::int64_t>(solution.plan.placements.size());  // but for rounding
  solution.stopped_by = stop.stop_requested() ? StoppedBy::stop_token
                        : proven              ? StoppedBy::converged
                                              : StoppedBy::budget;
  return solution;
}

}  // namespace valle::scheduler
