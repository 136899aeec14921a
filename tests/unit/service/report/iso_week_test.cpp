// SPDX-License-Identifier: Apache-2.0
#include "service/report/iso_week.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/readings.hpp"

namespace valle::service::report {
namespace {

using ::testing::HasSubstr;
using tests::at;

std::vector<long> hours_of_days(const std::string& zone, const std::string& week) {
  std::vector<long> hours;
  for (const auto& day : Calendar::of(zone)->days(*parse_week(week))) hours.push_back(day.length().count() / 3600);
  return hours;
}

TEST(IsoWeek, a_week_belongs_to_the_named_zone_and_may_have_an_hour_less_or_more) {
  const Calendar madrid = *Calendar::of("Europe/Madrid");
  const auto bounds = [&](const char* week) { return madrid.bounds(*parse_week(week)); };
  EXPECT_EQ(bounds("2027-W12"), (scheduler::Interval{at("2027-03-21T23:00:00Z"), at("2027-03-28T22:00:00Z")}));
  EXPECT_EQ(bounds("2027-W43"), (scheduler::Interval{at("2027-10-24T22:00:00Z"), at("2027-10-31T23:00:00Z")}));
  EXPECT_EQ(bounds("2027-W24"), (scheduler::Interval{at("2027-06-13T22:00:00Z"), at("2027-06-20T22:00:00Z")}));
  EXPECT_EQ(hours_of_days("Europe/Madrid", "2027-W12"), (std::vector<long>{24, 24, 24, 24, 24, 24, 23}));
  EXPECT_EQ(hours_of_days("Europe/Madrid", "2027-W43"), (std::vector<long>{24, 24, 24, 24, 24, 24, 25}));
}

TEST(IsoWeek, a_midnight_that_is_skipped_or_comes_twice_begins_the_day_once) {
  // In Santiago the clocks jump at midnight itself: 2027-09-05 begins at 01:00 local, and 2027-04-03 has 25 hours.
  EXPECT_EQ(hours_of_days("America/Santiago", "2027-W35"), (std::vector<long>{24, 24, 24, 24, 24, 24, 23}));
  EXPECT_EQ(hours_of_days("America/Santiago", "2027-W13"), (std::vector<long>{24, 24, 24, 24, 24, 25, 24}));
}

TEST(IsoWeek, the_year_of_a_week_is_that_of_its_thursday) {
  const Calendar utc = *Calendar::of("UTC");
  EXPECT_EQ(format_week(utc.week_of(at("2027-01-01T12:00:00Z"))), "2026-W53");
  EXPECT_EQ(format_week(utc.week_of(at("2024-12-30T00:00:00Z"))), "2025-W01");
  EXPECT_EQ(format_week(utc.week_of(at("2026-11-30T00:00:00Z"))), "2026-W49");
  EXPECT_EQ(format_week(Calendar::of("Asia/Tokyo")->week_of(at("2026-11-29T15:00:00Z"))), "2026-W49");
}

TEST(IsoWeek, every_week_holds_its_own_bounds) {
  const Calendar calendar = *Calendar::of("America/Santiago");
  auto end = calendar.bounds({2025, 52}).end;
  for (IsoWeek week{2026, 1}; week.week <= 53; ++week.week) {
    const auto bounds = calendar.bounds(week);
    EXPECT_EQ(bounds.begin, end) << "no second is lost or double";
    EXPECT_EQ(calendar.week_of(bounds.begin), week);
    EXPECT_EQ(calendar.week_of(bounds.end - scheduler::Duration{1}), week);
    end = bounds.end;
  }
}

TEST(IsoWeek, is_read_as_it_is_written_and_refused_where_the_year_has_no_such_week) {
  EXPECT_EQ(format_week(*parse_week("2026-W53")), "2026-W53");
  for (const char* wrong : {"2027-W53", "2026-W00", "2026-w48", "2026W48", "2026-W4", "2026-W480", "1969-W01", ""}) {
    const auto refused = parse_week(wrong, "week");
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().pointer, "week");
  }
  EXPECT_THAT(parse_week("2027-W53").error().detail, HasSubstr("weeks 1 to 52"));
}

TEST(IsoWeek, a_zone_that_the_system_does_not_know_is_refused) {
  const auto refused = Calendar::of("Europe/Atlantis");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, scheduler::Errc::invalid_request);
}

}  // namespace
}  // namespace valle::service::report
