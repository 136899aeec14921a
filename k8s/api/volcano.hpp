// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/api/job.hpp"

namespace valle::k8s {

/// What a vcjob does on an event, after a while: `{events: [PodPending], action: AbortJob, timeout: 10m}`.
struct VolcanoPolicy {
  std::vector<std::string> events = {};
  std::string action = {};
  std::string timeout = {};  ///< as written; empty: at once
  friend bool operator==(const VolcanoPolicy&, const VolcanoPolicy&) = default;
};

struct VolcanoTask {
  std::string name;
  std::int64_t replicas = 1;
  PodTemplate pods = {};
  std::vector<VolcanoPolicy> policies = {};
  friend bool operator==(const VolcanoTask&, const VolcanoTask&) = default;
};

/// A batch.volcano.sh/v1alpha1 Job: pods of several kinds that start together.
struct VolcanoJob {
  ObjectMeta meta;
  std::vector<VolcanoTask> tasks = {};
  std::vector<VolcanoPolicy> policies = {};
  /// `suspended` never comes: a vcjob cannot be suspended.
  JobPhase phase = JobPhase::running;
  bool pods_run = false;                              ///< phase Running: the gang has started
  std::optional<scheduler::Instant> changed_at = {};  ///< when it came into its phase
  std::string failure = {};
  friend bool operator==(const VolcanoJob&, const VolcanoJob&) = default;
};
[[nodiscard]] scheduler::Result<VolcanoJob> parse_volcano_job(const Json& object);

/// Of all tasks together, the policy that would end a job because its pods have been pending for some time, as they are
/// while it is held; nullptr if there is none.
[[nodiscard]] const VolcanoPolicy* policy_against_waiting(const VolcanoJob& job);

/// A scheduling.volcano.sh/v1beta1 PodGroup. It has no status subresource: it is never written.
struct PodGroup {
  ObjectMeta meta;
  std::string phase = {};
  std::int64_t min_member = 0;
  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};
[[nodiscard]] scheduler::Result<PodGroup> parse_pod_group(const Json& object);

}  // namespace valle::k8s
