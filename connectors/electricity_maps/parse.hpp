// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "connectors/door/door.hpp"
#include "connectors/secret/secret.hpp"
#include "connectors/transport/http_transport.hpp"
#include "scheduler/ports/intensity_source.hpp"

/// Electricity Maps' answers, v3 and v4, from bytes to rows. Pure.
namespace valle::connectors::electricity_maps {

/// What was asked, to compare the answer with.
struct Asked {
  scheduler::Zone zone;
  scheduler::ReadingKind kind = scheduler::ReadingKind::measured;
  scheduler::Instant now;  ///< dates rows that carry no date of their own
};

/// Carbon intensity: one bare object, a list under `history`, `data` or `forecast`, or the Home Assistant form with
/// `status`. Refused as a whole (`bad_answer`): no JSON, another zone, sandbox data, another granularity than known.
/// `no_data`: an empty list, `status: no-data`, or no row that passed the door. Rows come in order, all zones' checks
/// done.
[[nodiscard]] scheduler::SourceAnswer parse_intensity(std::string_view body, const Asked& asked, const Door& door);

/// Day-ahead prices, in the same containers; `value` in EUR/MWh by its `unit`.
[[nodiscard]] scheduler::SourceAnswer parse_prices(std::string_view body, const Asked& asked);

/// What a status other than 200 means here: 401 is mostly a plan that does not include this zone or call (`endpoint`),
/// 404 no data or a retired address, even where its JSON is broken.
[[nodiscard]] scheduler::SourceAnswer refusal(const HttpReply& reply, const scheduler::Zone& zone,
                                              std::string_view endpoint, const Secret* token = nullptr);

}  // namespace valle::connectors::electricity_maps
