// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "scheduler/series/intensity_series.hpp"

namespace valle::scheduler {

IntensitySeries resample(const IntensitySeries& series, Instant origin, Duration step) {
  require(step > Duration{0}, "a grid has steps of at least a second");
  std::vector<Step> slots;
  for (const IntensitySeries::Run& run : series.runs()) {
    // The first slot of the grid that begins in the run.
    const Duration into_slot = (run.interval.begin - origin) % step;
    const Duration lead = into_slot > Duration{0} ? step - into_slot : -into_slot;
    for (Instant begin = run.interval.begin + lead; begin + step <= run.interval.end; begin += step) {
      const Interval slot{begin, begin + step};
      Step mean{.interval = slot, .value = mean_of(series.integral(slot).value(), step)};
      for (const Step& part : series.within(slot)) {
        mean.estimated = mean.estimated || part.estimated;
        if (part.kind == ReadingKind::forecast) mean.kind = ReadingKind::forecast;
      }
      slots.push_back(mean);
    }
  }
  return IntensitySeries::of(std::move(slots));
}

}  // namespace valle::scheduler
