// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduler/solve/anneal.hpp"
#include "scheduler/solve/baselines.hpp"
#include "scheduler/solve/market.hpp"
#include "scheduler/solve/negotiate.hpp"
#include "scheduler/solve/repair.hpp"
#include "scheduler/solve/tiers.hpp"
#include "scheduler/solve/volume.hpp"

namespace valle::scheduler::solving {
namespace {

double effort_factor(Effort effort) {
  switch (effort) {
    case Effort::quick: return 0.25;
    case Effort::normal: return 1;
    case Effort::thorough: return 4;
  }
  return 1;
}

/// What the search takes from the instance: the coarser its grain, the hotter and the stiffer the anneal.
struct Tuning {
  double grain;
  double first_temperature, last_temperature;  // in the objective's unit
  double first_fine, last_fine;
  std::int64_t moves, race_moves;
};

/// Work-weighted mean of the share of its smallest site that a task holds at once: 0.01 many small jobs, 0.25 a few
/// large.
double grain_of(const Instance& instance, const TaskList& tasks) {
  const std::vector<double> shares = shares_of_site(instance);
  double weighted = 0, total = 0;
  for (const std::uint32_t t : tasks) {
    const Option& option = instance.options_of(instance.tasks[t])[0];
    std::int32_t span = 0;
    for (const Extent& extent : instance.extents_of(option.footprint))
      span = std::max(span, extent.offset + extent.length);
    weighted += shares[t] * shares[t] * span;
    total += shares[t] * span;
  }
  return total > 0 ? weighted / total : 0;
}

Tuning tune(const SearchContext& context, double bound) {
  const double count = static_cast<double>(std::max<std::size_t>(1, context.tasks.size()));
  const double grain = grain_of(context.instance, context.tasks);
  const double heat = count <= 3000 ? 1 : 0.5;  // many tasks have no time to cool down from more
  const double hot = heat * std::clamp(0.5 * grain, 0.004, 0.05), cold = std::clamp(hot / 100, 1e-4, 2e-4);
  const double fine = std::clamp(30 * grain, 0.3, 3.0);
  const double moves = count <= 3000 ? std::min(10e6, 20'000 * count) : std::max(4e6, 100 * count);
  const double scale = std::fabs(bound) / count;
  return {.grain = grain,
          .first_temperature = hot * scale,
          .last_temperature = cold * scale,
          .first_fine = fine,
          .last_fine = 100 * fine,
          .moves = static_cast<std::int64_t>(effort_factor(context.options.effort) * moves),
          .race_moves = static_cast<std::int64_t>(effort_factor(context.options.effort) *
                                                  std::max(20 * count, count <= 3000 ? 0.1 * moves : 3e5))};
}

/// A start plan and what a short anneal makes of it.
struct Runner {
  State start, raced;
  Rank rank;
};

class Search {
 public:
  explicit Search(const SearchContext& context)
      : c_{context}, few_{context.tasks.size() <= k_few}, market_state_{context.instance}, prices_{context.instance} {}

  SearchResult run() {
    const MarketResult market =
        clear_market(market_state_, c_.tasks, {.sweeps = quick() || many() ? 60 : 120, .seed = c_.options.seed},
                     c_.parallel, c_.stop);
    const BoundResult raised =
        raise_bound(c_.instance, c_.tasks, market.prices, market.bound + 1e-3 * std::fabs(market.bound),
                    {.iterations = quick() ? 60
                                   : few_  ? 300
                                           : 120,
                     .leaving_out = LeavingOut::at_penalty},
                    c_.parallel, c_.stop);
    prices_ = raised.prices;
    bound_ = raised.bound;
    tuning_ = tune(c_, bound_);
    candidates_.emplace(c_.instance, c_.tasks, prices_, few_ ? 48 : 24, c_.parallel);
    race();
    if (is_closed() || (c_.gives_up && leaves_many_out())) {
      return {.state = std::move(runners_[0].raced), .prices = prices_, .bound = bound_};
    }
    SearchResult result{.state = long_anneal(), .prices = prices_, .bound = bound_};
    anneal_hard(result.state, 0.05 * std::max(0.0, result.state.objective() - bound_) / count(), tuning_.moves / 16);
    fall_back(result.state);
    return result;
  }

 private:
  static constexpr std::size_t k_few = 3000;
  static constexpr std::size_t k_many = 30'000;  ///< whose prices settle in half of the sweeps
  static constexpr double k_lumpy = 0.05;        ///< grain from which a start by size may be the best of many tasks
  static constexpr std::size_t k_parts = 2;      ///< of the long anneal
  static constexpr int k_rounds = 128;

  [[nodiscard]] Rank rank(const State& state) const { return rank_of(c_.problem, c_.ledger, state); }
  [[nodiscard]] bool many() const { return c_.tasks.size() > k_many; }
  [[nodiscard]] bool quick() const { return c_.options.effort == Effort::quick; }
  [[nodiscard]] double count() const { return static_cast<double>(std::max<std::size_t>(1, c_.tasks.size())); }

  /// Whether the best start has all that can be had: a flat grid, or nothing but equal jobs.
  [[nodiscard]] bool is_closed() const {
    constexpr double k_unseen = 0.05;  // milligrams a task that no account shows
    const State& state = runners_[0].raced;
    return state.objective() - bound_ <= k_unseen * count() && left_out_count(state) == 0;
  }

  [[nodiscard]] bool leaves_many_out() const {
    return static_cast<double>(left_out_count(runners_[0].raced)) > std::max(10.0, 0.005 * count());
  }

  [[nodiscard]] std::size_t left_out_count(const State& state) const {
    return static_cast<std::size_t>(
        std::count_if(c_.tasks.begin(), c_.tasks.end(), [&](std::uint32_t t) { return !state.spot(t).placed(); }));
  }

  void make_feasible(State& state) const {
    repair(state, c_.tasks, prices_);
    admit(state, c_.tasks, prices_, {.tries = c_.stop.stop_requested() ? 0 : 200, .seed = c_.options.seed});
  }

  void anneal_soft(State& state, std::int64_t moves, std::uint64_t seed, std::size_t parts = 1) const {
    anneal(state, c_.tasks, prices_, *candidates_,
           {.moves = moves,
            .seed = c_.options.seed * 77 + seed,
            .capacity = CapacityKind::soft,
            .first_temperature = tuning_.first_temperature,
            .last_temperature = tuning_.last_temperature,
            .first_fine = tuning_.first_fine,
            .last_fine = tuning_.last_fine,
            .parts = parts,
            .rounds = k_rounds},
           c_.parallel, c_.stop);
    make_feasible(state);
  }

  /// No kind of start is the best on all problems. The market's is where tasks are small or alike, negotiation's on
  /// mixes and in tight windows, and that by size where a few tasks fill a site. Each is tried by a short anneal.
  void race() {
    using Make = State (Search::*)() const;
    std::vector<Make> others{&Search::negotiated};
    if (few_ ? has_large_tasks() : tuning_.grain >= k_lumpy) others.push_back(&Search::by_size);
    if (few_) {
      others.push_back(&Search::from_market);
    } else {  // with many tasks a good first start is enough
      runners_.push_back(raced(from_market()));
      if (runners_[0].raced.objective() < bound_ + (many() ? 0.001 : 0.0005) * std::fabs(bound_)) return;
    }
    std::vector<std::optional<Runner>> found(others.size());
    c_.parallel.for_each(others.size(), [&](std::size_t i) { found[i] = raced((this->*others[i])()); });
    for (auto& runner : found) runners_.push_back(*std::move(runner));
    std::stable_sort(runners_.begin(), runners_.end(),
                     [](const Runner& a, const Runner& b) { return a.rank < b.rank; });
  }

  [[nodiscard]] bool has_large_tasks() const {
    const std::vector<double> shares = shares_of_site(c_.instance);
    return std::any_of(c_.tasks.begin(), c_.tasks.end(),
                       [&](std::uint32_t t) { return shares[t] >= TierOptions{}.limits.back(); });
  }

  [[nodiscard]] Runner raced(State start) const {
    State state = start;
    anneal_soft(state, tuning_.race_moves, 1);
    Rank reached = rank(state);
    return {std::move(start), std::move(state), std::move(reached)};
  }

  [[nodiscard]] State from_market() const { return market_state_; }

  [[nodiscard]] State negotiated() const {
    return negotiated_start(c_.instance, c_.tasks, prices_, {.seed = c_.options.seed}, c_.stop);
  }

  /// The best of several tries, by what it can lead to.
  [[nodiscard]] State by_size() const {
    const std::size_t tries = quick() ? 1 : few_ ? 6 : 2;
    const std::int64_t moves_a_task = quick() ? 500 : 2000;
    std::vector<std::optional<TieredStart>> found(tries);
    c_.parallel.for_each(tries, [&](std::size_t i) {
      found[i] = tiered_start(market_state_, c_.tasks, prices_,
                              {.moves_a_task = moves_a_task, .seed = c_.options.seed + 101 * i}, c_.stop);
    });
    const auto best =
        std::min_element(found.begin(), found.end(), [](const auto& x, const auto& y) { return x->value < y->value; });
    return std::move((*best)->state);
  }

  /// From the best start; with few tasks from the two best.
  [[nodiscard]] State long_anneal() const {
    const std::size_t heats = std::min<std::size_t>(runners_.size(), few_ ? 2 : 1);
    std::vector<std::optional<State>> ends(heats);
    c_.parallel.for_each(heats, [&](std::size_t i) {
      ends[i] = runners_[i].start;
      anneal_soft(*ends[i], tuning_.moves / static_cast<std::int64_t>(heats), 1 + 1000 * i, heats > 1 ? 1 : k_parts);
    });
    const State* best = &runners_[0].raced;
    Rank least = runners_[0].rank;
    for (const auto& end : ends) {
      if (Rank reached = rank(*end); reached < least) {
        best = &*end;
        least = std::move(reached);
      }
    }
    return *best;
  }

  /// Never ends with a worse plan than it began with.
  void anneal_hard(State& state, double warm, std::int64_t moves) const {
    const State before = state;
    anneal(state, c_.tasks, prices_, *candidates_,
           {.moves = moves,
            .seed = c_.options.seed * 77 + 2,
            .capacity = CapacityKind::hard,
            .first_temperature = std::max(tuning_.last_temperature, warm),
            .last_temperature = tuning_.last_temperature},
           c_.parallel, c_.stop);
    if (rank(before) < rank(state)) state = before;
  }

  /// No deadline is missed that the safe start meets.
  void fall_back(State& state) const {
    if (left_out_count(state) == 0) return;
    admit(state, c_.tasks, prices_, {.tries = c_.stop.stop_requested() ? 0 : 5000, .seed = c_.options.seed + 1});
    State safe = c_.safe != nullptr ? *c_.safe : earliest_start_state(c_.instance);
    if (rank(safe) >= rank(state)) return;
    anneal_hard(safe, tuning_.first_temperature, c_.safe != nullptr ? tuning_.moves : tuning_.moves / 16);
    state = std::move(safe);
  }

  SearchContext c_;
  bool few_;
  State market_state_;
  Prices prices_;
  double bound_ = 0;
  Tuning tuning_{};
  std::optional<Candidates> candidates_;
  std::vector<Runner> runners_;  // the best first
};

}  // namespace

SearchResult search(const SearchContext& context) { return Search{context}.run(); }

}  // namespace valle::scheduler::solving
