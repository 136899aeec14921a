// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/segment_grid.hpp"

#include <algorithm>

namespace valle::scheduler {

SegmentGrid::SegmentGrid(const IntensitySeries& series, const Interval& window) {
  constexpr std::int64_t k_unknown = -1;
  const auto runs = series.runs_within(window);
  const std::size_t most_cells = series.within(window).size() + runs.size();
  points_.reserve(most_cells + 1);
  values_.reserve(most_cells);
  integral_.reserve(most_cells + 1);
  for (const IntensitySeries::Run& run : runs) {
    const Interval part = run.interval.overlap(window);
    if (points_.empty()) {
      points_.push_back(part.begin);
      integral_.push_back(0);
    } else {
      add_cell(part.begin, k_unknown);
    }
    const auto boundaries = series.boundaries(run);
    const auto values = series.values(run);
    for (std::size_t i = series.step_index(run, part.begin); i < run.count && boundaries[i] < part.end; ++i) {
      add_cell(std::min(boundaries[i + 1], part.end), values[i]);
    }
  }
}

void SegmentGrid::add_cell(Instant end, std::int64_t value) {
  const std::int64_t seconds = (end - points_.back()).count();
  integral_.push_back(integral_.back() + (value < 0 ? 0 : value * seconds));
  points_.push_back(end);
  values_.push_back(value);
}

std::vector<std::size_t> SegmentGrid::reach(std::int64_t length) const {
  std::vector<std::size_t> reached(cells(), k_nowhere);
  std::size_t end = 0;       // of the segment from the cell at hand
  std::size_t known_to = 0;  // all cells from there up to this point are known
  for (std::size_t begin = 0; begin < cells(); ++begin) {
    while (end < cells() && between(begin, end) < length) ++end;
    if (between(begin, end) < length) break;  // nor do the later ones reach so far
    known_to = std::max(known_to, begin);
    while (known_to < end && known(known_to)) ++known_to;
    if (known_to >= end) reached[begin] = end;
  }
  return reached;
}

}  // namespace valle::scheduler
