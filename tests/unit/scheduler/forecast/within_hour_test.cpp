// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/within_hour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace valle::scheduler::forecast {
namespace {

const Instant k_origin = *parse_instant("2022-01-01T00:00:00Z");
constexpr Hour k_hours = 24 * 40;

/// Forty days of quarter hours, each worth `value(hours since the origin at its middle, its place in the hour)`.
HourlyHistory quarters_of(const std::function<double(double, int)>& value) {
  HourlyHistory history{.zone = "DE", .origin = k_origin, .intensity = {}, .price = {}};
  history.steps_an_hour = 4;
  for (Hour hour = 0; hour < k_hours; ++hour) {
    double sum = 0;
    for (int quarter = 0; quarter < 4; ++quarter) {
      history.steps.push_back(value(static_cast<double>(hour) + (quarter + 0.5) / 4, quarter));
      sum += history.steps.back();
    }
    history.intensity.push_back(sum / 4);
  }
  return history;
}

WithinHour learnt_from(HourlyHistory history) {
  const Timeline timeline{std::move(history)};
  return WithinHour{timeline, *as_of(timeline, k_origin + std::chrono::hours{k_hours}, Knowledge::arrived)};
}

double mean_of_hour(const std::vector<ForecastHour>& steps, std::size_t hour) {
  double sum = 0;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) sum += steps[4 * hour + quarter].mean;
  return sum / 4;
}

TEST(WithinHour, Of_an_hourly_series_gives_back_the_hours) {
  const std::vector<ForecastHour> hours{{10, 8, 12}, {20, 18, 22}};
  EXPECT_EQ(WithinHour{}.steps_of(hours, k_origin), hours);
  EXPECT_EQ(WithinHour{}.steps_an_hour(), 1U);
}

TEST(WithinHour, Follows_the_line_through_the_neighbouring_hours) {
  const auto within = learnt_from(quarters_of([](double at, int) { return 100 + 20 * std::cos(at * 0.2618); }));
  const auto steps = within.steps_of({{100, 90, 110}, {120, 108, 132}, {140, 126, 154}}, k_origin);
  ASSERT_EQ(steps.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(steps[i].mean, 92.5 + 5 * static_cast<double>(i), 0.5) << i;
    EXPECT_NEAR(steps[i].low, 0.9 * steps[i].mean, 1e-9);
    EXPECT_NEAR(steps[i].high, 1.1 * steps[i].mean, 1e-9);
  }
}

TEST(WithinHour, Repeats_what_the_quarters_of_that_hour_of_the_day_have_done_lately) {
  // From 06:00 to 07:00 the first quarter is a tenth dirtier than the hour, the last a tenth cleaner.
  const auto within = learnt_from(quarters_of([](double at, int quarter) {
    const bool six = static_cast<Hour>(at) % 24 == 6;
    return 100.0 + (six && quarter == 0 ? 10 : 0) - (six && quarter == 3 ? 10 : 0);
  }));
  const std::vector<ForecastHour> flat(3, {50, 40, 60});
  const auto steps = within.steps_of(flat, k_origin + std::chrono::hours{5});
  EXPECT_NEAR(steps[3].mean, 50, 1e-9);
  EXPECT_NEAR(steps[4].mean, 55, 1e-9);
  EXPECT_NEAR(steps[5].mean, 50, 1e-9);
  EXPECT_NEAR(steps[7].mean, 45, 1e-9);
}

TEST(WithinHour, Keeps_each_hours_mean_and_never_falls_below_zero) {
  std::mt19937 random{11};
  std::uniform_real_distribution<double> number{0, 300};
  const auto within = learnt_from(quarters_of([&](double, int) { return number(random); }));
  std::vector<ForecastHour> hours;
  for (int h = 0; h < 168; ++h) hours.push_back({number(random) * (h % 5 == 0 ? 0.01 : 1), 0, 400});
  const auto steps = within.steps_of(hours, k_origin + std::chrono::hours{13});
  ASSERT_EQ(steps.size(), 4 * hours.size());
  for (std::size_t h = 0; h < hours.size(); ++h) EXPECT_NEAR(mean_of_hour(steps, h), hours[h].mean, 1e-9);
  for (const ForecastHour& step : steps) EXPECT_GE(step.mean, 0);
}

TEST(WithinHour, Widens_the_bounds_by_what_quarters_scatter) {
  std::mt19937 random{12};
  std::normal_distribution<double> noise{0, 10};
  const auto calm = learnt_from(quarters_of([](double, int quarter) { return 100.0 + quarter; }));
  const auto rough = learnt_from(quarters_of([&](double, int) { return 100 + noise(random); }));
  EXPECT_NEAR(calm.widened(0.8, 1.2).first, 0.8, 1e-3);
  EXPECT_NEAR(calm.widened(0.8, 1.2).second, 1.2, 1e-3);
  // A tenth of normal noise lies beyond 1.28 deviations, here 0.11 with what the hour's mean takes away.
  EXPECT_NEAR(rough.widened(1, 1).first, 0.89, 0.02);
  EXPECT_NEAR(rough.widened(1, 1).second, 1.11, 0.02);
  EXPECT_LT(rough.widened(0.8, 1.2).first, 0.79);
  EXPECT_GT(rough.widened(0.8, 1.2).second, 1.21);
  EXPECT_EQ(rough.widened(0, 1.2).first, 0);
}

TEST(WithinHour, Learns_nothing_from_gaps_and_from_hours_cut_into_quarters) {
  HourlyHistory history = quarters_of([](double at, int quarter) { return 100 + (at > 24 * 30 ? 0 : 20.0 * quarter); });
  for (std::size_t step = 0; step < 4 * 24 * 30; step += 2) history.steps[step] = k_missing;
  const auto steps = learnt_from(std::move(history)).steps_of({{50, 40, 60}, {50, 40, 60}}, k_origin);
  for (const ForecastHour& step : steps) EXPECT_NEAR(step.mean, 50, 1e-9);
}

}  // namespace
}  // namespace valle::scheduler::forecast
