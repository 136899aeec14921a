// SPDX-License-Identifier: Apache-2.0
#include "scheduler/units/instant_text.hpp"

#include <string>
#include <utility>

#include "scheduler/units/text_cursor.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr Instant k_first_instant = sys_days{std::chrono::year{1970} / 1 / 1};
constexpr Instant k_past_last_instant = sys_days{std::chrono::year{2262} / 1 / 1};

tl::unexpected<Error> refuse_instant(std::string why) { return refuse(Errc::invalid_request, std::move(why)); }

tl::unexpected<Error> malformed_instant() {
  return refuse_instant("a time is written as RFC 3339 with an offset, such as 2026-11-30T22:00:00Z");
}

Result<sys_days> take_date(Cursor& cursor) {
  const auto year = cursor.take_number(4);
  if (!year || !cursor.take('-')) return malformed_instant();
  const auto month = cursor.take_number(2);
  if (!month || !cursor.take('-')) return malformed_instant();
  const auto day = cursor.take_number(2);
  if (!day) return malformed_instant();
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month},
                                         std::chrono::day{*day}};
  if (!date.ok()) return refuse_instant("the calendar has no such day");
  return sys_days{date};
}

/// Seconds since midnight; a fraction that is not zero is brought to a whole second.
Result<Duration> take_time_of_day(Cursor& cursor, Fraction fraction) {
  const auto hour = cursor.take_number(2);
  if (!hour || !cursor.take(':')) return malformed_instant();
  const auto minute = cursor.take_number(2);
  if (!minute) return malformed_instant();
  unsigned second = 0;
  bool rounded_up = false;
  if (cursor.take(':')) {
    const auto given = cursor.take_number(2);
    if (!given) return malformed_instant();
    second = *given;
    if (cursor.take('.')) {
      const std::string_view decimals = cursor.take_digits();
      if (decimals.empty()) return malformed_instant();
      rounded_up = fraction == Fraction::up && decimals.find_first_not_of('0') != std::string_view::npos;
    }
  }
  if (second == 60)
    return refuse_instant("leap seconds cannot be told apart from the next second; use seconds 0 to 59");
  if (*hour > 23 || *minute > 59 || second > 59)
    return refuse_instant("a day has hours 0 to 23, minutes and seconds 0 to 59");
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + Duration{second + (rounded_up ? 1U : 0U)};
}

/// What must be subtracted from the local time to get UTC.
Result<Duration> take_offset(Cursor& cursor) {
  if (cursor.done()) return refuse_instant("a time needs an offset from UTC: Z, or such as +02:00");
  if (cursor.take_any_of("Zz")) return Duration{0};
  const bool west = cursor.next_is('-');
  if (!cursor.take_any_of("+-")) return malformed_instant();
  const auto hours = cursor.take_number(2);
  cursor.take(':');
  const auto minutes = cursor.take_number(2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) {
    return refuse_instant("an offset from UTC is Z, or hours and minutes such as +02:00");
  }
  const Duration size = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return west ? -size : size;
}

}  // namespace

Result<Instant> parse_instant(std::string_view text, Fraction fraction) {
  Cursor cursor{text};
  const auto date = take_date(cursor);
  if (!date) return tl::unexpected{date.error()};
  if (!cursor.take_any_of("Tt ")) return malformed_instant();
  const auto time = take_time_of_day(cursor, fraction);
  if (!time) return tl::unexpected{time.error()};
  const auto offset = take_offset(cursor);
  if (!offset) return tl::unexpected{offset.error()};
  if (!cursor.done()) return malformed_instant();
  const Instant instant = Instant{*date} + *time - *offset;
  if (instant < k_first_instant || instant >= k_past_last_instant) {
    return refuse_instant("a time lies in the years 1970 to 2261");
  }
  return instant;
}

void append_instant(std::string& text, Instant instant) {
  const auto midnight = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date{midnight};
  const std::int64_t second_of_day = (instant - midnight).count();
  const int year = int{date.year()};
  char clock[] = "0000-00-00T00:00:00Z";
  const auto write = [&clock](std::size_t place, std::int64_t number) {
    clock[place] = static_cast<char>('0' + number / 10);
    clock[place + 1] = static_cast<char>('0' + number % 10);
  };
  const bool usual = year >= 0 && year <= 9999;
  if (usual) {
    write(0, year / 100);
    write(2, year % 100);
  } else {
    append_number(text, year, 4);
  }
  write(5, unsigned{date.month()});
  write(8, unsigned{date.day()});
  write(11, second_of_day / 3600);
  write(14, second_of_day / 60 % 60);
  write(17, second_of_day % 60);
  const std::string_view all{clock, sizeof clock - 1};
  text += usual ? all : all.substr(4);
}

std::string format_instant(Instant instant) {
  std::string text;
  text.reserve(20);
  append_instant(text, instant);
  return text;
}

}  // namespace valle::scheduler
