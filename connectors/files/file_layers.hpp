// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "connectors/door/door.hpp"
#include "connectors/files/file_table.hpp"

namespace valle::connectors {

/// What one file, or several laid over each other, say about one zone: ascending and without overlap in each list.
struct FileLayers {
  std::vector<scheduler::IntensityReading> lifecycle;
  std::vector<scheduler::IntensityReading> direct;
  std::vector<scheduler::PriceReading> prices;
  std::vector<scheduler::Rejection> rejected;
  std::size_t duplicates = 0;
};

/// Orders the rows, gives each its end (one hour, or the file's smallest step where that is shorter) and passes the
/// values through the door. Refuses rows that overlap, naming both instants.
[[nodiscard]] scheduler::Result<FileLayers> layers_of(FileTable table, const scheduler::Zone& zone,
                                                      scheduler::Instant now, const Door& door);

/// `top` where it has a value, `below` elsewhere; rows of `below` are cut where they meet.
[[nodiscard]] FileLayers laid_over(FileLayers top, FileLayers below);

/// All in the order that `Harvest` promises.
[[nodiscard]] scheduler::Harvest harvest_of(FileLayers layers);

}  // namespace valle::connectors
