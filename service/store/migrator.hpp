// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/store/database.hpp"

namespace valle::service::store {

/// One numbered step of the schema: `migrations/0001_intensity.sql` is number 1. Never edited once released.
struct Migration {
  int number;
  std::string_view name;
  std::string_view sql;
};

/// The migrations that are built in, ascending and without a hole from 1.
[[nodiscard]] std::span<const Migration> bundled_migrations();

struct MigrationReport {
  int from = 0;  ///< schema before; 0: the file was new
  int to = 0;
  std::optional<std::filesystem::path>
      backup;  ///< `<file>.before-<n>`: taken before migration n of a database with data
};

/// Brings the schema up to the last of `migrations`, each in one IMMEDIATE transaction. Refuses, with
/// `Errc::storage_failed` and without a change: a schema newer than the program (both numbers in the text), and a
/// released migration that was edited since. Called in the writing thread, at start.
[[nodiscard]] scheduler::Result<MigrationReport> migrate(Database& database,
                                                         std::span<const Migration> migrations = bundled_migrations());

/// The writing connection of `file`, created and migrated as needed.
[[nodiscard]] scheduler::Result<std::unique_ptr<Database>> open_store(const std::filesystem::path& file);

/// A read-only connection of `file`, refused unless its schema is exactly the program's.
[[nodiscard]] scheduler::Result<std::unique_ptr<Database>> open_reader(const std::filesystem::path& file);

}  // namespace valle::service::store
