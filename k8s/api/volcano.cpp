// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/volcano.hpp"

#include <algorithm>
#include <utility>

namespace valle::k8s {
namespace {

std::vector<VolcanoPolicy> policies_of(const Json& holder) {
  std::vector<VolcanoPolicy> policies;
  for (const auto& each : inner(holder, "policies")) {
    VolcanoPolicy policy{.action = text_member(each, "action"), .timeout = text_member(each, "timeout")};
    for (const auto& event : inner(each, "events")) {
      if (event.is_string()) policy.events.push_back(event.get<std::string>());
    }
    if (auto event = text_member(each, "event"); !event.empty()) policy.events.push_back(std::move(event));
    policies.push_back(std::move(policy));
  }
  return policies;
}

JobPhase phase_of(const std::string& phase) {
  if (phase == "Completed") return JobPhase::finished;
  // Aborted can be resumed; but nothing of it runs or waits until somebody does.
  if (phase == "Failed" || phase == "Terminated" || phase == "Aborted") return JobPhase::failed;
  return JobPhase::running;
}

const VolcanoPolicy* against_waiting(const std::vector<VolcanoPolicy>& policies) {
  const auto found = std::find_if(policies.begin(), policies.end(), [](const VolcanoPolicy& policy) {
    return std::find(policy.events.begin(), policy.events.end(), "PodPending") != policy.events.end();
  });
  return found == policies.end() ? nullptr : &*found;
}

}  // namespace

scheduler::Result<VolcanoJob> parse_volcano_job(const Json& object) {
  auto job = named_meta_of(object, "vcjob").map([](ObjectMeta meta) { return VolcanoJob{.meta = std::move(meta)}; });
  if (!job) return job;
  const Json& spec = inner(object, "spec");
  job->policies = policies_of(spec);
  for (const auto& task : inner(spec, "tasks")) {
    job->tasks.push_back({.name = text_member(task, "name"),
                          .replicas = std::max<std::int64_t>(0, number_member(task, "replicas").value_or(1)),
                          .pods = pod_template_of(inner(task, "template")),
                          .policies = policies_of(task)});
  }
  const Json& state = inner(inner(object, "status"), "state");
  const std::string phase = text_member(state, "phase");
  job->phase = phase_of(phase);
  job->pods_run = phase == "Running" || phase == "Completing";
  job->changed_at = instant_member(state, "lastTransitionTime");
  if (job->phase == JobPhase::failed) job->failure = phase;
  return job;
}

const VolcanoPolicy* policy_against_waiting(const VolcanoJob& job) {
  if (const auto* found = against_waiting(job.policies)) return found;
  for (const auto& task : job.tasks) {
    if (const auto* found = against_waiting(task.policies)) return found;
  }
  return nullptr;
}

scheduler::Result<PodGroup> parse_pod_group(const Json& object) {
  return named_meta_of(object, "PodGroup").map([&object](ObjectMeta meta) {
    return PodGroup{.meta = std::move(meta),
                    .phase = text_member(inner(object, "status"), "phase"),
                    .min_member = number_member(inner(object, "spec"), "minMember").value_or(0)};
  });
}

}  // namespace valle::k8s
