// SPDX-License-Identifier: Apache-2.0
#include "service/store/reading_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "service/store/fast_query.hpp"
#include "service/store/series_table.hpp"

namespace valle::service::store {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Interval;

Instant instant(std::int64_t seconds) { return Instant{Duration{seconds}}; }
std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

/// Writes rows of one series with one prepared statement, and keeps the providers' words for estimates once each.
class RowWriter final {
 public:
  RowWriter(SQLite::Database& connection, std::int64_t series)
      : connection_{connection},
        upsert_{connection,
                "INSERT INTO reading (series, start, length, value, estimated, estimation_method, updated_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (series, start) DO UPDATE SET length = excluded.length, "
                "value = excluded.value, estimated = excluded.estimated, "
                "estimation_method = excluded.estimation_method, updated_at = excluded.updated_at"} {
    upsert_.bind(1, series);
  }

  void write(const RevisedRow& row) {
    upsert_.bind(2, seconds(row.interval.begin));
    upsert_.bind(3, static_cast<std::int64_t>(row.interval.length().count()));
    upsert_.bind(4, row.value);
    upsert_.bind(5, row.estimated ? 1 : 0);
    if (row.estimation_method.empty()) {
      upsert_.bind(6);
    } else {
      upsert_.bind(6, method_number(row.estimation_method));
    }
    upsert_.bind(7, seconds(row.updated_at));
    upsert_.exec();
    upsert_.reset();
  }

 private:
  std::int64_t method_number(const std::string& name) {
    const auto known = methods_.find(name);
    if (known != methods_.end()) return known->second;
    SQLite::Statement insert{connection_, "INSERT INTO estimation_method (name) VALUES (?) ON CONFLICT DO NOTHING"};
    insert.bind(1, name);
    insert.exec();
    SQLite::Statement query{connection_, "SELECT id FROM estimation_method WHERE name = ?"};
    query.bind(1, name);
    query.executeStep();
    return methods_[name] = query.getColumn(0).getInt64();
  }

  SQLite::Database& connection_;
  SQLite::Statement upsert_;
  std::map<std::string, std::int64_t> methods_;
};

/// Ascending by start with one row a start, the one that supersedes the others.
void keep_best_of_each_start(std::vector<RevisedRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.interval.begin < b.interval.begin; });
  std::vector<RevisedRow> best;
  best.reserve(rows.size());
  for (RevisedRow& row : rows) {
    if (best.empty() || best.back().interval.begin != row.interval.begin) {
      best.push_back(std::move(row));
    } else if (supersedes(row, best.back())) {
      best.back() = std::move(row);
    }
  }
  rows = std::move(best);
}

void widen(Interval& interval, const Interval& by) {
  interval = interval.empty() ? by : Interval{std::min(interval.begin, by.begin), std::max(interval.end, by.end)};
}

void note_longest(SQLite::Database& connection, std::int64_t series, const std::vector<RevisedRow>& rows) {
  Duration longest{0};
  for (const RevisedRow& row : rows) longest = std::max(longest, row.interval.length());
  SQLite::Statement update{connection, "UPDATE series SET longest = ?2 WHERE id = ?1 AND longest < ?2"};
  update.bind(1, series);
  update.bind(2, static_cast<std::int64_t>(longest.count()));
  update.exec();
}

}  // namespace

bool supersedes(const RevisedRow& arriving, const RevisedRow& stored) {
  return std::tuple{arriving.updated_at, !arriving.estimated} >= std::tuple{stored.updated_at, !stored.estimated};
}

MergeOutcome merge_rows(SQLite::Database& connection, std::int64_t series, std::vector<RevisedRow> rows) {
  MergeOutcome outcome;
  if (rows.empty()) return outcome;
  keep_best_of_each_start(rows);
  const Interval span{rows.front().interval.begin, rows.back().interval.begin + Duration{1}};
  const std::vector<RevisedRow> stored = read_rows(connection, series, span);
  auto known = stored.begin();
  RowWriter writer{connection, series};
  for (const RevisedRow& row : rows) {
    while (known != stored.end() && known->interval.begin < row.interval.begin) ++known;
    if (known == stored.end() || known->interval.begin != row.interval.begin) {
      ++outcome.counts.added;
      widen(outcome.changed, row.interval);
    } else if (row.same_content(*known)) {
      ++outcome.counts.unchanged;
      if (row.updated_at <= known->updated_at) continue;
    } else if (supersedes(row, *known)) {
      ++outcome.counts.revised;
      widen(outcome.changed, row.interval);
      widen(outcome.changed, known->interval);
    } else {
      ++outcome.counts.outdated;
      continue;
    }
    writer.write(row);
  }
  note_longest(connection, series, rows);
  return outcome;
}

namespace {

/// Runs `visit(row)` for each row that overlaps the interval, by start. The statement begins with what to select from
/// `reading AS r`, start and length first.
template <class Visit>
void for_each_overlapping(SQLite::Database& connection, const std::string& select, std::int64_t series,
                          Interval interval, Visit visit) {
  // Nothing lies before 1970, so from there on every row that starts in time overlaps: one comparison less a row.
  const bool from_the_first = interval.begin <= Instant{};
  FastQuery query{connection, select + " WHERE r.series = ?1 AND r.start < ?3 AND r.start " +
                                  (from_the_first ? ">= ?2"
                                                  : "> ?2 - (SELECT longest FROM series WHERE id = ?1) "
                                                    "AND r.start + r.length > ?2") +
                                  " ORDER BY r.start"};
  query.bind(1, series);
  query.bind(2, from_the_first ? 0 : seconds(interval.begin));
  query.bind(3, seconds(interval.end));
  while (query.step()) visit(query);
}

Interval interval_of(const FastQuery& row) {
  const Instant begin = instant(row.integer(0));
  return {begin, begin + Duration{row.integer(1)}};
}

}  // namespace

std::vector<RevisedRow> read_rows(SQLite::Database& connection, std::int64_t series, Interval interval) {
  std::vector<RevisedRow> rows;
  for_each_overlapping(
      connection,
      "SELECT r.start, r.length, r.value, r.estimated, r.updated_at, coalesce(m.name, '') FROM reading "
      "AS r LEFT JOIN estimation_method AS m ON m.id = r.estimation_method",
      series, interval, [&](const FastQuery& row) {
        rows.push_back({interval_of(row), row.integer(2), row.integer(3) != 0, row.text(5), instant(row.integer(4))});
      });
  return rows;
}

MeasuredRows read_measured(SQLite::Database& connection, std::int64_t series, Interval interval) {
  MeasuredRows rows;
  for_each_overlapping(connection, "SELECT r.start, r.length, r.value, r.estimated, r.updated_at FROM reading AS r",
                       series, interval, [&](const FastQuery& row) {
                         rows.steps.push_back({interval_of(row), scheduler::CarbonIntensity::of_base(row.integer(2)),
                                               scheduler::ReadingKind::measured, row.integer(3) != 0});
                         rows.updated_at = std::max(rows.updated_at, std::optional{instant(row.integer(4))});
                       });
  return rows;
}

std::vector<scheduler::PriceReading> read_prices(SQLite::Database& connection, std::int64_t series,
                                                 const scheduler::Zone& zone, Interval interval) {
  std::vector<scheduler::PriceReading> prices;
  for_each_overlapping(connection, "SELECT r.start, r.length, r.value, r.updated_at FROM reading AS r", series,
                       interval, [&](const FastQuery& row) {
                         prices.push_back({zone, interval_of(row), scheduler::EnergyPrice::of_base(row.integer(2)),
                                           instant(row.integer(3))});
                       });
  return prices;
}

std::size_t prune_rows(SQLite::Database& connection, Instant before, std::size_t most) {
  return delete_from_each_series(connection,
                                 "DELETE FROM reading WHERE series = ?1 AND start IN (SELECT start FROM reading WHERE "
                                 "series = ?1 AND start < ?2 ORDER BY start LIMIT ?3)",
                                 before, most);
}

}  // namespace valle::service::store
