// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "scheduler/units/quantity.hpp"
#include "scheduler/units/text_cursor.hpp"
#include "scheduler/units/time.hpp"

namespace valle::scheduler {
namespace {

constexpr std::int64_t k_longest_duration = 36'525LL * 86'400;  // 100 years of 365.25 days
constexpr std::size_t k_longest_duration_text = 64;

tl::unexpected<Error> refuse_duration(std::string why) { return refuse(Errc::invalid_request, std::move(why)); }

tl::unexpected<Error> malformed_duration() {
  return refuse_duration("a duration is written as ISO 8601 (PT6H, P1DT2H), as 6h30m or 7d, or as a number of seconds");
}

/// A decimal number without sign or exponent: `mantissa · 10^-decimals`, trailing zeros of the fraction dropped.
struct Decimal {
  std::int64_t mantissa = 0;
  int decimals = 0;
  bool has_point = false;
};

std::optional<Decimal> take_decimal(Cursor& cursor, std::string_view points) {
  const std::string_view whole = cursor.take_digits();
  if (whole.empty()) return std::nullopt;
  Decimal number;
  std::string_view fraction;
  if (cursor.take_any_of(points)) {
    number.has_point = true;
    fraction = cursor.take_digits();
    if (fraction.empty()) return std::nullopt;
  }
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  number.decimals = static_cast<int>(fraction.size());
  for (const std::string_view digits : {whole, fraction}) {
    for (const char c : digits) {
      // Saturates: beyond 1e17 the number is too long a time or too fine a fraction, whatever follows.
      if (number.mantissa < 100'000'000'000'000'000) number.mantissa = number.mantissa * 10 + (c - '0');
    }
  }
  return number;
}

/// `number · unit` in whole seconds, at most the longest duration.
Result<std::int64_t> seconds_of(const Decimal& number, std::int64_t unit) {
  // The last decimal is not zero, so the mantissa lends the product with a unit (604800 = 2^7 · 5^2 · …) not both 2s
  // and 5s: with more than 7 decimals no unit gives whole seconds.
  constexpr int k_finest = 7;
  if (number.decimals > k_finest) return refuse_duration("a duration is a whole number of seconds");
  Wide scale = 1;
  for (int i = 0; i < number.decimals; ++i) scale *= 10;
  const Wide product = Wide{number.mantissa} * unit;
  if (product / scale > k_longest_duration) return refuse_duration("a duration is at most 100 years");
  if (product % scale != 0) return refuse_duration("a duration is a whole number of seconds");
  return static_cast<std::int64_t>(product / scale);
}

struct Unit {
  char letter;
  std::int64_t seconds;
};

/// A list of number-and-unit pairs, such as `6h30m`: each unit at most once, from large to small.
struct Notation {
  std::span<const Unit> units;
  std::string_view points;          ///< decimal points; empty: whole numbers only
  bool fraction_only_last = false;  ///< a fraction may stand in the last pair only
  std::optional<char> stop = {};    ///< the pairs end before this character
};

constexpr Unit k_iso_date_units[] = {{'W', 604'800}, {'D', 86'400}};
constexpr Unit k_iso_time_units[] = {{'H', 3'600}, {'M', 60}, {'S', 1}};
constexpr Unit k_go_units[] = {{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}};
constexpr Notation k_iso_date{.units = k_iso_date_units, .points = {}, .stop = 'T'};
constexpr Notation k_iso_time{.units = k_iso_time_units, .points = ".,", .fraction_only_last = true};
constexpr Notation k_go{.units = k_go_units, .points = "."};

/// The sum of the pairs in seconds; nothing if there is no pair.
Result<std::optional<std::int64_t>> take_pairs(Cursor& cursor, const Notation& notation) {
  std::optional<std::int64_t> sum;
  std::span<const Unit> units = notation.units;
  bool closed = false;
  while (!cursor.done() && !(notation.stop && cursor.next_is(*notation.stop))) {
    const auto number = take_decimal(cursor, notation.points);
    if (!number || closed) return malformed_duration();
    while (!units.empty() && !cursor.take(units.front().letter)) units = units.subspan(1);
    if (units.empty()) return malformed_duration();
    const auto seconds = seconds_of(*number, units.front().seconds);
    if (!seconds) return tl::unexpected{seconds.error()};
    units = units.subspan(1);
    sum = sum.value_or(0) + *seconds;
    closed = notation.fraction_only_last && number->has_point;
  }
  return sum;
}

/// The rest of an ISO 8601 duration after its `P`.
Result<std::int64_t> take_iso(Cursor& cursor) {
  const auto date = take_pairs(cursor, k_iso_date);
  if (!date) return tl::unexpected{date.error()};
  if (!cursor.take('T')) return *date ? Result<std::int64_t>{**date} : malformed_duration();
  const auto time = take_pairs(cursor, k_iso_time);
  if (!time) return tl::unexpected{time.error()};
  if (!*time) return malformed_duration();
  return date->value_or(0) + **time;
}

/// `P1M`, `P1Y2M3D`: a month or a year before the `T`.
bool has_months_or_years(std::string_view text) {
  const std::string_view date = text.substr(0, text.find('T'));
  return date.starts_with('P') && date.size() > 1 && is_digit(date[1]) &&
         date.find_first_of("YM") != std::string_view::npos;
}

bool is_bare_number(std::string_view text) { return text.find_first_not_of("0123456789.") == std::string_view::npos; }

Result<std::int64_t> take_seconds(Cursor& cursor) {
  const auto number = take_decimal(cursor, ".");
  if (!number || !cursor.done()) return malformed_duration();
  return seconds_of(*number, 1);
}

Result<std::int64_t> take_duration(std::string_view text) {
  Cursor cursor{text};
  if (cursor.take('P')) return take_iso(cursor);
  if (is_bare_number(text)) return take_seconds(cursor);
  const auto pairs = take_pairs(cursor, k_go);
  if (!pairs) return tl::unexpected{pairs.error()};
  return *pairs ? Result<std::int64_t>{**pairs} : malformed_duration();
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text.empty()) return malformed_duration();
  if (text.size() > k_longest_duration_text) return refuse_duration("a duration is at most 64 characters long");
  if (has_months_or_years(text)) {
    return refuse_duration("months and years have no fixed length: give days, such as P30D");
  }
  const auto seconds = take_duration(text);
  if (!seconds) return tl::unexpected{seconds.error()};
  if (*seconds > k_longest_duration) return refuse_duration("a duration is at most 100 years");
  return Duration{*seconds};
}

std::string format_duration(Duration duration) {
  const std::int64_t total = duration.count();
  require(total > INT64_MIN, "duration without a positive counterpart");
  const std::int64_t size = total < 0 ? -total : total;
  std::string text = total < 0 ? "-P" : "P";
  const auto append = [&text](std::int64_t count, char unit) {
    if (count == 0) return;
    append_number(text, count, 1);
    text += unit;
  };
  append(size / 86'400, 'D');
  if (size % 86'400 != 0 || size == 0) {
    text += 'T';
    append(size / 3600 % 24, 'H');
    append(size / 60 % 60, 'M');
    append(size % 60, 'S');
    if (size == 0) text += "0S";
  }
  return text;
}

}  // namespace valle::scheduler
