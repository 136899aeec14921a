// SPDX-License-Identifier: Apache-2.0
#include "service/report/iso_week.hpp"

#include <date/tz.h>

#include <exception>

#include "scheduler/units/text_cursor.hpp"

namespace valle::service::report {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

constexpr int k_first_year = 1970;
constexpr int k_last_year = 2261;

const date::time_zone& zone_of(const void* zone) { return *static_cast<const date::time_zone*>(zone); }

/// Monday of week 1: that of the week with 4 January.
date::local_days first_monday(int year) {
  const date::local_days fourth{date::year{year} / 1 / 4};
  return fourth - (date::weekday{fourth} - date::Monday);
}

int weeks_of(int year) { return static_cast<int>((first_monday(year + 1) - first_monday(year)).count() / 7); }

date::local_days monday_of(const IsoWeek& week) { return first_monday(week.year) + date::weeks{week.week - 1}; }

}  // namespace

Result<IsoWeek> parse_week(std::string_view text, std::string pointer) {
  scheduler::Cursor cursor{text};
  const auto year = cursor.take_number(4);
  const bool dash = cursor.take('-') && cursor.take('W');
  const auto week = cursor.take_number(2);
  if (!year || !dash || !week || !cursor.done()) {
    return refuse(Errc::invalid_request, "a week is written like 2026-W48", std::move(pointer));
  }
  const IsoWeek read{static_cast<int>(*year), static_cast<int>(*week)};
  if (read.year < k_first_year || read.year > k_last_year) {
    return refuse(Errc::invalid_request, "weeks lie in the years 1970 to 2261", std::move(pointer));
  }
  if (read.week < 1 || read.week > weeks_of(read.year)) {
    return refuse(Errc::invalid_request,
                  std::to_string(read.year) + " has weeks 1 to " + std::to_string(weeks_of(read.year)),
                  std::move(pointer));
  }
  return read;
}

std::string format_week(const IsoWeek& week) {
  std::string text;
  scheduler::append_number(text, week.year, 4);
  text += "-W";
  scheduler::append_number(text, week.week, 2);
  return text;
}

Result<Calendar> Calendar::of(const std::string& time_zone) {
  try {
    return Calendar{time_zone, date::locate_zone(time_zone)};
  } catch (const std::exception&) {
    return refuse(Errc::invalid_request, "this system knows no time zone " + time_zone + "; Europe/Madrid is one",
                  "report.timeZone");
  }
}

Instant Calendar::day_begin(long day) const {
  const date::local_days midnight{date::days{static_cast<int>(day)}};
  // Where midnight does not exist this is the instant at which the clocks jump; of two midnights, the first.
  const auto begin = zone_of(zone_).to_sys(midnight, date::choose::earliest);
  return Instant{Duration{std::chrono::floor<std::chrono::seconds>(begin).time_since_epoch().count()}};
}

scheduler::Interval Calendar::bounds(const IsoWeek& week) const {
  const long monday = monday_of(week).time_since_epoch().count();
  return {day_begin(monday), day_begin(monday + 7)};
}

std::vector<scheduler::Interval> Calendar::days(const IsoWeek& week) const {
  const long monday = monday_of(week).time_since_epoch().count();
  std::vector<scheduler::Interval> days;
  for (long day = 0; day < 7; ++day) days.push_back({day_begin(monday + day), day_begin(monday + day + 1)});
  return days;
}

IsoWeek Calendar::week_of(Instant instant) const {
  const auto local = zone_of(zone_).to_local(date::sys_seconds{instant.time_since_epoch()});
  const auto day = date::floor<date::days>(local);
  const auto monday = day - (date::weekday{day} - date::Monday);
  // The week's year is that of its Thursday.
  const date::year_month_day thursday{monday + date::days{3}};
  const int year = static_cast<int>(thursday.year());
  return {year, static_cast<int>((monday - first_monday(year)).count() / 7) + 1};
}

std::string Calendar::local_text(Instant instant) const {
  const auto local = zone_of(zone_).to_local(date::sys_seconds{instant.time_since_epoch()});
  return date::format("%F %H:%M", date::floor<std::chrono::minutes>(local));
}

}  // namespace valle::service::report
