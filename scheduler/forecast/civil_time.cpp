// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/civil_time.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace valle::scheduler::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr hours k_change_at{1};  // 01:00 UTC

Instant last_sunday(year y, std::chrono::month m) {
  return sys_days{y / m / std::chrono::Sunday[std::chrono::last]} + k_change_at;
}

bool in_european_summer(Instant t) {
  const year y = year_month_day{std::chrono::floor<days>(t)}.year();
  return t >= last_sunday(y, std::chrono::March) && t < last_sunday(y, std::chrono::October);
}

/// Gauss's rule in the form of Meeus, Jones and Butcher for the Gregorian calendar.
sys_days easter_sunday(year of) {
  const int y = static_cast<int>(of);
  const int golden = y % 19;
  const int century = y / 100;
  const int in_century = y % 100;
  const int correction = (century - (century + 8) / 25 + 1) / 3;
  const int epact = (19 * golden + century - century / 4 - correction + 15) % 30;
  const int to_sunday = (32 + 2 * (century % 4) + 2 * (in_century / 4) - epact - in_century % 4) % 7;
  const int late = (golden + 11 * epact + 22 * to_sunday) / 451;
  const int sum = epact + to_sunday - 7 * late + 114;
  return sys_days{of / (sum / 31) / (sum % 31 + 1)};
}

struct FixedDay {
  unsigned month;
  unsigned day;
};
constexpr std::array k_france{FixedDay{1, 1},  FixedDay{5, 1},  FixedDay{5, 8},   FixedDay{7, 14},
                              FixedDay{8, 15}, FixedDay{11, 1}, FixedDay{11, 11}, FixedDay{12, 25}};
constexpr std::array k_spain{FixedDay{1, 1},  FixedDay{1, 6},  FixedDay{5, 1},  FixedDay{8, 15}, FixedDay{10, 12},
                             FixedDay{11, 1}, FixedDay{12, 6}, FixedDay{12, 8}, FixedDay{12, 25}};
// The 24th and 31st of December are no holidays by law, but the grid sees them as such.
constexpr std::array k_germany{FixedDay{1, 1},   FixedDay{5, 1},   FixedDay{10, 3}, FixedDay{12, 24},
                               FixedDay{12, 25}, FixedDay{12, 26}, FixedDay{12, 31}};
constexpr std::array k_france_after_easter{1, 39, 50};
constexpr std::array k_spain_after_easter{-2};
constexpr std::array k_germany_after_easter{-2, 1, 39, 50};

bool is_one_of(std::int32_t day, std::span<const FixedDay> fixed, std::span<const int> after_easter) {
  const sys_days date{days{day}};
  const year_month_day calendar{date};
  const bool by_date = std::any_of(fixed.begin(), fixed.end(), [&](const FixedDay& holiday) {
    return unsigned{calendar.month()} == holiday.month && unsigned{calendar.day()} == holiday.day;
  });
  const int since_easter = static_cast<int>((date - easter_sunday(calendar.year())).count());
  return by_date || std::find(after_easter.begin(), after_easter.end(), since_easter) != after_easter.end();
}

}  // namespace

CivilRule civil_rule_of(std::string_view zone) {
  struct Known {
    std::string_view prefix;
    CivilRule rule;
  };
  static constexpr std::array k_known{
      Known{"GB", {0, true}},      Known{"IE", {0, true}},       Known{"PT", {0, true}},
      Known{"FI", {2, true}},      Known{"GR", {2, true}},       Known{"RO", {2, true}},
      Known{"BG", {2, true}},      Known{"EE", {2, true}},       Known{"LV", {2, true}},
      Known{"LT", {2, true}},      Known{"US-CAL", {-8, false}}, Known{"US-NW", {-8, false}},
      Known{"US-SW", {-7, false}}, Known{"US-NY", {-5, false}},  Known{"US-NE", {-5, false}},
      Known{"US", {-6, false}},    Known{"CA", {-5, false}},     Known{"AU", {10, false}},
      Known{"JP", {9, false}},     Known{"IN", {5, false}}};
  const auto found = std::find_if(k_known.begin(), k_known.end(),
                                  [zone](const Known& known) { return zone.starts_with(known.prefix); });
  return found == k_known.end() ? CivilRule{} : found->rule;
}

CivilHour civil_hour(Instant t, CivilRule rule) {
  const int summer = rule.european_summer && in_european_summer(t) ? 1 : 0;
  const Instant local = t + hours{rule.standard_hours + summer};
  const auto day = std::chrono::floor<days>(local);
  return {.day = static_cast<std::int32_t>(day.time_since_epoch().count()),
          .hour = static_cast<int>((local - day) / hours{1}),
          .weekday = static_cast<int>(std::chrono::weekday{day}.iso_encoding()) - 1};
}

bool is_holiday(std::int32_t day, std::string_view zone) {
  if (zone.starts_with("FR")) return is_one_of(day, k_france, k_france_after_easter);
  if (zone.starts_with("ES")) return is_one_of(day, k_spain, k_spain_after_easter);
  if (zone.starts_with("DE")) return is_one_of(day, k_germany, k_germany_after_easter);
  return false;
}

}  // namespace valle::scheduler::forecast
