// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "connectors/esios/mix.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors::esios {
namespace {

using scheduler::RejectionReason;
using scheduler::Zone;
using std::chrono::hours;
using std::chrono::minutes;
using tests::at;
using tests::table_of;

const scheduler::Instant k_midnight = at("2027-06-15T00:00:00Z");

/// Constant power over some hours at five-minute steps; hours listed in `without` are left out.
Indicator constant(double megawatts, int hour_count, std::vector<int> without = {}) {
  Indicator indicator;
  indicator.step = minutes{5};
  for (int hour = 0; hour < hour_count; ++hour) {
    if (std::find(without.begin(), without.end(), hour) != without.end()) continue;
    for (int i = 0; i < 12; ++i)
      indicator.rows.push_back({k_midnight + hours{hour} + minutes{5 * i}, RawNumber::of(megawatts)});
  }
  return indicator;
}

/// A whole mix of 25 GW: every technology that counts is there.
std::map<int, Indicator> whole_mix(int hour_count) {
  return {{546, constant(3000, hour_count)},  {547, constant(100, hour_count)},   {548, constant(0, hour_count)},
          {549, constant(6000, hour_count)},  {550, constant(3000, hour_count)},  {551, constant(6000, hour_count)},
          {1294, constant(400, hour_count)},  {1295, constant(4000, hour_count)}, {1296, constant(500, hour_count)},
          {1297, constant(2000, hour_count)}, {2079, constant(-300, hour_count)}};
}

Mix mix_of(const std::map<int, Indicator>& generation, int now_hour = 24, const SeenShares& seen = {}) {
  return intensity_of_mix(generation, seen, Zone::of("ES"), k_midnight + hours{now_hour}, Door{});
}

TEST(EsiosMix, is_the_mean_of_the_factors_by_what_each_generates) {
  const auto mix = mix_of(whole_mix(1));
  // The same sum by hand, in g/kWh and MW; pumping is no negative generation.
  const double emitted = 3000 * 10.7 + 100 * 1112.03 + 6000 * 5.13 + 3000 * 537.27 + 6000 * 12.62 + 4400 * 26.467 +
                         500 * 230.0 + 2000 * 537.27;
  ASSERT_EQ(mix.harvest.intensity.size(), 1U);
  EXPECT_NEAR(scheduler::grams_per_kwh(mix.harvest.intensity[0].value), emitted / 25'000, 0.0006);
  EXPECT_EQ(mix.harvest.intensity[0].interval, (scheduler::Interval{k_midnight, k_midnight + hours{1}}));
  const auto& accounting = mix.harvest.intensity[0].identity.accounting;
  EXPECT_EQ(accounting, (scheduler::Accounting{scheduler::Scope::lifecycle, scheduler::Basis::average,
                                               scheduler::Method::production}));
}

TEST(EsiosMix, takes_an_hour_with_a_missing_technology_as_incomplete_not_as_clean) {
  auto generation = whole_mix(3);
  generation[550] = constant(3000, 3, {1});
  const auto mix = mix_of(generation);
  ASSERT_EQ(mix.harvest.intensity.size(), 2U);
  EXPECT_EQ(table_of(mix.harvest.rejected), "2027-06-15T01:00:00Z incomplete\n");
  EXPECT_THAT(mix.harvest.rejected[0].detail,
              testing::HasSubstr("combined cycle is missing, which carries up to 12 %"));
}

TEST(EsiosMix, may_miss_what_carries_next_to_nothing) {
  auto generation = whole_mix(2);
  generation.erase(548);
  generation.erase(2079);
  EXPECT_EQ(mix_of(generation).harvest.intensity.size(), 2U);
}

TEST(EsiosMix, misses_a_whole_technology_on_the_first_day_by_what_is_usual_in_spain) {
  auto generation = whole_mix(2);
  generation.erase(551);
  const auto mix = mix_of(generation);
  EXPECT_TRUE(mix.harvest.intensity.empty());
  EXPECT_EQ(mix.harvest.rejected.size(), 2U);
}

TEST(EsiosMix, remembers_over_night_that_the_sun_carried_the_day) {
  auto day = whole_mix(2);
  day[1295] = constant(12'000, 2);
  SeenShares seen = mix_of(day).seen;
  auto night = whole_mix(2);
  night[1295] = constant(0, 2);
  for (int i = 0; i < 12; ++i) seen = mix_of(night, 24, seen).seen;
  auto next_day = whole_mix(2);
  next_day.erase(1295);
  EXPECT_TRUE(mix_of(next_day, 24, seen).harvest.intensity.empty());
}

TEST(EsiosMix, forms_an_hour_only_from_all_its_steps_and_only_once_it_has_ended) {
  auto generation = whole_mix(3);
  generation[549].rows.pop_back();  // the last five minutes of the third hour
  generation[551].rows[5].value = {RawNumber::State::null, 0};
  const auto mix = mix_of(generation);
  EXPECT_EQ(table_of(mix.harvest.rejected), "2027-06-15T00:00:00Z incomplete\n2027-06-15T02:00:00Z incomplete\n");
  EXPECT_EQ(mix_of(whole_mix(3), 2).harvest.intensity.size(), 2U) << "the running hour is left alone";
}

TEST(EsiosMix, gives_the_same_hour_again_once_its_last_step_has_come) {
  auto generation = whole_mix(1);
  auto early = generation;
  early[549].rows.pop_back();
  EXPECT_TRUE(mix_of(early).harvest.intensity.empty());
  EXPECT_EQ(mix_of(generation).harvest.intensity.size(), 1U);
}

TEST(HourlyMeans, average_quarters_and_take_hours_as_they_are) {
  Indicator quarters;
  quarters.step = minutes{15};
  for (const double value : {61.2, 58.4, 63.0, 57.4, 70.0}) {
    quarters.rows.push_back({k_midnight + minutes{15 * static_cast<int>(quarters.rows.size())}, RawNumber::of(value)});
  }
  const auto means = hourly_means(quarters);
  ASSERT_EQ(means.size(), 1U) << "the second hour has one quarter of four";
  EXPECT_EQ(scheduler::watts(means.at(k_midnight)), 60.0e6);
  Indicator hourly;
  hourly.rows = {{k_midnight, RawNumber::of(5)}, {k_midnight + hours{1}, RawNumber::of(1e9)}};
  EXPECT_EQ(hourly_means(hourly).size(), 1U) << "a thousand terawatts are no measurement";
  Indicator odd;
  odd.step = minutes{7};
  odd.rows = {{k_midnight, RawNumber::of(5)}};
  EXPECT_TRUE(hourly_means(odd).empty());
}

}  // namespace
}  // namespace valle::connectors::esios
