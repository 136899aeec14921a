// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/series/intensity_series.hpp"

namespace valle::scheduler::testing {

/// An instant as users write it; a bad one stops the test program.
inline Instant at(std::string_view text) {
  const auto instant = parse_instant(text);
  require(instant.has_value(), "malformed instant in a test");
  return *instant;
}

inline CarbonIntensity grams(double value) { return intensity_from_grams_per_kwh(value); }

struct Row {
  std::string_view begin;
  std::string_view end;
  double grams;
};

inline std::vector<Step> steps(std::initializer_list<Row> rows) {
  std::vector<Step> result;
  for (const Row& row : rows) result.push_back({.interval = {at(row.begin), at(row.end)}, .value = grams(row.grams)});
  return result;
}

inline IntensitySeries series(std::initializer_list<Row> rows) { return IntensitySeries::of(steps(rows)); }

/// Values on a regular grid; an empty value is an absent one.
inline IntensitySeries series(std::string_view begin, Duration step,
                              std::initializer_list<std::optional<double>> values) {
  std::vector<Step> result;
  Instant start = at(begin);
  for (const auto& value : values) {
    if (value) result.push_back({.interval = {start, start + step}, .value = grams(*value)});
    start += step;
  }
  return IntensitySeries::of(std::move(result));
}

/// Whatever range of steps, as a vector that prints and compares.
template <class Range>
std::vector<Step> listed(const Range& range) {
  std::vector<Step> result;
  for (const Step& step : range) result.push_back(step);
  return result;
}

/// What random series look like.
struct RandomSeries {
  int fewest_steps = 0;
  int most_steps = 12;
  int longest_step = 9;  ///< in units
  Duration unit{1};      ///< all boundaries are multiples of it from `begin` on
  Instant begin = Instant{std::chrono::sys_days{std::chrono::year{2027} / 1 / 1}};
  std::int64_t largest_value = 6;  ///< in mg/kWh; small, so that ties are common
  double gap_share = 0.15;
  double irregular_share = 0.5;  ///< of the series; the others have one step length
};

inline std::vector<Step> random_steps(std::mt19937_64& random, const RandomSeries& shape) {
  const auto between = [&random](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random);
  };
  const auto chance = [&random](double share) { return std::bernoulli_distribution{share}(random); };
  const bool irregular = chance(shape.irregular_share);
  std::int64_t length = between(1, shape.longest_step);
  std::vector<Step> result;
  Instant begin = shape.begin + shape.unit * between(0, shape.longest_step);
  for (std::int64_t left = between(shape.fewest_steps, shape.most_steps); left > 0; --left) {
    if (irregular) length = between(1, shape.longest_step);
    const Instant end = begin + shape.unit * length;
    if (!chance(shape.gap_share)) {
      result.push_back({.interval = {begin, end},
                        .value = CarbonIntensity::of_base(between(0, shape.largest_value)),
                        .kind = chance(0.5) ? ReadingKind::forecast : ReadingKind::measured,
                        .estimated = chance(0.3)});
    }
    begin = end;
  }
  return result;
}

}  // namespace valle::scheduler::testing

namespace valle::scheduler {

inline void PrintTo(const Interval& interval, std::ostream* out) {
  *out << format_instant(interval.begin) << "/" << format_instant(interval.end);
}

inline void PrintTo(const Step& step, std::ostream* out) {
  PrintTo(step.interval, out);
  *out << " " << step.value.base() << " mg/kWh " << to_text(step.kind) << (step.estimated ? " estimated" : "");
}

}  // namespace valle::scheduler
