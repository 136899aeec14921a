// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/settle_early.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/solve/outcome.hpp"

namespace valle::scheduler::solving {
namespace {

class Settling {
 public:
  Settling(const Problem& problem, const Ledger& ledger, State& state)
      : problem_{problem}, ledger_{ledger}, state_{state}, instance_{state.instance()} {}

  void run(TaskList tasks) {
    std::stable_sort(tasks.begin(), tasks.end(), [&](std::uint32_t a, std::uint32_t b) {
      return state_.spot(a).start < state_.spot(b).start;  // whom an earlier task makes room for comes after it
    });
    for (const std::uint32_t t : tasks) {
      if (state_.spot(t).placed() && instance_.tasks[t].interruptible < 0) settle(t);
    }
  }

 private:
  void settle(std::uint32_t t) {
    const Fit now = fit_in(state_, t);
    state_.remove(t);
    Fit best = now;
    for_each_site(instance_.tasks[t].sites, [&](std::size_t site) {
      for (std::uint32_t o = 0; o < instance_.tasks[t].options; ++o) look(t, site, o, now.spot, best);
    });
    place(state_, t, best);
  }

  void look(std::uint32_t t, std::size_t site, std::uint32_t o, const Spot& now, Fit& best) {
    const Task& task = instance_.tasks[t];
    const Option& option = instance_.options_of(task)[o];
    StartRange starts = starts_of(task, option);
    starts.count = std::min(starts.count, best.spot.start - starts.first);  // earlier ones only
    if (starts.count <= 0) return;
    put_costs(instance_, task, option, site, starts, scratch_);
    bool marked = false;
    for (std::int32_t i = 0; i < starts.count; ++i) {
      const auto n = static_cast<std::size_t>(i);
      if (scratch_.value[n] > now.cost + k_rounding * task.members) continue;
      if (!marked) mark_full(state_, instance_.extents_of(option.footprint), site, starts, scratch_);
      marked = true;
      if (scratch_.full[n] > 0) continue;
      const Spot spot{static_cast<std::int32_t>(site), starts.first + i, o, scratch_.value[n]};
      if (objective(t, spot) > objective(t, now)) continue;
      best.spot = spot;
      return;
    }
  }

  [[nodiscard]] Wide objective(std::uint32_t t, const Spot& spot) const {
    return objective_of(problem_, ledger_, instance_, t, {.spot = spot, .pattern = {}, .key = 0});
  }

  /// Costs that differ by more can't be the same whole number of milligrams.
  static constexpr double k_rounding = 1.5;

  const Problem& problem_;
  const Ledger& ledger_;
  State& state_;
  const Instance& instance_;
  StartScratch scratch_;
};

}  // namespace

void settle_early(const Problem& problem, const Ledger& ledger, State& state, const TaskList& tasks) {
  Settling{problem, ledger, state}.run(tasks);
}

}  // namespace valle::scheduler::solving
