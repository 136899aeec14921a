// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/report/document.hpp"
#include "service/report/weekly_report.hpp"

namespace valle::service::report {

/// The report as one page that needs nothing else: style and pictures are inside. Reads on a phone, prints on A4. Needs
/// `report.pictures`.
[[nodiscard]] std::string to_html(const WeeklyReport& report, Language language);

}  // namespace valle::service::report
