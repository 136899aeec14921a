// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <istream>
#include <vector>

#include "connectors/energy_files/energy_file.hpp"
#include "scheduler/energy/calibration.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::energy {

/// What a wattmeter showed, in order of time.
struct WattmeterLog {
  std::vector<scheduler::WattSample> samples;
  std::size_t repeated = 0;  ///< samples of an instant that had one already
  std::size_t invalid = 0;   ///< -1, nan and other readings that are none
};

/// Reads `spl.txt` of MLPerf Power's PTDaemon: `Time,MM-DD-YYYY hh:mm:ss.mmm,Watts,…,Mark,…`, in UTC. Of several
/// analyzers the combined reading counts. Other lines (NOTICE, ERROR, …) are passed over. Refused: a file without one
/// reading, and one with more than 1,000,000.
[[nodiscard]] scheduler::Result<WattmeterLog> read_ptdaemon(std::istream& file);

}  // namespace valle::connectors::energy
