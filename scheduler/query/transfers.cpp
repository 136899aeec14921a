// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/transfers.hpp"

namespace valle::scheduler {

const TransferList* Transfers::of(const Stretch& stretch) {
  auto& last = last_[static_cast<std::size_t>(stretch.begin)];
  if (last == known_.end() || last->first != stretch) {
    last = known_.find(stretch);
    if (last == known_.end()) last = known_.emplace(stretch, worked_out(stretch)).first;
  }
  return &last->second;
}

TransferList Transfers::worked_out(const Stretch& stretch) const {
  TransferList transfers;
  if (stretch.begin == Stretch::Begin::start) {
    add(transfers, stretch, 0, {.may_cut = true, .pauses_left = layers_.pauses(), .offset = duration_, .count = 1});
  } else {
    for (std::size_t from = 0; from < layers_.layers().size(); ++from) {
      add(transfers, stretch, from, layers_.layers()[from]);
    }
  }
  return transfers;
}

void Transfers::add(TransferList& transfers, const Stretch& stretch, std::size_t from,
                    const AmountLayer& source) const {
  const bool pauses = stretch.begin == Stretch::Begin::resume;
  const auto left = pauses ? layers_.after_pause(source.pauses_left) : source.pauses_left;
  if (!left) return;
  if (const auto to = layers_.layer_of(source.may_cut, *left, source.offset - stretch.progress)) {
    const std::int64_t distance = source.offset - stretch.progress - layers_.layers()[*to].offset;
    add_if_possible(transfers, source, {from, *to, distance / layers_.unit(), 0});
  }
  if (!source.may_cut) return;
  add_cuts(transfers, stretch, from, source, AmountLayers::k_done);
  const auto [first, last] = layers_.after_cut(*left);
  for (std::size_t to = first; to < last; ++to) add_cuts(transfers, stretch, from, source, to);
}

/// The seconds in the last cell that lead to amounts of layer `to` lie a unit apart.
void Transfers::add_cuts(TransferList& transfers, const Stretch& stretch, std::size_t from, const AmountLayer& source,
                         std::size_t to) const {
  const std::int64_t before_last = stretch.progress - stretch.last_cell;
  const std::int64_t distance = source.offset - before_last - layers_.layers()[to].offset;
  const std::int64_t first_cut = stretch.least_cut + layers_.residue(distance - stretch.least_cut);
  for (std::int64_t cut = first_cut; cut < stretch.last_cell; cut += layers_.unit()) {
    add_if_possible(transfers, source, {from, to, (distance - cut) / layers_.unit(), cut});
  }
}

/// Adds a transfer unless it leads from no amount of its layer to one of the other.
void Transfers::add_if_possible(TransferList& transfers, const AmountLayer& source, const Transfer& transfer) const {
  const auto there = static_cast<std::int64_t>(layers_.layers()[transfer.to].count);
  if (transfer.shift < there && transfer.shift + static_cast<std::int64_t>(source.count) > 0)
    transfers.push_back(transfer);
}

std::vector<bool> Transfers::keep_reachable() {
  std::vector<bool> reachable(layers_.layers().size());
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [stretch, transfers] : known_) {
      for (const Transfer& transfer : transfers) {
        const bool entered = stretch.begin == Stretch::Begin::start || reachable[transfer.from];
        if (!entered || reachable[transfer.to]) continue;
        reachable[transfer.to] = true;
        grown = true;
      }
    }
  }
  for (auto& [stretch, transfers] : known_) {
    if (stretch.begin == Stretch::Begin::start) continue;
    std::erase_if(transfers, [&](const Transfer& transfer) { return !reachable[transfer.from]; });
  }
  return reachable;
}

}  // namespace valle::scheduler
