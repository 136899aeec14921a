// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/tiers.hpp"

#include <algorithm>

#include "scheduler/solve/anneal.hpp"
#include "scheduler/solve/market.hpp"
#include "scheduler/solve/repair.hpp"

namespace valle::scheduler::solving {
namespace {

class Tiers {
 public:
  Tiers(const State& market, const TaskList& tasks, const Prices& prices, const TierOptions& options,
        const std::stop_token& stop)
      : options_{options},
        stop_{stop},
        whole_{market.instance()},
        left_{market.instance()},
        shares_{shares_of_site(whole_)},
        start_{market},
        prices_{prices},
        rest_{tasks} {}

  TieredStart run() {
    bool first = true;
    for (const double limit : options_.limits) {
      TaskList tier, below;
      for (const std::uint32_t t : rest_) (shares_[t] >= limit ? tier : below).push_back(t);
      if (tier.empty()) continue;
      if (!first) clear_rest();
      first = false;
      rest_ = std::move(below);
      settle(tier);
      if (rest_.empty()) break;
    }
    if (!rest_.empty()) clear_rest();
    return {std::move(start_), settled_ + (rest_.empty() ? 0.0 : bound_of_rest_)};
  }

 private:
  /// The market for all that is not settled, in the capacity that is left.
  void clear_rest() {
    State cleared{left_};
    const MarketResult market = clear_market(
        cleared, rest_,
        {.sweeps = options_.sweeps, .seed = options_.seed, .first_step = 0.05, .last_step = 0.02, .warm = &prices_},
        sequential_, stop_);
    prices_ = market.prices;
    bound_of_rest_ = market.bound;
    for (const std::uint32_t t : rest_) copy(cleared, start_, t, cleared.spot(t).cost);
  }

  /// Anneals a tier alone with priced costs and takes what it holds from the capacity.
  void settle(const TaskList& tier) {
    State alone{left_};
    double scale = 0;
    for (const std::uint32_t t : tier) {
      copy(start_, alone, t, start_.spot(t).cost + price_of(start_, t));
      scale +=
          (start_.spot(t).placed() ? alone.spot(t).cost : left_.tasks[t].penalty) / static_cast<double>(tier.size());
    }
    const Candidates candidates{left_, tier, prices_, options_.keep, sequential_, CandidateCost::priced};
    const auto in_tier = static_cast<std::int64_t>(tier.size()), all = static_cast<std::int64_t>(whole_.tasks.size());
    anneal(alone, tier, prices_, candidates,
           {.moves = std::min(options_.moves_a_task * in_tier, 200 * all + 200'000),
            .seed = options_.seed + 5,
            .first_temperature = 0.03 * scale,
            .last_temperature = 0.0003 * scale,
            .first_fine = 0.3,
            .last_fine = 30,
            .depth = 4},
           sequential_, stop_);
    repair(alone, tier, prices_);
    admit(alone, tier, prices_, {.tries = 200, .seed = options_.seed});
    for (const std::uint32_t t : tier) {
      start_.remove(t);
      if (!alone.spot(t).placed()) {
        rest_.push_back(t);
        continue;
      }
      const double cost = plain_cost(whole_, t, fit_in(alone, t));
      copy(alone, start_, t, cost);
      settled_ += cost;
    }
    std::sort(rest_.begin(), rest_.end());
    left_.capacity = alone.residual();
  }

  static void copy(const State& from, State& to, std::uint32_t t, double cost) {
    to.remove(t);
    Spot spot = from.spot(t);
    if (!spot.placed()) return;
    spot.cost = cost;
    to.place(t, spot, from.instance().tasks[t].interruptible >= 0 ? &from.pattern(t) : nullptr);
  }

  [[nodiscard]] double price_of(const State& state, std::uint32_t t) const {
    const Spot& spot = state.spot(t);
    if (!spot.placed()) return 0;
    double sum = 0;
    for (const Extent& extent : state.extents(t)) {
      for (const Load& load : whole_.loads_of(extent)) {
        const double* price =
            prices_.of_cell.data() + whole_.cell(load.resource, static_cast<std::size_t>(spot.site),
                                                 static_cast<std::size_t>(spot.start + extent.offset));
        for (std::int32_t i = 0; i < extent.length; ++i) sum += load.amount * price[i];
      }
    }
    return sum;
  }

  const TierOptions& options_;
  const std::stop_token& stop_;
  Sequential sequential_;  // whole starts are made side by side
  const Instance& whole_;
  Instance left_;  // with the capacity that settled tasks leave
  std::vector<double> shares_;
  State start_;
  Prices prices_;
  TaskList rest_;
  double settled_ = 0, bound_of_rest_ = 0;
};

}  // namespace

std::vector<double> shares_of_site(const Instance& instance) {
  std::vector<double> mean(instance.resources * instance.sites, 0);
  for (std::size_t row = 0; row < mean.size(); ++row) {
    double sum = 0;
    for (std::size_t t = 0; t < instance.slots; ++t) sum += instance.capacity[row * instance.slots + t];
    mean[row] = std::max(1.0, sum / static_cast<double>(std::max<std::size_t>(1, instance.slots)));
  }
  std::vector<double> shares;
  shares.reserve(instance.tasks.size());
  for (const Task& task : instance.tasks) {
    double share = 0;
    for (const Extent& extent : instance.extents_of(instance.options_of(task)[0].footprint)) {
      for (const Load& load : instance.loads_of(extent)) {
        for_each_site(task.sites, [&](std::size_t site) {
          share = std::max(share, load.amount / mean[load.resource * instance.sites + site]);
        });
      }
    }
    shares.push_back(share);
  }
  return shares;
}

TieredStart tiered_start(const State& market, const TaskList& tasks, const Prices& prices, const TierOptions& options,
                         const std::stop_token& stop) {
  return Tiers{market, tasks, prices, options, stop}.run();
}

}  // namespace valle::scheduler::solving
