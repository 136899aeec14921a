// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/board.hpp"

namespace valle::service::cluster {

std::string key_of(const app::ClusterObject& object) { return object.kind + "/" + object.space + "/" + object.name; }

void Board::put(const app::Job& job) {
  if (!job.object) return;
  const std::string key = key_of(*job.object);
  const std::scoped_lock lock{mutex_};
  if (app::is_active(job.state)) {
    by_uid_[job.id] = std::make_shared<const app::Job>(job);
    uid_of_[key] = job.id;
    return;
  }
  by_uid_.erase(job.id);
  const auto found = uid_of_.find(key);
  if (found != uid_of_.end() && found->second == job.id) uid_of_.erase(found);
}

void Board::clear() {
  const std::scoped_lock lock{mutex_};
  by_uid_.clear();
  uid_of_.clear();
}

Board::JobPtr Board::by_uid(const std::string& uid) const {
  const std::scoped_lock lock{mutex_};
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : found->second;
}

Board::JobPtr Board::by_key(const std::string& key) const {
  const std::scoped_lock lock{mutex_};
  const auto uid = uid_of_.find(key);
  if (uid == uid_of_.end()) return nullptr;
  const auto found = by_uid_.find(uid->second);
  return found == by_uid_.end() ? nullptr : found->second;
}

std::vector<Board::JobPtr> Board::all() const {
  const std::scoped_lock lock{mutex_};
  std::vector<JobPtr> all;
  all.reserve(by_uid_.size());
  for (const auto& [uid, job] : by_uid_) all.push_back(job);
  return all;
}

}  // namespace valle::service::cluster
