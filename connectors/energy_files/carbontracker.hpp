// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "connectors/energy_files/energy_file.hpp"
#include "connectors/energy_files/local_clock.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::energy {

inline constexpr std::size_t k_largest_log = 16u << 20;

/// Reads CarbonTracker's `…_carbontracker_output.log`: its blocks "Actual consumption for N epoch(s)", each a run that
/// ended when the block was written. The tool's fixed PUE of 1.58 is divided out; its carbon is left. What it
/// *predicts* is never taken: a log with predictions only has no runs.
///
/// `standard_log`, the tool's `…_carbontracker.log` of the same run, is optional: it shows whether the power was
/// assumed, not measured (the same to all digits in every epoch). All its figures are estimates: polled gauges, or half
/// of a processor's rated power. Blocks that can't be read are refused with their line.
[[nodiscard]] scheduler::Result<ReadSummary> read_carbontracker(std::string_view output_log,
                                                                std::string_view standard_log, const LocalClock& clock,
                                                                const TakeRun& take);

}  // namespace valle::connectors::energy
