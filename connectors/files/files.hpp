// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "connectors/door/door.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// The word by which rows from files are stored and shown.
inline constexpr std::string_view k_files_source = "files";

/// What the files of one zone hold, merged.
struct ZoneFiles {
  scheduler::Zone zone;
  scheduler::Harvest harvest;  ///< ascending per (scope, kind), without overlap within one scope
  std::vector<std::filesystem::path> files;
};

/// Reads intensity and price files (the contract's "Intensity files"). A folder means its *.csv and *.json; the zone is
/// the file's name before the first dot. Rows that ended at or before `now` are measured, later ones a forecast issued
/// at `now`. Where files of one zone say different things about one instant, the later-named file wins. Zones come in
/// name order.
///
/// Refused (`Errc::invalid_request`, `Error::pointer` = `file:line` or `file:/json/pointer`): an unreadable or empty
/// file, a missing column, a malformed line, number or time, a time without offset where one is required, a decimal
/// comma, rows of one file that overlap, an empty list of files. Empty, zero and implausible values are no error: they
/// are counted in `Harvest::rejected`.
[[nodiscard]] scheduler::Result<std::vector<ZoneFiles>> read_intensity_files(
    std::span<const std::filesystem::path> paths, scheduler::Instant now, const Door& door = {});

/// The same for one file's text, already in memory. `name` gives the zone and the format (`FR.csv`, `DE.json`).
[[nodiscard]] scheduler::Result<ZoneFiles> read_intensity_text(const std::string& name, std::string_view text,
                                                               scheduler::Instant now, const Door& door = {});

struct FilesOptions {
  std::vector<std::filesystem::path> paths;  ///< folders and files; read anew at each request
  std::vector<scheduler::Zone> zones = {};   ///< empty: all zones that the files name
  Door door = {};
};

/// Source kind `files`. `stamp()` changes when a file is added, removed, or changed in size or modification time. A
/// malformed file makes the answers of its zone `misconfigured` with the place; other zones are served.
[[nodiscard]] std::unique_ptr<scheduler::IntensitySource> make_files_source(FilesOptions options);

}  // namespace valle::connectors
