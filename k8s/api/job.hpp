// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "k8s/api/object_meta.hpp"
#include "scheduler/energy/estimate.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/model/problem.hpp"

namespace valle::k8s {

/// What of a pod's template decides where it may run and what it holds.
struct PodTemplate {
  std::map<std::string, std::string> node_selector = {};
  Json tolerations = Json::array();  ///< as they stand: a merge patch replaces the whole list
  std::string scheduler_name = {};
  std::vector<std::string> gates = {};  ///< names of schedulingGates
  std::map<std::string, scheduler::Amount>
      requests;                            ///< of one pod: the containers' sum, or its largest init container
  scheduler::JobSignature signature = {};  ///< of its containers, init containers first; the texts are not kept
  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};
/// Of `{metadata, spec}` of a pod template, or of a pod.
[[nodiscard]] PodTemplate pod_template_of(const Json& pod);

/// How far a Job has come, by its conditions: counts alone don't tell a pause between two tries from the end.
enum class JobPhase { suspended, running, finished, failed };

/// How an object has come where it is, by its conditions.
struct Progress {
  JobPhase phase = JobPhase::running;
  std::optional<scheduler::Instant> finished_at = {};  ///< of the condition that ended it
  std::string failure = {};                            ///< reason of the condition Failed
};
/// `complete` is the condition that says that it is done: `Complete` of a Job, `Completed` of a JobSet.
[[nodiscard]] Progress progress_of(const Json& object, const char* complete, bool suspended);

/// A batch/v1 Job.
struct Job {
  ObjectMeta meta;
  bool suspended = false;
  std::int64_t parallelism = 1;
  std::int64_t completions = 1;
  std::optional<scheduler::Duration> active_deadline = {};
  std::string managed_by = {};
  PodTemplate pods = {};
  std::int64_t active = 0;  ///< pods that are pending or running
  std::int64_t ready = 0;
  std::optional<scheduler::Instant> started_at = {};   ///< `status.startTime`: of the last resume
  std::optional<scheduler::Instant> finished_at = {};  ///< of the condition that ended it
  JobPhase phase = JobPhase::running;
  std::string failure = {};  ///< reason of the condition Failed
  friend bool operator==(const Job&, const Job&) = default;
};
[[nodiscard]] scheduler::Result<Job> parse_job(const Json& object);

}  // namespace valle::k8s
