// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "connectors/door/door.hpp"
#include "scheduler/ports/intensity_source.hpp"

/// éCO2mix records of the ODRE platform, from bytes to rows. Pure.
namespace valle::connectors::rte {

/// Both forms: `{total_count, results:[{…}]}` and the older `{nhits, records:[{fields:{…}}]}`. Rows are quarter-hours
/// of `taux_co2`; rows in which it is null (the day's future) are `missing`. Dated `now`.
[[nodiscard]] scheduler::SourceAnswer parse_intensity(std::string_view body, const scheduler::Zone& zone,
                                                      scheduler::Instant now, const Door& door);

/// How many rows there are in all and how many this page held, for asking on; nothing if the answer does not say.
struct Page {
  std::size_t total = 0;
  std::size_t rows = 0;
};
[[nodiscard]] std::optional<Page> page_of(std::string_view body);

}  // namespace valle::connectors::rte
