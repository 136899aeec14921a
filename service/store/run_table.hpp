// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "scheduler/account/run.hpp"
#include "scheduler/model/error.hpp"
#include "service/store/fast_query.hpp"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace valle::service::store {

/// A row of the table `run`: one state of a run.
struct RunRow {
  std::int64_t sequence = 0;
  scheduler::Run run;
};

/// Finds the states that stand; prepared once for many calls.
class RunFinder final {
 public:
  explicit RunFinder(SQLite::Database& connection);
  [[nodiscard]] scheduler::Result<std::optional<RunRow>> operator()(const std::string& id);

 private:
  FastQuery query_;
};

/// Adds states that stand from now on; prepared once for many calls.
class RunInserter final {
 public:
  explicit RunInserter(SQLite::Database& connection);
  ~RunInserter();
  std::int64_t operator()(const scheduler::Run& run);  ///< its sequence

 private:
  SQLite::Database& connection_;
  std::unique_ptr<SQLite::Statement> statement_;
};

/// Puts `run` in the place of the state that stands: unfinished ones are overwritten, finished ones kept as replaced.
void replace_run(SQLite::Database& connection, const RunRow& before, const scheduler::Run& run);

/// Calls `take` with each row that `where` (SQL after WHERE, with ORDER BY and LIMIT as wanted) finds, until it returns
/// false. The row is the same object each time and valid during the call only. `bounds` are the values of ?1, ?2, …
using TakeRun = std::function<bool(RunRow& row)>;
[[nodiscard]] scheduler::Result<void> each_run(SQLite::Database& connection, const std::string& where,
                                               std::initializer_list<std::int64_t> bounds, const TakeRun& take);

}  // namespace valle::service::store
