// SPDX-License-Identifier: Apache-2.0
#include "service/store/database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

#include "scheduler/units/require.hpp"
#include "service/store/storage_error.hpp"

namespace valle::service::store {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;
namespace fs = std::filesystem;

/// A path as SQLite's URI form wants it.
std::string uri_of(const fs::path& file, const std::string& query) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '?' || c == '#' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?" + query;
}

/// A WAL database on a read-only disk cannot make its shared-memory file. With no log beside it and nobody able to
/// write one, the file alone is the whole truth.
bool only_the_file_counts(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path{"."};
  std::error_code error;
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0 && !fs::exists(file.string() + "-wal", error);
}

std::unique_ptr<SQLite::Database> connect(const fs::path& file, Access access, int busy_ms) {
  // A connection stays in one thread, so it needs no locks of its own.
  if (access == Access::write) {
    const int flags = SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX;
    return std::make_unique<SQLite::Database>(file.string(), flags, busy_ms);
  }
  const int flags = SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX;
  if (only_the_file_counts(file)) {
    return std::make_unique<SQLite::Database>(uri_of(file, "immutable=1"), flags | SQLite::OPEN_URI, busy_ms);
  }
  return std::make_unique<SQLite::Database>(file.string(), flags, busy_ms);
}

/// Tells our files from those of other programs: "vall".
constexpr std::int64_t k_application_id = 0x76616C6C;

enum class Kind { fresh, ours, foreign };

/// Reads the first page: a file that is not a database fails here, before anything is changed in it.
Kind kind_of(SQLite::Database& connection) {
  if (connection.execAndGet("PRAGMA application_id").getInt64() == k_application_id) return Kind::ours;
  const bool empty = connection.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
  return empty ? Kind::fresh : Kind::foreign;
}

void prepare(SQLite::Database& connection, Access access, Kind kind) {
  connection.exec("PRAGMA foreign_keys = ON");
  if (access == Access::read) return;
  if (kind == Kind::fresh) {
    connection.exec("PRAGMA auto_vacuum = INCREMENTAL");
    connection.exec("PRAGMA application_id = " + std::to_string(k_application_id));
  }
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = FULL");
  connection.exec("PRAGMA journal_size_limit = 67108864");
}

std::int64_t data_version(SQLite::Database& connection) {
  return connection.execAndGet("PRAGMA data_version").getInt64();
}

/// Makes sure that a file or folder is on disk.
bool sync_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}

}  // namespace

Database::Database(fs::path file, Access access) : file_{std::move(file)}, access_{access} {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const fs::path& file, Access access,
                                                 std::chrono::milliseconds busy_timeout) {
  std::error_code error;
  if (access == Access::read && !fs::exists(file, error)) {
    return refuse(Errc::storage_failed,
                  "there is no database " + file.string() + ": name another file with --database");
  }
  std::unique_ptr<Database> database{new Database{file, access}};
  try {
    database->connection_ = connect(file, access, static_cast<int>(busy_timeout.count()));
    const Kind kind = kind_of(*database->connection_);
    if (kind == Kind::foreign) {
      return refuse(Errc::storage_failed, file.string() +
                                              " belongs to another program: name another file with --database; "
                                              "nothing was changed in it");
    }
    prepare(*database->connection_, access, kind);
    database->seen_version_ = data_version(*database->connection_);
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected{storage_error(exception, file)};
  }
  return database;
}

Result<void> Database::run(Mode mode, const Body& body) {
  const std::thread::id here = std::this_thread::get_id();
  if (!owner_) owner_ = here;
  scheduler::require(*owner_ == here, "a database connection belongs to one thread");
  scheduler::require(mode != Mode::immediate || access_ == Access::write, "writing needs a writing connection");
  try {
    if (mode == Mode::none) {
      body(*connection_);
      return {};
    }
    SQLite::Transaction transaction{*connection_, mode == Mode::immediate ? SQLite::TransactionBehavior::IMMEDIATE
                                                                          : SQLite::TransactionBehavior::DEFERRED};
    if (body(*connection_)) transaction.commit();
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected{storage_error(exception, file_)};
  }
  return {};
}

Result<bool> Database::changed_by_others() {
  return outside_transaction([this](SQLite::Database& connection) -> Result<bool> {
    const std::int64_t before = std::exchange(seen_version_, data_version(connection));
    return before != seen_version_;
  });
}

Result<void> Database::backup_to(const fs::path& to) {
  std::error_code error;
  if (fs::exists(to, error)) {
    return refuse(Errc::conflict, to.string() + " exists already: give the backup another name or remove that file");
  }
  const fs::path part = to.string() + ".part";
  fs::remove(part, error);
  // Not by transact(): an error here is about `to`, not about this database.
  try {
    SQLite::Statement copy{*connection_, "VACUUM INTO ?"};
    copy.bind(1, part.string());
    copy.exec();
  } catch (const SQLite::Exception& exception) {
    fs::remove(part, error);
    return tl::unexpected{storage_error(exception, to)};
  }
  const bool synced = sync_to_disk(part);
  fs::rename(part, to, error);
  if (!synced || error) {
    return refuse(Errc::storage_failed, "cannot finish the backup " + to.string() + ": check the disk it is on");
  }
  (void)sync_to_disk(to.has_parent_path() ? to.parent_path() : fs::path{"."});
  return {};
}

}  // namespace valle::service::store
