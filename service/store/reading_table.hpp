// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/store/intensity_repository.hpp"

namespace valle::service::store {

/// A row of table `reading`, without its series: measured intensity (mg/kWh) or a price (micro-euro/MWh).
struct RevisedRow {
  scheduler::Interval interval;
  std::int64_t value = 0;
  bool estimated = false;
  std::string estimation_method = {};  ///< empty if there is none
  scheduler::Instant updated_at{};
  /// Equal but for when it was said.
  [[nodiscard]] bool same_content(const RevisedRow& other) const {
    return interval == other.interval && value == other.value && estimated == other.estimated &&
           estimation_method == other.estimation_method;
  }
};

/// Whether `arriving` takes the place of `stored`, another content for the same start: it is newer; or as new and not
/// an estimate in the place of a measured value.
[[nodiscard]] bool supersedes(const RevisedRow& arriving, const RevisedRow& stored);

struct MergeOutcome {
  RowCounts counts;
  scheduler::Interval changed;  ///< covers all rows added or revised, before and after; empty if none was
};

/// Brings rows of one series, in any order, into the table by the rule of `supersedes`. All calls of this file run
/// inside a transaction of the caller and throw SQLite::Exception.
[[nodiscard]] MergeOutcome merge_rows(SQLite::Database& connection, std::int64_t series, std::vector<RevisedRow> rows);

/// Rows of one series that overlap the interval, by start: all that they say, or what a measured series or prices need.
[[nodiscard]] std::vector<RevisedRow> read_rows(SQLite::Database& connection, std::int64_t series,
                                                scheduler::Interval interval);
[[nodiscard]] MeasuredRows read_measured(SQLite::Database& connection, std::int64_t series,
                                         scheduler::Interval interval);
[[nodiscard]] std::vector<scheduler::PriceReading> read_prices(SQLite::Database& connection, std::int64_t series,
                                                               const scheduler::Zone& zone,
                                                               scheduler::Interval interval);

/// Deletes at most `most` rows of any series that began before `before`, oldest of each series first; returns how many.
[[nodiscard]] std::size_t prune_rows(SQLite::Database& connection, scheduler::Instant before, std::size_t most);

}  // namespace valle::service::store
