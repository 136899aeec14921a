// SPDX-License-Identifier: Apache-2.0
#include "service/store/report_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <utility>

namespace valle::service::store {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Result;

std::optional<ReportRevision> find_revision(SQLite::Database& connection, const ReportKey& key,
                                            std::optional<std::int64_t> revision) {
  SQLite::Statement query{connection,
                          "SELECT revision, made_at, ledger, r.fingerprint, g.document, totals FROM report_revision r "
                          "JOIN report_grid g ON g.id = r.grid WHERE week = :week AND time_zone = :zone AND "
                          "(:revision IS NULL OR revision = :revision) ORDER BY revision DESC LIMIT 1"};
  query.bind(":week", key.week);
  query.bind(":zone", key.time_zone);
  revision ? query.bind(":revision", *revision) : query.bind(":revision");
  if (!query.executeStep()) return std::nullopt;
  return ReportRevision{.revision = query.getColumn(0).getInt64(),
                        .made_at = Instant{Duration{query.getColumn(1).getInt64()}},
                        .ledger = query.getColumn(2).getInt64(),
                        .fingerprint = query.getColumn(3).getInt64(),
                        .grid = query.getColumn(4).getString(),
                        .totals = query.getColumn(5).getString()};
}

/// Only to find equal ones quickly; equality is that of the texts.
std::int64_t fingerprint_of(const std::string& text) {
  return static_cast<std::int64_t>(std::hash<std::string>{}(text));
}

std::int64_t grid_id(SQLite::Database& connection, const std::string& document) {
  SQLite::Statement query{connection, "SELECT id FROM report_grid WHERE fingerprint = ? AND document = ?"};
  query.bind(1, fingerprint_of(document));
  query.bind(2, document);
  if (query.executeStep()) return query.getColumn(0).getInt64();
  SQLite::Statement insert{connection, "INSERT INTO report_grid (fingerprint, document) VALUES (?, ?)"};
  insert.bind(1, fingerprint_of(document));
  insert.bind(2, document);
  insert.exec();
  return connection.getLastInsertRowid();
}

}  // namespace

Result<std::optional<ReportRevision>> ReportRepository::find(const ReportKey& key,
                                                             std::optional<std::int64_t> revision) {
  return database_.read([&](SQLite::Database& connection) -> Result<std::optional<ReportRevision>> {
    return find_revision(connection, key, revision);
  });
}

Result<ReportRevision> ReportRepository::keep(const ReportKey& key, ReportRevision made) {
  return database_.write([&](SQLite::Database& connection) -> Result<ReportRevision> {
    const auto newest = find_revision(connection, key, std::nullopt);
    if (newest && newest->fingerprint == made.fingerprint) return *newest;
    made.revision = newest ? newest->revision + 1 : 1;
    SQLite::Statement insert{connection,
                             "INSERT INTO report_revision (week, time_zone, revision, made_at, ledger, grid, "
                             "fingerprint, totals) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
    insert.bind(1, key.week);
    insert.bind(2, key.time_zone);
    insert.bind(3, made.revision);
    insert.bind(4, made.made_at.time_since_epoch().count());
    insert.bind(5, made.ledger);
    insert.bind(6, grid_id(connection, made.grid));
    insert.bind(7, made.fingerprint);
    insert.bind(8, made.totals);
    insert.exec();
    return made;
  });
}

Result<std::int64_t> ReportRepository::delivered(const ReportKey& key) {
  return database_.read([&](SQLite::Database& connection) -> Result<std::int64_t> {
    SQLite::Statement query{connection, "SELECT revision FROM report_delivery WHERE week = ? AND time_zone = ?"};
    query.bind(1, key.week);
    query.bind(2, key.time_zone);
    return query.executeStep() ? query.getColumn(0).getInt64() : 0;
  });
}

Result<void> ReportRepository::note_delivered(const ReportKey& key, std::int64_t revision) {
  return database_.write([&](SQLite::Database& connection) -> Result<void> {
    SQLite::Statement insert{connection,
                             "INSERT INTO report_delivery (week, time_zone, revision) VALUES (?, ?, ?) ON CONFLICT "
                             "(week, time_zone) DO UPDATE SET revision = excluded.revision"};
    insert.bind(1, key.week);
    insert.bind(2, key.time_zone);
    insert.bind(3, revision);
    insert.exec();
    return {};
  });
}

}  // namespace valle::service::store
