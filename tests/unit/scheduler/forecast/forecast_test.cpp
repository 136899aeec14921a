// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "scheduler/forecast/forecaster.hpp"
#include "scheduler/forecast/score.hpp"

namespace valle::scheduler::forecast {
namespace {

const Instant k_origin = *parse_instant("2021-01-01T00:00:00Z");

/// A zone with days, weeks, weather and, if asked for, prices that follow it.
HourlyHistory a_zone(Hour hours, bool priced = false, unsigned seed = 1) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> noise{-1, 1};
  HourlyHistory history{.zone = "FR", .origin = k_origin, .intensity = {}, .price = {}};
  double weather = 0;
  for (Hour hour = 0; hour < hours; ++hour) {
    weather = 0.97 * weather + 3 * noise(random);
    const double day = 10 * std::cos(static_cast<double>(hour % 24) / 24 * 6.2832);
    const double value = 60 + day + weather + ((hour / 24) % 7 < 2 ? -5 : 0);
    history.intensity.push_back(value);
    if (priced) history.price.push_back(2 * (value - 60) + 20 + noise(random));
  }
  return history;
}

TEST(CivilTime, Changes_with_the_european_summer_at_one_o_clock_utc) {
  const auto hour = [](const char* t) { return civil_hour(*parse_instant(t), k_market_rule).hour; };
  EXPECT_EQ(hour("2022-03-27T00:59:59Z"), 1);
  EXPECT_EQ(hour("2022-03-27T01:00:00Z"), 3);
  EXPECT_EQ(hour("2022-10-30T00:59:59Z"), 2);
  EXPECT_EQ(hour("2022-10-30T01:00:00Z"), 2);
  const CivilHour new_year = civil_hour(*parse_instant("2021-12-31T23:00:00Z"), k_market_rule);
  EXPECT_EQ(new_year.weekday, 5);  // a Saturday
  EXPECT_EQ(new_year.day, 18'993);
  EXPECT_EQ(civil_hour(*parse_instant("2022-07-01T00:00:00Z"), civil_rule_of("US-CAL-CISO")).hour, 16);
}

TEST(CivilTime, Knows_holidays_that_move_with_easter) {
  const auto day = [](const char* t) {
    return civil_hour(*parse_instant(t), {.standard_hours = 0, .european_summer = false}).day;
  };
  EXPECT_TRUE(is_holiday(day("2022-04-18T00:00:00Z"), "FR"));  // Easter Monday
  EXPECT_TRUE(is_holiday(day("2024-05-09T00:00:00Z"), "DE"));  // Ascension
  EXPECT_TRUE(is_holiday(day("2022-04-15T00:00:00Z"), "ES"));  // Good Friday
  EXPECT_FALSE(is_holiday(day("2022-04-15T00:00:00Z"), "FR"));
  EXPECT_FALSE(is_holiday(day("2022-07-14T00:00:00Z"), "XX"));
}

TEST(AsOf, Replay_knows_an_hour_one_hour_after_its_end) {
  const Timeline timeline{a_zone(100)};
  const auto at = [&](Duration after) { return as_of(timeline, k_origin + after, Knowledge::replayed); };
  EXPECT_FALSE(at(std::chrono::minutes{119}));
  ASSERT_TRUE(at(std::chrono::hours{2}));
  EXPECT_EQ(at(std::chrono::hours{2})->last, 0);
  EXPECT_EQ(at(std::chrono::minutes{12 * 60 + 59})->last, 10);
  EXPECT_EQ(as_of(timeline, k_origin + std::chrono::hours{12}, Knowledge::arrived)->last, 11);
  EXPECT_TRUE(at(std::chrono::hours{99 + k_longest_silence}));
  EXPECT_FALSE(at(std::chrono::hours{100 + k_longest_silence}));
}

TEST(AsOf, Replay_knows_tomorrows_prices_from_13_o_clock_in_paris) {
  const Timeline timeline{a_zone(24 * 400, true)};
  const auto known = [&](const char* issue, const char* target) {
    return as_of(timeline, *parse_instant(issue), Knowledge::replayed)
        ->knows_price(timeline, timeline.hour_of(*parse_instant(target)));
  };
  EXPECT_FALSE(known("2021-07-01T10:59:59Z", "2021-07-01T22:00:00Z"));
  EXPECT_TRUE(known("2021-07-01T11:00:00Z", "2021-07-01T22:00:00Z"));
  EXPECT_TRUE(known("2021-07-01T11:00:00Z", "2021-07-02T21:00:00Z"));
  EXPECT_FALSE(known("2021-07-01T23:00:00Z", "2021-07-02T22:00:00Z"));
  EXPECT_FALSE(known("2021-12-01T11:30:00Z", "2021-12-01T23:00:00Z"));
  EXPECT_TRUE(known("2021-12-01T12:00:00Z", "2021-12-01T23:00:00Z"));
}

TEST(Untrained, Profile_is_the_mean_of_the_last_seven_known_days) {
  const Timeline timeline{a_zone(400)};
  const AsOf known = *as_of(timeline, k_origin + std::chrono::hours{300}, Knowledge::replayed);
  const auto values = profile(timeline, known, 60);
  for (Hour h = 0; h < 60; ++h) {
    double sum = 0;
    int days = 0;
    for (Hour hour = 298; hour >= 0 && days < 7; --hour) {
      if ((300 + h - hour) % 24 != 0) continue;
      sum += timeline.intensity[static_cast<std::size_t>(hour)];
      ++days;
    }
    EXPECT_NEAR(values[static_cast<std::size_t>(h)], sum / 7, 1e-9) << h;
  }
}

TEST(Untrained, Repeats_a_periodic_past_exactly) {
  HourlyHistory history = a_zone(0);
  for (Hour hour = 0; hour < 500; ++hour) history.intensity.push_back(50 + static_cast<double>(hour % 24));
  const Timeline timeline{history};
  const AsOf known = *as_of(timeline, k_origin + std::chrono::hours{400}, Knowledge::replayed);
  for (const auto& values : {profile(timeline, known, 60), profile_and_residual(timeline, known, 60),
                             last_period(timeline, known, 60, 24), untrained(timeline, known, 60)}) {
    for (Hour h = 0; h < 60; ++h) {
      EXPECT_NEAR(values[static_cast<std::size_t>(h)], 50 + static_cast<double>((400 + h) % 24), 1e-9);
    }
  }
}

TEST(Ridge, Finds_the_line_that_made_the_rows) {
  RidgeSums sums{2};
  std::mt19937 random{7};
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i) {
    const std::array features{normal(random), normal(random)};
    sums.add(features, {3 + 2 * features[0] - features[1], features[1]});
  }
  const auto solution = sums.solve(1e-6);
  const auto answers = solution.at(std::array{0.5, -2.0});
  EXPECT_NEAR(answers[0], 6, 1e-6);
  EXPECT_NEAR(answers[1], -2, 1e-6);
  // So strong a penalty leaves the mean of the answers.
  EXPECT_NEAR(sums.solve(1e12).at(std::array{0.5, -2.0})[0], 3, 0.2);
  EXPECT_EQ(RidgeSums{2}.solve(1).at(std::array{1.0, 1.0})[0], 0);
}

TEST(DecisionScore, Share_is_a_ratio_of_sums) {
  HourlyHistory history = a_zone(0);
  history.intensity = {10, 8, 6, 4, 9, 9};
  const Timeline timeline{history};
  DecisionScore score{2, 3};
  score.add(timeline, 0, {1, 1, 0, 5, 5});  // prefers start 1: 14 of 18, where 10 is best
  EXPECT_DOUBLE_EQ(score.emitted(), 14);
  EXPECT_DOUBLE_EQ(score.share_percent(), 50);
  score.add(timeline, 2, {1, 1, 1, 1, 1});  // does not fit into the data
  EXPECT_DOUBLE_EQ(score.share_percent(), 50);
}

/// All that is not known at the issue becomes noise: nothing of the forecast may move.
void expect_no_leak(HourlyHistory history, Instant issue) {
  Forecaster before{history};
  const auto expected = before.forecast(issue, Knowledge::replayed, 168);
  const Timeline& timeline = before.timeline();
  const AsOf known = *as_of(timeline, issue, Knowledge::replayed);
  std::mt19937 random{99};
  std::uniform_real_distribution<double> noise{0, 900};
  for (Hour hour = known.issue - 1; hour < static_cast<Hour>(history.intensity.size()); ++hour) {
    history.intensity[static_cast<std::size_t>(hour)] = noise(random);
  }
  const std::size_t steps_known = static_cast<std::size_t>(known.issue - 1) * history.steps_an_hour;
  for (std::size_t step = steps_known; step < history.steps.size(); ++step) history.steps[step] = noise(random);
  for (Hour hour = 0; hour < static_cast<Hour>(history.price.size()); ++hour) {
    if (timeline.market_day[static_cast<std::size_t>(hour)] > known.price_day) {
      history.price[static_cast<std::size_t>(hour)] = noise(random) - 100;
    }
  }
  Forecaster after{history};
  const auto got = after.forecast(issue, Knowledge::replayed, 168);
  ASSERT_EQ(expected.has_value(), got.has_value());
  if (expected) {
    EXPECT_EQ(*expected, *got) << format_instant(issue);
  }
}

TEST(Forecaster, Uses_nothing_that_was_not_known_at_the_issue) {
  const HourlyHistory plain = a_zone(24 * 150, false);
  const HourlyHistory priced = a_zone(24 * 150, true, 2);
  for (const Hour hour : {30, 200, 1000, 3001, 3010, 3012, 3400}) {
    expect_no_leak(plain, k_origin + std::chrono::hours{hour});
    expect_no_leak(priced, k_origin + std::chrono::hours{hour} + std::chrono::minutes{17});
  }
}

TEST(Forecaster, Is_good_once_trained_and_says_so) {
  Forecaster forecaster{a_zone(24 * 450, true)};
  const auto forecast = forecaster.forecast(k_origin + std::chrono::hours{24 * 440}, Knowledge::replayed, 168);
  ASSERT_TRUE(forecast);
  EXPECT_EQ(forecast->grade, ForecastGrade::good) << forecast->reason;
  ASSERT_EQ(forecast->hours.size(), 168U);
  for (const ForecastHour& hour : forecast->hours) {
    EXPECT_GT(hour.low, 0);
    EXPECT_LE(hour.low, hour.mean);
    EXPECT_LE(hour.mean, hour.high);
  }
}

TEST(Forecaster, Grades_a_poor_history_as_poor_with_a_wide_band) {
  const auto grade_of = [](HourlyHistory history, Hour at) {
    Forecaster forecaster{std::move(history)};
    const auto forecast = forecaster.forecast(k_origin + std::chrono::hours{at}, Knowledge::replayed, 48);
    EXPECT_TRUE(forecast);
    for (const ForecastHour& hour : forecast->hours) {
      EXPECT_TRUE(std::isfinite(hour.mean) && hour.mean > 0 && hour.low < hour.mean && hour.mean < hour.high);
    }
    return forecast->grade;
  };
  EXPECT_EQ(grade_of(a_zone(72), 72), ForecastGrade::poor);
  EXPECT_EQ(grade_of(a_zone(5), 6), ForecastGrade::poor);
  EXPECT_EQ(grade_of(a_zone(24 * 20), 24 * 20), ForecastGrade::fair);
  EXPECT_EQ(grade_of(a_zone(24 * 20), 24 * 23), ForecastGrade::poor);  // three days of silence
  HourlyHistory constant = a_zone(24 * 100);
  std::fill(constant.intensity.begin(), constant.intensity.end(), 37.7);
  EXPECT_EQ(grade_of(std::move(constant), 24 * 100), ForecastGrade::poor);
}

TEST(Forecaster, Survives_gaps_of_hours_and_weeks_and_days_without_prices) {
  HourlyHistory history = a_zone(24 * 200, true);
  for (const auto& [from, to] : {std::pair{100, 103}, {2000, 2400}, {4000, 4001}, {4600, 4690}}) {
    std::fill(history.intensity.begin() + from, history.intensity.begin() + to, k_missing);
    std::fill(history.price.begin() + from + 50, history.price.begin() + to + 50, k_missing);
  }
  Forecaster forecaster{std::move(history)};
  for (Hour at = 150; at < 24 * 200; at += 97) {
    const auto forecast = forecaster.forecast(k_origin + std::chrono::hours{at}, Knowledge::replayed, 168);
    if (!forecast) continue;  // more than two weeks of silence
    for (const ForecastHour& hour : forecast->hours) ASSERT_TRUE(std::isfinite(hour.mean) && hour.low <= hour.high);
  }
}

TEST(Forecaster, Follows_a_level_shift_within_hours) {
  HourlyHistory history = a_zone(24 * 30);
  for (std::size_t hour = 24 * 29; hour < history.intensity.size(); ++hour) history.intensity[hour] *= 2;
  Forecaster forecaster{std::move(history)};
  const auto forecast = forecaster.forecast(k_origin + std::chrono::hours{24 * 30}, Knowledge::replayed, 24);
  EXPECT_GT(forecast->hours.front().mean, 90);
}

TEST(Forecaster, Doubts_itself_after_a_day_that_it_foresaw_quite_differently) {
  HourlyHistory history = a_zone(24 * 200, true);
  const Instant issue = k_origin + std::chrono::hours{24 * 200};
  const auto usual = Forecaster{history}.forecast(issue, Knowledge::replayed, 48);
  EXPECT_EQ(usual->grade, ForecastGrade::good) << usual->reason;
  for (std::size_t hour = history.intensity.size() - 26; hour < history.intensity.size(); ++hour) {
    history.intensity[hour] *= 2.5;
  }
  const auto shifted = Forecaster{std::move(history)}.forecast(issue, Knowledge::replayed, 48);
  EXPECT_NE(shifted->grade, ForecastGrade::good);
  EXPECT_NE(shifted->reason.find("quite differently"), std::string::npos);
  EXPECT_LE(shifted->band.front().low, 0.5);
  EXPECT_GE(shifted->band.front().high, 2);
}

TEST(Forecaster, Grades_a_short_forecast_like_a_long_one) {
  for (const Hour days : {30, 200}) {
    Forecaster forecaster{a_zone(24 * days, true)};
    for (Hour at = 24 * days - 240; at < 24 * days; at += 7) {
      const Instant issue = k_origin + std::chrono::hours{at};
      const auto longer = forecaster.forecast(issue, Knowledge::replayed, 48);
      const auto shorter = forecaster.forecast(issue, Knowledge::replayed, 1);
      EXPECT_EQ(longer->grade, shorter->grade) << at << longer->reason << shorter->reason;
    }
  }
}

TEST(Forecaster, Is_less_sure_where_prices_have_been_missing_for_days) {
  HourlyHistory history = a_zone(24 * 200 + 24, true);
  history.intensity.resize(24 * 200);
  const Instant issue = k_origin + std::chrono::hours{24 * 200};
  const auto usual = Forecaster{history}.forecast(issue, Knowledge::replayed, 48);
  std::fill(history.price.end() - 24 * 6, history.price.end(), k_missing);
  const auto without = Forecaster{std::move(history)}.forecast(issue, Knowledge::replayed, 48);
  EXPECT_EQ(usual->grade, ForecastGrade::good);
  EXPECT_EQ(without->grade, ForecastGrade::fair);
  EXPECT_NE(without->reason.find("prices have been missing"), std::string::npos);
  EXPECT_LE(without->band.back().low, usual->band.back().low);
  EXPECT_GE(without->band.back().high, usual->band.back().high);
}

TEST(Forecaster, Is_not_moved_by_a_spike_of_one_hour) {
  HourlyHistory history = a_zone(24 * 200);
  const Instant issue = k_origin + std::chrono::hours{24 * 200};
  const auto usual = Forecaster{history}.forecast(issue, Knowledge::replayed, 48);
  history.intensity[history.intensity.size() - 4] *= 20;
  const auto spiked = Forecaster{std::move(history)}.forecast(issue, Knowledge::replayed, 48);
  for (std::size_t h = 0; h < 48; ++h) EXPECT_NEAR(spiked->hours[h].mean, usual->hours[h].mean, 10) << h;
}

TEST(Forecaster, Leaves_a_series_that_never_moves_to_the_untrained) {
  HourlyHistory history = a_zone(24 * 200);
  std::fill(history.intensity.end() - 24 * 9, history.intensity.end(), 37.7);
  Forecaster forecaster{std::move(history)};
  const auto forecast = forecaster.forecast(k_origin + std::chrono::hours{24 * 200}, Knowledge::replayed, 48);
  EXPECT_EQ(forecast->grade, ForecastGrade::poor);
  EXPECT_EQ(forecast->model, "untrained");
  for (const ForecastHour& hour : forecast->hours) EXPECT_NEAR(hour.mean, 37.7, 1e-6);
}

TEST(Forecaster, Takes_prices_below_zero_and_days_of_23_and_25_hours) {
  HourlyHistory history = a_zone(24 * 330, true);
  for (std::size_t hour = 0; hour < history.price.size(); hour += 3) history.price[hour] = -history.price[hour] - 50;
  Forecaster forecaster{std::move(history)};
  for (const char* issue : {"2021-03-27T12:00:00Z", "2021-03-28T00:00:00Z", "2021-03-28T13:00:00Z",
                            "2021-10-30T12:00:00Z", "2021-10-31T01:00:00Z", "2021-10-31T14:00:00Z"}) {
    const auto forecast = forecaster.forecast(*parse_instant(issue), Knowledge::replayed, 60);
    ASSERT_TRUE(forecast) << issue;
    ASSERT_EQ(forecast->hours.size(), 60U);
    for (const ForecastHour& hour : forecast->hours) {
      EXPECT_TRUE(std::isfinite(hour.mean) && hour.mean > 20 && hour.mean < 120) << issue << ' ' << hour.mean;
    }
  }
}

TEST(Forecaster, Of_quarter_hours_uses_nothing_that_was_not_known_at_the_issue) {
  HourlyHistory history = a_zone(24 * 60);
  history.steps_an_hour = 4;
  std::mt19937 random{5};
  std::uniform_real_distribution<double> noise{-3, 3};
  for (const double hour : history.intensity) {
    const double first = noise(random);
    history.steps.insert(history.steps.end(), {hour + first, hour - first, hour + 1, hour - 1});
  }
  for (const Hour hour : {30, 200, 1000, 1200}) expect_no_leak(history, k_origin + std::chrono::hours{hour});
}

TEST(Forecaster, Refuses_where_nothing_was_known) {
  Forecaster forecaster{a_zone(100)};
  const auto early = forecaster.forecast(k_origin, Knowledge::replayed, 24);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Errc::no_intensity_data);
  EXPECT_FALSE(forecaster.forecast(k_origin + std::chrono::days{60}, Knowledge::arrived, 24));
}

}  // namespace
}  // namespace valle::scheduler::forecast
