// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "scheduler/units/time.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_days;
using std::chrono::year;

/// Seconds since 1970 of an instant, or the words of the refusal.
std::string read_instant(std::string_view text, Fraction fraction = Fraction::down) {
  const auto read = parse_instant(text, fraction);
  if (!read) {
    EXPECT_EQ(read.error().code, Errc::invalid_request) << text;
    EXPECT_EQ(read.error().pointer, "") << text;
    return read.error().detail;
  }
  return std::to_string(read->time_since_epoch().count());
}

std::string read_duration(std::string_view text) {
  const auto read = parse_duration(text);
  if (!read) {
    EXPECT_EQ(read.error().code, Errc::invalid_request) << text;
    EXPECT_EQ(read.error().pointer, "") << text;
    return read.error().detail;
  }
  return std::to_string(read->count());
}

TEST(ParseInstant, reads_every_offset_as_the_same_moment) {
  // date -u -d 2027-07-15T06:00:00Z +%s
  for (const char* text :
       {"2027-07-15T06:00:00Z", "2027-07-15t06:00:00z", "2027-07-15 06:00:00Z", "2027-07-15T06:00Z",
        "2027-07-15T08:00:00+02:00", "2027-07-15T08:00+0200", "2027-07-15T02:30:00-0330", "2027-07-15T06:00:00-00:00",
        "2027-07-15T06:00:00.000000000000000000000000Z", "2027-07-15T06:00:00.25Z", "2027-07-16T05:59:00+23:59"}) {
    EXPECT_EQ(read_instant(text), "1815631200") << text;
  }
}

TEST(ParseInstant, an_offset_may_carry_the_moment_over_midnight_and_new_year) {
  EXPECT_EQ(parse_instant("2027-01-01T00:30:00+01:00"),
            Instant{sys_days{year{2026} / 12 / 31}} + hours{23} + minutes{30});
  EXPECT_EQ(parse_instant("2026-12-31T23:30:00-01:00"), Instant{sys_days{year{2027} / 1 / 1}} + minutes{30});
}

TEST(ParseInstant, a_fraction_of_a_second_goes_down_or_up_as_asked) {
  EXPECT_EQ(read_instant("1970-01-01T00:00:59.000001Z", Fraction::down), "59");
  EXPECT_EQ(read_instant("1970-01-01T00:00:59.000001Z", Fraction::up), "60");
  EXPECT_EQ(read_instant("1970-01-01T23:59:59.999Z", Fraction::up), "86400");
  EXPECT_EQ(read_instant("1970-01-01T00:00:59.000Z", Fraction::up), "59");
}

TEST(ParseInstant, a_time_without_offset_is_refused_and_told_so) {
  for (const char* text : {"2027-07-15T06:00:00", "2027-07-15T06:00", "2027-07-15 06:00:00.5"}) {
    EXPECT_NE(read_instant(text).find("needs an offset"), std::string::npos) << text;
  }
}

TEST(ParseInstant, days_that_the_calendar_lacks_are_refused) {
  for (const char* text :
       {"2027-13-01T00:00:00Z", "2027-00-01T00:00:00Z", "2027-02-30T00:00:00Z", "2027-02-29T00:00:00Z",
        "2027-04-31T00:00:00Z", "2027-01-00T00:00:00Z", "2027-01-32T00:00:00Z", "2100-02-29T00:00:00Z"}) {
    EXPECT_EQ(read_instant(text), "the calendar has no such day") << text;
  }
  EXPECT_EQ(parse_instant("2028-02-29T00:00:00Z"), Instant{sys_days{year{2028} / 2 / 29}});
}

TEST(ParseInstant, hours_minutes_and_seconds_that_no_day_has_are_refused) {
  for (const char* text :
       {"2027-07-15T24:00:00Z", "2027-07-15T06:60:00Z", "2027-07-15T06:00:61Z", "2027-07-15T99:00Z"}) {
    EXPECT_NE(read_instant(text).find("a day has hours 0 to 23"), std::string::npos) << text;
  }
  EXPECT_NE(read_instant("2016-12-31T23:59:60Z").find("leap seconds"), std::string::npos);
}

TEST(ParseInstant, offsets_that_are_cut_or_too_large_are_refused) {
  for (const char* text : {"2027-07-15T06:00:00+", "2027-07-15T06:00:00+2", "2027-07-15T06:00:00+02",
                           "2027-07-15T06:00:00+02:", "2027-07-15T06:00:00+02:0", "2027-07-15T06:00:00+24:00",
                           "2027-07-15T06:00:00+02:60"}) {
    EXPECT_NE(read_instant(text).find("an offset from UTC is"), std::string::npos) << text;
  }
}

TEST(ParseInstant, other_texts_are_refused_with_an_example) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv,
                                      " "sv,
                                      "now"sv,
                                      "2027"sv,
                                      "2027-07-15"sv,
                                      "2027-07-15T"sv,
                                      "2027-07-15TZ"sv,
                                      "2027-07-15T06Z"sv,
                                      "2027-07-15T0600Z"sv,
                                      "20270715T060000Z"sv,
                                      "2027-7-15T06:00:00Z"sv,
                                      "2027/07/15T06:00:00Z"sv,
                                      "27-07-15T06:00:00Z"sv,
                                      "+2027-07-15T06:00:00Z"sv,
                                      " 2027-07-15T06:00:00Z"sv,
                                      "2027-07-15T06:00:00Z "sv,
                                      "2027-07-15T06:00:00ZZ"sv,
                                      "2027-07-15T06:00:00.Z"sv,
                                      "2027-07-15T06:00:00,5Z"sv,
                                      "2027-07-15T06:00:0Z"sv,
                                      "2027-07-15T06:00:00 UTC"sv,
                                      "2027-07-15T06:00:00+02:00[Europe/Madrid]"sv,
                                      "2027-07-15T-6:00:00Z"sv,
                                      "2027-07-15T06:00:00Z\0"sv,
                                      "1815631200"sv,
                                      "２０２７-07-15T06:00:00Z"sv}) {
    EXPECT_NE(read_instant(text).find("RFC 3339"), std::string::npos) << text;
  }
}

TEST(ParseInstant, years_reach_from_1970_to_2261) {
  EXPECT_EQ(read_instant("1970-01-01T00:00:00Z"), "0");
  EXPECT_EQ(parse_instant("2261-12-31T23:59:59Z"), Instant{sys_days{year{2262} / 1 / 1}} - Duration{1});
  for (const char* text : {"1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01", "2262-01-01T00:00:00Z",
                           "0000-01-01T00:00:00Z", "2261-12-31T23:59:59-00:01", "9999-12-31T23:59:59Z"}) {
    EXPECT_EQ(read_instant(text), "a time lies in the years 1970 to 2261") << text;
  }
  EXPECT_EQ(read_instant("2261-12-31T23:59:59.1Z", Fraction::up), "a time lies in the years 1970 to 2261");
}

TEST(FormatInstant, writes_utc_with_z) {
  EXPECT_EQ(format_instant(Instant{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_instant(Instant{sys_days{year{2028} / 2 / 29}} + hours{23} + minutes{5} + Duration{9}),
            "2028-02-29T23:05:09Z");
  EXPECT_EQ(format_instant(Instant{Duration{-1}}), "1969-12-31T23:59:59Z");
}

TEST(FormatInstant, what_is_written_reads_back_as_the_same_instant) {
  std::mt19937_64 random{20270715};
  std::uniform_int_distribution<std::int64_t> any{0, 9'214'646'399};  // to the end of 2261
  for (int i = 0; i < 20'000; ++i) {
    const Instant instant{Duration{any(random)}};
    ASSERT_EQ(parse_instant(format_instant(instant)), instant);
  }
}

TEST(ParseDuration, reads_iso_go_and_bare_seconds) {
  const std::pair<const char*, std::int64_t> table[] = {
      {"PT6H", 21'600},   {"P1DT2H", 93'600}, {"P2DT3H30M", 185'400},
      {"PT0.5H", 1'800},  {"PT0,5H", 1'800},  {"PT90M", 5'400},
      {"P1D", 86'400},    {"P2W", 1'209'600}, {"P1WT1S", 604'801},
      {"PT0S", 0},        {"PT1M", 60},       {"PT1H0.5M", 3'630},
      {"PT36H", 129'600}, {"P0D", 0},         {"PT000000000000000000000001S", 1},
      {"6h30m", 23'400},  {"1.5h", 5'400},    {"90s", 90},
      {"7d", 604'800},    {"1d12h", 129'600}, {"1.5h30m", 7'200},
      {"0s", 0},          {"2m0.0s", 120},    {"5400", 5'400},
      {"5400.0", 5'400},  {"0", 0},           {"007", 7},
      {"PT0.1H", 360},    {"0.0001h", -1},    {"0.0125h", 45},
  };
  for (const auto& [text, seconds] : table) {
    if (seconds < 0) {
      EXPECT_EQ(read_duration(text), "a duration is a whole number of seconds") << text;
    } else {
      EXPECT_EQ(read_duration(text), std::to_string(seconds)) << text;
    }
  }
}

TEST(ParseDuration, months_and_years_have_no_fixed_length) {
  for (const char* text : {"P1M", "P1Y", "P1Y2M3D", "P3M2D", "P1M2DT3H"}) {
    EXPECT_NE(read_duration(text).find("no fixed length"), std::string::npos) << text;
  }
}

TEST(ParseDuration, words_signs_exponents_and_torn_texts_are_refused) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv,      " "sv,      "P"sv,      "PT"sv,        "P1DT"sv,   "-PT1H"sv,    "PT-1H"sv, "+PT1H"sv,
        "+5"sv,    "-5"sv,     "-1h"sv,    "3 hours"sv,   "1 day"sv,  "one hour"sv, "1e3"sv,   "1E3"sv,
        "0x10"sv,  "inf"sv,    "nan"sv,    "PT6"sv,       "6h30"sv,   "h"sv,        "PTH"sv,   "P6H"sv,
        "PT1D"sv,  "pt6h"sv,   "6H"sv,     "PT1H1H"sv,    "PT1M1H"sv, "P1D1W"sv,    "30m6h"sv, "1h1h"sv,
        "1ms"sv,   "5us"sv,    "1w"sv,     "."sv,         ".5"sv,     "5."sv,       "1.h"sv,   ".5h"sv,
        "1.2.3"sv, "PT.5H"sv,  "PT5.H"sv,  "PT0.5H30M"sv, "P0.5D"sv,  "1,5h"sv,     "1,5"sv,   "PT1H "sv,
        " PT1H"sv, "1h 30m"sv, "PT1H\0"sv, "00:30:00"sv,  "5400 s"sv, "PT１H"sv}) {
    const std::string answer = read_duration(text);
    EXPECT_NE(answer.find("a duration is"), std::string::npos) << text << " gave " << answer;
  }
}

TEST(ParseDuration, a_fraction_of_a_second_is_an_error) {
  for (const char* text :
       {"PT0.5S", "0.5s", "1.5", "PT1.00001H", "PT0.33333333333333333333333333M", "0.99999999999999999999999h"}) {
    EXPECT_EQ(read_duration(text), "a duration is a whole number of seconds") << text;
  }
}

TEST(ParseDuration, reaches_a_hundred_years_and_never_overflows) {
  EXPECT_EQ(read_duration("P36525D"), "3155760000");
  EXPECT_EQ(read_duration("3155760000"), "3155760000");
  for (const char* text :
       {"3155760001", "P36525DT1S", "P36526D", "P9999999999999999999W", "99999999999999999999999999999999",
        "18446744073709551616s", "P36525DT876600H", "9223372036854775807h", "36525d1s"}) {
    EXPECT_EQ(read_duration(text), "a duration is at most 100 years") << text;
  }
  EXPECT_EQ(read_duration(std::string(64, '0')), "0");
  EXPECT_EQ(read_duration(std::string(65, '0')), "a duration is at most 64 characters long");
}

TEST(FormatDuration, writes_days_hours_minutes_and_seconds) {
  EXPECT_EQ(format_duration(Duration{0}), "PT0S");
  EXPECT_EQ(format_duration(hours{6} + minutes{30}), "PT6H30M");
  EXPECT_EQ(format_duration(hours{26}), "P1DT2H");
  EXPECT_EQ(format_duration(hours{48}), "P2D");
  EXPECT_EQ(format_duration(Duration{185'400}), "P2DT3H30M");
  EXPECT_EQ(format_duration(Duration{3'601}), "PT1H1S");
  EXPECT_EQ(format_duration(Duration{-90}), "-PT1M30S");
}

TEST(FormatDuration, what_is_written_reads_back_as_the_same_duration) {
  std::mt19937_64 random{7};
  for (const std::int64_t longest : {100LL, 100'000LL, 3'155'760'000LL}) {
    std::uniform_int_distribution<std::int64_t> any{0, longest};
    for (int i = 0; i < 10'000; ++i) {
      const Duration duration{any(random)};
      ASSERT_EQ(parse_duration(format_duration(duration)), duration);
    }
  }
}

}  // namespace
}  // namespace valle::scheduler
