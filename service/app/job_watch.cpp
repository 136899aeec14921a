// SPDX-License-Identifier: Apache-2.0
#include "service/app/job_watch.hpp"

#include <vector>

namespace valle::service::app {

JobWatch::Id JobWatch::wait(const std::string& job, Call call) {
  const std::scoped_lock lock{mutex_};
  if (waiting_.size() >= k_most_waiting) return 0;
  const Id id = ++last_id_;
  waiting_.emplace(id, std::pair{job, std::move(call)});
  by_job_.emplace(job, id);
  return id;
}

bool JobWatch::cancel(Id id) {
  const std::scoped_lock lock{mutex_};
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  const auto [begin, end] = by_job_.equal_range(found->second.first);
  for (auto each = begin; each != end; ++each) {
    if (each->second == id) {
      by_job_.erase(each);
      break;
    }
  }
  waiting_.erase(found);
  return true;
}

void JobWatch::added(const Job& job) {
  {
    const std::scoped_lock lock{mutex_};
    ++counts_[static_cast<std::size_t>(job.state)];
  }
  if (listener_) listener_(job);
}

void JobWatch::changed(std::span<const store::JobChange> changes) {
  std::vector<std::pair<Call, const Job*>> calls;
  {
    const std::scoped_lock lock{mutex_};
    for (const auto& change : changes) {
      if (change.before.state == change.after.state) continue;
      --counts_[static_cast<std::size_t>(change.before.state)];
      ++counts_[static_cast<std::size_t>(change.after.state)];
      const auto [begin, end] = by_job_.equal_range(change.after.id);
      for (auto each = begin; each != end; ++each) {
        const auto waiter = waiting_.find(each->second);
        calls.emplace_back(std::move(waiter->second.second), &change.after);
        waiting_.erase(waiter);
      }
      by_job_.erase(begin, end);
    }
  }
  for (const auto& [call, job] : calls) call(*job);
  if (!listener_) return;
  for (const auto& change : changes) listener_(change.after);
}

store::JobCounts JobWatch::counts() const {
  const std::scoped_lock lock{mutex_};
  return counts_;
}

}  // namespace valle::service::app
