// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/start_index.hpp"

#include <algorithm>

namespace valle::scheduler::solving {

StartIndex::StartIndex(const State& state)
    : slots_{state.instance().slots}, starting_(state.instance().cells()), position_(state.instance().tasks.size(), 0) {
  const Instance& instance = state.instance();
  for (std::uint32_t t = 0; t < position_.size(); ++t) {
    const Task& task = instance.tasks[t];
    for (const Option& option : instance.options_of(task)) {
      const Extent& last = instance.extents_of(option.footprint).back();
      longest_ = std::max(longest_, static_cast<std::size_t>(last.offset + last.length));
    }
    if (task.interruptible >= 0) {  // pauses may stretch a run over its whole window
      const std::int32_t window = instance.members[task.first_member].end - task.first;
      longest_ = std::max(longest_, static_cast<std::size_t>(std::max(0, window)));
    }
    if (state.spot(t).placed()) enter(t, state.spot(t));
  }
}

void StartIndex::enter(std::uint32_t task, const Spot& spot) {
  std::vector<std::uint32_t>& list = starting_[place_of(spot)];
  position_[task] = static_cast<std::uint32_t>(list.size());
  list.push_back(task);
}

void StartIndex::leave(std::uint32_t task, const Spot& spot) {
  std::vector<std::uint32_t>& list = starting_[place_of(spot)];
  list[position_[task]] = list.back();
  position_[list.back()] = position_[task];
  list.pop_back();
}

std::int64_t StartIndex::draw_holder(const State& state, std::size_t site, std::int32_t slot, std::uint32_t except,
                                     Random& random) const {
  for (int draw = 0; draw < 24; ++draw) {
    const auto back = static_cast<std::int32_t>(static_cast<double>(random.below(longest_)) * random.unit());
    const std::int32_t start = slot - back;
    if (start < 0) continue;
    const std::vector<std::uint32_t>& list = starting_[site * slots_ + static_cast<std::size_t>(start)];
    if (list.empty()) continue;
    const std::uint32_t task = list[random.below(list.size())];
    if (task != except && holds_slot(state.extents(task), start, slot)) return task;
  }
  return -1;
}

bool holds_slot(std::span<const Extent> extents, std::int32_t start, std::int32_t slot) {
  return std::any_of(extents.begin(), extents.end(), [&](const Extent& extent) {
    return start + extent.offset <= slot && slot < start + extent.offset + extent.length;
  });
}

}  // namespace valle::scheduler::solving
