// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "connectors/energy_files/codecarbon.hpp"

namespace valle::connectors::energy {

/// One row as it stands, whatever carried it. Nothing: no such column, empty, or no finite number.
struct CodeCarbonRow {
  std::string timestamp = {};
  std::string project = {};
  std::string run_id = {};
  std::string version = {};
  std::string tracking_mode = {};
  std::optional<double> duration = {};          // s
  std::optional<double> energy = {};            // kWh, with PUE
  std::optional<double> processor_energy = {};  // likewise
  std::optional<double> board_energy = {};
  std::optional<double> memory_energy = {};
  std::optional<double> processor_power = {};  // W; with PUE from version 3.3.2 on
  std::optional<double> board_power = {};
  std::optional<double> memory_power = {};
  std::optional<double> pue = {};
  std::optional<double> processors = {};  // hardware threads
  std::optional<double> boards = {};
};

/// The row as a run; `not_before` is the end of the row before it. Refused with the reason.
[[nodiscard]] scheduler::Result<ToolRun> run_of(const CodeCarbonRow& row, const CodeCarbonOptions& options,
                                                std::optional<scheduler::Instant> not_before = {});

}  // namespace valle::connectors::energy
