// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "scheduler/model/error.hpp"

namespace SQLite {
class Database;
}

namespace valle::service::store {

enum class Access { write, read };

/// One SQLite connection. It belongs to one thread: the first that works with it after opening or `release_thread`;
/// work from another one is a programmer error and stops the program. The program opens exactly one for writing,
/// and one for reading in each reading thread.
///
/// WAL, foreign keys on, synchronous FULL: what was committed survives a power cut. Errors of SQLite end here, as
/// `Errc::storage_failed` with a sentence that says what to do.
class Database final {
 public:
  /// How long a statement waits for another connection's lock.
  static constexpr std::chrono::milliseconds k_busy_timeout{5'000};

  /// Opens `file`; `Access::write` creates it if it does not exist (its folder must). A file that is not a database, or
  /// that another program made, is refused unchanged. Does not look at the schema: see migrator.hpp.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<Database>> open(
      const std::filesystem::path& file, Access access, std::chrono::milliseconds busy_timeout = k_busy_timeout);

  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs `work(SQLite::Database&)`, which returns a `Result<T>`, in one IMMEDIATE transaction: committed if it
  /// returns a value, rolled back if it returns an error or throws. Needs `Access::write`.
  template <class Work>
  [[nodiscard]] auto write(Work&& work) {
    return transact(Mode::immediate, std::forward<Work>(work));
  }

  /// Runs `work(SQLite::Database&)`, which returns a `Result<T>`, on one consistent snapshot.
  template <class Work>
  [[nodiscard]] auto read(Work&& work) {
    return transact(Mode::deferred, std::forward<Work>(work));
  }

  /// Runs `work` outside any transaction: for pragmas, VACUUM and checkpoints.
  template <class Work>
  [[nodiscard]] auto outside_transaction(Work&& work) {
    return transact(Mode::none, std::forward<Work>(work));
  }

  /// Writes a compact copy that holds everything committed so far. Refuses (`Errc::conflict`) if `to` exists. The copy
  /// appears under its name when it is complete and on disk, never before.
  [[nodiscard]] scheduler::Result<void> backup_to(const std::filesystem::path& to);

  /// Has another connection, of this program or another, committed since the last call (the first: since opening)?
  [[nodiscard]] scheduler::Result<bool> changed_by_others();

  /// Lets the next thread that works with this connection become its owner.
  void release_thread() { owner_.reset(); }

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] Access access() const { return access_; }

 private:
  enum class Mode { none, deferred, immediate };
  /// Returns whether to commit.
  using Body = std::function<bool(SQLite::Database&)>;

  Database(std::filesystem::path file, Access access);
  [[nodiscard]] scheduler::Result<void> run(Mode mode, const Body& body);

  template <class Work>
  [[nodiscard]] auto transact(Mode mode, Work&& work) -> std::invoke_result_t<Work&, SQLite::Database&> {
    std::optional<std::invoke_result_t<Work&, SQLite::Database&>> result;
    scheduler::Result<void> ran = run(mode, [&](SQLite::Database& connection) {
      result.emplace(work(connection));
      return result->has_value();
    });
    if (!ran) return tl::unexpected<scheduler::Error>{std::move(ran.error())};
    return std::move(*result);
  }

  std::filesystem::path file_;
  Access access_;
  std::optional<std::thread::id> owner_;
  std::int64_t seen_version_ = 0;  // SQLite's count of the commits of others
  std::unique_ptr<SQLite::Database> connection_;
};

}  // namespace valle::service::store

namespace valle {
namespace store = service::store;
}  // namespace valle
