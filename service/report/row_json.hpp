// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/account/week.hpp"
#include "service/api/json_writer.hpp"
#include "service/report/report_grid.hpp"

namespace valle::service::report {

/// One element of the report's `jobs`.
void write_row(api::JsonWriter& json, const scheduler::ReportRow& row, const ReportGrid& grid);

}  // namespace valle::service::report
