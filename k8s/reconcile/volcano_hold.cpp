// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/volcano_hold.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "k8s/reconcile/job_hold.hpp"

namespace valle::k8s {
namespace {

bool belongs_to(const Pod& pod, const VolcanoJob& job) {
  return std::any_of(pod.meta.owners.begin(), pod.meta.owners.end(),
                     [&job](const OwnerReference& owner) { return owner.uid == job.meta.uid; });
}

Json operation(const char* op, std::string path, Json value) {
  return {{"op", op}, {"path", std::move(path)}, {"value", std::move(value)}};
}

Action record_release(const VolcanoJob& job, const Decision& decision) {
  Action action =
      merge_patch(resources::k_volcano_jobs, job.meta, {{"annotations", annotations_of_release(job.meta, decision)}});
  action.events.push_back(event_of_release(job.meta, decision));
  action.releases = true;
  return action;
}

/// Frees one pod, whose gate of ours is at that place of its list.
Action free_pod(const Pod& pod, std::size_t place, const std::string& region) {
  const std::string gate = "/spec/schedulingGates/" + std::to_string(place);
  Json patch = Json::array({operation("test", gate + "/name", names::k_gate), {{"op", "remove"}, {"path", gate}}});
  if (!region.empty()) {
    const auto& selector = pod.content.node_selector;
    const std::string path = "/spec/nodeSelector";
    patch.push_back(selector.empty() ? operation("add", path, {{names::k_region_label, region}})
                                     : operation("add", path + "/" + pointer_segment(names::k_region_label), region));
  }
  return {.resource = resources::k_pods,
          .space = pod.meta.space,
          .name = pod.meta.name,
          .kind = Patch::Type::json,
          .body = std::move(patch)};
}

}  // namespace

bool holds_pods(const VolcanoJob& job) {
  return std::any_of(job.tasks.begin(), job.tasks.end(), [](const VolcanoTask& task) {
    return std::find(task.pods.gates.begin(), task.pods.gates.end(), names::k_gate) != task.pods.gates.end();
  });
}

std::vector<Action> reconcile(const VolcanoJob& job, std::span<const Pod> pods, const Decision& decision) {
  const bool over = job.phase == JobPhase::finished || job.phase == JobPhase::failed;
  if (over || job.meta.deleted_at || care_of(job.meta) != Care::ours || !holds_pods(job)) return {};
  const bool recorded = remembered(job.meta).released_at.has_value();
  if (!decision.released && !recorded) return tell_waiting(resources::k_volcano_jobs, job.meta, decision);
  std::vector<Action> actions;
  if (!recorded) actions.push_back(record_release(job, decision));
  for (const auto& pod : pods) {
    const auto& gates = pod.content.gates;
    const auto ours = std::find(gates.begin(), gates.end(), names::k_gate);
    if (ours == gates.end() || pod.meta.deleted_at || !belongs_to(pod, job)) continue;
    actions.push_back(
        free_pod(pod, static_cast<std::size_t>(ours - gates.begin()), pin_of(pod.content.node_selector, decision)));
  }
  return actions;
}

}  // namespace valle::k8s
