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
  std::size_t unchanged = 0;  ///< were there with the same content
  friend bool operator==(const PostedRuns&, const PostedRuns&) = default;
};

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

  /// Adds finished runs from elsewhere, all or none: `conflict`, with the pointer `/<index>/id`, if one is there with
  /// another content. What is frozen at submission (PUE) is not compared: it was frozen the first time.
  [[nodiscard]] scheduler::Result<PostedRuns> post(std::span<const scheduler::Run> runs);

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
