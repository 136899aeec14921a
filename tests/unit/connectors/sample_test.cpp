// SPDX-License-Identifier: Apache-2.0
#include "connectors/sample/sample.hpp"

#include <gtest/gtest.h>

#include "tests/support/connectors/rows.hpp"

namespace valle::connectors {
namespace {

using scheduler::Signal;
using scheduler::Zone;
using std::chrono::hours;
using tests::at;

std::int64_t mean_grams(const std::string& zone, std::string_view from, int count, int every_hours = 1) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += sample_intensity(Zone::of(zone), at(from) + hours{i * every_hours}).base();
  return sum / count / 1000;
}

TEST(Sample, has_france_low_germany_high_and_a_dip_in_spain_at_noon) {
  constexpr int k_year = 24 * 365;
  const auto france = mean_grams("FR", "2027-01-01T00:00:00Z", k_year);
  const auto spain = mean_grams("ES", "2027-01-01T00:00:00Z", k_year);
  const auto germany = mean_grams("DE", "2027-01-01T00:00:00Z", k_year);
  EXPECT_LT(2 * france, spain);
  EXPECT_LT(2 * spain, germany + spain / 2);
  const auto noon = mean_grams("ES", "2027-01-01T12:00:00Z", 365, 24);
  const auto evening = mean_grams("ES", "2027-01-01T19:00:00Z", 365, 24);
  EXPECT_LT(noon + 60, evening);
}

TEST(Sample, stays_plausible_at_every_hour_of_ten_years) {
  for (const auto* zone : {"FR", "ES", "DE"}) {
    for (int i = 0; i < 24 * 3652; ++i) {
      const auto value = sample_intensity(Zone::of(zone), at("2020-01-01T00:00:00Z") + hours{i}).base();
      ASSERT_TRUE(value >= 5'000 && value <= 800'000) << zone << " " << i << " " << value;
    }
  }
}

TEST(Sample, knows_a_week_back_and_a_week_ahead_split_at_the_current_hour) {
  const auto source = make_sample_source();
  const auto now = at("2027-05-12T09:20:00Z");
  const auto ask = [&](Signal signal) {
    return source->fetch(
        {.zone = Zone::of("ES"), .signal = signal, .wanted = {now - hours{24 * 30}, now + hours{24 * 30}}, .now = now});
  };
  const auto measured = ask(Signal::measured).harvest.intensity;
  const auto forecast = ask(Signal::forecast).harvest.intensity;
  ASSERT_EQ(measured.size(), 168U);
  ASSERT_EQ(forecast.size(), 168U);
  EXPECT_EQ(measured.front().interval.begin, at("2027-05-05T09:00:00Z"));
  EXPECT_EQ(measured.back().interval.end, at("2027-05-12T09:00:00Z"));
  EXPECT_EQ(forecast.front().interval.begin, at("2027-05-12T09:00:00Z"));
  EXPECT_EQ(forecast.back().interval.end, at("2027-05-19T09:00:00Z"));
  EXPECT_EQ(ask(Signal::price).harvest.prices.size(), 336U);
}

TEST(Sample, says_the_same_of_an_hour_whenever_it_is_asked) {
  const auto source = make_sample_source();
  const auto hour = at("2027-05-12T12:00:00Z");
  const auto before = source->fetch(
      {.zone = Zone::of("DE"), .signal = Signal::forecast, .wanted = {hour, hour + hours{1}}, .now = hour - hours{30}});
  const auto after = source->fetch(
      {.zone = Zone::of("DE"), .signal = Signal::measured, .wanted = {hour, hour + hours{1}}, .now = hour + hours{30}});
  ASSERT_EQ(before.harvest.intensity.size(), 1U);
  ASSERT_EQ(after.harvest.intensity.size(), 1U);
  EXPECT_EQ(before.harvest.intensity[0].value, after.harvest.intensity[0].value);
}

TEST(Sample, offers_its_three_zones_only_and_says_that_it_is_invented) {
  const auto source = make_sample_source();
  EXPECT_EQ(source->known_zones(), (std::vector{Zone::of("DE"), Zone::of("ES"), Zone::of("FR")}));
  EXPECT_FALSE(source->offers(Zone::of("PL"), Signal::measured));
  EXPECT_FALSE(source->offers(Zone::of("FR"), Signal::grid_forecast));
  EXPECT_NE(source->attribution().find("Synthetic"), std::string::npos);
}

}  // namespace
}  // namespace valle::connectors
