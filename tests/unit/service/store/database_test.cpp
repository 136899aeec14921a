// SPDX-License-Identifier: Apache-2.0
#include "service/store/database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.hpp"

namespace valle::service::store {
namespace {

using scheduler::Errc;
using scheduler::Error;
using scheduler::refuse;
using scheduler::Result;
using ::testing::HasSubstr;
using tests::TemporaryFolder;

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream{path, std::ios::binary} << content;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

Result<void> execute(Database& database, const std::string& sql) {
  return database.write([&](SQLite::Database& connection) -> Result<void> {
    connection.exec(sql);
    return {};
  });
}

Result<int> count(Database& database, const std::string& table) {
  return database.read([&](SQLite::Database& connection) -> Result<int> {
    return connection.execAndGet("SELECT count(*) FROM " + table).getInt();
  });
}

std::unique_ptr<Database> open_with_table(const std::filesystem::path& file) {
  auto database = Database::open(file, Access::write).value();
  EXPECT_TRUE(execute(*database, "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)"));
  return database;
}

TEST(Database, a_transaction_is_kept_whole_or_not_at_all) {
  const TemporaryFolder folder;
  const auto database = open_with_table(folder / "a.db");
  ASSERT_TRUE(execute(*database, "INSERT INTO item (text) VALUES ('kept')"));
  const Result<int> refused = database->write([](SQLite::Database& connection) -> Result<int> {
    connection.exec("INSERT INTO item (text) VALUES ('lost')");
    return refuse(Errc::conflict, "second thoughts");
  });
  EXPECT_EQ(refused.error().code, Errc::conflict);
  const Result<void> failed =
      execute(*database, "INSERT INTO item (text) VALUES ('lost'); INSERT INTO nowhere VALUES (1)");
  EXPECT_EQ(failed.error().code, Errc::storage_failed);
  EXPECT_THROW((void)database->write([](SQLite::Database& connection) -> Result<void> {
    connection.exec("INSERT INTO item (text) VALUES ('lost')");
    throw std::runtime_error{"broken"};
  }),
               std::runtime_error);
  EXPECT_EQ(count(*database, "item"), 1);
}

TEST(Database, a_reader_sees_what_was_committed_while_a_writer_is_busy) {
  const TemporaryFolder folder;
  const auto writer = open_with_table(folder / "a.db");
  const auto reader = Database::open(folder / "a.db", Access::read).value();
  const Result<int> seen = writer->write([&](SQLite::Database& connection) -> Result<int> {
    connection.exec("INSERT INTO item (text) VALUES ('not yet')");
    return count(*reader, "item");
  });
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(count(*reader, "item"), 1);
}

TEST(Database, foreign_keys_are_enforced) {
  const TemporaryFolder folder;
  const auto database = open_with_table(folder / "a.db");
  ASSERT_TRUE(execute(*database, "CREATE TABLE part (item INTEGER REFERENCES item (id))"));
  EXPECT_EQ(execute(*database, "INSERT INTO part VALUES (7)").error().code, Errc::storage_failed);
}

TEST(DatabaseDeathTest, belongs_to_one_thread_until_it_is_released) {
  const TemporaryFolder folder;
  const auto database = open_with_table(folder / "a.db");
  EXPECT_DEATH(std::thread([&] { (void)count(*database, "item"); }).join(), "belongs to one thread");
  database->release_thread();
  std::thread([&] { EXPECT_EQ(count(*database, "item"), 0); }).join();
}

TEST(DatabaseDeathTest, a_reading_connection_never_writes) {
  const TemporaryFolder folder;
  open_with_table(folder / "a.db");
  const auto reader = Database::open(folder / "a.db", Access::read).value();
  EXPECT_DEATH((void)execute(*reader, "DELETE FROM item"), "writing needs a writing connection");
}

TEST(Database, a_lock_of_another_program_is_named) {
  const TemporaryFolder folder;
  open_with_table(folder / "a.db");
  SQLite::Database other{(folder / "a.db").string(), SQLite::OPEN_READWRITE};
  SQLite::Transaction held{other, SQLite::TransactionBehavior::IMMEDIATE};
  const auto database = Database::open(folder / "a.db", Access::write, std::chrono::milliseconds{1}).value();
  const Error error = execute(*database, "DELETE FROM item").error();
  EXPECT_EQ(error.code, Errc::storage_failed);
  EXPECT_THAT(error.detail, HasSubstr("is locked by another program"));
}

TEST(Database, a_full_disk_is_named_and_loses_nothing) {
  const TemporaryFolder folder;
  const auto database = open_with_table(folder / "a.db");
  ASSERT_TRUE(execute(*database, "INSERT INTO item (text) VALUES ('kept')"));
  // A limit on pages fails just as a full disk does.
  ASSERT_TRUE(database->outside_transaction([](SQLite::Database& connection) -> Result<void> {
    connection.exec("PRAGMA max_page_count = 8");
    return {};
  }));
  const Error error = execute(*database, "INSERT INTO item (text) VALUES (hex(zeroblob(100000)))").error();
  EXPECT_EQ(error.code, Errc::storage_failed);
  EXPECT_THAT(error.detail, HasSubstr("is full: free some space"));
  EXPECT_EQ(count(*database, "item"), 1);
}

TEST(Database, what_is_not_a_database_is_refused_unchanged) {
  const TemporaryFolder folder;
  const std::string text(5000, 'x');
  write_file(folder / "notes.txt", text);
  for (const Access access : {Access::write, Access::read}) {
    const Error error = Database::open(folder / "notes.txt", access).error();
    EXPECT_EQ(error.code, Errc::storage_failed);
    EXPECT_THAT(error.detail, HasSubstr("is not a database"));
  }
  EXPECT_EQ(content_of(folder / "notes.txt"), text);
}

TEST(Database, a_database_of_another_program_is_refused_unchanged) {
  const TemporaryFolder folder;
  {
    SQLite::Database{(folder / "b.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}.exec(
        "CREATE TABLE t (x)");
  }
  const std::string before = content_of(folder / "b.db");
  EXPECT_THAT(Database::open(folder / "b.db", Access::write).error().detail, HasSubstr("belongs to another program"));
  EXPECT_EQ(content_of(folder / "b.db"), before);
}

TEST(Database, a_damaged_database_is_named) {
  const TemporaryFolder folder;
  {
    const auto database = open_with_table(folder / "a.db");
    ASSERT_TRUE(execute(*database, "INSERT INTO item (text) VALUES (hex(zeroblob(20000)))"));
  }
  std::string bytes = content_of(folder / "a.db");
  std::fill(bytes.begin() + 4096, bytes.end(), '\xA5');  // all but the first page
  write_file(folder / "a.db", bytes);
  const auto database = Database::open(folder / "a.db", Access::read).value();
  const Error error = count(*database, "item").error();
  EXPECT_EQ(error.code, Errc::storage_failed);
  EXPECT_THAT(error.detail, HasSubstr("is damaged: put a backup in its place"));
}

TEST(Database, a_folder_that_is_not_there_is_named) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  for (const char* place : {"missing/a.db", "file/a.db"}) {
    const Error error = Database::open(folder / place, Access::write).error();
    EXPECT_EQ(error.code, Errc::storage_failed);
    EXPECT_THAT(error.detail, HasSubstr("its folder must exist"));
  }
  EXPECT_THAT(Database::open(folder / "a.db", Access::read).error().detail, HasSubstr("there is no database"));
}

/// The test as an ordinary user, because root may write anywhere.
class OrdinaryUser final {
 public:
  OrdinaryUser() { changed_ = ::geteuid() == 0 && ::seteuid(65534) == 0; }
  ~OrdinaryUser() {
    if (changed_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }

 private:
  bool changed_ = false;
};

TEST(Database, a_folder_without_write_permission_is_named_and_can_be_read) {
  const TemporaryFolder folder;
  { (void)open_with_table(folder / "a.db"); }
  ::chmod((folder / "a.db").c_str(), 0444);
  ::chmod(folder.path().c_str(), 0555);
  {
    const OrdinaryUser user;
    const Error fresh = Database::open(folder / "new.db", Access::write).error();
    EXPECT_EQ(fresh.code, Errc::storage_failed);
    EXPECT_THAT(fresh.detail, HasSubstr("must be allowed to use it"));
    const Result<std::unique_ptr<Database>> written = Database::open(folder / "a.db", Access::write);
    const Error error = written ? execute(**written, "DELETE FROM item").error() : written.error();
    EXPECT_EQ(error.code, Errc::storage_failed);
    EXPECT_THAT(error.detail, HasSubstr("permission"));
    EXPECT_EQ(count(*Database::open(folder / "a.db", Access::read).value(), "item"), 0);
  }
  ::chmod(folder.path().c_str(), 0755);
}

TEST(Database, a_backup_holds_everything_and_overwrites_nothing) {
  const TemporaryFolder folder;
  const auto database = open_with_table(folder / "a.db");
  ASSERT_TRUE(execute(*database, "INSERT INTO item (text) VALUES ('one'), ('two')"));
  ASSERT_TRUE(database->backup_to(folder / "copy.db"));
  EXPECT_EQ(count(*Database::open(folder / "copy.db", Access::read).value(), "item"), 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "copy.db.part"));
  const Error again = database->backup_to(folder / "copy.db").error();
  EXPECT_EQ(again.code, Errc::conflict);
  EXPECT_THAT(again.detail, HasSubstr("exists already"));
  const Error nowhere = database->backup_to(folder / "missing" / "copy.db").error();
  EXPECT_EQ(nowhere.code, Errc::storage_failed);
  EXPECT_THAT(nowhere.detail, HasSubstr("missing/copy.db"));
}

}  // namespace
}  // namespace valle::service::store
