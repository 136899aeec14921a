// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/energy_files/energy_file.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::energy {

/// Reads the CSV of Zeus' monitor: `start_time,window_name,elapsed_time,gpu<i>_energy,…`, in seconds since 1970 and J.
/// The file is one run. Windows that lie in others (an epoch in a training) are not counted again; windows that overlap
/// otherwise are refused: name one. `window`: only those of this name; empty: all. A board that reports 0 J was not
/// seen, and then the run's energy is unknown.
[[nodiscard]] scheduler::Result<ToolRun> read_zeus_windows(std::istream& file, std::string_view window = {});

/// Reads a `Measurement` as JSON: `time`, `gpu_energy`, `cpu_energy`, `dram_energy` in s and J. The boards are one
/// figure, processor packages and memory of the machine another; `total_energy` holds the boards only and is not looked
/// at. It does not tell when it was: `ran` stays empty.
[[nodiscard]] scheduler::Result<ToolRun> read_zeus_measurement(std::string_view body);

/// Counters of a node as zeusd shows them, by index on this node. What it could not read is missing.
struct ZeusdCounters {
  std::map<std::string, std::int64_t> boards_millijoules = {};
  std::map<std::string, std::int64_t> processors_microjoules = {};
  std::map<std::string, std::int64_t> memories_microjoules = {};
};
/// Answers of `GET /gpu/get_cumulative_energy` and `GET /cpu/get_cumulative_energy`; an empty text is an answer that
/// was not asked for.
[[nodiscard]] scheduler::Result<ZeusdCounters> read_zeusd(std::string_view boards, std::string_view processors);

/// What was used between two looks at one node. A board whose counter fell or vanished makes the boards' energy
/// unknown; processors' counters may wrap, so they too are unknown where one fell.
[[nodiscard]] ToolRun zeusd_difference(const ZeusdCounters& before, const ZeusdCounters& after,
                                       scheduler::Interval between);

}  // namespace valle::connectors::energy
