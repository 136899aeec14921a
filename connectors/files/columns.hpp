// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "scheduler/model/error.hpp"

namespace valle::connectors {

/// Which column of a CSV file holds what, found by name in its header.
struct Columns {
  std::size_t time = 0;
  bool time_is_utc = false;  ///< a time without offset is UTC; else an offset is required
  std::optional<std::size_t> end = {};
  std::optional<std::size_t> lifecycle = {};
  std::optional<std::size_t> direct = {};
  std::optional<std::size_t> price = {};
  std::optional<std::size_t> estimated = {};
  std::optional<std::size_t> estimation_method = {};
  std::optional<std::size_t> zone = {};
  std::size_t count = 0;
};

/// Ours (`datetime_utc`, `gco2_kwh_lifecycle`, …) and those of Electricity Maps' own downloads, without regard to case.
/// Other columns are ignored. Refused: no time column, neither intensity nor price, one meaning twice.
[[nodiscard]] scheduler::Result<Columns> find_columns(std::span<const std::string_view> header);

}  // namespace valle::connectors
