// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/series/intensity_series.hpp"

namespace valle::scheduler {

/// A start and the ∫ of intensity over the run from it, in mg·s/kWh.
struct StartCost {
  Instant at;
  std::int64_t integral;
};

enum class Extreme { cheapest, costliest };

/// The earliest of the extreme starts of an unbroken run of `duration` > 0 inside the window, over all seconds; nothing
/// where the series nowhere knows `duration` seconds in a row. Linear in the number of steps.
///
/// The integral is piecewise linear in the start, with kinks where the start or the end meets a step's boundary, so the
/// extremes, and the earliest of equal ones, lie at kinks or at the first or last possible start.
[[nodiscard]] std::optional<StartCost> extreme_start(const IntensitySeries& series, Interval window, Duration duration,
                                                     Extreme extreme);

}  // namespace valle::scheduler
