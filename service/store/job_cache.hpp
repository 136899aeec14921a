// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "service/app/job.hpp"

namespace valle::service::store {

/// Rows of table `job` as they were parsed last: one whose version is the same is not parsed again. Of ten thousand
/// waiting jobs few change between two looks. Safe from any thread.
class JobCache final {
 public:
  using JobPtr = std::shared_ptr<const app::Job>;

  /// The row of that version, or null.
  [[nodiscard]] JobPtr find(std::int64_t sequence, std::int64_t version) const;
  void put(JobPtr job);
  /// Forgets all others.
  void keep(const std::vector<JobPtr>& jobs);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, JobPtr> by_sequence_;
};

}  // namespace valle::service::store
