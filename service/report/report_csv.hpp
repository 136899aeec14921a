// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "scheduler/account/week.hpp"
#include "service/report/report_grid.hpp"

namespace valle::service::report {

/// The line of column names: those of the JSON, in snake case.
[[nodiscard]] std::string_view csv_head();
/// Appends one line. Empty fields are unknown. A text that a spreadsheet would take for a formula gets a leading quote.
void append_csv_row(std::string& out, const scheduler::ReportRow& row, const ReportGrid& grid);

}  // namespace valle::service::report
