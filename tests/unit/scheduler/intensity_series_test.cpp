// SPDX-License-Identifier: Apache-2.0
#include "scheduler/series/intensity_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scheduler/series_builders.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::at;
using ::testing::ElementsAre;
using testing::grams;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::listed;
using testing::series;
using testing::steps;

std::string refusal(std::vector<Step> given) {
  const auto made = IntensitySeries::make(std::move(given));
  if (made) return "accepted";
  EXPECT_EQ(made.error().code, Errc::invalid_request);
  return made.error().detail;
}

TEST(IntensitySeries, a_value_stamps_the_start_of_its_interval) {
  const IntensitySeries known = series("2027-05-31T10:00:00Z", hours{1}, {40, 70, 90});
  EXPECT_EQ(known.at(at("2027-05-31T10:00:00Z"))->value, grams(40));
  EXPECT_EQ(known.at(at("2027-05-31T10:59:59Z"))->value, grams(40));
  EXPECT_EQ(known.at(at("2027-05-31T11:00:00Z"))->value, grams(70));
  EXPECT_EQ(known.at(at("2027-05-31T12:59:59Z"))->value, grams(90));
  EXPECT_FALSE(known.at(at("2027-05-31T13:00:00Z")));
  EXPECT_FALSE(known.at(at("2027-05-31T09:59:59Z")));
}

TEST(IntensitySeries, a_range_takes_the_steps_that_it_touches_and_no_neighbour) {
  const IntensitySeries known = series("2027-06-08T08:00:00Z", hours{1}, {83, 79, 74, 70, 68, 71});
  const auto rows = steps(
      {{"2027-06-08T10:00:00Z", "2027-06-08T11:00:00Z", 74}, {"2027-06-08T11:00:00Z", "2027-06-08T12:00:00Z", 70}});
  EXPECT_EQ(listed(known.within({at("2027-06-08T10:00:00Z"), at("2027-06-08T12:00:00Z")})), rows);
  EXPECT_EQ(listed(known.within({at("2027-06-08T10:30:00Z"), at("2027-06-08T12:00:00Z")})), rows);
  EXPECT_EQ(listed(known.within({at("2027-06-08T10:59:59Z"), at("2027-06-08T11:00:01Z")})), rows);
  EXPECT_EQ(listed(known.within({at("2027-06-08T07:00:00Z"), at("2027-06-08T09:00:00Z")})),
            steps({{"2027-06-08T08:00:00Z", "2027-06-08T09:00:00Z", 83}}));
  EXPECT_THAT(listed(known.within({at("2027-06-08T10:00:00Z"), at("2027-06-08T10:00:00Z")})), IsEmpty());
}

TEST(IntensitySeries, a_hole_is_stated_with_its_bounds_and_nothing_stands_in_for_it) {
  const IntensitySeries known = series("2027-01-09T00:00:00Z", hours{1}, {88, 85, {}, {}, {}, 92, 90});
  const Interval asked{at("2027-01-09T00:00:00Z"), at("2027-01-09T07:00:00Z")};
  EXPECT_THAT(known.gaps(asked), ElementsAre(Interval{at("2027-01-09T02:00:00Z"), at("2027-01-09T05:00:00Z")}));
  EXPECT_EQ(listed(known.within(asked)), steps({{"2027-01-09T00:00:00Z", "2027-01-09T01:00:00Z", 88},
                                                {"2027-01-09T01:00:00Z", "2027-01-09T02:00:00Z", 85},
                                                {"2027-01-09T05:00:00Z", "2027-01-09T06:00:00Z", 92},
                                                {"2027-01-09T06:00:00Z", "2027-01-09T07:00:00Z", 90}}));
  EXPECT_FALSE(known.at(at("2027-01-09T03:00:00Z")));
  EXPECT_FALSE(known.integral(asked));
  EXPECT_EQ(known.runs().size(), 2U);
}

TEST(IntensitySeries, the_horizon_ends_where_the_last_value_ends) {
  const IntensitySeries known = series("2027-01-09T16:00:00Z", hours{1}, {63, 61, 60, 58});
  EXPECT_EQ(known.extent(), (Interval{at("2027-01-09T16:00:00Z"), at("2027-01-09T20:00:00Z")}));
  EXPECT_THAT(known.gaps({at("2027-01-09T16:00:00Z"), at("2027-01-10T00:00:00Z")}),
              ElementsAre(Interval{at("2027-01-09T20:00:00Z"), at("2027-01-10T00:00:00Z")}));
}

TEST(IntensitySeries, another_day_is_a_gap_and_not_the_newest_value) {
  const IntensitySeries known = series("2027-06-09T00:00:00Z", hours{1}, {140, 138, 135, 131});
  const Interval before{at("2027-06-07T00:00:00Z"), at("2027-06-08T00:00:00Z")};
  EXPECT_THAT(listed(known.within(before)), IsEmpty());
  EXPECT_THAT(known.gaps(before), ElementsAre(before));
}

TEST(IntensitySeries, the_integral_weighs_each_value_by_the_seconds_that_it_holds) {
  const IntensitySeries known = series({{"2027-05-03T00:00:00Z", "2027-05-03T01:00:00Z", 120},
                                        {"2027-05-03T01:00:00Z", "2027-05-03T01:15:00Z", 60},
                                        {"2027-05-03T01:15:00Z", "2027-05-03T03:30:00Z", 90}});
  EXPECT_EQ(known.runs()[0].step_length, Duration{0});
  // 20 min of 120 g, 15 min of 60 g and 1 s of 90 g
  EXPECT_EQ(known.integral({at("2027-05-03T00:40:00Z"), at("2027-05-03T01:15:01Z")}),
            IntensitySeconds::of_base(1200 * 120'000LL + 900 * 60'000LL + 90'000LL));
  EXPECT_EQ(known.integral({at("2027-05-03T00:40:00Z"), at("2027-05-03T00:40:00Z")}), IntensitySeconds{});
  EXPECT_FALSE(known.integral({at("2027-05-03T00:00:00Z"), at("2027-05-03T03:30:01Z")}));
  EXPECT_FALSE(known.integral({at("2027-05-02T23:59:59Z"), at("2027-05-03T01:00:00Z")}));
}

TEST(IntensitySeries, each_run_knows_its_steps_and_restarts_its_prefix_sums) {
  const IntensitySeries known = series("2027-05-03T00:00:00Z", minutes{30}, {10, 20, {}, 30, 40, 50});
  ASSERT_EQ(known.runs().size(), 2U);
  const auto& run = known.runs()[1];
  EXPECT_EQ(run.first, 2U);
  EXPECT_EQ(run.count, 3U);
  EXPECT_EQ(run.step_length, minutes{30});
  EXPECT_EQ(run.interval, (Interval{at("2027-05-03T01:30:00Z"), at("2027-05-03T03:00:00Z")}));
  EXPECT_THAT(known.prefix(run), ElementsAre(0, 54'000'000, 126'000'000, 216'000'000));
  EXPECT_THAT(known.values(run), ElementsAre(30'000, 40'000, 50'000));
  EXPECT_THAT(known.boundaries(run), ElementsAre(at("2027-05-03T01:30:00Z"), at("2027-05-03T02:00:00Z"),
                                                 at("2027-05-03T02:30:00Z"), at("2027-05-03T03:00:00Z")));
}

TEST(IntensitySeries, without_steps_it_knows_nothing_and_says_so) {
  const IntensitySeries none = IntensitySeries::of({});
  const Interval day{at("2027-01-01T00:00:00Z"), at("2027-01-02T00:00:00Z")};
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.step_count(), 0U);
  EXPECT_TRUE(none.extent().empty());
  EXPECT_THAT(none.gaps(day), ElementsAre(day));
  EXPECT_THAT(listed(none.within(day)), IsEmpty());
  EXPECT_FALSE(none.at(day.begin));
  EXPECT_FALSE(none.integral(day));
}

TEST(IntensitySeries, an_exact_repetition_is_dropped) {
  const auto one = steps({{"2027-04-02T00:00:00Z", "2027-04-02T01:00:00Z", 210.5}});
  EXPECT_EQ(IntensitySeries::of({one[0], one[0], one[0]}), IntensitySeries::of(one));
}

TEST(IntensitySeries, overlapping_steps_are_refused_naming_both_instants) {
  const std::string why = refusal(steps({{"2027-04-02T01:30:00Z", "2027-04-02T02:30:00Z", 176.5},
                                         {"2027-04-02T00:30:00Z", "2027-04-02T01:30:00Z", 188},
                                         {"2027-04-02T00:00:00Z", "2027-04-02T01:00:00Z", 210.5}}));
  EXPECT_THAT(why, HasSubstr("2027-04-02T00:00:00Z"));
  EXPECT_THAT(why, HasSubstr("2027-04-02T00:30:00Z"));
}

TEST(IntensitySeries, two_values_for_one_step_are_an_overlap) {
  EXPECT_THAT(refusal(steps({{"2027-04-02T00:00:00Z", "2027-04-02T01:00:00Z", 210},
                             {"2027-04-02T00:00:00Z", "2027-04-02T01:00:00Z", 211}})),
              HasSubstr("overlap"));
}

TEST(IntensitySeries, backward_steps_and_values_or_years_out_of_range_are_refused) {
  EXPECT_THAT(refusal(steps({{"2027-04-02T00:00:00Z", "2027-04-02T00:00:00Z", 1}})), HasSubstr("ends after it begins"));
  EXPECT_THAT(refusal(steps({{"2027-04-02T01:00:00Z", "2027-04-02T00:00:00Z", 1}})), HasSubstr("ends after it begins"));
  EXPECT_THAT(refusal(steps({{"2027-04-02T00:00:00Z", "2027-04-02T01:00:00Z", -1}})), HasSubstr("0 to 1000000 g/kWh"));
  EXPECT_THAT(refusal(steps({{"2027-04-02T00:00:00Z", "2027-04-02T01:00:00Z", 1'000'000.001}})),
              HasSubstr("0 to 1000000 g/kWh"));
  EXPECT_THAT(refusal({{.interval = {Instant{Duration{-1}}, Instant{}}, .value = grams(1)}}),
              HasSubstr("1970 to 2261"));
  EXPECT_THAT(refusal({{.interval = {Instant::min(), Instant::max()}, .value = grams(1)}}), HasSubstr("1970 to 2261"));
}

TEST(IntensitySeries, the_largest_value_over_all_years_stays_within_64_bits) {
  const Interval all{Instant{}, at("2261-12-31T23:59:59Z") + Duration{1}};
  const IntensitySeries known = IntensitySeries::of({{.interval = all, .value = IntensitySeries::k_largest_value}});
  EXPECT_EQ(known.integral(all)->base(), all.length().count() * 1'000'000'000);
}

TEST(IntensitySeriesDeathTest, a_step_beyond_the_series_stops_the_program) {
  const IntensitySeries known = series("2027-05-03T00:00:00Z", hours{1}, {10});
  EXPECT_DEATH((void)known.step(1), "beyond the series");
}

}  // namespace
}  // namespace valle::scheduler
