// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/report/page/local_text.hpp"
#include "service/report/weekly_report.hpp"

namespace valle::service::report {

// Pictures of a week as SVG elements, to stand inside a page. The report must have been made with `Pictures::with`.

/// Each zone's intensity over the week, and beneath it the energy of each hour by site.
[[nodiscard]] std::string week_picture(const WeeklyReport& report, const LocalText& local);
[[nodiscard]] std::string day_picture(const WeeklyReport& report, const LocalText& local);
/// At most twelve owners: those with the largest savings or losses.
[[nodiscard]] std::string owner_picture(const WeeklyReport& report, const LocalText& local);
[[nodiscard]] std::string wait_picture(const WeeklyReport& report, const LocalText& local);
/// The three parts of the saving as one bar each.
[[nodiscard]] std::string split_picture(const WeeklyReport& report, const LocalText& local);

}  // namespace valle::service::report
