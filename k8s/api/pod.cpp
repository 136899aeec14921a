// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/pod.hpp"

#include <array>
#include <utility>

#include "k8s/api/quantity.hpp"

namespace valle::k8s {
namespace {

constexpr std::array k_phases{std::pair{"Pending", PodPhase::pending}, std::pair{"Running", PodPhase::running},
                              std::pair{"Succeeded", PodPhase::succeeded}, std::pair{"Failed", PodPhase::failed}};

PodPhase phase_of(const std::string& text) {
  for (const auto& [name, phase] : k_phases) {
    if (text == name) return phase;
  }
  return PodPhase::unknown;
}

/// From the statuses of all containers: when the first began, and when the last ended where none is left.
void take_times(const Json& status, Pod& pod) {
  bool all_ended = true;
  for (const char* which : {"initContainerStatuses", "containerStatuses"}) {
    for (const auto& container : inner(status, which)) {
      const Json& state = inner(container, "state");
      const Json& ended = inner(state, "terminated");
      const bool over = state.contains("terminated");
      const auto began = instant_member(over ? ended : inner(state, "running"), "startedAt");
      if (began && (!pod.began_at || *began < *pod.began_at)) pod.began_at = began;
      const auto at = instant_member(ended, "finishedAt");
      if (at && (!pod.ended_at || *at > *pod.ended_at)) pod.ended_at = at;
      all_ended = all_ended && over;
    }
  }
  if (!all_ended) pod.ended_at.reset();
}

bool was_disrupted(const Json& object, const Json& status) {
  const auto target = condition_of(object, "DisruptionTarget");
  const std::string reason = text_member(status, "reason");
  return (target && target->is_true) || reason == "Evicted" || reason == "Preempting" || reason == "Shutdown" ||
         reason == "NodeShutdown" || reason == "NodeLost" || reason == "Terminated";
}

}  // namespace

scheduler::Result<Pod> parse_pod(const Json& object) {
  auto meta = named_meta_of(object, "Pod");
  if (!meta) return tl::unexpected{meta.error()};
  const Json& status = inner(object, "status");
  Pod pod{.meta = *std::move(meta),
          .node = text_member(inner(object, "spec"), "nodeName"),
          .phase = phase_of(text_member(status, "phase")),
          .content = pod_template_of(object),
          .started_at = instant_member(status, "startTime")};
  pod.gated = !pod.content.gates.empty();
  for (const auto& container : inner(inner(object, "spec"), "containers")) {
    pod.containers.push_back(text_member(container, "name"));
  }
  take_times(status, pod);
  pod.disrupted = was_disrupted(object, status);
  return pod;
}

scheduler::Result<Node> parse_node(const Json& object) {
  auto meta = named_meta_of(object, "Node");
  if (!meta) return tl::unexpected{meta.error()};
  Node node{.meta = *std::move(meta), .schedulable = !flag_member(inner(object, "spec"), "unschedulable")};
  for (const auto& [name, value] : inner(inner(object, "status"), "allocatable").items()) {
    if (const auto amount = quantity_of(value)) node.allocatable[name] = *amount;
  }
  return node;
}

}  // namespace valle::k8s
