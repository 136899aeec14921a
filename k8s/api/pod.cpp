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
