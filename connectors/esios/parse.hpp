// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "connectors/door/door.hpp"
#include "scheduler/ports/intensity_source.hpp"

/// ESIOS indicators, from bytes to rows. Pure.
namespace valle::connectors::esios {

/// What was asked, to compare the answer with.
struct AskedIndicator {
  int id;
  int geo;                                                 ///< rows of other areas are skipped: several are interleaved
  scheduler::Duration step_of_one{std::chrono::hours{1}};  ///< a row's length where a lone row does not tell
};

struct IndicatorRow {
  scheduler::Instant start;
  RawNumber value;
};

/// One indicator of one area, rows in order, each instant once.
struct Indicator {
  std::vector<IndicatorRow> rows;
  scheduler::Duration step{std::chrono::hours{1}};  ///< the smallest distance of two rows, at most an hour
  std::optional<scheduler::Instant> updated_at = {};
  std::vector<scheduler::Rejection> rejected = {};  ///< rows without a readable time
  std::size_t duplicates = 0;
};

/// Rows by `datetime` with its offset, checked against `tz_time`. `datetime_utc` is not read: it repeats itself in the
/// night of the autumn change. No JSON, no indicator, or another one: `bad_answer`. Without rows of the area:
/// `no_data`.
[[nodiscard]] tl::expected<Indicator, scheduler::SourceAnswer> parse_indicator(std::string_view body,
                                                                               const AskedIndicator& asked);

/// Day-ahead prices, rows at the indicator's own step. Dated by its `values_updated_at`, else `now`.
[[nodiscard]] scheduler::Harvest prices_of(const Indicator& indicator, const scheduler::Zone& zone,
                                           scheduler::Instant now);

/// Demand, wind or sun in MW. Negative values, and a demand of zero, are refused.
[[nodiscard]] scheduler::Harvest grid_forecast_of(const Indicator& indicator, const scheduler::Zone& zone,
                                                  scheduler::GridQuantity quantity, scheduler::Instant now);

}  // namespace valle::connectors::esios
