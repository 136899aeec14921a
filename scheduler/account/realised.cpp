// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/realised.hpp"

#include <algorithm>

namespace valle::scheduler {

RealisedIntensity::RealisedIntensity(const IntensitySeries& series, Interval window,
                                     std::optional<CarbonIntensity> yearly_factor)
    : yearly_factor_{yearly_factor} {
  if (window.empty()) return;
  boundaries_.push_back(window.begin);
  sums_.emplace_back();
  for (const Step& step : series.within(window)) {
    if (step.kind != ReadingKind::measured) continue;
    const Interval inside = step.interval.overlap(window);
    append(inside.begin, std::nullopt);
    append(inside.end, step);
  }
  append(window.end, std::nullopt);
}

/// From the last boundary to `end` the intensity is that of `step`, or unknown.
void RealisedIntensity::append(Instant end, std::optional<Step> step) {
  const std::int64_t length = (end - boundaries_.back()).count();
  if (length <= 0) return;
  Sums sums = sums_.back();
  if (step) {
    sums.integral += step->value.base() * length;
    if (step->estimated) sums.estimated += length;
  } else if (yearly_factor_) {
    sums.integral += yearly_factor_->base() * length;
    sums.fallback += length;
  } else {
    sums.missing += length;
  }
  boundaries_.push_back(end);
  sums_.push_back(sums);
}

RealisedIntensity::Sums RealisedIntensity::until(Instant t) const {
  const auto after = std::upper_bound(boundaries_.begin() + 1, boundaries_.end() - 1, t);
  const auto index = static_cast<std::size_t>(after - boundaries_.begin());
  const Sums& from = sums_[index - 1];
  const Sums& to = sums_[index];
  const std::int64_t length = (boundaries_[index] - boundaries_[index - 1]).count();
  const std::int64_t passed = (t - boundaries_[index - 1]).count();
  // Inside a step every sum grows evenly, by a whole number a second.
  const auto part = [&](std::int64_t before, std::int64_t behind) {
    return before + (behind - before) / length * passed;
  };
  return {part(from.integral, to.integral), part(from.estimated, to.estimated), part(from.fallback, to.fallback),
          part(from.missing, to.missing)};
}

std::optional<RealisedStretch> RealisedIntensity::over(const Interval& interval) const {
  if (interval.empty()) return RealisedStretch{};
  if (boundaries_.size() < 2 || interval.begin < boundaries_.front() || interval.end > boundaries_.back()) return {};
  const Sums from = until(interval.begin);
  const Sums to = until(interval.end);
  if (to.missing != from.missing) return {};
  return RealisedStretch{IntensitySeconds::of_base(to.integral - from.integral),
                         Duration{to.estimated - from.estimated}, Duration{to.fallback - from.fallback}};
}

}  // namespace valle::scheduler
