// SPDX-License-Identifier: Apache-2.0
#include "service/app/forecast_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::app {
namespace {

using scheduler::forecast::Backcast;
using scheduler::forecast::ForecastHour;
using scheduler::forecast::HourlyHistory;
using scheduler::forecast::Timeline;
using tests::at;

constexpr int k_days = 28;
const scheduler::Instant k_begin = at("2027-03-01T00:00:00Z");

/// Four weeks of what came, and forecasts of it every six hours that are wrong by chance.
class Scores : public ::testing::Test {
 protected:
  static double came(int hour) { return 100 + 30 * std::cos(hour / 24.0 * 6.283185); }

  static Timeline timeline() {
    HourlyHistory history{.zone = "FR", .origin = k_begin, .intensity = {}, .price = {}};
    for (int hour = 0; hour < 24 * (k_days + 3); ++hour) history.intensity.push_back(came(hour));
    return Timeline{std::move(history)};
  }

  std::vector<double> wrong_by(int issue, double spread, double bias) {
    std::normal_distribution<double> noise{bias, spread};
    std::vector<double> values;
    for (int h = 0; h < 54; ++h) values.push_back(came(issue + h) + noise(random_));
    return values;
  }
  std::vector<Backcast> ours(double spread, double bias = 0) {
    std::vector<Backcast> issues;
    for (int hour = 0; hour < 24 * k_days; hour += 6) {
      issues.push_back({k_begin + std::chrono::hours{hour}, wrong_by(hour, spread, bias)});
    }
    return issues;
  }
  IssuedHours provider(double spread, double bias = 0) {
    IssuedHours issued{"electricity-maps", {}};
    for (int hour = 0; hour < 24 * k_days; hour += 6) issued.forecasts.push_back(wrong_by(hour, spread, bias));
    return issued;
  }

  std::mt19937 random_{11};
};

TEST_F(Scores, tell_error_bias_and_share_by_horizon) {
  const ZoneScores scores = score(timeline(), ours(0), {provider(1, 20)});
  ASSERT_EQ(scores.sources.size(), 2U);
  EXPECT_EQ(scores.sources[0].source, "valle");
  EXPECT_EQ(scores.sources[0].issues, 112U);
  ASSERT_EQ(scores.sources[0].horizons.size(), 6U);
  EXPECT_NEAR(scores.sources[0].horizons[0].error, 0, 1e-9);
  EXPECT_NEAR(*scores.sources[0].share_percent, 100, 1e-9);
  const HorizonScore& theirs = scores.sources[1].horizons[0];
  EXPECT_EQ(theirs.count, 112U * 6);
  EXPECT_NEAR(theirs.bias, 20, 0.3);
  EXPECT_NEAR(theirs.error, 20, 0.3);
}

TEST_F(Scores, a_proven_bias_is_taken_off_and_the_better_one_weighs_more) {
  const ZoneScores scores = score(timeline(), ours(10), {provider(5, 20)});
  EXPECT_EQ(scores.blended, "electricity-maps");
  for (const Blend& blend : scores.blends) {
    EXPECT_NEAR(blend.bias, 20, 1);
    EXPECT_NEAR(blend.weight, 0.8, 0.08) << "by the inverse of the squared errors";
  }
  EXPECT_TRUE(scores.leads) << "the blend beats the biased forecast";
}

TEST_F(Scores, a_provider_that_adds_nothing_is_left_out) {
  const ZoneScores scores = score(timeline(), ours(2), {provider(200)});
  EXPECT_TRUE(scores.blended.empty());
  EXPECT_TRUE(scores.leads);
}

TEST_F(Scores, a_much_better_provider_is_not_led_by_ours) {
  const ZoneScores scores = score(timeline(), ours(50), {provider(1)});
  EXPECT_EQ(scores.blended, "electricity-maps");
  EXPECT_FALSE(scores.leads);
}

TEST_F(Scores, a_week_of_issues_proves_nothing) {
  IssuedHours short_lived = provider(1, 20);
  for (std::size_t i = 28; i < short_lived.forecasts.size(); ++i) {
    std::fill(short_lived.forecasts[i].begin(), short_lived.forecasts[i].end(), scheduler::forecast::k_missing);
  }
  const ZoneScores scores = score(timeline(), ours(50), {short_lived});
  EXPECT_TRUE(scores.blended.empty());
  EXPECT_FALSE(scores.leads);
  EXPECT_EQ(scores.sources[1].issues, 28U);
}

TEST_F(Scores, blending_scales_the_band_with_the_mean_and_leaves_unknown_hours) {
  std::vector<ForecastHour> hours{{100, 80, 120}, {100, 80, 120}};
  ZoneScores scores;
  scores.blends = {{.from = 0, .to = 6, .weight = 0.5, .bias = 10}};
  blend_in(hours, {60, scheduler::forecast::k_missing}, scores);
  EXPECT_NEAR(hours[0].mean, 75, 1e-9);
  EXPECT_NEAR(hours[0].low, 60, 1e-9);
  EXPECT_NEAR(hours[0].high, 90, 1e-9);
  EXPECT_EQ(hours[1].mean, 100);
}

TEST(IssuedHours, are_the_newest_at_each_instant_and_nothing_where_they_are_old) {
  const tests::TemporaryFolder folder;
  const auto database = store::open_store(folder / "valle.db").value();
  store::IntensityRepository repository{*database};
  const auto take = [&](std::string_view issued, std::initializer_list<double> grams) {
    const auto harvest = tests::a_harvest(tests::forecast_hours("FR", issued, issued, grams));
    ASSERT_TRUE(repository.store("electricity-maps", scheduler::Zone::of("FR"), harvest, at(issued)));
  };
  take("2027-03-01T00:00:00Z", {50, 51, 52});
  take("2027-03-01T01:00:00Z", {61, 62});
  const store::SeriesKey key{"electricity-maps", {scheduler::Zone::of("FR"), {}}};
  const auto hours = issued_hours(
      repository, key, {at("2027-03-01T00:00:00Z"), at("2027-03-01T02:00:00Z"), at("2027-03-09T00:00:00Z")}, 3);
  ASSERT_TRUE(hours);
  EXPECT_EQ(hours->forecasts[0], (std::vector<double>{50, 51, 52}));
  EXPECT_EQ(hours->forecasts[1][0], 62);
  EXPECT_TRUE(std::isnan(hours->forecasts[1][1]));
  EXPECT_TRUE(std::isnan(hours->forecasts[2][0]));
}

}  // namespace
}  // namespace valle::service::app
