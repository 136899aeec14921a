// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/board.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/energy/bracket.hpp"
#include "scheduler/energy/proportion.hpp"
#include "tests/support/scheduler/meter_samples.hpp"

namespace valle::scheduler {
namespace {

using namespace valle::tests;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr BoardFacts k_facts{.limit_watts = 700, .idle_watts = 50};

struct Load {
  double from;
  double to;
  double watts;
};

/// A counter every 15 s from -150 s on: 50 W, and what the loads draw instead.
Samples counter(const std::vector<Load>& loads, double until, double step = 15) {
  Samples all;
  for (double t = -150; t <= until; t += step) {
    double joules = 1e6 + 50 * (t + 150);
    for (const Load& load : loads) joules += (load.watts - 50) * std::clamp(t - load.from, 0.0, load.to - load.from);
    all.push_back({after_eight(t), joules});
  }
  return all;
}

Tenant tenant(std::string pod, double from, double to) {
  return {std::move(pod), {after_eight(from), after_eight(to)}};
}

Reading read(const Samples& joules, std::string pod, double from, double to, std::vector<Tenant> tenants = {}) {
  const auto reading = read_board(board_points(joules, 700),
                                  {{after_eight(from), after_eight(to)}, std::move(pod), std::move(tenants), k_facts});
  return reading.value_or(Reading{.joules = -1});
}

TEST(Board, takes_the_largest_value_of_its_label_sets_at_each_instant) {
  const std::vector<Samples> instances{samples({{0, 94.2}, {30, 101.4}}), samples({{0, 94.2}, {30, 101.4}}),
                                       samples({{0, 90}, {60, 7}})};
  EXPECT_EQ(largest_at_each_instant(instances), samples({{0, 94.2}, {30, 101.4}, {60, 7}}));
}

TEST(Board, keeps_the_first_sample_of_each_new_value_of_a_slow_collector) {
  const auto points = board_points(samples({{0, 100}, {15, 100}, {30, 1'600}, {45, 1'600}, {60, 3'100}}), 700);
  EXPECT_EQ(points.totals, samples({{0, 0}, {30, 1'500}, {60, 3'000}}));
  EXPECT_DOUBLE_EQ(points.spacing_seconds, 30);
  EXPECT_DOUBLE_EQ(points.scrape_seconds, 15);
}

TEST(Board, that_was_idle_beside_the_run_is_read_exactly) {
  const auto reading = read(counter({{4, 94, 400}}, 240), "own", 4, 94);
  EXPECT_NEAR(reading.joules, 90 * 400, 1e-6);
  EXPECT_THAT(reading.method, HasSubstr("wide bracket"));
  EXPECT_DOUBLE_EQ(reading.covered_seconds, 90);
}

TEST(Board, is_read_exactly_for_a_run_shorter_than_a_scrape) {
  EXPECT_NEAR(read(counter({{2, 5, 600}}, 240), "own", 2, 5).joules, 3 * 600, 1e-6);
}

TEST(Board, refuses_the_bracket_where_another_had_it_near) {
  const auto points = board_points(counter({{4, 94, 400}, {110, 200, 300}}, 300), 700);
  const Tenant other[] = {tenant("other", 110, 200)};
  const auto refused = wide_bracket(points, {after_eight(4), after_eight(94)}, other, k_facts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), BracketRefusal::neighbour);
}

TEST(Board, refuses_the_bracket_where_it_was_not_idle_or_no_busier_inside_or_out_of_reach) {
  const Span ran{after_eight(4), after_eight(94)};
  const auto busy = wide_bracket(board_points(counter({{-150, 240, 400}}, 240), 700), ran, {}, k_facts);
  EXPECT_EQ(busy.error(), BracketRefusal::not_idle);
  const auto idle = wide_bracket(board_points(counter({}, 240), 700), ran, {}, k_facts);
  EXPECT_EQ(idle.error(), BracketRefusal::no_busier_inside);
  const auto short_window = wide_bracket(board_points(counter({{4, 94, 400}}, 100), 700), ran, {}, k_facts);
  EXPECT_EQ(short_window.error(), BracketRefusal::out_of_reach);
}

TEST(Board, splits_edges_so_that_neighbours_sum_to_the_counter) {
  const auto joules = counter({{4, 94, 400}, {94, 184, 300}}, 330);
  const std::vector<Tenant> tenants{tenant("a", 4, 94), tenant("b", 94, 184)};
  const double a = read(joules, "a", 4, 94, tenants).joules;
  const double b = read(joules, "b", 94, 184, tenants).joules;
  EXPECT_NEAR(a, 90 * 400, 90 * 400 * 0.01);
  EXPECT_NEAR(b, 90 * 300, 90 * 300 * 0.01);
  EXPECT_NEAR(a + b, 90 * 700, 1e-6);  // edges to idle are split by the true powers, so nothing is lost or doubled
}

TEST(Board, that_pods_share_is_counted_once_in_even_parts) {
  const auto joules = counter({{0, 3600, 120}}, 3900, 30);
  std::vector<Tenant> tenants;
  for (const char* pod : {"a", "b", "c"}) tenants.push_back(tenant(pod, 0, 3600));
  double sum = 0;
  for (const char* pod : {"a", "b", "c"}) {
    const auto reading = read(joules, pod, 0, 3600, tenants);
    EXPECT_NEAR(reading.joules, 144'000, 1e-6);
    EXPECT_TRUE(reading.allocated);
    sum += reading.joules;
  }
  EXPECT_NEAR(sum, 432'000, 1e-6);
}

TEST(Board, that_was_shared_for_a_while_sums_to_the_whole) {
  const auto joules = counter({{0, 300, 400}}, 500);
  const std::vector<Tenant> tenants{tenant("a", 0, 200), tenant("b", 100, 300)};
  const double a = read(joules, "a", 0, 200, tenants).joules;
  const double b = read(joules, "b", 100, 300, tenants).joules;
  EXPECT_NEAR(a + b, 120'000, 1e-6);
  EXPECT_NEAR(a, b, 1e-6);
}

TEST(Board, bridges_a_driver_reload_and_says_so) {
  Samples joules = counter({{4, 304, 400}}, 450);
  const double at_reload = 1e6 + 50 * 300 + 350 * 146;
  std::erase_if(joules, [](const Sample& s) { return s.at > after_eight(150) && s.at < after_eight(180); });
  for (Sample& sample : joules) {
    if (sample.at >= after_eight(180)) sample.value -= at_reload + 8'000;
  }
  const auto reading = read(joules, "own", 4, 304);
  EXPECT_NEAR(reading.joules, 300 * 400, 300 * 400 * 0.02);
  EXPECT_GT(reading.bridged_joules, 0);
  EXPECT_LT(reading.covered_seconds, 300);
  EXPECT_THAT(reading.notes, Contains(HasSubstr("restarted")));
}

TEST(Board, whose_samples_end_early_leaves_the_rest_open) {
  const auto reading = read(counter({{4, 304, 400}}, 150), "own", 4, 304);
  ASSERT_EQ(reading.gaps.size(), 1U);
  EXPECT_EQ(reading.gaps[0].span, (Span{after_eight(150), after_eight(304)}));
  EXPECT_DOUBLE_EQ(reading.covered_seconds, 146);
}

TEST(Board, without_samples_in_the_run_is_unknown) {
  const BoardQuestion question{{after_eight(4), after_eight(94)}, "own", {}, k_facts};
  EXPECT_FALSE(read_board({}, question));
  EXPECT_FALSE(read_board(board_points(samples({{-30, 1}, {-15, 2}}), 700), question));
}

TEST(Board, knows_its_idle_power_from_when_nobody_had_it) {
  const auto points = board_points(counter({{4, 94, 400}}, 240), 700);
  const Tenant tenants[] = {tenant("own", 4, 94)};
  ASSERT_TRUE(idle_watts_of(points, tenants));
  EXPECT_NEAR(*idle_watts_of(points, tenants), 50, 1e-9);
  const Tenant always[] = {tenant("own", -200, 300)};
  EXPECT_FALSE(idle_watts_of(points, always));
}

TEST(Board, five_minutes_beside_the_ledgers_clock_is_refused_or_said) {
  const auto reading = read(counter({{304, 394, 400}}, 600), "own", 4, 94);
  EXPECT_THAT(reading.notes, Contains(HasSubstr("no busier")));
}

}  // namespace
}  // namespace valle::scheduler
