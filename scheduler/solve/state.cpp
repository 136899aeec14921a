// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/state.hpp"

#include <algorithm>

#include "scheduler/units/require.hpp"

namespace valle::scheduler::solving {

void shift_cells(const Instance& instance, std::span<const Extent> extents, std::size_t site, std::int32_t start,
                 Count sign, Count* cells) {
  for (const Extent& extent : extents) {
    for (const Load& load : instance.loads_of(extent)) {
      Count* cell = cells + instance.cell(load.resource, site, static_cast<std::size_t>(start + extent.offset));
      const Count amount = sign * load.amount;
      for (std::int32_t t = 0; t < extent.length; ++t) cell[t] += amount;
    }
  }
}

State::State(const Instance& instance)
    : instance_{&instance},
      residual_{instance.capacity},
      spots_(instance.tasks.size()),
      patterns_(instance.pauses.size()) {
  for (const Task& task : instance.tasks) objective_ += task.penalty;
}

std::span<const Extent> State::extents(std::size_t task) const {
  if (!spots_[task].placed()) return {};
  const Task& what = instance_->tasks[task];
  if (what.interruptible >= 0) return patterns_[static_cast<std::size_t>(what.interruptible)].extents;
  return instance_->extents_of(instance_->options_of(what)[spots_[task].option].footprint);
}

const Pattern& State::pattern(std::size_t task) const {
  return patterns_[static_cast<std::size_t>(instance_->tasks[task].interruptible)];
}

void State::place(std::size_t task, const Spot& spot, const Pattern* pattern) {
  require(!spots_[task].placed() && spot.placed(), "a task is placed once");
  const Task& what = instance_->tasks[task];
  if (what.interruptible >= 0) patterns_[static_cast<std::size_t>(what.interruptible)] = *pattern;
  spots_[task] = spot;
  objective_ += spot.cost - what.penalty;
  shift_cells(*instance_, extents(task), static_cast<std::size_t>(spot.site), spot.start, -1, residual_.data());
}

void State::remove(std::size_t task) {
  Spot& spot = spots_[task];
  if (!spot.placed()) return;
  shift_cells(*instance_, extents(task), static_cast<std::size_t>(spot.site), spot.start, 1, residual_.data());
  objective_ += instance_->tasks[task].penalty - spot.cost;
  spot.site = -1;
}

std::int64_t State::overload() const {
  std::int64_t sum = 0;
  for (const Count free : residual_) sum += std::max<std::int64_t>(0, -free);
  return sum;
}

}  // namespace valle::scheduler::solving
