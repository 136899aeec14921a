// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/ports/job_ledger.hpp"
#include "service/store/database.hpp"
#include "service/store/run_table.hpp"

namespace valle::service::store {

/// What became of runs that were posted.
struct PostedRuns {
  std::size_t added = 0;
  std::size_t unchanged = 0;                ///< were there with the same content
  std::vector<std::size_t> conflicts = {};  ///< indices of those that are there with another content; not stored
  friend bool operator==(const PostedRuns&, const PostedRuns&) = default;
};

enum class OnConflict { refuse_all, leave_out };

/// The ledger in SQLite (`migrations/0004_ledger.sql`). Used in the thread of its database; what writes is one
/// transaction each, and needs a connection that writes.
class RunRepository final : public scheduler::JobLedger {
 public:
  explicit RunRepository(Database& database) : database_{database} {}

  [[nodiscard]] scheduler::Result<std::vector<std::string>> change(std::span<const std::string> ids,
                                                                   const scheduler::RunChange& step) override;
  [[nodiscard]] scheduler::Result<std::optional<scheduler::Run>> find(const std::string& id) override;
  [[nodiscard]] scheduler::Result<std::vector<scheduler::Run>> running(std::size_t limit) override;
  [[nodiscard]] scheduler::Result<std::vector<scheduler::Run>> finished(scheduler::Interval when,
                                                                        std::size_t limit) override;
  [[nodiscard]] scheduler::Result<std::vector<scheduler::PodOfRun>> pods(scheduler::Interval window) override;

  /// Adds finished runs from elsewhere. If one is there with another content: none is added and it is a `conflict` with
  /// the pointer `/<index>/id`, or that one is left out. What is frozen at submission (PUE) is not compared: it was
  /// frozen the first time.
  [[nodiscard]] scheduler::Result<PostedRuns> post(std::span<const scheduler::Run> runs,
                                                   OnConflict on_conflict = OnConflict::refuse_all);

  /// Jobs that have run and ended, but whose run has no end yet, or that have none: at most 100,000.
  [[nodiscard]] scheduler::Result<std::vector<std::string>> unrecorded_jobs();

  /// The highest sequence that the ledger has given: names its present state.
  [[nodiscard]] scheduler::Result<std::int64_t> state();
  /// Calls `take` with each run that finished in `when`, as the ledger was at `state`, ascending by end, then by
  /// sequence; ends early when it returns false. One consistent snapshot.
  [[nodiscard]] scheduler::Result<void> each_finished(scheduler::Interval when, std::int64_t state,
                                                      const TakeRun& take);

 private:
  Database& database_;
};

}  // namespace valle::service::store
