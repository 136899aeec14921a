// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/forecast/civil_time.hpp"
#include "scheduler/units/time.hpp"

namespace valle::scheduler::forecast {

/// Position of an hour in a timeline: 0 is its first.
using Hour = std::int64_t;

/// What is missing.
inline constexpr double k_missing = std::numeric_limits<double>::quiet_NaN();

/// How far behind the issue the newest value may end; beyond it there is nothing to forecast from.
inline constexpr Hour k_longest_silence = 14 * 24;
/// The longest horizon in hours.
inline constexpr Hour k_longest_horizon = 168;

/// Hourly means of one zone and one identity, g/kWh and EUR/MWh, from a whole UTC hour on; NaN where nothing is known.
/// The first intensity is known. `price` is empty where the zone has none.
struct HourlyHistory {
  std::string zone;
  Instant origin;
  std::vector<double> intensity;
  std::vector<double> price;
  /// Of a series with shorter steps: so many an hour, all the same length, from `origin` on; NaN where one is missing.
  std::size_t steps_an_hour = 1;
  std::vector<double> steps = {};
};

/// Sums from which the mean over any stretch of hours takes two reads.
class PrefixSums {
 public:
  PrefixSums() = default;
  explicit PrefixSums(const std::vector<double>& values);
  /// Mean of the `width` hours that end with `last`; needs last + 1 ≥ width ≥ 1.
  [[nodiscard]] double mean(Hour last, Hour width) const {
    const auto end = static_cast<std::size_t>(last + 1);
    return (sums_[end] - sums_[end - static_cast<std::size_t>(width)]) / static_cast<double>(width);
  }

 private:
  std::vector<double> sums_;
};

/// Least squares of y on x over any trailing stretch.
class RollingLine {
 public:
  RollingLine() = default;
  RollingLine(const std::vector<double>& x, const std::vector<double>& y);
  /// (slope, intercept) over the `width` hours that end with `last`; a flat line where x does not move.
  [[nodiscard]] std::pair<double, double> over(Hour last, Hour width) const;

 private:
  PrefixSums x_, y_, xy_, xx_;
};

/// Where an hour's price stands within its market day.
struct PriceInDay {
  double mean = 0;       ///< of the day
  double deviation = 0;  ///< standard deviation within the day
  double rank = 0;       ///< 0…1, cheapest first; ties share
};

/// A history made ready for features. Causal: what stands at an hour comes from that hour and earlier ones alone (a gap
/// repeats the day before, a spike of one hour is cut), except that hours of one market day share that day's price
/// figures, since its prices are published together. Immutable once made. About 150 bytes an hour.
struct Timeline {
  explicit Timeline(HourlyHistory history);

  [[nodiscard]] Hour size() const { return static_cast<Hour>(intensity.size()); }
  [[nodiscard]] Hour hour_of(Instant t) const { return std::chrono::floor<std::chrono::hours>(t - origin).count(); }
  [[nodiscard]] Instant begin_of(Hour hour) const { return origin + std::chrono::hours{hour}; }
  [[nodiscard]] bool has_prices() const { return !price.empty(); }

  std::string zone;
  Instant origin;
  std::vector<double> intensity;          ///< gaps filled
  std::vector<std::uint8_t> is_measured;  ///< 0 where a gap was filled
  std::vector<double> price;              ///< gaps filled; empty without prices
  std::size_t steps_an_hour;
  std::vector<double> steps;  ///< as in the history
  PrefixSums intensity_sums, price_sums, price_square_sums;
  RollingLine intensity_on_price;  ///< of values
  RollingLine anomaly_on_price;    ///< of differences from the mean of the seven days before
  std::vector<PriceInDay> price_in_day;

  // The calendar reaches beyond the last value by the longest silence and horizon.
  std::vector<CivilHour> civil;
  std::vector<std::int32_t> market_day;
  std::vector<std::uint8_t> free_day;            ///< 2 holiday or Sunday, 1 Saturday (3 both), 0 else
  std::vector<std::uint8_t> holiday;             ///< 1 on a holiday
  std::vector<std::uint8_t> near_holiday;        ///< 1 the day before, 2 the day after, 3 both
  std::vector<std::uint8_t> price_day_complete;  ///< all prices of the hour's market day are known
};

/// What may be used at an issue time.
struct AsOf {
  Hour issue = 0;              ///< the hour that holds the issue time: the first that is forecast
  Hour last = 0;               ///< the newest measured hour that was known
  std::int32_t price_day = 0;  ///< prices of market days up to this one were known

  [[nodiscard]] bool knows_price(const Timeline& timeline, Hour hour) const {
    const auto at = static_cast<std::size_t>(hour);
    return timeline.market_day[at] <= price_day && timeline.price_day_complete[at] != 0;
  }
};

/// `replayed`: an intensity hour is known one hour after its end, a market day's prices from 13:00 Europe/Paris of the
/// day before. `arrived`: all that has ended, and all prices that are there.
enum class Knowledge { replayed, arrived };

/// Nothing if no value was known, or the newest ended longer ago than `k_longest_silence`.
[[nodiscard]] std::optional<AsOf> as_of(const Timeline& timeline, Instant issued_at, Knowledge knowledge);

}  // namespace valle::scheduler::forecast
