// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "service/store/forecast_block.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::store {

struct StoredIssue {
  scheduler::Instant issued_at;
  std::vector<ForecastStep> steps;
};

/// Stores steps of one issue of a series, in any order. If the issue is there already its steps are united: where two
/// overlap, the arriving one counts. All calls of this file run inside a transaction of the caller and throw
/// SQLite::Exception, also for a damaged block.
[[nodiscard]] RowCounts store_issue(SQLite::Database& connection, std::int64_t series, scheduler::Instant issued_at,
                                    std::vector<ForecastStep> steps);

/// The newest issue at or before `as_of`.
[[nodiscard]] std::optional<StoredIssue> read_issue(SQLite::Database& connection, std::int64_t series,
                                                    scheduler::Instant as_of);

/// Instants of issue in [begin, end), ascending, at most `limit`.
[[nodiscard]] std::vector<scheduler::Instant> read_issue_instants(SQLite::Database& connection, std::int64_t series,
                                                                  scheduler::Interval interval, std::size_t limit);

/// Deletes at most `most` issues of any series from before `before`; returns how many.
[[nodiscard]] std::size_t prune_issues(SQLite::Database& connection, scheduler::Instant before, std::size_t most);

}  // namespace valle::service::store
