// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/report/page/local_text.hpp"
#include "service/report/weekly_report.hpp"

namespace valle::service::report {

/// The calendar of the report's time zone, which was known when the report was made.
[[nodiscard]] Calendar calendar_of(const WeeklyReport& report);

// Sections of the page with one table each; empty where there is nothing to show.

/// At most 200 owners, those with the most energy first.
[[nodiscard]] std::string owner_table(const WeeklyReport& report, const LocalText& local);
[[nodiscard]] std::string largest_table(const WeeklyReport& report, const LocalText& local);
[[nodiscard]] std::string inventory_table(const WeeklyReport& report, const LocalText& local);
[[nodiscard]] std::string coverage_table(const WeeklyReport& report, const LocalText& local);
[[nodiscard]] std::string method_table(const WeeklyReport& report, const LocalText& local);

}  // namespace valle::service::report
