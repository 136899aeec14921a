// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/report/document.hpp"
#include "service/report/weekly_report.hpp"

namespace valle::service::report {

/// The report for a chat or a wiki: sums, groups, days, inventory, coverage and method, without single jobs but the
/// most notable. Needs `report.pictures`.
[[nodiscard]] std::string to_markdown(const WeeklyReport& report, Language language);

}  // namespace valle::service::report
