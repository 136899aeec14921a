// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/series/intensity_series.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// What the grid's intensity came to over some seconds, and how good these values were.
struct RealisedStretch {
  IntensitySeconds integral;
  Duration estimated{};  ///< seconds whose value the provider itself marks as estimated
  Duration fallback{};   ///< seconds without a value of their own, counted at a yearly factor
  friend bool operator==(const RealisedStretch&, const RealisedStretch&) = default;
};

/// The realised intensity of one zone inside a window: measured values, never forecasts. Where there is none, a yearly
/// factor if one is given, else a gap. Immutable, safe from any thread.
class RealisedIntensity final {
 public:
  RealisedIntensity() = default;  ///< knows nothing
  RealisedIntensity(const IntensitySeries& series, Interval window, std::optional<CarbonIntensity> yearly_factor);

  /// Nothing unless every second of the interval has a value. Exact.
  [[nodiscard]] std::optional<RealisedStretch> over(const Interval& interval) const;

 private:
  /// Sums from the window's begin to one of its boundaries.
  struct Sums {
    std::int64_t integral = 0;  // mg·s/kWh
    std::int64_t estimated = 0;
    std::int64_t fallback = 0;
    std::int64_t missing = 0;
  };
  void append(Instant end, std::optional<Step> step);
  [[nodiscard]] Sums until(Instant t) const;

  std::optional<CarbonIntensity> yearly_factor_;
  std::vector<Instant> boundaries_;
  std::vector<Sums> sums_;  // as many as there are boundaries
};

}  // namespace valle::scheduler
