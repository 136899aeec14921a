// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/replan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduler/solve/anneal.hpp"
#include "scheduler/solve/baselines.hpp"
#include "scheduler/solve/market.hpp"
#include "scheduler/solve/repair.hpp"
#include "scheduler/solve/slot_prices.hpp"
#include "scheduler/solve/standing.hpp"
#include "scheduler/solve/volume.hpp"

namespace valle::scheduler::solving {
namespace {

using Fits = std::vector<std::optional<Fit>>;

/// Whether a task runs where it stood.
bool stands_at(const State& state, std::uint32_t t, const std::optional<Fit>& before) {
  if (!before || !state.spot(t).placed()) return false;
  const Spot &now = state.spot(t), &then = before->spot;
  if (now.site != then.site || now.start != then.start || now.option != then.option) return false;
  return state.instance().tasks[t].interruptible < 0 || state.pattern(t).pieces == before->pattern.pieces;
}

/// What leaving its place costs a task.
double stickiness_of(const std::optional<Fit>& before, Ratio least_gain) {
  return before ? number(least_gain) * std::fabs(before->spot.cost) : 0.0;
}

/// Starts in slots before this one are starts now.
std::int32_t first_later_slot(const Problem& problem, const Incumbent& incumbent) {
  if (!incumbent.now_until || *incumbent.now_until <= problem.start) return 0;
  const Duration ahead = *incumbent.now_until - problem.start;
  return static_cast<std::int32_t>((ahead + problem.slot - Duration{1}) / problem.slot);
}

class Replanning {
 public:
  explicit Replanning(const SearchContext& context)
      : c_{context},
        incumbent_{*context.options.incumbent},
        stood_{standing_fits(context.problem, context.instance, incumbent_)},
        first_later_{first_later_slot(context.problem, incumbent_)},
        prices_{taken_up(context.problem, context.instance, incumbent_.prices)} {}

  SearchResult run() {
    State state{c_.instance};
    for (const std::uint32_t t : c_.tasks) {
      if (stood_[t]) place(state, t, *stood_[t]);
    }
    renew_prices(state);
    if (state.overload() > 0) repair(state, c_.tasks, prices_);
    std::vector<bool> forced(c_.instance.tasks.size(), false);
    for (const std::uint32_t t : c_.tasks) forced[t] = !stands(state, t);
    place_newcomers(state);
    admit(state, c_.tasks, prices_, {.tries = c_.stop.stop_requested() ? 0 : 200, .seed = c_.options.seed});
    improve(state);
    go_back(state);
    return {.state = std::move(state), .prices = std::move(prices_), .forced = std::move(forced)};
  }

 private:
  /// From the prices of before a few sweeps and steps are enough; without them the market is cleared from nothing.
  void renew_prices(const State& state) {
    const bool cold = incumbent_.prices.rows.empty();
    State market = state;
    MarketOptions options{.sweeps = cold ? 60 : 6, .seed = c_.options.seed};
    if (!cold) {
      options.first_step = 0.01;
      options.last_step = 0.1;
      options.warm = &prices_;
    }
    MarketResult cleared = clear_market(market, c_.tasks, options, c_.parallel, c_.stop);
    prices_ = std::move(cleared.prices);
    const auto raised = raise_bound(c_.instance, c_.tasks, prices_, cleared.bound + 1e-3 * std::fabs(cleared.bound),
                                    {.iterations = 30, .leaving_out = LeavingOut::at_penalty}, c_.parallel, c_.stop);
    prices_ = raised.prices;
    bound_ = raised.bound;
  }

  /// Those that hold most of what is scarce first.
  void place_newcomers(State& state) const {
    const std::vector<double> room = room_of_tasks(c_.instance);
    TaskList out;
    for (const std::uint32_t t : c_.tasks) {
      if (!state.spot(t).placed()) out.push_back(t);
    }
    std::stable_sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Task &x = c_.instance.tasks[a], &y = c_.instance.tasks[b];
      return x.level != y.level ? x.level > y.level : room[a] > room[b];
    });
    StartScratch scratch;
    for (const std::uint32_t t : out) {
      if (const auto fit = cheapest_fit(state, t, {.prices = &prices_}, scratch)) place(state, t, *fit);
    }
  }

  /// What a start in this slot costs a task that has left its place.
  [[nodiscard]] double stickiness(std::uint32_t t, std::int32_t start) const {
    return start < first_later_ ? 0.0 : stickiness_of(stood_[t], incumbent_.least_gain);
  }
  [[nodiscard]] bool stands(const State& state, std::uint32_t t) const { return stands_at(state, t, stood_[t]); }

  /// What the search minimises: the objective, and the least gain of each task that has left its place.
  [[nodiscard]] double value(const State& state) const {
    double sum = state.objective();
    for (const std::uint32_t t : c_.tasks) {
      if (state.spot(t).placed() && !stands(state, t)) sum += stickiness(t, state.spot(t).start);
    }
    return sum;
  }

  void improve(State& state) const {
    const std::size_t count = std::max<std::size_t>(1, c_.tasks.size());
    Candidates candidates{c_.instance, c_.tasks, prices_, 24, c_.parallel};
    candidates.add_costs([&](std::uint32_t t, const Candidate& candidate) {
      const bool same = stood_[t] && is_at(candidate, candidates, t);
      return same ? 0.0 : stickiness(t, static_cast<std::int32_t>(candidate.place % c_.instance.slots));
    });
    const State before = state;
    const double gap = std::max(0.0, state.objective() - bound_) / static_cast<double>(count);
    const double least = 1e-5 * std::fabs(bound_) / static_cast<double>(count);
    anneal(state, c_.tasks, prices_, candidates,
           {.moves = static_cast<std::int64_t>(std::clamp<std::size_t>(30 * count, 20'000, 3'000'000)),
            .seed = c_.options.seed * 77 + 2,
            .capacity = CapacityKind::hard,
            .first_temperature = std::max(least, 0.02 * gap),
            .last_temperature = least},
           c_.parallel, c_.stop);
    restate_costs(state);
    if (value(before) <= value(state)) state = before;
  }

  [[nodiscard]] bool is_at(const Candidate& candidate, const Candidates& candidates, std::uint32_t t) const {
    const Spot& before = stood_[t]->spot;
    const std::size_t place =
        static_cast<std::size_t>(before.site) * c_.instance.slots + static_cast<std::size_t>(before.start);
    if (candidate.place != place || candidate.option != before.option) return false;
    return candidate.pattern < 0 || candidates.pattern(candidate).pieces == stood_[t]->pattern.pieces;
  }

  /// The anneal leaves costs with the least gains in them.
  void restate_costs(State& state) const {
    for (const std::uint32_t t : c_.tasks) {
      if (!state.spot(t).placed()) continue;
      Fit fit = fit_in(state, t);
      fit.spot.cost = plain_cost(c_.instance, t, fit);
      if (fit.spot.cost == state.spot(t).cost) continue;
      state.remove(t);
      place(state, t, fit);
    }
  }

  /// Takes back moves that no longer pay once all others are made.
  void go_back(State& state) const {
    for (int pass = 0; pass < 3; ++pass) {
      bool any = false;
      for (const std::uint32_t t : c_.tasks) {
        if (!stood_[t] || !state.spot(t).placed() || stands(state, t)) continue;
        if (stood_[t]->spot.cost > state.spot(t).cost + stickiness(t, state.spot(t).start)) continue;
        any = put_back(state, t) || any;
      }
      if (!any) return;
    }
  }

  bool put_back(State& state, std::uint32_t t) const {
    const Fit now = fit_in(state, t);
    state.remove(t);
    if (has_room(state, t, *stood_[t])) {
      place(state, t, *stood_[t]);
      return true;
    }
    place(state, t, now);
    return false;
  }

  SearchContext c_;
  const Incumbent& incumbent_;
  Fits stood_;  // of each task
  std::int32_t first_later_;
  Prices prices_;
  double bound_ = 0;
};

/// No deadline is missed that plain earliest-start meets: then the plan in force is no good place to go on from.
bool misses_more_than_needed(const SearchContext& context, const State& state) {
  const Rank found = rank_of(context.problem, context.ledger, state);
  if (std::all_of(found.left_out.begin(), found.left_out.end(), [](std::size_t n) { return n == 0; })) return false;
  return rank_of(context.problem, context.ledger, earliest_start_state(context.instance)).left_out < found.left_out;
}

}  // namespace

SearchResult replan(const SearchContext& context) {
  SearchResult found = Replanning{context}.run();
  return misses_more_than_needed(context, found.state) ? search(context) : found;
}

std::optional<SearchResult> stay_unhindered(const SearchContext& context, const State& cheapest) {
  SearchResult result{.state = cheapest, .prices = Prices{context.instance}};
  if (context.options.incumbent == nullptr) return result;
  const Incumbent& incumbent = *context.options.incumbent;
  const Fits stood = standing_fits(context.problem, context.instance, incumbent);
  const std::int32_t first_later = first_later_slot(context.problem, incumbent);
  result.forced.assign(context.instance.tasks.size(), false);
  for (const std::uint32_t t : context.tasks) {
    result.forced[t] = !stood[t];
    if (!stood[t] || stands_at(cheapest, t, stood[t])) continue;
    const Wide before = objective_of(context.problem, context.ledger, context.instance, t, *stood[t]);
    const Wide gain = before - objective_of(context.problem, context.ledger, context.instance, t, fit_in(cheapest, t));
    const bool now = cheapest.spot(t).start < first_later;
    if (gain > 0 && (now || gain * k_one.base() >= before * incumbent.least_gain.base())) continue;
    result.state.remove(t);
    place(result.state, t, *stood[t]);
  }
  if (result.state.overload() > 0) return {};
  return result;
}

TaskList newly_placed(const SearchContext& context, const SearchResult& found) {
  if (context.options.incumbent == nullptr) return context.tasks;
  const Fits stood = standing_fits(context.problem, context.instance, *context.options.incumbent);
  TaskList tasks;
  for (const std::uint32_t t : context.tasks) {
    if (!stands_at(found.state, t, stood[t])) tasks.push_back(t);
  }
  return tasks;
}

}  // namespace valle::scheduler::solving
