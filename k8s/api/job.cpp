// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/job.hpp"

#include <algorithm>

#include "k8s/api/quantity.hpp"

namespace valle::k8s {
namespace {

using scheduler::Amount;
using Requests = std::map<std::string, Amount>;

/// A container's requests; where only a limit is given, that is the request.
Requests requests_of(const Json& container) {
  Requests requests;
  const Json& resources = inner(container, "resources");
  for (const char* which : {"limits", "requests"}) {
    for (const auto& [name, text] : inner(resources, which).items()) {
      const auto amount = text.is_string()   ? parse_quantity(text.get<std::string>())
                          : text.is_number() ? parse_quantity(text.dump())
                                             : std::nullopt;
      if (amount) requests[name] = *amount;
    }
  }
  return requests;
}

/// Containers run together, init containers one after the other before them.
Requests pod_requests(const Json& spec) {
  Requests total;
  for (const auto& container : inner(spec, "containers")) {
    for (const auto& [name, amount] : requests_of(container)) total[name] += amount;
  }
  for (const auto& container : inner(spec, "initContainers")) {
    for (const auto& [name, amount] : requests_of(container)) total[name] = std::max(total[name], amount);
  }
  return total;
}

}  // namespace

PodTemplate pod_template_of(const Json& pod) {
  const Json& spec = inner(pod, "spec");
  PodTemplate pods{.node_selector = texts_member(spec, "nodeSelector"),
                   .scheduler_name = text_member(spec, "schedulerName"),
                   .gates = {},
                   .requests = pod_requests(spec)};
  if (const Json& tolerations = inner(spec, "tolerations"); tolerations.is_array()) pods.tolerations = tolerations;
  for (const auto& gate : inner(spec, "schedulingGates")) pods.gates.push_back(text_member(gate, "name"));
  return pods;
}

scheduler::Result<Job> parse_job(const Json& object) {
  Job job{.meta = meta_of(object)};
  if (job.meta.name.empty() && job.meta.generate_name.empty()) {
    return scheduler::refuse(scheduler::Errc::invalid_request, "is no Job: it has no name", "/metadata/name");
  }
  const Json& spec = inner(object, "spec");
  job.suspended = flag_member(spec, "suspend");
  job.parallelism = std::max<std::int64_t>(0, number_member(spec, "parallelism").value_or(1));
  job.completions = std::max<std::int64_t>(0, number_member(spec, "completions").value_or(job.parallelism));
  if (const auto limit = number_member(spec, "activeDeadlineSeconds"); limit && *limit > 0) {
    job.active_deadline = scheduler::Duration{*limit};
  }
  job.managed_by = text_member(spec, "managedBy");
  job.pods = pod_template_of(inner(spec, "template"));
  const Json& status = inner(object, "status");
  job.active = number_member(status, "active").value_or(0);
  job.ready = number_member(status, "ready").value_or(0);
  job.started_at = instant_member(status, "startTime");
  const auto complete = condition_of(object, "Complete");
  const auto failed = condition_of(object, "Failed");
  if (complete && complete->is_true) {
    job.phase = JobPhase::finished;
    job.finished_at = instant_member(status, "completionTime");
    if (!job.finished_at) job.finished_at = complete->since;
  } else if (failed && failed->is_true) {
    job.phase = JobPhase::failed;
    job.finished_at = failed->since;
    job.failure = failed->reason;
  } else {
    job.phase = job.suspended ? JobPhase::suspended : JobPhase::running;
  }
  return job;
}

}  // namespace valle::k8s
