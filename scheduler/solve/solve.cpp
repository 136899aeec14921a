// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduler/solve/exhaust.hpp"
#include "scheduler/solve/moves.hpp"
#include "scheduler/solve/overload.hpp"
#include "scheduler/solve/replan.hpp"
#include "scheduler/solve/search.hpp"
#include "scheduler/solve/settle_early.hpp"
#include "scheduler/solve/slot_prices.hpp"
#include "scheduler/solve/standing.hpp"
#include "scheduler/solve/unhindered.hpp"
#include "scheduler/solve/volume.hpp"

namespace valle::scheduler {
namespace {

using solving::Instance;
using solving::TaskList;

/// The instance of which plans emit no less than those of the problem, if that is another one than what is searched:
/// carbon alone, where energy has a price; without ramps, of which the search sees a stricter form.
std::optional<Instance> instance_to_prove(const Problem& problem) {
  const bool ramps =
      std::any_of(problem.sites.begin(), problem.sites.end(), [](const Site& site) { return site.ramp.has_value(); });
  if (!ramps && problem.eur_per_tonne == 0) return std::nullopt;
  if (!ramps) return Instance{problem, solving::Objective::carbon};
  Problem relaxed = problem;
  for (Site& site : relaxed.sites) site.ramp.reset();
  return Instance{relaxed, solving::Objective::carbon};
}

TaskList placed_of(const solving::State& state) {
  TaskList placed;
  for (std::uint32_t t = 0; t < state.instance().tasks.size(); ++t) {
    if (state.spot(t).placed()) placed.push_back(t);
  }
  return placed;
}

/// The proven bound on the carbon of the placed jobs: what fixed jobs emit in any case, and the Lagrangian bound of the
/// others, or `proven` if that is more.
Emissions prove_bound(const Problem& problem, const Plan& plan, const solving::SearchResult& found,
                      std::optional<double> proven, Parallel& parallel, const std::stop_token& stop) {
  const std::optional<Instance> own = instance_to_prove(problem);
  const Instance& instance = own ? *own : found.state.instance();
  const solving::Prices first =
      own ? solving::taken_up(problem, instance, solving::published(problem, found.state.instance(), found.prices))
          : found.prices;
  const TaskList placed = placed_of(found.state);
  const int iterations = placed.size() <= 3000 ? 1200 : 60;
  const auto raised = solving::raise_bound(instance, placed, first, static_cast<double>(plan.emissions.base()),
                                           {.iterations = iterations}, parallel, stop);
  double magnitude = std::fabs(raised.bound);
  for (std::size_t i = 0; i < instance.capacity.size(); ++i)
    magnitude += raised.prices.of_cell[i] * instance.capacity[i];
  const double best = own || !proven ? raised.bound : std::max(raised.bound, *proven);
  std::int64_t bound = solving::safe_floor(best, magnitude, plan.placements.size());
  for (const Placement& placement : plan.placements) {
    if (problem.jobs[placement.job].fixed) bound += placement.emissions.base();
  }
  return Emissions::of_base(std::min(bound, plan.emissions.base()));
}

/// Few tasks are gone through: a better plan if there is one, and the bound that is proven so.
std::optional<double> go_through(const Problem& problem, const SolveOptions& options, solving::SearchResult& found,
                                 Parallel& parallel, const std::stop_token& stop) {
  const Instance& instance = found.state.instance();
  const TaskList placed = placed_of(found.state);
  if (problem.eur_per_tonne > 0 || options.incumbent != nullptr || !solving::can_exhaust(instance, placed)) return {};
  const auto raised = solving::raise_bound(instance, placed, found.prices, found.state.objective(),
                                           {.iterations = 1200}, parallel, stop);
  const std::int64_t work = options.effort == Effort::quick    ? 300'000
                            : options.effort == Effort::normal ? 3'000'000
                                                               : 60'000'000;
  auto exhausted = solving::exhaust(found.state, placed, raised.prices, {.work = work}, stop);
  if (exhausted.better) found.state = *std::move(exhausted.better);
  return exhausted.bound;
}

/// The sum of the cheapest runs, where that is a bound; a milligram less for each rounding.
std::optional<Emissions> exact_bound(const Problem& problem, const solving::Ledger& ledger,
                                     const solving::State& cheapest, const TaskList& tasks) {
  if (problem.eur_per_tonne > 0 || !solving::best_alone_is_exact(cheapest.instance(), tasks)) return {};
  const Plan plan = plan_of(problem, ledger, cheapest);
  const auto roundings = static_cast<std::int64_t>(plan.placements.size());
  return Emissions::of_base(std::max<std::int64_t>(0, plan.emissions.base() - roundings));
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

std::string_view to_text(MoveReason reason) {
  switch (reason) {
    case MoveReason::cleaner: return "cleaner";
    case MoveReason::makes_room: return "makes-room";
    case MoveReason::no_longer_fits: return "no-longer-fits";
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
  const solving::SearchContext context{problem, ledger, instance, tasks, options, parallel, stop};
  solving::SearchContext first_try = context;
  first_try.gives_up = true;
  const auto cheapest = solving::unhindered(instance, tasks);
  std::optional<solving::SearchResult> found;
  if (cheapest) found = solving::stay_unhindered(context, *cheapest);
  if (!found) found = options.incumbent != nullptr ? solving::replan(context) : solving::search(first_try);
  std::optional<Overload> overload;
  if (options.incumbent == nullptr && !solving::left_out_of(found->state, tasks).empty()) {
    auto relieved = solving::relieve_overload(context, *std::move(found));
    found = std::move(relieved.found);
    overload = std::move(relieved.certificate);
  }
  const auto proven = cheapest ? std::nullopt : go_through(problem, options, *found, parallel, stop);
  solving::settle_early(problem, ledger, found->state, solving::newly_placed(context, *found));

  Solution solution{.plan = plan_of(problem, ledger, found->state)};
  solution.prices = solving::published(problem, instance, found->prices);
  const auto exact = cheapest ? exact_bound(problem, ledger, *cheapest, tasks) : std::nullopt;
  solution.lower_bound = exact ? std::min(*exact, solution.plan.emissions)
                               : prove_bound(problem, solution.plan, *found, proven, parallel, stop);
  solution.overload = std::move(overload);
  if (options.incumbent != nullptr) {
    solution.moves = solving::moves_of(problem, ledger, instance, solution.plan, *options.incumbent, found->forced);
  }
  const std::int64_t gap = (solution.plan.emissions - solution.lower_bound).base();
  const bool optimal = cheapest && options.incumbent == nullptr && solving::best_alone_is_exact(instance, tasks);
  const bool closed =
      optimal || gap <= 2 * static_cast<std::int64_t>(solution.plan.placements.size());  // but for rounding
  solution.stopped_by = stop.stop_requested() ? StoppedBy::stop_token
                        : closed              ? StoppedBy::converged
                                              : StoppedBy::budget;
  return solution;
}

}  // namespace valle::scheduler
