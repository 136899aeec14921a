// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/reading.hpp"
#include "tests/support/readings.hpp"

namespace valle::tests {

/// Rows as a text table, one a line: `2027-03-27T23:00:00Z PT1H 96500 measured`, the value in mg/kWh; `estimated` is
/// added where the provider says so. Made for comparing whole answers at once.
inline std::string table_of(const std::vector<scheduler::IntensityReading>& rows) {
  std::string table;
  for (const auto& row : rows) {
    table += scheduler::format_instant(row.interval.begin) + " " + scheduler::format_duration(row.interval.length()) +
             " " + std::to_string(row.value.base()) + " " + std::string{to_text(row.kind)};
    if (row.estimated) table += " estimated";
    table += "\n";
  }
  return table;
}

/// `2027-10-31T01:00:00Z PT15M 66000000`, the value in micro-euro/MWh.
inline std::string table_of(const std::vector<scheduler::PriceReading>& rows) {
  std::string table;
  for (const auto& row : rows) {
    table += scheduler::format_instant(row.interval.begin) + " " + scheduler::format_duration(row.interval.length()) +
             " " + std::to_string(row.value.base()) + "\n";
  }
  return table;
}

/// `2027-02-03T01:00:00Z missing`
inline std::string table_of(const std::vector<scheduler::Rejection>& rows) {
  std::string table;
  for (const auto& row : rows) {
    table += (row.start ? scheduler::format_instant(*row.start) : "?") + " " + std::string{to_text(row.reason)} + "\n";
  }
  return table;
}

}  // namespace valle::tests
