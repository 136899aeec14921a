// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduler/series/intensity_series.hpp"

namespace valle::scheduler {
namespace {

/// `upper` where it knows, `lower` elsewhere.
IntensitySeries overlay_two(const IntensitySeries& upper, const IntensitySeries& lower) {
  std::vector<Step> filling;
  for (const Interval& gap : upper.gaps(lower.extent())) {
    for (Step step : lower.within(gap)) {
      step.interval = step.interval.overlap(gap);
      filling.push_back(step);
    }
  }
  if (filling.empty()) return upper;
  std::vector<Step> steps;
  steps.reserve(upper.step_count() + filling.size());
  std::ranges::merge(
      upper.steps(), filling, std::back_inserter(steps), {}, [](const Step& step) { return step.interval.begin; },
      [](const Step& step) { return step.interval.begin; });
  return IntensitySeries::of(std::move(steps));
}

}  // namespace

IntensitySeries overlay(std::span<const IntensitySeries* const> layers) {
  IntensitySeries merged;
  for (const IntensitySeries* layer : layers) {
    merged = merged.empty() ? *layer : overlay_two(merged, *layer);
  }
  return merged;
}

}  // namespace valle::scheduler
