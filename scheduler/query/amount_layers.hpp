// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/query/segment_grid.hpp"

namespace valle::scheduler {

/// The amounts of work (useful seconds) that can be left at a point of the grid, under equal circumstances: whether a
/// segment may still be cut short, and how many pauses are left. They lie `unit` apart: offset, offset + unit, …
struct AmountLayer {
  bool may_cut;
  std::int64_t pauses_left;
  std::int64_t offset;
  std::size_t count;
};

/// What the amounts of a job depend on.
struct WorkRule {
  std::int64_t duration;   ///< > 0
  std::int64_t restart;    ///< seconds repeated by each segment but the first
  std::int64_t first_run;  ///< shortest first segment, > 0
  std::int64_t later_run;  ///< shortest other segment, > restart
  std::optional<std::int64_t> max_pauses;
};

/// All layers of one job on one grid. Segments are made of whole cells but for one cut, so with steps of one length
/// amounts are few: multiples of the step, shifted by restarts and by the two cells that the window's edges have cut.
///
/// Restarts are held in one of two ways. Counted: a layer for each number of pauses left, in which the shift by
/// restarts is known. Merged: one unit divides steps and restart, and pauses need no counting. A limit on pauses forces
/// the first; otherwise the one with fewer amounts is taken.
class AmountLayers {
 public:
  /// The layer that holds the amount 0 alone: the job is done.
  static constexpr std::size_t k_done = 0;

  /// Nothing if a search over all layers at all points of the grid would take more memory or time than
  /// `k_most_interruptible_states` allows.
  [[nodiscard]] static std::optional<AmountLayers> make(const SegmentGrid& grid, const WorkRule& rule);

  [[nodiscard]] std::span<const AmountLayer> layers() const { return layers_; }
  [[nodiscard]] std::int64_t unit() const { return unit_; }
  /// How often a search over all points of the grid lowers a cost, at most.
  [[nodiscard]] std::size_t work() const { return work_; }
  /// 0 ≤ result < unit, also of a negative amount.
  [[nodiscard]] std::int64_t residue(std::int64_t amount) const { return ((amount % unit_) + unit_) % unit_; }
  /// Pauses left at the start; zero if pauses are merged.
  [[nodiscard]] std::int64_t pauses() const { return pauses_; }
  /// Pauses left after one more; nothing if none is allowed.
  [[nodiscard]] std::optional<std::int64_t> after_pause(std::int64_t pauses_left) const {
    if (merged_) return pauses_left;
    return pauses_left > 0 ? std::optional{pauses_left - 1} : std::nullopt;
  }
  /// The layer under these circumstances whose amounts are ≡ `amount` modulo the unit. Where only "nothing left" can be
  /// meant, `k_done`; nothing if no run ever needs such amounts.
  [[nodiscard]] std::optional<std::size_t> layer_of(bool may_cut, std::int64_t pauses_left, std::int64_t amount) const;
  /// The layers [first, second) in which work may go on after a cut with so many pauses left.
  [[nodiscard]] std::pair<std::size_t, std::size_t> after_cut(std::int64_t pauses_left) const;

 private:
  AmountLayers() = default;
  void choose_unit(const SegmentGrid& grid, const WorkRule& rule);
  void add_layers(const SegmentGrid& grid, const WorkRule& rule);
  void add(bool may_cut, std::int64_t pauses_left, std::int64_t amount, std::int64_t duration);
  [[nodiscard]] bool affordable(const SegmentGrid& grid);

  std::size_t work_ = 0;
  std::int64_t unit_ = 1;
  std::int64_t pauses_ = 0;
  std::int64_t repeats_after_ = 1;  ///< pauses after which restarts come to the same amounts modulo the unit
  bool merged_ = false;
  // k_done, then those that may be cut by pauses left, then the others by pauses left.
  std::vector<AmountLayer> layers_;
  std::vector<std::size_t> begin_uncut_;  // by pauses left, and the end
  std::vector<std::size_t> begin_cut_;
};

}  // namespace valle::scheduler
