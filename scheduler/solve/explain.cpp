// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/explain.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/solve/outcome.hpp"
#include "scheduler/solve/slot_prices.hpp"
#include "scheduler/solve/standing.hpp"

namespace valle::scheduler {
namespace {

using namespace solving;

/// A few of the jobs that hold each cell.
class Holders {
 public:
  Holders(const Problem& problem, const State& state) : of_cell_(state.instance().capacity.size()) {
    const Instance& instance = state.instance();
    for (std::uint32_t t = 0; t < instance.tasks.size(); ++t) {
      const Spot& spot = state.spot(t);
      if (!spot.placed()) continue;
      const std::size_t job = instance.members[instance.tasks[t].first_member].job;
      for (const Extent& extent : state.extents(t)) {
        for (const Load& load : instance.loads_of(extent)) {
          const auto first = static_cast<std::size_t>(spot.start + extent.offset);
          add(instance.cell(load.resource, static_cast<std::size_t>(spot.site), first),
              static_cast<std::size_t>(extent.length), job);
        }
      }
    }
    for (const Instance::FixedJob& fixed : instance.fixed) add_fixed(problem, instance, fixed);
  }

  [[nodiscard]] std::vector<std::size_t> of(std::size_t cell) const { return of_cell_[cell]; }

 private:
  void add(std::size_t cell, std::size_t length, std::size_t job) {
    for (std::size_t i = cell; i < cell + length; ++i) {
      if (of_cell_[i].size() < PlacementReason::k_most_named) of_cell_[i].push_back(job);
    }
  }

  void add_fixed(const Problem& problem, const Instance& instance, const Instance::FixedJob& fixed) {
    const Job& job = problem.jobs[fixed.job];
    const Interval run = horizon_of(problem).overlap({fixed.at.start, fixed.at.start + job.modes[0].duration});
    if (run.empty()) return;
    const auto first = static_cast<std::size_t>((run.begin - problem.start) / problem.slot);
    const auto last = static_cast<std::size_t>((run.end - problem.start - Duration{1}) / problem.slot);
    for (const ResourceDemand& demand : job.demand) {
      const auto found = std::find(instance.resource_names.begin(), instance.resource_names.end(), demand.resource);
      if (found == instance.resource_names.end() || demand.amount == Amount{}) continue;
      const auto k = static_cast<std::size_t>(found - instance.resource_names.begin());
      add(instance.cell(k, fixed.at.site, first), last - first + 1, fixed.job);
    }
  }

  std::vector<std::vector<std::size_t>> of_cell_;
};

class Explaining {
 public:
  Explaining(const Problem& problem, const Plan& plan, const SlotPrices& prices)
      : problem_{problem},
        plan_{plan},
        instance_{problem, Objective::carbon_and_cost},
        ledger_{problem},
        prices_{taken_up(problem, instance_, prices)},
        state_{instance_} {}

  std::vector<PlacementReason> run() {
    Incumbent standing{.of_job = {}};
    standing.of_job.resize(problem_.jobs.size());
    for (const Placement& each : plan_.placements) standing.of_job[each.job] = {each.site, each.mode, each.segments};
    const auto fits = standing_fits(problem_, instance_, standing);
    for (std::uint32_t t = 0; t < fits.size(); ++t) {
      if (fits[t]) place(state_, t, *fits[t]);
    }
    const Holders holders{problem_, state_};
    std::vector<PlacementReason> of_job(problem_.jobs.size());
    for (std::uint32_t t = 0; t < fits.size(); ++t) {
      if (!fits[t]) continue;
      const PlacementReason reason = reason_of(t, holders);
      for (const Member& member : instance_.members_of(instance_.tasks[t])) of_job[member.job] = reason;
    }
    std::vector<PlacementReason> reasons;
    reasons.reserve(plan_.placements.size());
    for (const Placement& each : plan_.placements) reasons.push_back(std::move(of_job[each.job]));
    return reasons;
  }

 private:
  PlacementReason reason_of(std::uint32_t t, const Holders& holders) {
    PlacementReason reason{.price = price_of(t)};
    if (instance_.tasks[t].interruptible >= 0) return reason;
    const Fit now = fit_in(state_, t);
    state_.remove(t);
    look_around(t, now, holders, reason);
    place(state_, t, now);
    return reason;
  }

  [[nodiscard]] Emissions price_of(std::uint32_t t) const {
    const Spot& spot = state_.spot(t);
    double sum = 0;
    for (const Extent& extent : state_.extents(t)) {
      for (const Load& load : instance_.loads_of(extent)) {
        const double* price =
            prices_.of_cell.data() + instance_.cell(load.resource, static_cast<std::size_t>(spot.site),
                                                    static_cast<std::size_t>(spot.start + extent.offset));
        for (std::int32_t i = 0; i < extent.length; ++i) sum += load.amount * price[i];
      }
    }
    return Emissions::of_base(std::llround(std::min(sum, 9e17)));
  }

  /// One cheapest start of those with room, one of all.
  struct Found {
    Spot spot;
    double cost = 0;
    void offer(std::size_t site, std::int32_t start, std::uint32_t option, double value) {
      if (spot.placed() && value >= cost) return;
      spot = {static_cast<std::int32_t>(site), start, option, value};
      cost = value;
    }
  };

  void look_around(std::uint32_t t, const Fit& now, const Holders& holders, PlacementReason& reason) {
    const Task& task = instance_.tasks[t];
    Found with_room, of_all;
    for_each_site(task.sites, [&](std::size_t site) {
      for (std::uint32_t o = 0; o < task.options; ++o) {
        const Option& option = instance_.options_of(task)[o];
        const StartRange starts = starts_of(task, option);
        if (starts.count == 0) continue;
        put_costs(instance_, task, option, site, starts, scratch_);
        mark_full(state_, instance_.extents_of(option.footprint), site, starts, scratch_);
        for (std::int32_t i = 0; i < starts.count; ++i) {
          const auto n = static_cast<std::size_t>(i);
          const bool own = static_cast<std::int32_t>(site) == now.spot.site && starts.first + i == now.spot.start;
          if (own) continue;
          of_all.offer(site, starts.first + i, o, scratch_.value[n]);
          if (scratch_.full[n] == 0) with_room.offer(site, starts.first + i, o, scratch_.value[n]);
        }
      }
    });
    if (with_room.spot.placed()) reason.next_best = start_of(t, with_room.spot);
    if (!of_all.spot.placed() || of_all.cost >= now.spot.cost - 0.5) return;
    reason.blocked = blocked_at(t, of_all.spot, holders);
  }

  [[nodiscard]] PlacementReason::Start start_of(std::uint32_t t, const Spot& spot) const {
    return {static_cast<std::size_t>(spot.site), problem_.start + problem_.slot * std::int64_t{spot.start},
            emissions_of_fit(problem_, ledger_, instance_, t, {.spot = spot, .pattern = {}, .key = 0})};
  }

  [[nodiscard]] std::optional<PlacementReason::Blocked> blocked_at(std::uint32_t t, const Spot& spot,
                                                                   const Holders& holders) const {
    const Task& task = instance_.tasks[t];
    const auto site = static_cast<std::size_t>(spot.site);
    for (const Extent& extent : instance_.extents_of(instance_.options_of(task)[spot.option].footprint)) {
      for (std::int32_t i = spot.start + extent.offset; i < spot.start + extent.offset + extent.length; ++i) {
        for (const Load& load : instance_.loads_of(extent)) {
          const std::size_t cell = instance_.cell(load.resource, site, static_cast<std::size_t>(i));
          if (state_.residual()[cell] >= load.amount) continue;
          return PlacementReason::Blocked{start_of(t, spot), problem_.start + problem_.slot * std::int64_t{i},
                                          instance_.resource_names[load.resource], holders.of(cell)};
        }
      }
    }
    return {};
  }

  const Problem& problem_;
  const Plan& plan_;
  Instance instance_;
  Ledger ledger_;
  Prices prices_;
  State state_;
  StartScratch scratch_;
};

}  // namespace

std::vector<PlacementReason> explain(const Problem& problem, const Plan& plan, const SlotPrices& prices) {
  return Explaining{problem, plan, prices}.run();
}

}  // namespace valle::scheduler
