// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/reading.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/energy/tokens.hpp"
#include "scheduler/energy/uncertainty.hpp"
#include "tests/support/scheduler/meter_samples.hpp"

namespace valle::scheduler {
namespace {

using namespace valle::tests;
using ::testing::Contains;

Reading reading(double joules, double run = 3'600) {
  return {.joules = joules, .counted_joules = joules, .run_seconds = run, .covered_seconds = run, .scrape_seconds = 15};
}

Energy sum_of(const std::vector<EnergySlice>& profile) {
  Energy sum;
  for (const EnergySlice& slice : profile) sum += slice.energy;
  return sum;
}

TEST(Reading, becomes_a_figure_in_whole_milliwatt_hours) {
  const auto figure = figure_of(reading(1'260'000), seconds_after_eight(0, 3'600), {EnergyBoundary::board, "dcgm"});
  EXPECT_EQ(figure.energy, energy_from_kwh(0.35));
  EXPECT_EQ(figure.quality, EnergyQuality::measured);
  EXPECT_EQ(figure.coverage, k_one);
  EXPECT_EQ(figure.sampling, std::chrono::seconds{15});
  EXPECT_FALSE(figure.idle) << "idle that nobody measured is unknown, not none";
}

TEST(Reading, is_measured_where_enough_was_seen_or_little_can_be_wrong) {
  const Interval ran = seconds_after_eight(0, 3'600);
  Reading half_seen = reading(1'000);
  half_seen.covered_seconds = 1'800;
  half_seen.uncertainty_joules = 200;
  EXPECT_EQ(figure_of(half_seen, ran, {}).quality, EnergyQuality::estimated);
  half_seen.uncertainty_joules = 50;
  EXPECT_EQ(figure_of(half_seen, ran, {}).quality, EnergyQuality::measured);
  Reading gauge = reading(1'000);
  gauge.gauge_only = true;
  EXPECT_EQ(figure_of(gauge, ran, {}).quality, EnergyQuality::estimated);
}

TEST(Reading, that_the_source_called_partial_says_so) {
  const auto figure = figure_of(reading(1'000), seconds_after_eight(0, 3'600), {.complete = false});
  EXPECT_FALSE(figure.complete);
  EXPECT_THAT(figure.notes, Contains("the source warned that its answer may be partial"));
}

TEST(Profile, sums_to_the_energy_exactly_whatever_its_steps) {
  for (const int seconds : {1, 7, 59, 96, 97, 1'000, 5'401, 100'003}) {
    const Interval ran = seconds_after_eight(13, 13 + seconds);
    const Energy energy = Energy::of_base(1'000'003);
    const auto profile = profile_of(samples({{13, 0}, {15, 3}, {20, 3.5}, {70'000, 900}}), ran, energy);
    EXPECT_EQ(sum_of(profile), energy) << seconds;
    EXPECT_EQ(profile.front().interval.begin, ran.begin);
    EXPECT_EQ(profile.back().interval.end, ran.end);
    for (std::size_t i = 1; i < profile.size(); ++i) {
      EXPECT_EQ(profile[i].interval.begin, profile[i - 1].interval.end);
      EXPECT_GE(profile[i].energy, Energy{});
    }
    EXPECT_LE(profile.size(), 98U);
  }
}

TEST(Profile, follows_the_curve) {
  const auto profile =
      profile_of(samples({{0, 0}, {30, 300}, {60, 3'300}}), seconds_after_eight(0, 60), Energy::of_base(1'100));
  ASSERT_EQ(profile.size(), 60U);
  EXPECT_EQ(profile[0].energy, Energy::of_base(3));
  Energy first_half;
  for (std::size_t i = 0; i < 30; ++i) first_half += profile[i].energy;
  EXPECT_EQ(first_half, Energy::of_base(100));
}

TEST(Profile, without_a_curve_is_constant_power) {
  const auto profile = profile_of({}, seconds_after_eight(0, 4), Energy::of_base(100));
  for (const EnergySlice& slice : profile) EXPECT_EQ(slice.energy, Energy::of_base(25));
}

TEST(Profile, has_steps_on_even_times) {
  EXPECT_EQ(profile_step(Duration{96}), Duration{1});
  EXPECT_EQ(profile_step(Duration{97}), Duration{5});
  EXPECT_EQ(profile_step(std::chrono::hours{24}), Duration{900});
  EXPECT_EQ(profile_step(std::chrono::days{30}), Duration{3'600});
}

TEST(Reading, of_several_pods_adds_energy_uncertainty_seconds_and_curves) {
  Reading a = reading(100, 60);
  a.curve = samples({{0, 0}, {60, 100}});
  Reading b = reading(50, 30);
  b.curve = samples({{30, 0}, {60, 50}});
  b.idle_joules = 7;
  const Reading both = sum_of(a, b);
  EXPECT_DOUBLE_EQ(both.joules, 150);
  EXPECT_DOUBLE_EQ(both.run_seconds, 90);
  EXPECT_DOUBLE_EQ(*both.idle_joules, 7);
  EXPECT_EQ(both.curve, samples({{0, 0}, {30, 50}, {60, 150}}));
}

TEST(Uncertainty, is_of_the_limit_while_there_are_few_rates) {
  const Samples totals = samples({{0, 0}, {15, 1'500}, {30, 4'500}});
  const Rates rates = rates_of(totals, 3);
  EXPECT_EQ(rates.count, 2U);
  EXPECT_DOUBLE_EQ(uncertainty_joules(rates, {10, 0.6, 150, 400, 0}), 10 * 250 + 0.6 * 400);
  EXPECT_DOUBLE_EQ(uncertainty_joules(rates, {10, 0.6, 350, 400, 0}), 10 * 350 + 0.6 * 400);
}

TEST(Uncertainty, is_of_the_observed_range_once_there_are_twenty_rates) {
  Samples totals = samples({{0, 0}});
  for (int i = 1; i <= 20; ++i)
    totals.push_back({after_eight(i * 15), totals.back().value + (i % 2 == 0 ? 3'000 : 1'500)});
  EXPECT_DOUBLE_EQ(uncertainty_joules(rates_of(totals, 3), {10, 0.6, 150, 400, 0}), 10 * 1.5 * 100 + 0.6 * 200);
}

TEST(Uncertainty, takes_no_rate_from_moments) {
  EXPECT_EQ(rates_of(samples({{0, 0}, {0.01, 500}, {15, 600}}), 3.75).count, 1U);
}

TEST(Tokens, are_counted_over_the_seconds_of_the_energy_and_not_across_a_restart) {
  // 0.25 J a token at 100 W; the server restarts between 30 and 45 s.
  const auto tokens = samples({{0, 0}, {15, 6'000}, {30, 12'000}, {45, 2'000}, {60, 8'000}, {75, 14'000}});
  const auto joules = samples({{0, 0}, {75, 7'500}});
  const auto energy = measured_tokens(tokens, joules);
  ASSERT_TRUE(energy);
  EXPECT_DOUBLE_EQ(energy->joules_per_token(), 0.25);
  EXPECT_DOUBLE_EQ(energy->tokens, 24'000);
}

TEST(Tokens, that_were_not_counted_have_no_energy) {
  EXPECT_FALSE(measured_tokens({}, samples({{0, 0}})));
  EXPECT_FALSE(measured_tokens(samples({{0, 5}, {15, 5}}), samples({{0, 0}, {15, 100}})));
  EXPECT_FALSE(measured_tokens(samples({{100, 0}, {115, 50}}), samples({{0, 0}, {15, 100}})));
}

TEST(Fingerprint, tells_samples_apart) {
  Fingerprint a, b, c;
  a.add(samples({{0, 1}, {15, 2}}));
  b.add(samples({{0, 1}, {15, 2}}));
  c.add(samples({{0, 1}, {15, 2.0000001}}));
  EXPECT_EQ(a.text(), b.text());
  EXPECT_NE(a.text(), c.text());
  EXPECT_EQ(a.text().size(), 16U);
}

}  // namespace
}  // namespace valle::scheduler
