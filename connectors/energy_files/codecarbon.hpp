// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <istream>
#include <string_view>

#include "connectors/energy_files/energy_file.hpp"
#include "connectors/energy_files/local_clock.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::energy {

struct CodeCarbonOptions {
  LocalClock clock = {};              ///< by which the tool wrote its times
  std::chrono::seconds sampling{15};  ///< its `measure_power_secs`
};

inline constexpr std::size_t k_longest_energy_line = 65'536;

/// Reads `emissions.csv`, of any number of rows: the columns by name, UTF-8 with or without byte order mark, fields
/// parted by comma, semicolon or tab. A row covers [timestamp − duration, timestamp]; its energy is divided by the
/// row's own `pue`. Refused, each with its line: rows of another width than the header's, without a time, an energy or
/// a positive duration, whose parts do not add up, and energies of 0 for longer than one sampling interval. Of several
/// rows of one run id the longest counts, the earlier ones being its beginnings: that is left to whoever takes them.
///
/// Refused as a whole: an empty file, one without the needed columns, and the tool's file of tasks, which holds the
/// same energy once more.
[[nodiscard]] scheduler::Result<ReadSummary> read_codecarbon(std::istream& file, const CodeCarbonOptions& options,
                                                             const TakeRun& take);

/// Reads the body of the tool's POST to its `emissions_endpoint`: one row as a JSON object. The operating system's user
/// name in it is dropped. By the rules above.
[[nodiscard]] scheduler::Result<ToolRun> read_codecarbon_post(std::string_view body, const CodeCarbonOptions& options);

}  // namespace valle::connectors::energy
