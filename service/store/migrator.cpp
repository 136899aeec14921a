// SPDX-License-Identifier: Apache-2.0
#include "service/store/migrator.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <openssl/evp.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>

#include "embedded/migrations.hpp"
#include "scheduler/units/require.hpp"

namespace valle::service::store {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::require;
using scheduler::Result;

/// SHA-256 in hex, as sha256sum prints it.
std::string checksum(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  require(EVP_Digest(text.data(), text.size(), digest, &length, EVP_sha256(), nullptr) == 1, "SHA-256 is there");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", digest[i]);
    hex += pair;
  }
  return hex;
}

/// Where a database stands.
struct Standing {
  int version = 0;
  bool has_tables = false;
  std::map<int, std::string> checksums;  ///< of the migrations that were applied
};

Standing standing_of(SQLite::Database& connection) {
  Standing standing;
  standing.version = connection.execAndGet("PRAGMA user_version").getInt();
  standing.has_tables = connection.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0;
  if (connection.tableExists("schema_migration")) {
    SQLite::Statement applied{connection, "SELECT number, checksum FROM schema_migration"};
    while (applied.executeStep()) standing.checksums[applied.getColumn(0).getInt()] = applied.getColumn(1).getString();
  }
  return standing;
}

Result<void> acceptable(const Standing& standing, std::span<const Migration> migrations, const std::string& file) {
  const int newest = migrations.empty() ? 0 : migrations.back().number;
  if (standing.version > newest) {
    return refuse(Errc::storage_failed, "the database " + file + " has schema " + std::to_string(standing.version) +
                                            ", newer than schema " + std::to_string(newest) +
                                            " of this program: use the newer program, or put back the backup " + file +
                                            ".before-" + std::to_string(newest + 1) + " if there is one");
  }
  for (const Migration& migration : migrations) {
    if (migration.number > standing.version) break;
    const auto applied = standing.checksums.find(migration.number);
    if (applied == standing.checksums.end() || applied->second != checksum(migration.sql)) {
      return refuse(Errc::storage_failed, "migration " + std::string{migration.name} + " is not the one that made " +
                                              file + ": a released migration was edited; use the program that made it");
    }
  }
  return {};
}

void apply(SQLite::Database& connection, const Migration& migration) {
  connection.exec(std::string{migration.sql});
  require(sqlite3_get_autocommit(connection.getHandle()) == 0, "a migration holds no COMMIT of its own");
  SQLite::Statement note{connection, "INSERT INTO schema_migration (number, name, checksum) VALUES (?, ?, ?)"};
  note.bind(1, migration.number);
  note.bind(2, std::string{migration.name});
  note.bind(3, checksum(migration.sql));
  note.exec();
  connection.exec("PRAGMA user_version = " + std::to_string(migration.number));
}

/// One migration; nothing is kept of one that fails or leaves a dangling reference. Another process may have been
/// quicker.
Result<void> apply_in_transaction(Database& database, const Migration& migration) {
  return database.write([&](SQLite::Database& connection) -> Result<void> {
    if (connection.execAndGet("PRAGMA user_version").getInt() >= migration.number) return {};
    connection.exec(
        "CREATE TABLE IF NOT EXISTS schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, "
        "checksum TEXT NOT NULL) STRICT");
    apply(connection, migration);
    SQLite::Statement dangling{connection, "PRAGMA foreign_key_check"};
    if (dangling.executeStep()) {
      return refuse(Errc::storage_failed, "migration " + std::string{migration.name} + " of " +
                                              database.file().string() + " leaves rows of table " +
                                              dangling.getColumn(0).getString() + " without their owner; undone");
    }
    return {};
  });
}

Result<void> set_foreign_keys(Database& database, const char* pragma) {
  return database.outside_transaction([&](SQLite::Database& connection) -> Result<void> {
    connection.exec(pragma);
    return {};
  });
}

Result<std::filesystem::path> back_up_before(Database& database, int number) {
  const std::filesystem::path backup = database.file().string() + ".before-" + std::to_string(number);
  std::error_code error;
  std::filesystem::remove(backup, error);  // of an attempt that failed and changed nothing
  if (Result<void> done = database.backup_to(backup); !done) return tl::unexpected{std::move(done.error())};
  return backup;
}

Result<void> apply_all(Database& database, std::span<const Migration> pending) {
  // A table is rebuilt by dropping it, which must not cascade; each migration is checked as a whole instead.
  Result<void> done = set_foreign_keys(database, "PRAGMA foreign_keys = OFF");
  for (const Migration& migration : pending) {
    if (done) done = apply_in_transaction(database, migration);
  }
  const Result<void> restored = set_foreign_keys(database, "PRAGMA foreign_keys = ON");
  return done ? restored : done;
}

Result<Standing> read_standing(Database& database) {
  return database.read([](SQLite::Database& connection) -> Result<Standing> { return standing_of(connection); });
}

}  // namespace

std::span<const Migration> bundled_migrations() {
  static const std::vector<Migration> migrations = [] {
    std::vector<Migration> all;
    for (const embedded::File& file : embedded::migrations()) {
      int number = 0;
      std::from_chars(file.name.data(), file.name.data() + file.name.find('_'), number);
      require(number == static_cast<int>(all.size()) + 1, "migrations are numbered without a hole from 0001");
      all.push_back({number, file.name, file.content});
    }
    return all;
  }();
  return migrations;
}

Result<MigrationReport> migrate(Database& database, std::span<const Migration> migrations) {
  const Result<Standing> standing = read_standing(database);
  if (!standing) return tl::unexpected{standing.error()};
  if (Result<void> fine = acceptable(*standing, migrations, database.file().string()); !fine) {
    return tl::unexpected{std::move(fine.error())};
  }
  const auto pending = migrations.subspan(static_cast<std::size_t>(standing->version));
  MigrationReport report{standing->version, standing->version, {}};
  if (pending.empty()) return report;
  if (standing->has_tables) {
    Result<std::filesystem::path> backup = back_up_before(database, pending.front().number);
    if (!backup) return tl::unexpected{std::move(backup.error())};
    report.backup = std::move(*backup);
  }
  if (Result<void> done = apply_all(database, pending); !done) return tl::unexpected{std::move(done.error())};
  report.to = pending.back().number;
  return report;
}

Result<std::unique_ptr<Database>> open_store(const std::filesystem::path& file) {
  Result<std::unique_ptr<Database>> database = Database::open(file, Access::write);
  if (!database) return database;
  if (Result<MigrationReport> migrated = migrate(**database); !migrated) {
    return tl::unexpected{std::move(migrated.error())};
  }
  return database;
}

Result<std::unique_ptr<Database>> open_reader(const std::filesystem::path& file) {
  Result<std::unique_ptr<Database>> database = Database::open(file, Access::read);
  if (!database) return database;
  const Result<Standing> standing = read_standing(**database);
  if (!standing) return tl::unexpected{standing.error()};
  if (Result<void> fine = acceptable(*standing, bundled_migrations(), file.string()); !fine) {
    return tl::unexpected{std::move(fine.error())};
  }
  const int newest = bundled_migrations().back().number;
  if (standing->version < newest) {
    return refuse(Errc::storage_failed, "the database " + file.string() + " has schema " +
                                            std::to_string(standing->version) + ", this program needs " +
                                            std::to_string(newest) + ": run valle migrate --database " + file.string());
  }
  return database;
}

}  // namespace valle::service::store
