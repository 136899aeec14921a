// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/units/time.hpp"

namespace valle::scheduler::forecast {

/// How clocks in a zone differ from UTC, as far as daily habits matter. `european_summer`: one hour more from 01:00 UTC
/// on the last Sunday of March to 01:00 UTC on that of October. Other summer times are left out: they only shift a
/// profile by an hour, and a profile follows within days.
struct CivilRule {
  int standard_hours = 1;
  bool european_summer = true;
};

/// The rule of day-ahead markets (Europe/Paris): delivery days, and the clock by which prices are published.
inline constexpr CivilRule k_market_rule{};

/// By the zone's name (`GB`, `US-CAL-CISO`); Central Europe where the name says nothing else.
[[nodiscard]] CivilRule civil_rule_of(std::string_view zone);

struct CivilHour {
  std::int32_t day = 0;  ///< days since 1 January 1970, by the local calendar
  int hour = 0;          ///< 0…23
  int weekday = 0;       ///< 0 Monday … 6 Sunday
  friend bool operator==(const CivilHour&, const CivilHour&) = default;
};

[[nodiscard]] CivilHour civil_hour(Instant t, CivilRule rule);

/// Is this local day a public holiday in all of the zone's country? Known for FR, ES, DE; elsewhere no day is.
[[nodiscard]] bool is_holiday(std::int32_t day, std::string_view zone);

}  // namespace valle::scheduler::forecast
