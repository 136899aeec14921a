// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "scheduler/forecast/timeline.hpp"

namespace valle::scheduler::forecast {

/// One hour, or a step of one, in g/kWh: the mean, and the bounds between which eight of ten values are expected.
struct ForecastHour {
  double mean = 0;
  double low = 0;
  double high = 0;
  friend bool operator==(const ForecastHour&, const ForecastHour&) = default;
};

/// How a series whose steps are shorter than an hour moves within it: along the line through the neighbouring hours,
/// and by what its steps at that hour of the day departed from such a line in the last four weeks. Values are shares of
/// the hour's mean. Steps of an hourly series are its hours.
class WithinHour {
 public:
  /// As of nothing: steps of an hour are hours.
  WithinHour() = default;
  /// Uses hours that were known alone.
  WithinHour(const Timeline& timeline, const AsOf& known);

  [[nodiscard]] std::size_t steps_an_hour() const { return steps_; }
  /// The hours' steps. Each hour keeps its mean and the relation of its bounds to the mean; no step falls below 0.
  /// `begin` is the first hour's.
  [[nodiscard]] std::vector<ForecastHour> steps_of(const std::vector<ForecastHour>& hours, Instant begin) const;
  /// Factors of the bounds around an hour's mean, widened by how far steps scatter around what `steps_of` gives.
  [[nodiscard]] std::pair<double, double> widened(double low, double high) const;

  friend bool operator==(const WithinHour&, const WithinHour&) = default;

 private:
  std::size_t steps_ = 1;
  std::vector<double> departures_;  ///< of each step of each UTC hour from the line, as a share of the hour's mean
  double low_ = 1, high_ = 1;       ///< factors between which eight of ten steps came, with the hour's mean known
};

}  // namespace valle::scheduler::forecast
