// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "k8s/api/job.hpp"

namespace valle::k8s {

enum class PodPhase { pending, running, succeeded, failed, unknown };

struct Pod {
  ObjectMeta meta;
  std::string node = {};  ///< empty: not bound yet
  PodPhase phase = PodPhase::unknown;
  bool gated = false;        ///< `PodScheduled=False SchedulingGated`, or any scheduling gate left
  PodTemplate content = {};  ///< selector, tolerations, gates in their order, requests
  std::optional<scheduler::Instant> started_at = {};  ///< when its node accepted it
  std::vector<std::string> containers = {};           ///< their names
  std::optional<scheduler::Instant> began_at = {};    ///< its first container
  std::optional<scheduler::Instant> ended_at = {};    ///< its last container, once all have ended
  /// Taken away by others than its program: evicted, preempted, drained, its node lost.
  bool disrupted = false;
  friend bool operator==(const Pod&, const Pod&) = default;
};
[[nodiscard]] scheduler::Result<Pod> parse_pod(const Json& object);

struct Node {
  ObjectMeta meta;
  bool schedulable = true;
  std::map<std::string, scheduler::Amount> allocatable = {};
  friend bool operator==(const Node&, const Node&) = default;
};
[[nodiscard]] scheduler::Result<Node> parse_node(const Json& object);

}  // namespace valle::k8s
