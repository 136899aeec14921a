// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"

namespace valle::service::report {

/// A week of ISO 8601: begins on Monday; week 1 holds the year's first Thursday.
struct IsoWeek {
  int year = 1970;
  int week = 1;  ///< 1…52, or 53 where the year has one
  friend auto operator<=>(const IsoWeek&, const IsoWeek&) = default;
};

/// Reads `2026-W48`; years 1970…2261, and only weeks that the year has. `pointer` names the place in refusals.
[[nodiscard]] scheduler::Result<IsoWeek> parse_week(std::string_view text, std::string pointer = {});
/// `2026-W48`
[[nodiscard]] std::string format_week(const IsoWeek& week);

/// The calendar of one time zone of the IANA database, e.g. `Europe/Madrid`. Weeks and days begin at local midnight,
/// or at the first instant of the day where midnight is skipped; a week may have 167 or 169 hours.
class Calendar final {
 public:
  /// Refused if the system knows no such zone.
  [[nodiscard]] static scheduler::Result<Calendar> of(const std::string& time_zone);

  [[nodiscard]] const std::string& time_zone() const { return name_; }
  [[nodiscard]] scheduler::Interval bounds(const IsoWeek& week) const;
  /// Its seven days.
  [[nodiscard]] std::vector<scheduler::Interval> days(const IsoWeek& week) const;
  /// The week that holds an instant.
  [[nodiscard]] IsoWeek week_of(scheduler::Instant instant) const;
  /// `2026-11-30 22:15`, local.
  [[nodiscard]] std::string local_text(scheduler::Instant instant) const;

 private:
  explicit Calendar(std::string name, const void* zone) : name_{std::move(name)}, zone_{zone} {}
  [[nodiscard]] scheduler::Instant day_begin(long day) const;

  std::string name_;
  const void* zone_;  ///< date::time_zone of the library's own table, which lives as long as the program
};

}  // namespace valle::service::report

namespace valle {
namespace report = service::report;
}  // namespace valle
