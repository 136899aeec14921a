// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/overload.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/solve/slot_prices.hpp"
#include "scheduler/solve/volume.hpp"

namespace valle::scheduler::solving {
namespace {

/// What leaving out a job of a level counts: higher priorities come before any number of lower ones that a search
/// weighs against them.
double weight_of(int level) { return std::pow(16.0, std::min(level, 5)); }

/// The instance in which only the number of jobs left out counts.
Instance counting(const Instance& instance) {
  Instance counted = instance;
  std::fill(counted.energy.begin(), counted.energy.end(), 0.0);
  std::fill(counted.transfer.begin(), counted.transfer.end(), 0.0);
  double penalties = 0, work = 0;
  for (Task& task : counted.tasks) {
    task.penalty = task.members * weight_of(task.level);
    penalties += task.penalty;
    if (task.options == 0) continue;
    for (const std::uint32_t w : counted.ways_of(task, counted.options_of(task)[0])) {
      work += counted.ways[w].power * counted.ways[w].length;
    }
  }
  counted.spread = work > 0 ? penalties / work : 0;  // what prices react by: so much a task's work is worth
  return counted;
}

/// The states of the counting search and of the plan hold the same, but cost differently.
State with_costs(const Instance& instance, const State& counted) {
  State state{instance};
  for (std::uint32_t t = 0; t < instance.tasks.size(); ++t) {
    if (!counted.spot(t).placed()) continue;
    Fit fit = fit_in(counted, t);
    fit.spot.cost = plain_cost(instance, t, fit);
    place(state, t, fit);
  }
  return state;
}

/// The least carbon of the admitted tasks; they stay admitted.
SearchResult cleanest(const SearchContext& context, const State& admitted) {
  TaskList tasks;
  for (const std::uint32_t t : context.tasks) {
    if (admitted.spot(t).placed()) tasks.push_back(t);
  }
  return search({context.problem, context.ledger, context.instance, tasks, context.options, context.parallel,
                 context.stop, &admitted});
}

/// Jobs that fit nowhere even alone.
std::size_t hopeless_jobs(const SearchContext& context) {
  std::size_t jobs = 0;
  for (const Task& task : context.instance.tasks) jobs += task.members;
  for (const std::uint32_t t : context.tasks) jobs -= context.instance.tasks[t].members;
  return jobs;
}

/// Proven: no plan leaves out fewer of the tasks' jobs, whatever their priorities.
std::size_t surely_left_out(const SearchContext& context, const Instance& counted, const SearchResult& phase) {
  Instance alike = counted;
  double heaviest = 1, members = 0;
  for (const std::uint32_t t : context.tasks) {
    heaviest = std::max(heaviest, weight_of(alike.tasks[t].level));
    alike.tasks[t].penalty = alike.tasks[t].members;
    members += alike.tasks[t].penalty;
  }
  Prices prices = phase.prices;
  for (double& price : prices.of_cell) price /= heaviest;
  double left_out = 0;
  for (const std::uint32_t t : left_out_of(phase.state, context.tasks)) left_out += alike.tasks[t].penalty;
  // Counts make a flat landscape, on which steps soon grow too short: begun again they go on.
  constexpr int k_beginnings = 4;
  const VolumeOptions steps{.iterations = context.tasks.size() <= 3000 ? 1200 : 300,
                            .leaving_out = LeavingOut::at_penalty,
                            .enough = -1};
  const auto whole = [&](double bound) { return std::max(0.0, std::ceil(bound - 1e-9 * members - 1e-6)); };
  double bound = 0;
  for (int i = 0; i < k_beginnings && whole(bound) < left_out && !context.stop.stop_requested(); ++i) {
    BoundResult raised = raise_bound(alike, context.tasks, prices, left_out, steps, context.parallel, context.stop);
    prices = std::move(raised.prices);
    bound = raised.bound;
  }
  return static_cast<std::size_t>(whole(bound));
}

Overload certificate_of(const SearchContext& context, const Instance& counted, const SearchResult& phase) {
  Overload overload;
  // The search sees ramps in a stricter form than they have, so what it proves of them is not proven of the problem.
  const bool ramps = std::any_of(context.problem.sites.begin(), context.problem.sites.end(),
                                 [](const Site& site) { return site.ramp.has_value(); });
  if (!ramps) overload.left_out_at_least = hopeless_jobs(context) + surely_left_out(context, counted, phase);
  const SlotPrices prices = published(context.problem, counted, phase.prices);
  for (const SlotPrices::Row& row : prices.rows) {
    const std::vector<double>& price = row.grams_per_unit_hour;
    const double least = 0.01 * *std::max_element(price.begin(), price.end());
    for (std::size_t t = 0; t < price.size(); ++t) {
      if (price[t] <= least) continue;
      const Instant begin = prices.start + prices.slot * static_cast<std::int64_t>(t);
      const bool goes_on = !overload.full.empty() && overload.full.back().site == row.site &&
                           overload.full.back().resource == row.resource && overload.full.back().interval.end == begin;
      if (!goes_on) overload.full.push_back({row.site, row.resource, {begin, begin}});
      overload.full.back().interval.end = begin + prices.slot;
    }
  }
  return overload;
}

/// What those left out would need, by resource.
void count_missing(const SearchContext& context, const State& state, Overload& overload) {
  const Instance& instance = context.instance;
  std::vector<double> granule_slots(instance.resources, 0);
  for (const std::uint32_t t : left_out_of(state, context.tasks)) {
    const Option& option = instance.options_of(instance.tasks[t])[0];
    for (const Extent& extent : instance.extents_of(option.footprint)) {
      for (const Load& load : instance.loads_of(extent)) {
        granule_slots[load.resource] += static_cast<double>(load.amount) * extent.length;
      }
    }
  }
  const double hours = static_cast<double>(context.problem.slot.count()) / 3600;
  for (std::size_t k = 0; k < instance.resources; ++k) {
    const double units = granule_slots[k] * static_cast<double>(instance.granules[k]) / 1000 * hours;
    if (units > 0) overload.missing.push_back({instance.resource_names[k], units});
  }
}

}  // namespace

TaskList left_out_of(const State& state, const TaskList& tasks) {
  TaskList out;
  for (const std::uint32_t t : tasks) {
    if (!state.spot(t).placed()) out.push_back(t);
  }
  return out;
}

Relieved relieve_overload(const SearchContext& context, SearchResult found) {
  const Instance counted = counting(context.instance);
  SolveOptions quick = context.options;
  quick.effort = Effort::quick;  // more of it places hardly more
  const SearchResult phase =
      search({context.problem, context.ledger, counted, context.tasks, quick, context.parallel, context.stop});
  Relieved relieved{.found = std::move(found), .certificate = certificate_of(context, counted, phase)};
  const State admitted = with_costs(context.instance, phase.state);
  const Rank before = rank_of(context.problem, context.ledger, relieved.found.state);
  if (rank_of(context.problem, context.ledger, admitted).left_out < before.left_out) {
    SearchResult cleaner = cleanest(context, admitted);
    StartScratch scratch;
    for (const std::uint32_t t : left_out_of(cleaner.state, context.tasks)) {
      if (const auto fit = cheapest_fit(cleaner.state, t, {}, scratch)) place(cleaner.state, t, *fit);
    }
    if (rank_of(context.problem, context.ledger, cleaner.state) < before) {
      relieved.found = std::move(cleaner);
    }
  }
  count_missing(context, relieved.found.state, relieved.certificate);
  return relieved;
}

}  // namespace valle::scheduler::solving
