// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/zone.hpp"

namespace valle::connectors {

/// The files of one zone, the later-named last.
struct ZoneFileSet {
  scheduler::Zone zone;
  std::vector<std::filesystem::path> files;
};

/// Folders opened into their *.csv and *.json (not deeper, no hidden files), grouped by zone; zones and files in order
/// of name. Refused: a path that is not there or can't be read, a folder without such files, a name that gives no zone,
/// another ending, no file at all.
[[nodiscard]] scheduler::Result<std::vector<ZoneFileSet>> find_zone_files(std::span<const std::filesystem::path> paths);

/// Told by the ending, in any case.
[[nodiscard]] bool is_json(const std::filesystem::path& file);

/// The whole content; refused if unreadable or above `k_largest_file`.
[[nodiscard]] scheduler::Result<std::string> read_whole_file(const std::filesystem::path& file);

}  // namespace valle::connectors
