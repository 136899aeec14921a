// SPDX-License-Identifier: Apache-2.0
#include "scheduler/series/price_series.hpp"

#include <algorithm>
#include <utility>

namespace valle::scheduler {

PriceSeries::PriceSeries(Zone zone, std::string source, std::vector<PriceStep> steps)
    : zone_{std::move(zone)}, source_{std::move(source)} {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const PriceStep& a, const PriceStep& b) { return a.interval.begin < b.interval.begin; });
  steps_.reserve(steps.size());
  for (const PriceStep& step : steps) {
    if (!steps_.empty() && steps_.back().interval.end > step.interval.begin) {
      steps_.back().interval.end = step.interval.begin;
      if (steps_.back().interval.empty()) steps_.pop_back();
    }
    steps_.push_back(step);
  }
}

std::span<const PriceStep> PriceSeries::within(Interval interval) const {
  if (interval.empty()) return {};
  const auto first = std::partition_point(steps_.begin(), steps_.end(),
                                          [&](const PriceStep& step) { return step.interval.end <= interval.begin; });
  const auto last = std::partition_point(first, steps_.end(),
                                         [&](const PriceStep& step) { return step.interval.begin < interval.end; });
  return {first, last};
}

std::optional<EnergyPrice> PriceSeries::mean(Interval interval) const {
  if (interval.empty()) return {};
  Wide weighted = 0;
  Duration known{0};
  for (const PriceStep& step : within(interval)) {
    const Duration part = step.interval.overlap(interval).length();
    weighted += Wide{step.value.base()} * part.count();
    known += part;
  }
  if (known != interval.length()) return {};
  return EnergyPrice::of_base(narrow(divide_rounded(weighted, known.count())));
}

}  // namespace valle::scheduler
