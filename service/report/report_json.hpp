// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/report/weekly_report.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::report {

/// What stands before the array of rows, up to the name `jobs`; and what stands behind the last row, from the array's
/// closing bracket on. Members in the contract's order.
[[nodiscard]] std::string json_head(const WeeklyReport& report);
[[nodiscard]] std::string json_tail(const WeeklyReport& report, const runtime::ReportConfig& config);

/// The totals alone.
[[nodiscard]] std::string totals_json(const scheduler::Totals& totals);

/// Market-based emissions of a site; nothing without a factor.
[[nodiscard]] std::optional<scheduler::Wide> market_based(const SiteOfReport& site,
                                                          const scheduler::SiteInventory& inventory);

}  // namespace valle::service::report
