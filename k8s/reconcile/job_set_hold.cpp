// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/job_set_hold.hpp"

#include <string>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"

namespace valle::k8s {
namespace {

using resources::k_job_sets;

Json add(std::string path, Json value) {
  return {{"op", "add"}, {"path", std::move(path)}, {"value", std::move(value)}};
}

/// Members of a merge patch of an object's map as operations of a JSON patch: null takes a key away.
void change_map(Json& patch, const std::string& path, const Json& changes) {
  for (const auto& [name, value] : changes.items()) {
    const std::string place = path + "/" + pointer_segment(name);
    patch.push_back(value.is_null() ? Json{{"op", "remove"}, {"path", place}} : add(place, value));
  }
}

void pin(Json& patch, const JobSet& set, const Decision& decision) {
  for (std::size_t i = 0; i < set.jobs.size(); ++i) {
    const PodTemplate& pods = set.jobs[i].pods;
    const std::string region = pin_of(pods.node_selector, decision);
    if (region.empty()) continue;
    const std::string spec = "/spec/replicatedJobs/" + std::to_string(i) + "/template/spec/template/spec";
    Json selector = pods.node_selector;
    selector[names::k_region_label] = region;
    patch.push_back(add(spec + "/nodeSelector", std::move(selector)));
    patch.push_back(add(spec + "/tolerations", pinned_tolerations(pods.tolerations, region)));
  }
}

Action release(const JobSet& set, Hold hold, const Decision& decision, Starter starter) {
  Json annotations = annotations_of_release(set.meta, decision);
  if (const auto gates = set.meta.annotation(names::k_gated_by); gates && has_our_gate(*gates)) {
    const std::string others = without_our_gate(*gates);
    annotations[names::k_gated_by] = others.empty() ? Json(nullptr) : Json(others);
  }
  if (hold != Hold::gate && set.meta.annotation(names::k_held)) annotations[names::k_held] = nullptr;
  Json patch =
      Json::array({{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", set.meta.resource_version}}});
  change_map(patch, "/metadata/annotations", annotations);
  if (hold == Hold::queue) {
    const auto own = set.meta.annotation(names::k_held_queue).value_or("");
    if (set.meta.labels.empty()) patch.push_back(add("/metadata/labels", Json::object()));
    change_map(patch, "/metadata/labels", {{names::k_queue, decision.queue.empty() ? own : decision.queue}});
    if (!own.empty()) change_map(patch, "/metadata/annotations", {{names::k_held_queue, nullptr}});
  }
  // The templates may change as long as it is suspended; what is unsuspended goes last.
  if (set.suspended) pin(patch, set, decision);
  if (hold == Hold::suspend || starter == Starter::nobody) patch.push_back(add("/spec/suspend", false));
  return {.resource = k_job_sets,
          .space = set.meta.space,
          .name = set.meta.name,
          .kind = Patch::Type::json,
          .body = std::move(patch),
          .events = {event_of_release(set.meta, decision)},
          .releases = true};
}

}  // namespace

std::vector<Action> reconcile(const JobSet& set, const Workload* workload, const Decision& decision, Starter starter) {
  const bool over = set.phase == JobPhase::finished || set.phase == JobPhase::failed;
  if (over || set.meta.deleted_at || care_of(set.meta) != Care::ours) return {};
  const Hold hold = hold_of(set);
  if (hold == Hold::none) {
    const bool was_held = remembered(set.meta).start_by.has_value();
    return was_held && !set.suspended ? record_start_by_others(k_job_sets, set.meta, decision) : std::vector<Action>{};
  }
  if (!decision.released) return tell_waiting(k_job_sets, set.meta, decision);
  if (hold == Hold::gate) {
    if (auto steps = steps_to_queue(k_job_sets, set.meta, workload, decision)) return *std::move(steps);
  }
  return {release(set, hold, decision, starter)};
}

}  // namespace valle::k8s
