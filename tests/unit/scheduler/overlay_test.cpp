// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "scheduler/series/intensity_series.hpp"
#include "tests/support/scheduler/series_builders.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::at;
using testing::listed;
using testing::series;
using testing::steps;

IntensitySeries over(std::initializer_list<const IntensitySeries*> layers) {
  return overlay(std::span{layers.begin(), layers.size()});
}

TEST(Overlay, measured_hours_come_before_the_forecast_and_the_forecast_fills_the_rest) {
  const IntensitySeries measured = series("2027-08-20T00:00:00Z", hours{1}, {27, 26, {}, 31});
  const IntensitySeries forecast = series("2027-08-20T00:00:00Z", hours{1}, {20, 21, 22, 23, 24});
  EXPECT_EQ(over({&measured, &forecast}), series("2027-08-20T00:00:00Z", hours{1}, {27, 26, 22, 31, 24}));
  EXPECT_EQ(over({&forecast, &measured}), forecast);
}

TEST(Overlay, steps_are_cut_where_layers_meet) {
  const IntensitySeries quarter = series({{"2027-08-20T00:30:00Z", "2027-08-20T00:45:00Z", 50}});
  const IntensitySeries hourly = series("2027-08-20T00:00:00Z", hours{1}, {40, 60});
  const IntensitySeries merged = over({&quarter, &hourly});
  EXPECT_EQ(listed(merged.steps()), steps({{"2027-08-20T00:00:00Z", "2027-08-20T00:30:00Z", 40},
                                           {"2027-08-20T00:30:00Z", "2027-08-20T00:45:00Z", 50},
                                           {"2027-08-20T00:45:00Z", "2027-08-20T01:00:00Z", 40},
                                           {"2027-08-20T01:00:00Z", "2027-08-20T02:00:00Z", 60}}));
}

TEST(Overlay, a_second_that_no_layer_knows_stays_a_gap) {
  const IntensitySeries first = series("2027-08-20T00:00:00Z", hours{1}, {1});
  const IntensitySeries second = series("2027-08-20T03:00:00Z", hours{1}, {2});
  const IntensitySeries third = series("2027-08-20T05:30:00Z", minutes{30}, {3});
  const IntensitySeries all = over({&third, &first, &second});
  EXPECT_EQ(all.step_count(), 3U);
  EXPECT_EQ(all.gaps(all.extent()), (std::vector<Interval>{{at("2027-08-20T01:00:00Z"), at("2027-08-20T03:00:00Z")},
                                                           {at("2027-08-20T04:00:00Z"), at("2027-08-20T05:30:00Z")}}));
}

TEST(Overlay, of_nothing_is_nothing) {
  const IntensitySeries none;
  const IntensitySeries some = series("2027-08-20T00:00:00Z", hours{1}, {1});
  EXPECT_TRUE(over({}).empty());
  EXPECT_TRUE(over({&none, &none}).empty());
  EXPECT_EQ(over({&none, &some, &none}), some);
}

TEST(Resample, an_hour_is_the_mean_of_its_quarters) {
  const IntensitySeries quarters = series("2027-10-04T17:00:00Z", minutes{15}, {61.2, 58.4, 63.0, 57.4});
  EXPECT_EQ(resample(quarters, at("2027-10-04T00:00:00Z"), hours{1}), series("2027-10-04T17:00:00Z", hours{1}, {60}));
}

TEST(Resample, an_incomplete_hour_is_absent_until_its_last_quarter_arrives) {
  const IntensitySeries seven = series("2027-10-05T17:00:00Z", minutes{15}, {310, 306, 302, 298, 294, 290, 286});
  const IntensitySeries eight = series("2027-10-05T17:00:00Z", minutes{15}, {310, 306, 302, 298, 294, 290, 286, 282});
  EXPECT_EQ(resample(seven, Instant{}, hours{1}), series("2027-10-05T17:00:00Z", hours{1}, {304}));
  EXPECT_EQ(resample(eight, Instant{}, hours{1}), series("2027-10-05T17:00:00Z", hours{1}, {304, 288}));
  const IntensitySeries late = series("2027-10-05T17:30:00Z", minutes{15}, {302, 298, 294, 290, 286, 282});
  EXPECT_EQ(resample(late, Instant{}, hours{1}), series("2027-10-05T18:00:00Z", hours{1}, {288}));
}

TEST(Resample, a_missing_quarter_costs_its_own_hour_only) {
  const IntensitySeries quarters = series("2027-10-05T00:00:00Z", minutes{15}, {1, 1, 1, 1, 2, {}, 2, 2, 3, 3, 3, 3});
  EXPECT_EQ(resample(quarters, Instant{}, hours{1}), series("2027-10-05T00:00:00Z", hours{1}, {1, {}, 3}));
}

TEST(Resample, the_grid_may_start_anywhere_even_after_the_data) {
  const IntensitySeries hourly = series("2027-10-05T00:00:00Z", hours{1}, {10, 20, 30});
  const IntensitySeries halves = series("2027-10-05T00:30:00Z", hours{1}, {15, 25});
  EXPECT_EQ(resample(hourly, at("2027-10-01T00:30:00Z"), hours{1}), halves);
  EXPECT_EQ(resample(hourly, at("2027-10-09T00:30:00Z"), hours{1}), halves);
}

TEST(Resample, to_a_finer_grid_repeats_the_value) {
  EXPECT_EQ(resample(series("2027-10-05T00:00:00Z", hours{1}, {10, 20}), Instant{}, minutes{30}),
            series("2027-10-05T00:00:00Z", minutes{30}, {10, 10, 20, 20}));
}

TEST(Resample, one_estimated_or_forecast_part_marks_the_whole_slot) {
  auto parts = steps({{"2027-10-05T00:00:00Z", "2027-10-05T00:30:00Z", 10},
                      {"2027-10-05T00:30:00Z", "2027-10-05T01:00:00Z", 10},
                      {"2027-10-05T01:00:00Z", "2027-10-05T02:00:00Z", 10}});
  parts[0].estimated = true;
  parts[1].kind = ReadingKind::forecast;
  const IntensitySeries hourly = resample(IntensitySeries::of(parts), Instant{}, hours{1});
  ASSERT_EQ(hourly.step_count(), 2U);
  EXPECT_TRUE(hourly.step(0).estimated);
  EXPECT_EQ(hourly.step(0).kind, ReadingKind::forecast);
  EXPECT_FALSE(hourly.step(1).estimated);
  EXPECT_EQ(hourly.step(1).kind, ReadingKind::measured);
}

TEST(ResampleDeathTest, a_grid_without_length_stops_the_program) {
  EXPECT_DEATH((void)resample({}, Instant{}, Duration{0}), "at least a second");
}

}  // namespace
}  // namespace valle::scheduler
