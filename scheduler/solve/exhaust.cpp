// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/exhaust.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::solving {
namespace {

constexpr std::size_t k_most_tasks = 120;
constexpr int k_most_tries = 6;

/// One run of a task: by how much it lifts the bound.
struct Run {
  double excess;
  Spot spot;
};

class Exhaustion {
 public:
  Exhaustion(const State& state, const TaskList& tasks, const Prices& prices, const std::stop_token& stop)
      : state_{state.instance()},
        instance_{state.instance()},
        tasks_{tasks},
        prices_{prices},
        stop_{stop},
        runs_(tasks.size()) {
    for (const std::uint32_t t : tasks) least_ += state.spot(t).cost;
    for (std::size_t i = 0; i < tasks.size(); ++i) bound_ += list_runs(i);
    for (std::size_t i = 0; i < instance_.capacity.size(); ++i) bound_ -= prices.of_cell[i] * instance_.capacity[i];
  }

  Exhausted run(const ExhaustOptions& options) {
    const double gap = least_ - bound_, slack = 1e-9 * (std::fabs(least_) + 1);
    constexpr double k_unseen = 0.05;  // milligrams a task that no account shows
    if (gap <= slack + k_unseen * static_cast<double>(tasks_.size())) return {.bound = bound_, .better = {}};
    for (std::vector<Run>& runs : runs_) {
      std::erase_if(runs, [&](const Run& run) { return run.excess > gap; });
    }
    double proven = bound_, share = 1;
    for (int i = 0; i < k_most_tries && !stop_.stop_requested(); ++i, share /= 2) {
      aim_ = bound_ + share * (least_ - bound_);
      work_ = options.work;
      std::vector<std::size_t> open(tasks_.size());
      for (std::size_t n = 0; n < open.size(); ++n) open[n] = n;
      if (descend(open, 0)) {  // no plan below the aim; of the whole tree the best plan found is the aim
        proven = std::max(proven, aim_ - slack);
        break;
      }
    }
    return {.bound = std::min(proven, least_), .better = std::move(better_)};
  }

 private:
  /// The least cost and price of a run of the task.
  double list_runs(std::size_t n) {
    const Task& task = instance_.tasks[tasks_[n]];
    const double* of_cell = prices_.of_cell.data();
    std::vector<Run>& runs = runs_[n];
    for_each_site(task.sites, [&](std::size_t site) {
      for (std::uint32_t o = 0; o < task.options; ++o) {
        const Option& option = instance_.options_of(task)[o];
        const StartRange starts = starts_of(task, option);
        if (starts.count == 0) continue;
        put_costs(instance_, task, option, site, starts, scratch_);
        const std::vector<double> costs(scratch_.value.begin(), scratch_.value.begin() + starts.count);
        add_prices(
            instance_, instance_.extents_of(option.footprint), site, starts,
            [=](const Load& load) {
              return [of_cell, amount = load.amount](std::size_t cell) { return amount * of_cell[cell]; };
            },
            scratch_);
        for (std::int32_t i = 0; i < starts.count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          runs.push_back({scratch_.value[at], {static_cast<std::int32_t>(site), starts.first + i, o, costs[at]}});
        }
      }
    });
    std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.excess < b.excess; });
    const double least = runs.empty() ? 0 : runs.front().excess;
    for (Run& run : runs) run.excess -= least;
    return least;
  }

  [[nodiscard]] bool fits(std::size_t n, const Run& run) {
    --work_;
    const Option& option = instance_.options_of(instance_.tasks[tasks_[n]])[run.spot.option];
    for (const Extent& extent : instance_.extents_of(option.footprint)) {
      for (const Load& load : instance_.loads_of(extent)) {
        const Count* free = state_.free(load.resource, static_cast<std::size_t>(run.spot.site)) + run.spot.start;
        for (std::int32_t t = extent.offset; t < extent.offset + extent.length; ++t) {
          if (free[t] < load.amount) return false;
        }
      }
    }
    return true;
  }

  /// Goes through all plans of the open tasks beside those that are placed. False: there was too much of it.
  bool descend(const std::vector<std::size_t>& open, double spent) {
    if (work_ <= 0 || stop_.stop_requested()) return false;
    if (open.empty()) return take_if_better();
    std::vector<double> least(open.size());
    double sum = spent;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::vector<Run>& runs = runs_[open[i]];
      const auto first = std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return fits(open[i], run); });
      if (first == runs.end() || bound_ + sum + first->excess >= aim_) return true;
      least[i] = first->excess;
      sum += first->excess;
    }
    const std::size_t chosen = tightest(open, least, sum);
    std::vector<std::size_t> others = open;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(chosen));
    const std::size_t n = open[chosen];
    for (const Run& run : runs_[n]) {
      if (bound_ + sum - least[chosen] + run.excess >= aim_) break;
      if (!fits(n, run)) continue;
      state_.place(tasks_[n], run.spot);
      const bool done = descend(others, spent + run.excess);
      state_.remove(tasks_[n]);
      if (!done) return false;
    }
    return true;
  }

  /// The open task with the fewest choices.
  std::size_t tightest(const std::vector<std::size_t>& open, const std::vector<double>& least, double sum) {
    std::size_t chosen = 0, fewest = SIZE_MAX;
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::size_t choices = 0;
      for (const Run& run : runs_[open[i]]) {
        if (bound_ + sum - least[i] + run.excess >= aim_ || choices >= fewest) break;
        choices += fits(open[i], run) ? 1 : 0;
      }
      if (choices >= fewest) continue;
      fewest = choices;
      chosen = i;
    }
    return chosen;
  }

  bool take_if_better() {
    double cost = 0;
    for (const std::uint32_t t : tasks_) cost += state_.spot(t).cost;
    if (cost >= aim_) return true;
    least_ = aim_ = cost;
    better_ = state_;
    return true;
  }

  State state_;
  const Instance& instance_;
  const TaskList& tasks_;
  const Prices& prices_;
  const std::stop_token& stop_;
  double bound_ = 0, least_ = 0, aim_ = 0;
  std::int64_t work_ = 0;
  std::vector<std::vector<Run>> runs_;
  std::optional<State> better_;
  StartScratch scratch_;
};

}  // namespace

Exhausted exhaust(const State& state, const TaskList& tasks, const Prices& prices, const ExhaustOptions& options,
                  const std::stop_token& stop) {
  return Exhaustion{state, tasks, prices, stop}.run(options);
}

bool can_exhaust(const Instance& instance, const TaskList& tasks) {
  return tasks.size() <= k_most_tasks && std::all_of(tasks.begin(), tasks.end(), [&](std::uint32_t t) {
           const Task& task = instance.tasks[t];
           return task.interruptible < 0 && (task.members == 1 || task.options == 1);
         });
}

}  // namespace valle::scheduler::solving
