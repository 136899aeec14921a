// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduler/forecast/timeline.hpp"

namespace valle::scheduler::forecast {

/// The forecasts that need no training. Each gives `hours` values in g/kWh from `known.issue` on, never below zero.

/// The newest known value at the same UTC hour, `period` hours (24 or 168) or a multiple of it back.
[[nodiscard]] std::vector<double> last_period(const Timeline& timeline, const AsOf& known, Hour hours, Hour period);

/// Mean of the last seven known values at the same UTC hour; of fewer where history is shorter, and of all that is
/// known where it is less than a day.
[[nodiscard]] std::vector<double> profile(const Timeline& timeline, const AsOf& known, Hour hours);

/// The profile plus (mean of the last six values − profile at the newest) · e^(−h/24).
[[nodiscard]] std::vector<double> profile_and_level(const Timeline& timeline, const AsOf& known, Hour hours);

/// The profile plus the mean of the last six residuals against it · e^(−h/24).
[[nodiscard]] std::vector<double> profile_and_residual(const Timeline& timeline, const AsOf& known, Hour hours);

/// The best of them: half profile and residual, half the same with the price's departure from its own profile times the
/// slope that intensity has had on it for four weeks. Where prices or history are missing, profile and residual alone.
[[nodiscard]] std::vector<double> untrained(const Timeline& timeline, const AsOf& known, Hour hours);

/// Days that a profile at `known` can use: 0…7.
[[nodiscard]] Hour profile_days(const AsOf& known);

/// Hours back from `hour` by which a value at the same clock hour is known.
[[nodiscard]] inline Hour back_to_known(const AsOf& known, Hour hour) { return (hour - known.last + 23) / 24 * 24; }

/// Mean of the `days` values at the same clock hour up to and with `last`.
[[nodiscard]] inline double mean_of_days(const std::vector<double>& values, Hour last, Hour days) {
  double sum = 0;
  for (Hour day = 0; day < days; ++day) sum += values[static_cast<std::size_t>(last - 24 * day)];
  return sum / static_cast<double>(days);
}

/// The price's part of `untrained`, which features use too.
struct PriceSlope {
  double slope = 0;     ///< g/kWh for each EUR/MWh of departure from the price's profile
  double residual = 0;  ///< mean of the last six residuals once the price's part is taken out
  /// Departure of the price at `hour` from its profile; beyond the known prices that of the last known day, fading.
  [[nodiscard]] static double departure(const Timeline& timeline, const AsOf& known, Hour hour);
};
/// Needs k_slope_history hours before `known.last` and prices.
inline constexpr Hour k_slope_history = 28 * 24 + 168 + 24;
[[nodiscard]] PriceSlope price_slope(const Timeline& timeline, const AsOf& known);

/// Hours from a target back to the newest day of known price at that clock hour: 0, 24, 48, or 72 at the latest.
[[nodiscard]] Hour price_age(const Timeline& timeline, const AsOf& known, Hour hour);

}  // namespace valle::scheduler::forecast
