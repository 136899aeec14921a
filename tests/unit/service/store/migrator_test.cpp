// SPDX-License-Identifier: Apache-2.0
#include "service/store/migrator.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/temporary_folder.hpp"

namespace valle::service::store {
namespace {

using scheduler::Errc;
using scheduler::Error;
using scheduler::Result;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::TemporaryFolder;

constexpr Migration k_first{
    1, "0001_item.sql", "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO item (text) VALUES ('a');"};
constexpr Migration k_second{2, "0002_size.sql", "ALTER TABLE item ADD COLUMN size INTEGER NOT NULL DEFAULT 3;"};
constexpr Migration k_third{3, "0003_part.sql", "CREATE TABLE part (item INTEGER REFERENCES item (id));"};

std::unique_ptr<Database> open(const std::filesystem::path& file) {
  return Database::open(file, Access::write).value();
}

template <std::size_t N>
Result<MigrationReport> migrate_file(const std::filesystem::path& file, const std::array<Migration, N>& migrations) {
  return migrate(*open(file), migrations);
}

int ask(const std::filesystem::path& file, const std::string& sql) {
  return SQLite::Database{file.string(), SQLite::OPEN_READONLY}.execAndGet(sql).getInt();
}

TEST(Migrator, a_new_file_gets_every_migration_and_no_backup) {
  const TemporaryFolder folder;
  const MigrationReport report = migrate_file(folder / "a.db", std::array{k_first, k_second}).value();
  EXPECT_EQ(report.from, 0);
  EXPECT_EQ(report.to, 2);
  EXPECT_FALSE(report.backup);
  EXPECT_EQ(ask(folder / "a.db", "SELECT size FROM item"), 3);
  EXPECT_EQ(ask(folder / "a.db", "PRAGMA user_version"), 2);
}

TEST(Migrator, an_older_database_is_backed_up_and_brought_up_to_date_once) {
  const TemporaryFolder folder;
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array{k_first}));
  const MigrationReport report = migrate_file(folder / "a.db", std::array{k_first, k_second, k_third}).value();
  EXPECT_EQ(report.from, 1);
  EXPECT_EQ(report.to, 3);
  EXPECT_EQ(report.backup, folder / "a.db.before-2");
  EXPECT_EQ(ask(folder / "a.db.before-2", "PRAGMA user_version"), 1);
  EXPECT_EQ(ask(folder / "a.db.before-2", "SELECT count(*) FROM item"), 1);
  const MigrationReport again = migrate_file(folder / "a.db", std::array{k_first, k_second, k_third}).value();
  EXPECT_EQ(again.from, 3);
  EXPECT_FALSE(again.backup);
}

TEST(Migrator, a_newer_schema_is_refused_with_both_numbers) {
  const TemporaryFolder folder;
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array{k_first, k_second, k_third}));
  const Error error = migrate_file(folder / "a.db", std::array{k_first, k_second}).error();
  EXPECT_EQ(error.code, Errc::storage_failed);
  EXPECT_THAT(error.detail, AllOf(HasSubstr("has schema 3"), HasSubstr("schema 2 of this program")));
  EXPECT_EQ(ask(folder / "a.db", "PRAGMA user_version"), 3);
}

TEST(Migrator, an_edited_migration_is_refused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array{k_first}));
  constexpr Migration edited{1, "0001_item.sql", "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"};
  const Error error = migrate_file(folder / "a.db", std::array{edited, k_second}).error();
  EXPECT_EQ(error.code, Errc::storage_failed);
  EXPECT_THAT(error.detail, HasSubstr("0001_item.sql"));
  EXPECT_EQ(ask(folder / "a.db", "PRAGMA user_version"), 1);
}

TEST(Migrator, a_migration_that_fails_leaves_the_step_before_it) {
  const TemporaryFolder folder;
  constexpr Migration broken{3, "0003_broken.sql", "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1);"};
  EXPECT_EQ(migrate_file(folder / "a.db", std::array{k_first, k_second, broken}).error().code, Errc::storage_failed);
  EXPECT_EQ(ask(folder / "a.db", "PRAGMA user_version"), 2);
  EXPECT_EQ(ask(folder / "a.db", "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), 0);
  EXPECT_TRUE(migrate_file(folder / "a.db", std::array{k_first, k_second, k_third}));
}

TEST(Migrator, a_migration_that_leaves_rows_without_their_owner_is_undone) {
  const TemporaryFolder folder;
  constexpr Migration dangling{3, "0003_part.sql",
                               "CREATE TABLE part (item INTEGER REFERENCES item (id)); INSERT INTO part VALUES (99);"};
  const Error error = migrate_file(folder / "a.db", std::array{k_first, k_second, dangling}).error();
  EXPECT_THAT(error.detail, HasSubstr("rows of table part without their owner"));
  EXPECT_EQ(ask(folder / "a.db", "PRAGMA user_version"), 2);
}

TEST(Migrator, a_table_that_others_point_to_can_be_rebuilt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array{k_first, k_second, k_third}));
  SQLite::Database{(folder / "a.db").string(), SQLite::OPEN_READWRITE}.exec("INSERT INTO part VALUES (1)");
  constexpr Migration rebuild{4, "0004_rebuild.sql",
                              "CREATE TABLE item_new (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
                              "INSERT INTO item_new SELECT id, text FROM item; DROP TABLE item;"
                              "ALTER TABLE item_new RENAME TO item;"};
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array{k_first, k_second, k_third, rebuild}));
  EXPECT_EQ(ask(folder / "a.db", "SELECT count(*) FROM part JOIN item ON item.id = part.item"), 1);
}

TEST(Migrator, a_backup_that_cannot_be_written_stops_the_migration) {
  const TemporaryFolder folder;
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array{k_first}));
  std::filesystem::create_directories(folder / "a.db.before-2" / "in the way");
  EXPECT_FALSE(migrate_file(folder / "a.db", std::array{k_first, k_second}));
  EXPECT_EQ(ask(folder / "a.db", "PRAGMA user_version"), 1);
}

TEST(Migrator, a_reader_is_refused_until_the_schema_is_the_programs) {
  const TemporaryFolder folder;
  ASSERT_TRUE(migrate_file(folder / "a.db", std::array<Migration, 0>{}));
  EXPECT_THAT(open_reader(folder / "a.db").error().detail, HasSubstr("run valle migrate"));
  ASSERT_TRUE(open_store(folder / "a.db"));
  EXPECT_TRUE(open_reader(folder / "a.db"));
}

TEST(Migrator, the_bundled_migrations_make_a_sound_database) {
  const TemporaryFolder folder;
  const auto database = open_store(folder / "a.db").value();
  const Result<std::string> sound = database->read([](SQLite::Database& connection) -> Result<std::string> {
    return connection.execAndGet("PRAGMA integrity_check").getString();
  });
  EXPECT_EQ(sound, "ok");
}

}  // namespace
}  // namespace valle::service::store
