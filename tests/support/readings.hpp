// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/reading.hpp"

namespace valle::tests {

/// "2027-07-01T06:00:00Z"
inline scheduler::Instant at(std::string_view text) { return scheduler::parse_instant(text).value(); }

/// One reading told in a line: `a_reading("ES", "2027-07-01T06:00:00Z",
/// 212).updated("2027-07-01T12:05:00Z").estimated()`.
class ReadingBuilder {
 public:
  ReadingBuilder(std::string_view zone, scheduler::Instant start, double grams)
      : reading_{{scheduler::Zone::of(zone), {}},
                 {start, start + std::chrono::hours{1}},
                 scheduler::intensity_from_grams_per_kwh(grams)} {
    reading_.updated_at = start + std::chrono::hours{6};
  }
  ReadingBuilder& updated(std::string_view text) { return updated(at(text)); }
  ReadingBuilder& updated(scheduler::Instant instant) {
    reading_.updated_at = instant;
    return *this;
  }
  ReadingBuilder& estimated(std::string method = "TIME_SLICER_AVERAGE") {
    reading_.estimated = true;
    reading_.estimation_method = std::move(method);
    return *this;
  }
  ReadingBuilder& lasting(scheduler::Duration length) {
    reading_.interval.end = reading_.interval.begin + length;
    return *this;
  }
  ReadingBuilder& scope(scheduler::Scope scope) {
    reading_.identity.accounting.scope = scope;
    return *this;
  }
  ReadingBuilder& method(scheduler::Method method) {
    reading_.identity.accounting.method = method;
    return *this;
  }
  ReadingBuilder& issued(std::string_view text) { return issued(at(text)); }
  ReadingBuilder& issued(scheduler::Instant instant) {
    reading_.kind = scheduler::ReadingKind::forecast;
    reading_.updated_at = instant;
    return *this;
  }
  operator scheduler::IntensityReading() const { return reading_; }  // NOLINT: a builder becomes what it builds

 private:
  scheduler::IntensityReading reading_;
};

inline ReadingBuilder a_reading(std::string_view zone, std::string_view start, double grams) {
  return {zone, at(start), grams};
}

inline scheduler::Harvest a_harvest(std::vector<scheduler::IntensityReading> readings) {
  scheduler::Harvest harvest;
  harvest.intensity = std::move(readings);
  return harvest;
}

/// Hour after hour from `start`; a value below zero leaves its hour out.
inline std::vector<scheduler::IntensityReading> hours(std::string_view zone, std::string_view start,
                                                      std::initializer_list<double> grams) {
  std::vector<scheduler::IntensityReading> readings;
  scheduler::Instant hour = at(start);
  for (const double value : grams) {
    if (value >= 0) readings.push_back(ReadingBuilder{zone, hour, value});
    hour += std::chrono::hours{1};
  }
  return readings;
}

/// The same as a forecast.
inline std::vector<scheduler::IntensityReading> forecast_hours(std::string_view zone, std::string_view start,
                                                               std::string_view issued,
                                                               std::initializer_list<double> grams) {
  std::vector<scheduler::IntensityReading> readings = hours(zone, start, grams);
  for (scheduler::IntensityReading& reading : readings) {
    reading.kind = scheduler::ReadingKind::forecast;
    reading.updated_at = at(issued);
  }
  return readings;
}

}  // namespace valle::tests
