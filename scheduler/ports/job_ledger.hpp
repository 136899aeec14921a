// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/account/run.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"

namespace valle::scheduler {

/// What a change makes of a run: gets each id with the stored run, or nullptr; returns what is to stand there. Nothing,
/// or the run unchanged, leaves the ledger as it is.
using RunChange = std::function<std::optional<Run>(const std::string& id, const Run* stored)>;

/// Which jobs ran when, where, in which pods, and what they used. It outlives the jobs, the pods and the process.
///
/// A finished run that is changed (a figure came, a provider revised it) keeps its former state for the reports that
/// were made from it. Blocking; see the implementation for the threads that may call. The world's failures are
/// `Errc::storage_failed`.
class JobLedger {
 public:
  virtual ~JobLedger() = default;

  /// Changes runs in one transaction. Returns the ids that were changed or added, in the order given.
  [[nodiscard]] virtual Result<std::vector<std::string>> change(std::span<const std::string> ids,
                                                                const RunChange& step) = 0;

  [[nodiscard]] virtual Result<std::optional<Run>> find(const std::string& id) = 0;
  /// Runs that have begun and not ended, in the order of submission to the ledger, at most `limit`. (Of a job that
  /// waits the ledger has a run without attempts; `find` gives it.)
  [[nodiscard]] virtual Result<std::vector<Run>> running(std::size_t limit) = 0;
  /// Runs that finished in `when` after they had begun, the last to finish first, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<Run>> finished(Interval when, std::size_t limit) = 0;
  /// Pods of every run, finished or not, that ran in some part of `window`; a pod of a running attempt has no end yet
  /// and counts as running. For who else had a board.
  [[nodiscard]] virtual Result<std::vector<PodOfRun>> pods(Interval window) = 0;
};

}  // namespace valle::scheduler
