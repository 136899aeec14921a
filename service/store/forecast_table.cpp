// SPDX-License-Identifier: Apache-2.0
#include "service/store/forecast_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "service/store/series_table.hpp"

namespace valle::service::store {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Interval;

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

struct BlockRow {
  Instant issued_at;
  std::int64_t block;
  std::string bytes;
};

std::optional<BlockRow> block_row(SQLite::Statement& query, std::int64_t series, Instant at) {
  query.bind(1, series);
  query.bind(2, seconds(at));
  if (!query.executeStep()) return {};
  const SQLite::Column bytes = query.getColumn(2);
  return BlockRow{Instant{Duration{query.getColumn(0).getInt64()}}, query.getColumn(1).getInt64(),
                  std::string{static_cast<const char*>(bytes.getBlob()), static_cast<std::size_t>(bytes.getBytes())}};
}

std::optional<BlockRow> find_block(SQLite::Database& connection, std::int64_t series, Instant at, const char* which) {
  SQLite::Statement query{
      connection, std::string{"SELECT issued_at, block, steps FROM forecast_issue JOIN forecast_block ON id = block "
                              "WHERE series = ? AND issued_at "} +
                      which};
  return block_row(query, series, at);
}

std::vector<ForecastStep> unpack(const std::string& bytes) {
  auto steps = unpack_forecast(bytes);
  if (!steps) throw SQLite::Exception("a block of forecast steps cannot be read", SQLITE_CORRUPT);
  return std::move(*steps);
}

void sort_by_start(std::vector<ForecastStep>& steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.interval.begin < b.interval.begin; });
}

/// Ascending and without overlap: of two that overlap the later in the list counts.
std::vector<ForecastStep> without_overlap(std::vector<ForecastStep> steps) {
  sort_by_start(steps);
  std::vector<ForecastStep> kept;
  kept.reserve(steps.size());
  for (const ForecastStep& step : steps) {
    while (!kept.empty() && kept.back().interval.end > step.interval.begin) kept.pop_back();
    kept.push_back(step);
  }
  return kept;
}

/// `arriving` and what of `known` does not overlap it; both ascending and without overlap.
std::vector<ForecastStep> united(std::vector<ForecastStep> arriving, const std::vector<ForecastStep>& known) {
  const std::size_t count = arriving.size();
  std::size_t next = 0;
  for (const ForecastStep& step : known) {
    while (next < count && arriving[next].interval.end <= step.interval.begin) ++next;
    if (next == count || arriving[next].interval.begin >= step.interval.end) arriving.push_back(step);
  }
  sort_by_start(arriving);
  return arriving;
}

RowCounts compare(const std::vector<ForecastStep>& arriving, const std::vector<ForecastStep>& known) {
  RowCounts counts;
  auto at = known.begin();
  for (const ForecastStep& step : arriving) {
    while (at != known.end() && at->interval.end <= step.interval.begin) ++at;
    if (at == known.end() || at->interval.begin >= step.interval.end) {
      ++counts.added;
    } else {
      ++(*at == step ? counts.unchanged : counts.revised);
    }
  }
  return counts;
}

/// The number of a block with these bytes: that of a neighbouring issue if it says the same, else a new one.
std::int64_t block_for(SQLite::Database& connection, std::int64_t series, Instant issued_at, const std::string& bytes) {
  for (const char* neighbour : {"< ? ORDER BY issued_at DESC LIMIT 1", "> ? ORDER BY issued_at LIMIT 1"}) {
    const auto row = find_block(connection, series, issued_at, neighbour);
    if (row && row->bytes == bytes) return row->block;
  }
  SQLite::Statement insert{connection, "INSERT INTO forecast_block (steps) VALUES (?)"};
  insert.bind(1, bytes.data(), static_cast<int>(bytes.size()));
  insert.exec();
  return connection.getLastInsertRowid();
}

}  // namespace

RowCounts store_issue(SQLite::Database& connection, std::int64_t series, Instant issued_at,
                      std::vector<ForecastStep> steps) {
  steps = without_overlap(std::move(steps));
  std::vector<ForecastStep> known;
  if (const auto row = find_block(connection, series, issued_at, "= ?")) known = unpack(row->bytes);
  const RowCounts counts = compare(steps, known);
  if (counts.added + counts.revised == 0) return counts;
  const std::string bytes = pack_forecast(united(std::move(steps), known));
  SQLite::Statement upsert{connection,
                           "INSERT INTO forecast_issue (series, issued_at, block) VALUES (?, ?, ?) "
                           "ON CONFLICT (series, issued_at) DO UPDATE SET block = excluded.block"};
  upsert.bind(1, series);
  upsert.bind(2, seconds(issued_at));
  upsert.bind(3, block_for(connection, series, issued_at, bytes));
  upsert.exec();
  return counts;
}

std::optional<StoredIssue> read_issue(SQLite::Database& connection, std::int64_t series, Instant as_of) {
  const auto row = find_block(connection, series, as_of, "<= ? ORDER BY issued_at DESC LIMIT 1");
  if (!row) return {};
  return StoredIssue{row->issued_at, unpack(row->bytes)};
}

std::vector<Instant> read_issue_instants(SQLite::Database& connection, std::int64_t series, Interval interval,
                                         std::size_t limit) {
  SQLite::Statement query{connection,
                          "SELECT issued_at FROM forecast_issue WHERE series = ? AND issued_at >= ? AND issued_at < ? "
                          "ORDER BY issued_at LIMIT ?"};
  query.bind(1, series);
  query.bind(2, seconds(interval.begin));
  query.bind(3, seconds(interval.end));
  query.bind(4, static_cast<std::int64_t>(limit));
  std::vector<Instant> instants;
  while (query.executeStep()) instants.push_back(Instant{Duration{query.getColumn(0).getInt64()}});
  return instants;
}

std::size_t prune_issues(SQLite::Database& connection, Instant before, std::size_t most) {
  return delete_from_each_series(connection,
                                 "DELETE FROM forecast_issue WHERE series = ?1 AND issued_at IN (SELECT issued_at FROM "
                                 "forecast_issue WHERE series = ?1 AND issued_at < ?2 ORDER BY issued_at LIMIT ?3)",
                                 before, most);
}

}  // namespace valle::service::store
