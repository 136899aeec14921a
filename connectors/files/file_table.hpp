// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/door/door.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"

namespace valle::connectors {

/// Limits on what is read from one file.
inline constexpr std::size_t k_largest_file = std::size_t{256} << 20;
inline constexpr std::size_t k_most_rows = 5'000'000;
inline constexpr std::size_t k_longest_line = 16'384;
inline constexpr std::size_t k_most_columns = 256;

/// One row as written, its columns found by name. Numbers have not passed the door yet.
struct FileRow {
  scheduler::Instant start{};
  std::optional<scheduler::Instant> end = {};
  RawNumber lifecycle = {};
  RawNumber direct = {};
  RawNumber price = {};
  bool estimated = false;
  std::string_view estimation_method = {};  ///< into the file's text
  std::size_t place = 0;                    ///< line (CSV, from 1) or index in the list (JSON, from 0)
};

/// The rows of one file in the order written, and which columns there are at all.
struct FileTable {
  bool has_lifecycle = false;
  bool has_direct = false;
  bool has_price = false;
  std::string place_prefix = {};  ///< before a row's `place` in errors: `FR.csv:` or `DE.json:/Emissions/`
  std::vector<FileRow> rows = {};
};

/// CSV: columns by name, UTF-8 with or without byte order mark, LF or CRLF, fields with or without quotes. `file` is
/// the name in error places; `zone` is compared with the column of zone keys where there is one.
[[nodiscard]] scheduler::Result<FileTable> read_csv_table(std::string_view file, std::string_view zone,
                                                          std::string_view text);

/// JSON as written by the Carbon Aware SDK: `{"GeneratedAt":…,"Emissions":[{"Time","Rating","Duration"}]}`, or the
/// bare list. Member names match in any case.
[[nodiscard]] scheduler::Result<FileTable> read_sdk_table(std::string_view file, std::string_view text);

}  // namespace valle::connectors
