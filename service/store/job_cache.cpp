// SPDX-License-Identifier: Apache-2.0
#include "service/store/job_cache.hpp"

#include <utility>

namespace valle::service::store {

JobCache::JobPtr JobCache::find(std::int64_t sequence, std::int64_t version) const {
  const std::scoped_lock lock{mutex_};
  const auto found = by_sequence_.find(sequence);
  return found != by_sequence_.end() && found->second->version == version ? found->second : nullptr;
}

void JobCache::put(JobPtr job) {
  const std::scoped_lock lock{mutex_};
  auto& place = by_sequence_[job->sequence];
  place = std::move(job);
}

void JobCache::keep(const std::vector<JobPtr>& jobs) {
  std::unordered_map<std::int64_t, JobPtr> kept;
  kept.reserve(jobs.size());
  for (const auto& job : jobs) kept.emplace(job->sequence, job);
  const std::scoped_lock lock{mutex_};
  by_sequence_.swap(kept);
}

}  // namespace valle::service::store
