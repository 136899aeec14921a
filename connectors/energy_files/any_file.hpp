// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "connectors/energy_files/codecarbon.hpp"
#include "connectors/energy_files/energy_file.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::energy {

/// Reads a file of whatever tool: CodeCarbon's `emissions.csv` (and a body that it posted), CarbonTracker's output log
/// with the standard log beside it, Zeus' CSV of windows (the run is named after the file) and its Measurement as JSON.
/// Told by content, not by name. Refused with the file as pointer: what can't be read, and what is none of these.
/// `window`: of Zeus' windows only those of this name.
[[nodiscard]] scheduler::Result<ReadSummary> read_energy_file(const std::filesystem::path& file,
                                                              const CodeCarbonOptions& options,
                                                              const std::string& window, const TakeRun& take);

}  // namespace valle::connectors::energy
