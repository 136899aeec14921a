// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "k8s/api/job.hpp"

namespace valle::k8s {

/// Jobs of one template: `replicas` of them, with `parallelism` pods each.
struct ReplicatedJob {
  std::string name;
  std::int64_t replicas = 1;
  std::int64_t parallelism = 1;
  PodTemplate pods = {};
  friend bool operator==(const ReplicatedJob&, const ReplicatedJob&) = default;
};

/// A jobset.x-k8s.io/v1alpha2 JobSet.
struct JobSet {
  ObjectMeta meta;
  bool suspended = false;
  std::vector<ReplicatedJob> jobs = {};
  std::string managed_by = {};
  JobPhase phase = JobPhase::running;
  std::optional<scheduler::Instant> finished_at = {};
  std::string failure = {};
  friend bool operator==(const JobSet&, const JobSet&) = default;
};
[[nodiscard]] scheduler::Result<JobSet> parse_job_set(const Json& object);

}  // namespace valle::k8s
