// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/app/job.hpp"

namespace valle::service::cluster {

/// The cluster's jobs as the store has them, in memory: what the webhook and the acting threads read. Jobs that have
/// ended are dropped. Safe from any thread.
class Board final {
 public:
  using JobPtr = std::shared_ptr<const app::Job>;

  /// Takes over a job as it is now; one without an object is ignored.
  void put(const app::Job& job);
  void clear();
  [[nodiscard]] JobPtr by_uid(const std::string& uid) const;
  /// The newest job of `Kind/namespace/name`.
  [[nodiscard]] JobPtr by_key(const std::string& key) const;
  [[nodiscard]] std::vector<JobPtr> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, JobPtr> by_uid_;
  std::map<std::string, std::string> uid_of_;
};

/// `Kind/namespace/name`
[[nodiscard]] std::string key_of(const app::ClusterObject& object);

}  // namespace valle::service::cluster
