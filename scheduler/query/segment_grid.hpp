// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/series/intensity_series.hpp"

namespace valle::scheduler {

/// The part of a series inside a window as cells between points: one cell a step, cut at the window's edges, and one a
/// gap. The points are where segments of an interruptible job may begin, and end if they are not cut short.
class SegmentGrid {
 public:
  SegmentGrid(const IntensitySeries& series, const Interval& window);

  [[nodiscard]] std::size_t cells() const { return values_.size(); }
  /// Point `i` ≤ cells(); cell i lies between points i and i + 1.
  [[nodiscard]] Instant point(std::size_t i) const { return points_[i]; }
  [[nodiscard]] std::int64_t length(std::size_t cell) const { return between(cell, cell + 1); }
  [[nodiscard]] std::int64_t between(std::size_t from, std::size_t to) const {
    return (points_[to] - points_[from]).count();
  }
  [[nodiscard]] bool known(std::size_t cell) const { return values_[cell] >= 0; }
  /// In mg/kWh; of a known cell.
  [[nodiscard]] std::int64_t value(std::size_t cell) const { return values_[cell]; }
  /// ∫ over the known cells before point `i`, in mg·s/kWh.
  [[nodiscard]] std::int64_t integral_to(std::size_t i) const { return integral_[i]; }

  static constexpr std::size_t k_nowhere = SIZE_MAX;
  /// For each cell the nearest point that lies at least `length` seconds after its begin without an unknown cell
  /// between; `k_nowhere` where there is none.
  [[nodiscard]] std::vector<std::size_t> reach(std::int64_t length) const;

 private:
  void add_cell(Instant end, std::int64_t value);

  std::vector<Instant> points_;
  std::vector<std::int64_t> values_;    // −1 in a gap
  std::vector<std::int64_t> integral_;  // a point each
};

}  // namespace valle::scheduler
