// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/counter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/scheduler/meter_samples.hpp"

namespace valle::scheduler {
namespace {

using namespace valle::tests;

constexpr CounterTerms k_pod{.kind = CounterKind::born_at_zero, .limit_watts = 400};
constexpr CounterTerms k_device{.kind = CounterKind::device, .limit_watts = 700};
constexpr CounterTerms k_package{.kind = CounterKind::device, .limit_watts = 180, .range_joules = 65'712};

TEST(Counter, of_a_pod_counts_what_it_used_before_its_first_sample) {
  const auto read = read_counter(samples({{15, 6}, {30, 11}, {45, 11}, {60, 17}, {75, 24}}), k_pod);
  EXPECT_DOUBLE_EQ(read.joules(), 24);
  EXPECT_EQ(read.totals.size(), 5U);
}

TEST(Counter, of_a_device_counts_differences_only) {
  const auto read = read_counter(samples({{0, 5'400}, {600, 425'400}, {1200, 845'400}, {1800, 1'265'400}}), k_device);
  EXPECT_DOUBLE_EQ(read.joules(), 1'260'000);
}

TEST(Counter, takes_the_new_value_after_a_drop) {
  const auto read = read_counter(samples({{15, 4'000}, {30, 9'500}, {45, 700}, {60, 2'900}}), k_pod);
  EXPECT_DOUBLE_EQ(read.joules(), 12'400);
  ASSERT_EQ(read.restarts.size(), 1U);
  EXPECT_EQ(read.restarts[0].after.at, after_eight(45));
}

TEST(Counter, never_sinks_when_samples_are_added) {
  Samples so_far;
  double before = 0;
  for (const Sample& sample : samples({{15, 4'000}, {30, 9'500}, {45, 700}, {60, 2'900}, {75, 0}, {90, 10}})) {
    so_far.push_back(sample);
    const double now = read_counter(so_far, k_pod).joules();
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(Counter, that_is_published_as_zero_once_counts_on_from_there) {
  const auto read = read_counter(samples({{15, 640}, {30, 700}, {45, 0}, {60, 25}, {75, 90}}), k_pod);
  EXPECT_DOUBLE_EQ(read.joules(), 790);
  EXPECT_EQ(read.restarts.size(), 1U);
}

TEST(Counter, drops_a_number_that_ran_below_zero_and_joins_its_neighbours) {
  const auto read =
      read_counter(samples({{15, 1'000}, {30, 2'500}, {45, 1.8446744073709552e19}, {60, 5'500}, {75, 7'000}}), k_pod);
  EXPECT_DOUBLE_EQ(read.joules(), 7'000);
  EXPECT_EQ(read.dropped, 1U);
  EXPECT_TRUE(read.restarts.empty());
}

TEST(Counter, drops_what_is_no_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const auto read = read_counter(samples({{0, 100}, {15, infinite}, {30, nan}, {45, -3}, {60, 160}}), k_device);
  EXPECT_DOUBLE_EQ(read.joules(), 60);
  EXPECT_EQ(read.dropped, 3U);
}

TEST(Counter, drops_a_rise_that_nothing_can_draw) {
  const auto read = read_counter(samples({{0, 1'000}, {15, 9e8}, {30, 2'000}}), k_device);
  EXPECT_DOUBLE_EQ(read.joules(), 1'000);
  EXPECT_EQ(read.dropped, 1U);
}

TEST(Counter, bears_a_limit_that_was_set_too_low) {
  const auto read = read_counter(samples({{0, 0}, {60, 60'000}, {120, 120'000}}), k_pod);
  EXPECT_DOUBLE_EQ(read.joules(), 120'000);
}

TEST(Counter, that_wraps_is_corrected_by_its_published_range) {
  const auto read = read_counter(samples({{0, 65'650}, {300, 120}}), k_package);
  EXPECT_DOUBLE_EQ(read.joules(), 182);
  EXPECT_EQ(read.wraps, 1U);
  EXPECT_TRUE(read.restarts.empty());
}

TEST(Counter, leaves_a_stretch_open_in_which_it_may_have_wrapped_twice) {
  const auto read =
      read_counter(samples({{0, 10'000}, {300, 40'000}, {600, 5'000}, {1500, 20'000}, {1800, 51'500}}), k_package);
  EXPECT_DOUBLE_EQ(read.joules(), 92'212);
  ASSERT_EQ(read.gaps.size(), 1U);
  EXPECT_EQ(read.gaps[0].span, (Span{after_eight(600), after_eight(1500)}));
  EXPECT_EQ(read.gaps[0].reason, "may have wrapped more than once");
}

TEST(Counter, with_a_range_reads_a_drop_that_is_no_wrap_as_a_restart) {
  const auto read = read_counter(samples({{0, 40'000}, {15, 300}}), k_package);
  EXPECT_DOUBLE_EQ(read.joules(), 300);
  EXPECT_EQ(read.restarts.size(), 1U);
}

TEST(Counter, wraps_many_times_without_an_error) {
  Samples wrapped;
  double truth = 0;
  for (int i = 0; i <= 2000; ++i) {
    truth = i * 15 * 160.5;
    wrapped.push_back({after_eight(i * 15), std::fmod(4'321 + truth, 65'712)});
  }
  EXPECT_NEAR(read_counter(wrapped, k_package).joules(), truth, 1e-5);
}

TEST(Counter, estimates_what_a_restart_lost_at_the_mean_rate_of_the_rest) {
  const auto read = read_counter(samples({{15, 1'500}, {30, 3'000}, {45, 500}, {60, 2'000}}), k_pod);
  EXPECT_DOUBLE_EQ(lost_at_restarts(read), 1'000);  // 100 W × 15 s − 500 J
  EXPECT_DOUBLE_EQ(lost_at_restarts(read_counter(samples({{15, 1'500}, {30, 3'000}}), k_pod)), 0);
}

TEST(Counter, without_samples_has_used_nothing_that_is_known) { EXPECT_TRUE(read_counter({}, k_pod).totals.empty()); }

}  // namespace
}  // namespace valle::scheduler
