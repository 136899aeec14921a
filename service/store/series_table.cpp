// SPDX-License-Identifier: Apache-2.0
#include "service/store/series_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

namespace valle::service::store {
namespace {

using scheduler::Zone;

void bind_subject(SQLite::Statement& statement, const SeriesSubject& subject) {
  statement.bind(1, subject.source);
  statement.bind(2, subject.zone.name());
  statement.bind(3, subject.subject);
  statement.bind(4, subject.scope);
  statement.bind(5, subject.basis);
  statement.bind(6, subject.method);
}

/// Nothing if a newer or foreign program wrote words that this one does not know: such a series is not shown.
std::optional<SeriesKey> key_of(SQLite::Statement& row) {
  const auto zone = Zone::make(row.getColumn(1).getString());
  const auto scope = scheduler::scope_from_text(row.getColumn(2).getString());
  const auto basis = scheduler::basis_from_text(row.getColumn(3).getString());
  const auto method = scheduler::method_from_text(row.getColumn(4).getString());
  if (!zone || !scope || !basis || !method) return {};
  return SeriesKey{row.getColumn(0).getString(), {*zone, {*scope, *basis, *method}}};
}

}  // namespace

SeriesSubject intensity_subject(const SeriesKey& key) {
  const scheduler::Accounting& accounting = key.identity.accounting;
  return {key.source,
          key.identity.zone,
          "intensity",
          std::string{to_text(accounting.scope)},
          std::string{to_text(accounting.basis)},
          std::string{to_text(accounting.method)}};
}

SeriesSubject price_subject(const std::string& source, const Zone& zone) { return {source, zone, "price"}; }

SeriesSubject grid_subject(const std::string& source, const Zone& zone, scheduler::GridQuantity quantity) {
  return {source, zone, std::string{to_text(quantity)}};
}

std::optional<std::int64_t> find_series(SQLite::Database& connection, const SeriesSubject& subject) {
  SQLite::Statement query{connection,
                          "SELECT id FROM series WHERE source = ? AND zone = ? AND subject = ? AND scope = ? "
                          "AND basis = ? AND method = ?"};
  bind_subject(query, subject);
  if (!query.executeStep()) return {};
  return query.getColumn(0).getInt64();
}

std::int64_t find_or_add_series(SQLite::Database& connection, const SeriesSubject& subject) {
  if (const auto id = find_series(connection, subject)) return *id;
  SQLite::Statement insert{
      connection, "INSERT INTO series (source, zone, subject, scope, basis, method) VALUES (?, ?, ?, ?, ?, ?)"};
  bind_subject(insert, subject);
  insert.exec();
  return connection.getLastInsertRowid();
}

std::vector<SeriesKey> known_intensity_series(SQLite::Database& connection) {
  SQLite::Statement query{connection,
                          "SELECT source, zone, scope, basis, method FROM series WHERE subject = 'intensity' AND "
                          "(EXISTS (SELECT 1 FROM reading WHERE series = id) OR "
                          "EXISTS (SELECT 1 FROM forecast_issue WHERE series = id))"};
  std::vector<SeriesKey> keys;
  while (query.executeStep()) {
    if (auto key = key_of(query)) keys.push_back(std::move(*key));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<NumberedSource> price_series_of(SQLite::Database& connection, const Zone& zone) {
  SQLite::Statement query{connection,
                          "SELECT id, source FROM series WHERE zone = ? AND subject = 'price' ORDER BY source"};
  query.bind(1, zone.name());
  std::vector<NumberedSource> series;
  while (query.executeStep()) series.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString()});
  return series;
}

std::vector<Zone> zones_with_prices(SQLite::Database& connection) {
  SQLite::Statement query{connection,
                          "SELECT DISTINCT zone FROM series WHERE subject = 'price' AND "
                          "EXISTS (SELECT 1 FROM reading WHERE series = id) ORDER BY zone"};
  std::vector<Zone> zones;
  while (query.executeStep()) {
    if (auto zone = Zone::make(query.getColumn(0).getString())) zones.push_back(std::move(*zone));
  }
  return zones;
}

std::size_t delete_from_each_series(SQLite::Database& connection, const char* statement, scheduler::Instant before,
                                    std::size_t most) {
  SQLite::Statement series{connection, "SELECT id FROM series ORDER BY id"};
  SQLite::Statement remove{connection, statement};
  std::size_t deleted = 0;
  while (deleted < most && series.executeStep()) {
    remove.reset();
    remove.bind(1, series.getColumn(0).getInt64());
    remove.bind(2, static_cast<std::int64_t>(before.time_since_epoch().count()));
    remove.bind(3, static_cast<std::int64_t>(most - deleted));
    deleted += static_cast<std::size_t>(remove.exec());
  }
  return deleted;
}

}  // namespace valle::service::store
