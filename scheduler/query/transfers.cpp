// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/transfers.hpp"

namespace valle::scheduler {

const std::vector<Transfer>& Transfers::of(const Stretch& stretch) {
  auto& last = last_[stretch.after_pause ? 1 : 0];
  if (last != known_.end() && last->first == stretch) return last->second;
  const auto [entry, is_new] = known_.try_emplace(stretch);
  if (is_new) {
    for (std::size_t from = 0; from < layers_.layers().size(); ++from) {
      add(entry->second, stretch, from, layers_.layers()[from]);
    }
  }
  last = entry;
  return entry->second;
}

const std::vector<Transfer>& Transfers::from_start(const Stretch& stretch, std::int64_t duration) {
  if (last_start_ != known_starts_.end() && last_start_->first == stretch) return last_start_->second;
  const auto [entry, is_new] = known_starts_.try_emplace(stretch);
  if (is_new) {
    const AmountLayer all_work{
        .may_cut = true, .pauses_left = layers_.pauses(), .offset = duration, .count = 1, .base = 0};
    add(entry->second, stretch, 0, all_work);
  }
  last_start_ = entry;
  return entry->second;
}

void Transfers::add(std::vector<Transfer>& transfers, const Stretch& stretch, std::size_t from,
                    const AmountLayer& source) const {
  const auto left = stretch.after_pause ? layers_.after_pause(source.pauses_left) : source.pauses_left;
  if (!left) return;
  const auto shift_to = [&](std::size_t to, std::int64_t progress) {
    return (source.offset - progress - layers_.layers()[to].offset) / layers_.unit();
  };
  if (const auto to = layers_.layer_of(source.may_cut, *left, source.offset - stretch.progress)) {
    transfers.push_back({from, *to, shift_to(*to, stretch.progress), 0});
  }
  if (!source.may_cut) return;
  const std::int64_t before_last = stretch.progress - stretch.last_cell;
  for (const std::size_t to : layers_.after_cut(*left)) {
    // The seconds in the last cell that lead to amounts of this layer lie a unit apart.
    const std::int64_t distance = source.offset - before_last - layers_.layers()[to].offset - stretch.least_cut;
    const std::int64_t beyond_least = ((distance % layers_.unit()) + layers_.unit()) % layers_.unit();
    for (std::int64_t cut = stretch.least_cut + beyond_least; cut < stretch.last_cell; cut += layers_.unit()) {
      transfers.push_back({from, to, shift_to(to, before_last + cut), cut});
    }
  }
}

}  // namespace valle::scheduler
