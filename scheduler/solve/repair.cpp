// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/repair.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "scheduler/solve/start_index.hpp"

namespace valle::scheduler::solving {
namespace {

/// Starts that a task may choose from, over all sites.
double freedom(const Task& task) {
  return std::max(0, task.latest - task.first) * static_cast<double>(std::popcount(task.sites));
}

/// How much is lost by taking a task out: much room that is hard to find again, or a high priority.
double hold_on(const Task& task, double room) {
  const double rigid = task.latest - task.first > 2 ? 1 : 4, bound = std::popcount(task.sites) > 1 ? 1 : 3;
  return room * rigid * bound * std::pow(4.0, std::min(task.level, 8));
}

class Repair {
 public:
  Repair(State& state, const TaskList& tasks) : state_{state}, instance_{state.instance()}, tasks_{tasks} {}

  void run(const Prices& prices) {
    room_ = room_of_tasks(instance_);
    find_holders();
    for (auto& [place, holders] : holders_) relieve(place, holders);
    refit(prices);
  }

 private:
  using Place = std::size_t;  // site · slots + slot

  /// Tasks in overloaded slots. Only there, as a list for every slot would be long.
  void find_holders() {
    for (std::size_t i = 0; i < state_.residual().size(); ++i) {
      if (state_.residual()[i] < 0) holders_[i % instance_.cells()];
    }
    if (holders_.empty()) return;
    for (const std::uint32_t t : tasks_) {
      const Spot& spot = state_.spot(t);
      if (!spot.placed()) continue;
      for (const Extent& extent : state_.extents(t)) {
        const Place begin = static_cast<std::size_t>(spot.site) * instance_.slots +
                            static_cast<std::size_t>(spot.start + extent.offset);
        const Place end = begin + static_cast<std::size_t>(extent.length);
        for (auto at = holders_.lower_bound(begin); at != holders_.end() && at->first < end; ++at)
          at->second.push_back(t);
      }
    }
  }

  void relieve(Place place, const std::vector<std::uint32_t>& holders) {
    while (true) {
      std::optional<std::uint32_t> easiest;
      double least = 0;
      for (const std::uint32_t t : holders) {
        if (!state_.spot(t).placed()) continue;
        const double relief = relief_of(t, place);
        if (relief <= 0) continue;
        const double key = hold_on(instance_.tasks[t], room_[t]) / relief;
        if (!easiest || key < least) {
          easiest = t;
          least = key;
        }
      }
      if (!easiest) return;  // within capacity
      state_.remove(*easiest);
    }
  }

  /// The share of the overload at a place that goes when the task goes, summed over resources.
  double relief_of(std::uint32_t t, Place place) const {
    const Spot& spot = state_.spot(t);
    const auto slot = static_cast<std::int32_t>(place % instance_.slots);
    double relief = 0;
    for (const Extent& extent : state_.extents(t)) {
      if (slot < spot.start + extent.offset || slot >= spot.start + extent.offset + extent.length) continue;
      for (const Load& load : instance_.loads_of(extent)) {
        const Count free = state_.residual()[load.resource * instance_.cells() + place];
        if (free < 0) relief += std::min(1.0, static_cast<double>(load.amount) / -static_cast<double>(free));
      }
    }
    return relief;
  }

  void refit(const Prices& prices) {
    TaskList out;
    for (const std::uint32_t t : tasks_) {
      if (!state_.spot(t).placed()) out.push_back(t);
    }
    std::stable_sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Task &x = instance_.tasks[a], &y = instance_.tasks[b];
      if (x.level != y.level) return x.level > y.level;
      return room_[a] / (1 + freedom(x)) > room_[b] / (1 + freedom(y));
    });
    StartScratch scratch;
    for (const std::uint32_t t : out) {
      if (const auto fit = cheapest_fit(state_, t, {&prices, 0.5}, scratch)) place(state_, t, *fit);
    }
  }

  State& state_;
  const Instance& instance_;
  const TaskList& tasks_;
  std::vector<double> room_;
  std::map<Place, std::vector<std::uint32_t>> holders_;
};

/// Tries to make room for one task at a random start, and takes everything back if that costs others their place.
class Admission {
 public:
  Admission(State& state, const Prices& prices, std::uint64_t seed)
      : state_{state},
        instance_{state.instance()},
        prices_{prices},
        random_{seed},
        index_{state},
        room_{room_of_tasks(instance_)} {}

  void run(TaskList left_out, int tries) {
    std::stable_sort(left_out.begin(), left_out.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Task &x = instance_.tasks[a], &y = instance_.tasks[b];
      return x.level != y.level ? x.level > y.level : room_[a] < room_[b];  // small ones first: more of them fit
    });
    for (const std::uint32_t t : left_out) admit(t, tries);
  }

 private:
  struct Before {
    std::uint32_t task;
    Spot spot;
    Pattern pattern;
  };

  void admit(std::uint32_t t, int tries) {
    if (settle(t, 0)) return;
    for (int i = 0; i < tries; ++i) {
      const bool may_displace = 2 * i >= tries;  // lower priorities, once gentler ways have failed
      if (attempt(t, may_displace)) return;
    }
  }

  bool attempt(std::uint32_t t, bool may_displace) {
    const auto target = random_run(instance_.tasks[t]);
    if (!target) return false;
    moved_.clear();
    const bool fits = clear_for(t, *target) && put_back(t, *target, may_displace);
    if (!fits) undo(t);
    return fits;
  }

  std::optional<Fit> random_run(const Task& task) {
    if (task.sites == 0) return {};
    std::uint64_t mask = task.sites;
    for (std::size_t skip = random_.below(static_cast<std::size_t>(std::popcount(mask))); skip > 0; --skip)
      mask &= mask - 1;
    const auto site = static_cast<std::size_t>(std::countr_zero(mask));
    const auto o = static_cast<std::uint32_t>(random_.below(task.options));
    const Option& option = instance_.options_of(task)[o];
    const StartRange starts = starts_of(task, option);
    if (starts.count == 0) return {};
    const std::int32_t start =
        starts.first + static_cast<std::int32_t>(random_.below(static_cast<std::size_t>(starts.count)));
    Fit fit{.spot = {static_cast<std::int32_t>(site), start, o, instance_.cost(task, option, site, start)},
            .pattern = {},
            .key = 0};
    if (task.interruptible >= 0) fit.pattern = without_pause(instance_, task, option);
    return fit;
  }

  /// Takes out tasks until the run has room.
  bool clear_for(std::uint32_t t, const Fit& target) {
    const Task& task = instance_.tasks[t];
    const auto site = static_cast<std::size_t>(target.spot.site);
    for (const Extent& extent : instance_.extents_of(instance_.options_of(task)[target.spot.option].footprint)) {
      for (const Load& load : instance_.loads_of(extent)) {
        const std::int32_t begin = target.spot.start + extent.offset;
        for (std::int32_t slot = begin; slot < begin + extent.length; ++slot) {
          const Count* free = state_.free(load.resource, site) + slot;
          while (*free < load.amount) {
            if (moved_.size() > 30 || !take_out_one(t, site, slot)) return false;
          }
        }
      }
    }
    return true;
  }

  bool take_out_one(std::uint32_t t, std::size_t site, std::int32_t slot) {
    std::optional<std::uint32_t> easiest;
    double least = 0;
    for (int draw = 0; draw < 4; ++draw) {
      const std::int64_t holder = index_.draw_holder(state_, site, slot, t, random_);
      if (holder < 0) continue;
      const auto other = static_cast<std::uint32_t>(holder);
      const double key = hold_on(instance_.tasks[other], room_[other]) / (1 + freedom(instance_.tasks[other]));
      if (!easiest || key < least) {
        easiest = other;
        least = key;
      }
    }
    if (!easiest || instance_.tasks[*easiest].level > instance_.tasks[t].level) return false;
    moved_.push_back({*easiest, state_.spot(*easiest), {}});
    if (instance_.tasks[*easiest].interruptible >= 0) moved_.back().pattern = state_.pattern(*easiest);
    unsettle(*easiest);
    return true;
  }

  bool put_back(std::uint32_t t, const Fit& target, bool may_displace) {
    place(state_, t, target);
    index_.enter(t, state_.spot(t));
    std::vector<std::uint32_t> again;
    for (const Before& before : moved_) again.push_back(before.task);
    std::stable_sort(again.begin(), again.end(), [&](std::uint32_t a, std::uint32_t b) { return room_[a] > room_[b]; });
    return std::all_of(again.begin(), again.end(), [&](std::uint32_t other) {
      return settle(other, 0.5) || (may_displace && instance_.tasks[other].level < instance_.tasks[t].level);
    });
  }

  void undo(std::uint32_t t) {
    unsettle(t);
    for (const Before& before : moved_) unsettle(before.task);
    for (const Before& before : moved_) {
      state_.place(before.task, before.spot, &before.pattern);
      index_.enter(before.task, before.spot);
    }
  }

  bool settle(std::uint32_t t, double share) {
    const auto fit = cheapest_fit(state_, t, {&prices_, share}, scratch_);
    if (!fit) return false;
    place(state_, t, *fit);
    index_.enter(t, fit->spot);
    return true;
  }

  void unsettle(std::uint32_t t) {
    if (!state_.spot(t).placed()) return;
    index_.leave(t, state_.spot(t));
    state_.remove(t);
  }

  State& state_;
  const Instance& instance_;
  const Prices& prices_;
  Random random_;
  StartIndex index_;
  std::vector<double> room_;
  StartScratch scratch_;
  std::vector<Before> moved_;
};

}  // namespace

std::vector<double> room_of_tasks(const Instance& instance) {
  std::vector<double> mean(instance.resources, 1);
  for (std::size_t k = 0; k < instance.resources; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < instance.cells(); ++i) sum += instance.capacity[k * instance.cells() + i];
    mean[k] = std::max(1.0, sum / static_cast<double>(std::max<std::size_t>(1, instance.cells())));
  }
  std::vector<double> room;
  room.reserve(instance.tasks.size());
  for (const Task& task : instance.tasks) {
    double sum = 0;
    for (const Extent& extent : instance.extents_of(instance.options_of(task)[0].footprint)) {
      for (const Load& load : instance.loads_of(extent)) sum += load.amount / mean[load.resource] * extent.length;
    }
    room.push_back(sum);
  }
  return room;
}

void repair(State& state, const TaskList& tasks, const Prices& prices) { Repair{state, tasks}.run(prices); }

void admit(State& state, const TaskList& tasks, const Prices& prices, const AdmitOptions& options) {
  TaskList left_out;
  for (const std::uint32_t t : tasks) {
    if (!state.spot(t).placed()) left_out.push_back(t);
  }
  if (left_out.empty()) return;
  const int share = std::max(4, options.most / static_cast<int>(std::min<std::size_t>(left_out.size(), 1'000'000)));
  Admission{state, prices, options.seed}.run(std::move(left_out), std::min(options.tries, share));
}

}  // namespace valle::scheduler::solving
