// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/gauge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scheduler/meter_samples.hpp"

namespace valle::scheduler {
namespace {

using namespace valle::tests;
using ::testing::Contains;
using ::testing::HasSubstr;

GaugeTerms over(double run, double scrape, double limit = 400) { return {first_seconds(run), scrape, limit, 50}; }

TEST(PowerGauge, is_integrated_over_time_and_not_summed) {
  const auto reading = read_mean_power(samples({{0, 200}, {30, 260}, {60, 240}}), over(60, 30));
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 14'400);
}

TEST(PowerGauge, of_two_samples_is_their_mean_over_the_run) {
  EXPECT_NEAR(read_mean_power(samples({{0, 94.2}, {30, 101.4}}), over(30, 30))->joules, 2'934, 1e-9);
  EXPECT_NEAR(read_mean_power(samples({{0, 80}, {30, 100}, {60, 120}}), over(60, 30))->joules, 6'000, 1e-9);
}

TEST(PowerGauge, drops_an_absurd_sample_and_says_so) {
  const auto reading = read_mean_power(samples({{0, 90}, {15, 90}, {30, 9e12}, {45, 90}, {60, 90}}), over(60, 15));
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 5'400);
  EXPECT_DOUBLE_EQ(reading->covered_seconds, 60);
  EXPECT_THAT(reading->notes, Contains(HasSubstr("1 samples dropped")));
}

TEST(PowerGauge, does_not_bridge_a_gap_of_more_than_two_intervals) {
  const auto reading =
      read_mean_power(samples({{0, 100}, {15, 100}, {30, 100}, {90, 100}, {105, 100}, {120, 100}}), over(120, 15));
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 6'000);
  EXPECT_DOUBLE_EQ(reading->covered_seconds, 60);
  ASSERT_EQ(reading->gaps.size(), 1U);
  EXPECT_EQ(reading->gaps[0].span, (Span{after_eight(30), after_eight(90)}));
}

TEST(PowerGauge, promises_nothing_but_the_range_of_the_board) {
  const auto reading = read_mean_power(samples({{0, 100}, {15, 100}, {30, 100}}), over(30, 15));
  ASSERT_TRUE(reading);
  EXPECT_TRUE(reading->gauge_only);
  EXPECT_DOUBLE_EQ(reading->uncertainty_joules, (400 - 100) * 30);
}

TEST(PowerGauge, without_a_sample_in_the_run_is_unknown) {
  EXPECT_FALSE(read_mean_power(samples({{-15, 100}, {75, 100}}), over(60, 15)));
  EXPECT_FALSE(read_held_power(samples({{-15, 100}}), over(60, 15)));
}

TEST(PowerGauge, of_scaphandre_holds_each_value_since_the_scrape_before) {
  // Started 5 s before the first scrape: its mean over 15 s is a third of what it draws.
  const auto reading = read_held_power(samples({{5, 100}, {20, 300}, {35, 150}}), over(40, 15));
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 15 * (100 + 300 + 150) + 5 * 150);
  EXPECT_TRUE(reading->gauge_only);
}

TEST(PowerGauge, of_scaphandre_leaves_long_gaps_open) {
  const auto reading =
      read_held_power(samples({{15, 100}, {30, 100}, {45, 100}, {105, 100}, {120, 100}}), over(120, 15));
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 7'500);
  EXPECT_DOUBLE_EQ(reading->covered_seconds, 75);
}

}  // namespace
}  // namespace valle::scheduler
