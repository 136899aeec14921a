// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "connectors/door/door.hpp"
#include "scheduler/ports/intensity_source.hpp"

/// Energy-Charts' answers, from bytes to rows. Pure.
namespace valle::connectors::energy_charts {

/// `/co2eq`: measured rows from `co2eq`, forecast rows from `co2eq_forecast` where nothing is measured. The step is the
/// smallest distance in `unix_seconds`; a row never stretches over a hole. Arrays of unequal length or times that are
/// no whole numbers: `bad_answer`, since nobody knows which value belongs to which time. A constant forecast beside
/// measured rows is stale and refused. Rows carry no date of their own, so both kinds are dated `now`.
[[nodiscard]] scheduler::SourceAnswer parse_intensity(std::string_view body, const scheduler::Zone& zone,
                                                      scheduler::Instant now, const Door& door);

/// `/price`: rows in EUR/MWh by the answer's `unit`; another unit is refused row by row.
[[nodiscard]] scheduler::SourceAnswer parse_prices(std::string_view body, const scheduler::Zone& zone,
                                                   scheduler::Instant now);

}  // namespace valle::connectors::energy_charts
