// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"

namespace valle::scheduler {

using Instant = std::chrono::sys_seconds;  ///< a UTC second
using Duration = std::chrono::seconds;

/// Half-open: holds `begin`, not `end`. Empty when begin == end.
struct Interval {
  Instant begin{};
  Instant end{};
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
  [[nodiscard]] constexpr Duration length() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(Instant t) const { return begin <= t && t < end; }
  /// The common part; empty where there is none.
  [[nodiscard]] constexpr Interval overlap(const Interval& other) const {
    const Instant from = std::max(begin, other.begin);
    return {from, std::max(from, std::min(end, other.end))};
  }
};

/// How a fraction of a second is brought to a whole one.
enum class Fraction { down, up };

/// Reads RFC 3339 with a mandatory offset (`Z`, `+02:00`, `-0330`; `T` or a blank between date and time,
/// seconds may be left out, any number of decimals). Years 1970…2261. A time without an offset is refused with a
/// text that says so. `Error::pointer` stays empty: the caller knows the place.
[[nodiscard]] Result<Instant> parse_instant(std::string_view text, Fraction fraction = Fraction::down);

/// `2026-11-30T22:00:00Z`
[[nodiscard]] std::string format_instant(Instant instant);

/// Reads ISO 8601 (`PT6H`, `P1DT2H`, `PT0.5H`, weeks `P2W`), Go form (`6h30m`, `1.5h`, `90s`; also `7d` = 168 h) or a
/// bare number of seconds. Months, years, words, signs and empty texts are refused. The result is ≥ 0 and at
/// most 100 years; a fraction of a second is an error.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// ISO 8601 in days, hours, minutes, seconds: `PT6H30M`, `P1DT2H`, `PT0S`.
[[nodiscard]] std::string format_duration(Duration duration);

}  // namespace valle::scheduler
