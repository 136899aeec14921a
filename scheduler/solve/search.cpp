// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/search.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/solve/anneal.hpp"
#include "scheduler/solve/baselines.hpp"
#include "scheduler/solve/market.hpp"
#include "scheduler/solve/repair.hpp"
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
  double first_temperature, last_temperature;  // in the objective's unit
  double first_fine, last_fine;
  std::int64_t moves;
};

/// Work-weighted mean of the share of its smallest site that a task holds at once: 0.01 many small jobs, 0.25 a few
/// large.
double grain_of(const Instance& instance, const TaskList& tasks) {
  std::vector<double> mean(instance.resources * instance.sites, 0);
  for (std::size_t row = 0; row < mean.size(); ++row) {
    double sum = 0;
    for (std::size_t t = 0; t < instance.slots; ++t) sum += instance.capacity[row * instance.slots + t];
    mean[row] = std::max(1.0, sum / static_cast<double>(std::max<std::size_t>(1, instance.slots)));
  }
  double weighted = 0, total = 0;
  for (const std::uint32_t t : tasks) {
    const Task& task = instance.tasks[t];
    double share = 0;
    std::int32_t span = 0;
    for (const Extent& extent : instance.extents_of(instance.options_of(task)[0].footprint)) {
      span = std::max(span, extent.offset + extent.length);
      for (const Load& load : instance.loads_of(extent)) {
        for_each_site(task.sites, [&](std::size_t site) {
          share = std::max(share, load.amount / mean[load.resource * instance.sites + site]);
        });
      }
    }
    weighted += share * share * span;
    total += share * span;
  }
  return total > 0 ? weighted / total : 0;
}

Tuning tune(const SearchContext& context, double bound) {
  const double count = static_cast<double>(std::max<std::size_t>(1, context.tasks.size()));
  const double grain = grain_of(context.instance, context.tasks);
  const double hot = std::clamp(0.5 * grain, 0.004, 0.05), cold = std::clamp(hot / 100, 1e-4, 2e-4);
  const double fine = std::clamp(30 * grain, 0.3, 3.0);
  const double moves = count <= 3000 ? std::min(10e6, 20'000 * count) : std::max(4e6, 40 * count);
  const double scale = std::fabs(bound) / count;
  return {.first_temperature = hot * scale,
          .last_temperature = cold * scale,
          .first_fine = fine,
          .last_fine = 100 * fine,
          .moves = static_cast<std::int64_t>(effort_factor(context.options.effort) * moves)};
}

class Search {
 public:
  explicit Search(const SearchContext& context) : c_{context}, market_state_{context.instance} {}

  SearchResult run() {
    const MarketResult market = clear_market(market_state_, c_.tasks, {.seed = c_.options.seed}, c_.parallel, c_.stop);
    const BoundResult raised =
        raise_bound(c_.instance, c_.tasks, market.prices, market.bound + 1e-3 * std::fabs(market.bound),
                    {.iterations = c_.tasks.size() <= 3000 ? 300 : 120, .leaving_out = LeavingOut::at_penalty},
                    c_.parallel, c_.stop);
    SearchResult result{.state = market_state_, .prices = raised.prices};
    const Candidates candidates{c_.instance, c_.tasks, raised.prices, 48, c_.parallel};
    const Tuning tuning = tune(c_, raised.bound);
    anneal_soft(result, candidates, tuning);
    anneal_hard(result, candidates, tuning, raised.bound);
    fall_back_to_earliest_start(result, candidates, tuning);
    return result;
  }

 private:
  [[nodiscard]] Rank rank(const State& state) const { return rank_of(c_.problem, c_.ledger, state); }

  void make_feasible(State& state, const Prices& prices) const {
    repair(state, c_.tasks, prices);
    admit(state, c_.tasks, prices, {.tries = c_.stop.stop_requested() ? 0 : 200, .seed = c_.options.seed});
  }

  void anneal_soft(SearchResult& result, const Candidates& candidates, const Tuning& tuning) {
    anneal(result.state, c_.tasks, result.prices, candidates,
           {.moves = tuning.moves,
            .seed = c_.options.seed * 77 + 1,
            .capacity = CapacityKind::soft,
            .first_temperature = tuning.first_temperature,
            .last_temperature = tuning.last_temperature,
            .first_fine = tuning.first_fine,
            .last_fine = tuning.last_fine},
           c_.stop);
    make_feasible(result.state, result.prices);
  }

  /// Never ends with a worse plan than it began with.
  void anneal_hard(SearchResult& result, const Candidates& candidates, const Tuning& tuning, double bound) {
    const State before = result.state;
    const double count = static_cast<double>(std::max<std::size_t>(1, c_.tasks.size()));
    const double warm = 0.05 * std::max(0.0, before.objective() - bound) / count;
    anneal(result.state, c_.tasks, result.prices, candidates,
           {.moves = tuning.moves / 16,
            .seed = c_.options.seed * 77 + 2,
            .capacity = CapacityKind::hard,
            .first_temperature = std::max(tuning.last_temperature, warm),
            .last_temperature = tuning.last_temperature},
           c_.stop);
    if (rank(before) < rank(result.state)) result.state = before;
  }

  /// No deadline is missed that plain earliest-start meets.
  void fall_back_to_earliest_start(SearchResult& result, const Candidates& candidates, const Tuning& tuning) {
    const Rank found = rank(result.state);
    if (std::all_of(found.left_out.begin(), found.left_out.end(), [](std::size_t n) { return n == 0; })) return;
    admit(result.state, c_.tasks, result.prices,
          {.tries = c_.stop.stop_requested() ? 0 : 5000, .seed = c_.options.seed + 1});
    SearchResult safe{.state = earliest_start_state(c_.instance), .prices = result.prices};
    if (rank(safe.state) >= rank(result.state)) return;
    anneal_hard(safe, candidates, tuning, 0);
    result.state = std::move(safe.state);
  }

  SearchContext c_;
  State market_state_;
};

}  // namespace

SearchResult search(const SearchContext& context) { return Search{context}.run(); }

}  // namespace valle::scheduler::solving
