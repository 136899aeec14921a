// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "service/store/job_repository.hpp"

namespace valle::service::app {

/// Who waits for a job's next state, and how many jobs are in each. Told by whoever has committed a change; safe from
/// any thread.
class JobWatch final {
 public:
  using Id = std::uint64_t;
  using Call = std::function<void(const Job&)>;
  /// The most callers that wait at one time.
  static constexpr std::size_t k_most_waiting = 4'096;

  explicit JobWatch(const store::JobCounts& counts = {}) : counts_{counts} {}

  /// `call` gets the job once, when its state changes. 0 if too many wait already.
  [[nodiscard]] Id wait(const std::string& job, Call call);
  /// True if the call was still waiting; then it will not come.
  bool cancel(Id id);

  /// `call` gets every job that is added or changes, from the thread that has committed it. Set before anything moves.
  void listen(Call call) { listener_ = std::move(call); }

  void added(const Job& job);
  void changed(std::span<const store::JobChange> changes);

  [[nodiscard]] store::JobCounts counts() const;

 private:
  mutable std::mutex mutex_;
  store::JobCounts counts_;
  std::map<Id, std::pair<std::string, Call>> waiting_;
  std::multimap<std::string, Id> by_job_;
  Id last_id_ = 0;
  Call listener_;
};

}  // namespace valle::service::app
