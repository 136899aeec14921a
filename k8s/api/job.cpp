// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/job.hpp"

#include <algorithm>
#include <utility>

#include "k8s/api/quantity.hpp"

namespace valle::k8s {
namespace {

using scheduler::Amount;
using Requests = std::map<std::string, Amount>;

constexpr std::int64_t k_longest_run = std::int64_t{366} * 86'400;

/// A container's requests; where only a limit is given, that is the request.
Requests requests_of(const Json& container) {
  Requests requests;
  const Json& resources = inner(container, "resources");
  for (const char* which : {"limits", "requests"}) {
    for (const auto& [name, text] : inner(resources, which).items()) {
      if (const auto amount = quantity_of(text)) requests[name] = *amount;
    }
  }
  return requests;
}

void raise(Requests& most, const Requests& each) {
  for (const auto& [name, amount] : each) most[name] = std::max(most[name], amount);
}

void add(Requests& sum, const Requests& each) {
  for (const auto& [name, amount] : each) sum[name] = added(sum[name], amount);
}

/// What a scheduler counts: containers run together, beside the init containers that stay (sidecars); the other init
/// containers run one after the other before them, each beside the sidecars that came earlier.
Requests pod_requests(const Json& spec) {
  Requests together;
  Requests most;
  for (const auto& container : inner(spec, "initContainers")) {
    const Requests own = requests_of(container);
    if (text_member(container, "restartPolicy") == "Always") {
      add(together, own);
    } else {
      Requests meanwhile = together;
      add(meanwhile, own);
      raise(most, meanwhile);
    }
  }
  for (const auto& container : inner(spec, "containers")) add(together, requests_of(container));
  raise(most, together);
  // What the pod asks for as a whole counts in place of its containers' sum.
  for (const auto& [name, amount] : requests_of(spec)) most[name] = amount;
  Requests overhead;
  for (const auto& [name, text] : inner(spec, "overhead").items()) {
    if (const auto amount = quantity_of(text)) overhead[name] = *amount;
  }
  add(most, overhead);
  return most;
}

/// Images, commands and arguments of all containers.
scheduler::JobSignature containers_of(const Json& spec) {
  std::vector<scheduler::ContainerShape> shapes;
  for (const char* which : {"initContainers", "containers"}) {
    for (const auto& container : inner(spec, which)) {
      scheduler::ContainerShape shape{.image = text_member(container, "image"), .command = {}};
      for (const char* part : {"command", "args"}) {
        for (const auto& word : inner(container, part)) {
          if (word.is_string()) shape.command.push_back(word.get<std::string>());
        }
      }
      shapes.push_back(std::move(shape));
    }
  }
  return scheduler::signature_of(shapes);
}

}  // namespace

PodTemplate pod_template_of(const Json& pod) {
  const Json& spec = inner(pod, "spec");
  PodTemplate pods{.node_selector = texts_member(spec, "nodeSelector"),
                   .scheduler_name = text_member(spec, "schedulerName"),
                   .gates = {},
                   .requests = pod_requests(spec),
                   .signature = containers_of(spec)};
  if (const Json& tolerations = inner(spec, "tolerations"); tolerations.is_array()) pods.tolerations = tolerations;
  for (const auto& gate : inner(spec, "schedulingGates")) pods.gates.push_back(text_member(gate, "name"));
  return pods;
}

Progress progress_of(const Json& object, const char* complete, bool suspended) {
  const auto done = condition_of(object, complete);
  if (done && done->is_true) return {JobPhase::finished, done->since, {}};
  const auto failed = condition_of(object, "Failed");
  if (failed && failed->is_true) return {JobPhase::failed, failed->since, failed->reason};
  return {suspended ? JobPhase::suspended : JobPhase::running, {}, {}};
}

scheduler::Result<Job> parse_job(const Json& object) {
  auto parsed = named_meta_of(object, "Job").map([](ObjectMeta meta) { return Job{.meta = std::move(meta)}; });
  if (!parsed) return parsed;
  Job& job = *parsed;
  const Json& spec = inner(object, "spec");
  job.suspended = flag_member(spec, "suspend");
  job.parallelism = std::max<std::int64_t>(0, number_member(spec, "parallelism").value_or(1));
  job.completions = std::max<std::int64_t>(0, number_member(spec, "completions").value_or(job.parallelism));
  if (const auto limit = number_member(spec, "activeDeadlineSeconds"); limit && *limit > 0) {
    job.active_deadline = scheduler::Duration{std::min(*limit, k_longest_run)};
  }
  job.managed_by = text_member(spec, "managedBy");
  job.pods = pod_template_of(inner(spec, "template"));
  const Json& status = inner(object, "status");
  job.active = number_member(status, "active").value_or(0);
  job.ready = number_member(status, "ready").value_or(0);
  job.started_at = instant_member(status, "startTime");
  auto progress = progress_of(object, "Complete", job.suspended);
  job.phase = progress.phase;
  job.finished_at = progress.finished_at;
  job.failure = std::move(progress.failure);
  if (job.phase == JobPhase::finished) {
    if (const auto completed = instant_member(status, "completionTime")) job.finished_at = completed;
  }
  return parsed;
}

}  // namespace valle::k8s
