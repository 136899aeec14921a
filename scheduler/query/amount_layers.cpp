// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/amount_layers.hpp"

#include <algorithm>
#include <numeric>

namespace valle::scheduler {
namespace {

/// What the lengths of known cells have in common.
struct CellLengths {
  std::int64_t common;    ///< greatest common divisor, without the two cells at the window's edges if there are others
  std::int64_t shortest;  ///< of all
};

CellLengths lengths_of(const SegmentGrid& grid) {
  CellLengths lengths{.common = 0, .shortest = grid.length(0)};
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    if (!grid.known(cell)) continue;
    lengths.shortest = std::min(lengths.shortest, grid.length(cell));
    const bool at_edge = cell == 0 || cell + 1 == grid.cells();
    if (!at_edge) lengths.common = std::gcd(lengths.common, grid.length(cell));
  }
  if (lengths.common == 0) lengths.common = grid.length(0);
  return lengths;
}

}  // namespace

AmountLayers::AmountLayers(const SegmentGrid& grid, const WorkRule& rule) {
  choose_unit(grid, rule);
  layers_.push_back({.may_cut = false, .pauses_left = 0, .offset = 0, .count = 1});
  amounts_ = 1;
  const std::int64_t first_cell = grid.length(0);
  const std::int64_t last_cell = grid.length(grid.cells() - 1);
  for (std::int64_t left = 0; left <= pauses_; ++left) {
    const std::int64_t restarted = (pauses_ - left) * rule.restart;
    add(true, left, rule.duration + restarted, rule.duration);
    add(true, left, rule.duration + restarted - first_cell, rule.duration);  // the first cell is used
    add(false, left, -left * rule.restart, rule.duration);
    add(false, left, last_cell - left * rule.restart, rule.duration);  // the last cell will be
  }
  list_layers_after_cut();
}

void AmountLayers::choose_unit(const SegmentGrid& grid, const WorkRule& rule) {
  const CellLengths lengths = lengths_of(grid);
  // Each segment but the first and a cut one is made of whole cells, so it gets on by at least this much.
  const std::int64_t least_progress = std::max(rule.later_run, lengths.shortest) - rule.restart;
  const std::int64_t most_pauses = (rule.duration - 1) / least_progress + 1;
  const bool free = !rule.max_pauses || *rule.max_pauses >= most_pauses;
  const std::int64_t common = std::gcd(lengths.common, rule.restart);
  merged_ = free && lengths.common / common <= most_pauses;
  unit_ = merged_ ? common : lengths.common;
  if (!merged_) pauses_ = free ? most_pauses : *rule.max_pauses;
}

/// Adds the layer of amounts below `largest` that are ≡ `amount`, unless it is there.
void AmountLayers::add(bool may_cut, std::int64_t pauses_left, std::int64_t amount, std::int64_t largest) {
  const std::int64_t offset = residue(amount);
  if (offset >= largest || find(may_cut, pauses_left, offset)) return;
  const auto count = static_cast<std::size_t>((largest - 1 - offset) / unit_) + 1;
  layers_.push_back({may_cut, pauses_left, offset, count});
  amounts_ += count;
}

std::optional<std::size_t> AmountLayers::find(bool may_cut, std::int64_t pauses_left, std::int64_t offset) const {
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    const AmountLayer& layer = layers_[i];
    if (layer.may_cut == may_cut && layer.pauses_left == pauses_left && layer.offset == offset) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> AmountLayers::layer_of(bool may_cut, std::int64_t pauses_left, std::int64_t amount) const {
  const std::int64_t offset = residue(amount);
  const auto found = find(may_cut, pauses_left, offset);
  return found || offset != 0 ? found : std::optional<std::size_t>{0};
}

/// Amounts ≡ each other need one layer only: that with the most pauses left can do all that the others can.
void AmountLayers::list_layers_after_cut() {
  for (std::int64_t left = 0; left <= pauses_; ++left) {
    std::vector<std::size_t> targets;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const AmountLayer& layer = layers_[i];
      const bool covered =
          std::ranges::any_of(targets, [&](std::size_t t) { return layers_[t].offset == layer.offset; });
      if (!layer.may_cut && layer.pauses_left <= left && !covered) targets.push_back(i);
    }
    after_cut_.push_back(std::move(targets));
  }
}

}  // namespace valle::scheduler
