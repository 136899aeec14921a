// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/amount_layers.hpp"

#include <algorithm>
#include <numeric>

#include "scheduler/query/best_slot.hpp"

namespace valle::scheduler {
namespace {

/// The lengths of known cells, without the two cells at the window's edges if there are others.
struct CellLengths {
  std::int64_t common;  ///< greatest common divisor
  std::int64_t shortest;
  std::int64_t longest;
};

CellLengths lengths_of(const SegmentGrid& grid) {
  CellLengths lengths{.common = 0, .shortest = INT64_MAX, .longest = 0};
  const auto count = [&](std::size_t cell) {
    lengths.common = std::gcd(lengths.common, grid.length(cell));
    lengths.shortest = std::min(lengths.shortest, grid.length(cell));
    lengths.longest = std::max(lengths.longest, grid.length(cell));
  };
  for (std::size_t cell = 1; cell + 1 < grid.cells(); ++cell) {
    if (grid.known(cell)) count(cell);
  }
  if (lengths.common == 0) count(0);
  return lengths;
}

}  // namespace

std::optional<AmountLayers> AmountLayers::make(const SegmentGrid& grid, const WorkRule& rule) {
  AmountLayers layers;
  layers.choose_unit(grid, rule);
  // Before the first layer is made: each number of pauses has at least one of those that may be cut.
  const std::int64_t fewest = (layers.pauses_ + 1) * (rule.duration / layers.unit_);
  if (fewest > static_cast<std::int64_t>(k_most_interruptible_states / grid.cells())) return std::nullopt;
  layers.add_layers(grid, rule);
  if (!layers.affordable(grid)) return std::nullopt;
  return layers;
}

void AmountLayers::choose_unit(const SegmentGrid& grid, const WorkRule& rule) {
  const CellLengths lengths = lengths_of(grid);
  // Each segment but the first, a cut one and one of the last cell alone gets on by at least this much; and each begins
  // in a cell of its own.
  const std::int64_t least_progress = std::max(rule.later_run, lengths.shortest) - rule.restart;
  const std::int64_t most_pauses =
      std::min((rule.duration - 1) / least_progress + 2, static_cast<std::int64_t>(grid.cells()) - 1);
  const bool free = !rule.max_pauses || *rule.max_pauses >= most_pauses;
  const std::int64_t common = std::gcd(lengths.common, rule.restart);
  merged_ = free && lengths.common / common <= most_pauses + 1;
  unit_ = merged_ ? common : lengths.common;
  pauses_ = merged_ ? 0 : free ? most_pauses : *rule.max_pauses;
  repeats_after_ = unit_ / common;
}

void AmountLayers::add_layers(const SegmentGrid& grid, const WorkRule& rule) {
  layers_.push_back({.may_cut = false, .pauses_left = 0, .offset = 0, .count = 1});
  for (std::int64_t left = 0; left <= pauses_; ++left) {
    begin_uncut_.push_back(layers_.size());
    const std::int64_t work = rule.duration + (pauses_ - left) * rule.restart;
    add(true, left, work, rule.duration);
    add(true, left, work - grid.length(0), rule.duration);  // the first cell was used
  }
  begin_uncut_.push_back(layers_.size());
  for (std::int64_t left = 0; left <= pauses_; ++left) {
    begin_cut_.push_back(layers_.size());
    add(false, left, -left * rule.restart, rule.duration);
    add(false, left, grid.length(grid.cells() - 1) - left * rule.restart, rule.duration);  // the last cell will be
  }
  begin_cut_.push_back(layers_.size());
}

/// Adds the layer of the amounts below `duration` that are ≡ `amount`, unless it is there.
void AmountLayers::add(bool may_cut, std::int64_t pauses_left, std::int64_t amount, std::int64_t duration) {
  const std::int64_t offset = residue(amount);
  const AmountLayer& last = layers_.back();
  const bool there = last.may_cut == may_cut && last.pauses_left == pauses_left && last.offset == offset;
  if (offset >= duration || (there && layers_.size() > 1)) return;
  layers_.push_back({may_cut, pauses_left, offset, static_cast<std::size_t>((duration - 1 - offset) / unit_) + 1});
}

/// Bounds the costs that are held, and the time to lower them: each transfer takes as long as some 30 of its amounts.
bool AmountLayers::affordable(const SegmentGrid& grid) {
  constexpr std::size_t k_most_lowerings = 25 * k_most_interruptible_states;
  constexpr std::size_t k_transfer = 30;
  const auto cuts_to_a_layer = static_cast<std::size_t>(lengths_of(grid).longest / unit_ + 1);
  std::size_t amounts = 0;
  std::size_t lowerings = 0;
  for (const AmountLayer& layer : layers_) {
    const auto [first, last] = after_cut(layer.pauses_left);
    amounts += layer.count;
    lowerings += (layer.count + k_transfer) * (layer.may_cut ? 1 + cuts_to_a_layer * (last - first) : 1);
  }
  const bool few = 2 * amounts <= k_most_interruptible_states / (grid.cells() + 1) &&
                   2 * lowerings <= k_most_lowerings / (grid.cells() + 1);
  if (few) work_ = 2 * lowerings * (grid.cells() + 1);
  return few;
}

std::optional<std::size_t> AmountLayers::layer_of(bool may_cut, std::int64_t pauses_left, std::int64_t amount) const {
  const std::int64_t offset = residue(amount);
  const auto& begins = may_cut ? begin_uncut_ : begin_cut_;
  const auto left = static_cast<std::size_t>(pauses_left);
  for (std::size_t i = begins[left]; i < begins[left + 1]; ++i) {
    if (layers_[i].offset == offset) return i;
  }
  return offset == 0 ? std::optional{k_done} : std::nullopt;
}

/// Amounts ≡ each other need one layer only: that with the most pauses left can do all that the others can.
std::pair<std::size_t, std::size_t> AmountLayers::after_cut(std::int64_t pauses_left) const {
  const std::int64_t fewest_left = std::max<std::int64_t>(0, pauses_left - repeats_after_ + 1);
  return {begin_cut_[static_cast<std::size_t>(fewest_left)], begin_cut_[static_cast<std::size_t>(pauses_left) + 1]};
}

}  // namespace valle::scheduler
