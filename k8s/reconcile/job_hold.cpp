// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/job_hold.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "k8s/annotations/carbon_request.hpp"
#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"

namespace valle::k8s {
namespace {

using resources::k_jobs;

/// API groups whose kinds make Jobs or pods, and are held or queued as a whole.
constexpr std::array<std::string_view, 10> k_managing_groups{
    "jobset.x-k8s.io", "batch.volcano.sh",       "kubeflow.org",         "trainer.kubeflow.org",     "ray.io",
    "batch",           "workload.codeflare.dev", "sparkoperator.k8s.io", "leaderworkerset.x-k8s.io", "apps"};

bool is_managed(const OwnerReference& owner) {
  // A CronJob is never held itself: each of its Jobs is.
  if (owner.kind == "CronJob") return false;
  const auto group = std::string_view{owner.api_version}.substr(0, owner.api_version.find('/'));
  return std::find(k_managing_groups.begin(), k_managing_groups.end(), group) != k_managing_groups.end();
}

Json pinned_template(const PodTemplate& pods, const std::string& region) {
  return {{"spec",
           {{"nodeSelector", {{names::k_region_label, region}}},
            {"tolerations", pinned_tolerations(pods.tolerations, region)}}}};
}

Action release(const Job& job, Hold hold, const Decision& decision, Starter starter) {
  Json annotations = annotations_of_release(job.meta, decision);
  Json labels = Json::object();
  Json spec = Json::object();
  if (const auto gates = job.meta.annotation(names::k_gated_by); gates && has_our_gate(*gates)) {
    const std::string others = without_our_gate(*gates);
    annotations[names::k_gated_by] = others.empty() ? Json(nullptr) : Json(others);
  }
  if (hold != Hold::gate) annotations[names::k_held] = nullptr;
  if (hold == Hold::suspend || starter == Starter::nobody) spec["suspend"] = false;
  if (hold == Hold::queue) {
    const auto own = job.meta.annotation(names::k_held_queue);
    labels[names::k_queue] = decision.queue.empty() ? own.value_or("") : decision.queue;
    annotations[names::k_held_queue] = nullptr;
  }
  // A Job that runs (somebody unsuspended it) can't be pinned any more; the whole patch would be refused.
  const std::string region = pin_of(job.pods.node_selector, decision);
  if (!region.empty() && job.suspended) spec["template"] = pinned_template(job.pods, region);
  Json metadata{{"annotations", annotations}};
  if (!labels.empty()) metadata["labels"] = labels;
  Action action = merge_patch(k_jobs, job.meta, std::move(metadata), std::move(spec));
  action.events.push_back(event_of_release(job.meta, decision));
  action.releases = true;
  return action;
}

}  // namespace

Care care_of(const ObjectMeta& meta) {
  // What bears our mark is ours until it is free, whatever has become of its annotations since.
  const bool marked = has_our_gate(meta.annotation(names::k_gated_by).value_or("")) || meta.annotation(names::k_held) ||
                      meta.annotation(names::k_start_by);
  if (!claims_carbon_aware(meta) && !marked) return Care::not_asked;
  if (meta.label(names::k_multikueue_origin)) return Care::remote_copy;
  if (meta.label(names::k_prebuilt)) return Care::prebuilt;
  if (meta.annotation(names::k_elastic) == "true" || meta.label(names::k_elastic) == "true") return Care::elastic;
  const auto* owner = meta.controller();
  return owner != nullptr && is_managed(*owner) ? Care::child : Care::ours;
}

Hold hold_of(const ObjectMeta& meta, bool suspended) {
  const bool queued = meta.label(names::k_queue).has_value();
  // Without a queue Kueue does not look at the gate.
  const bool gated = has_our_gate(meta.annotation(names::k_gated_by).value_or(""));
  if (queued && gated) return Hold::gate;
  // Taken out of its queue while it was gated, it stays suspended with nobody else to start it.
  if (gated && suspended && !meta.annotation(names::k_held) && meta.annotation(names::k_start_by)) return Hold::suspend;
  const auto held = meta.annotation(names::k_held);
  if (!suspended || !held) return Hold::none;
  if (*held == "suspend") return Hold::suspend;
  return *held == "queue" && !queued ? Hold::queue : Hold::none;
}

std::optional<std::vector<Action>> steps_to_queue(const Resource& resource, const ObjectMeta& meta,
                                                  const Workload* workload, const Decision& decision) {
  if (decision.queue.empty()) return {};
  if (meta.label(names::k_queue) != decision.queue) {
    return std::vector{merge_patch(resource, meta, {{"labels", {{names::k_queue, decision.queue}}}})};
  }
  if (workload != nullptr && workload->queue != decision.queue) return std::vector<Action>{};
  return {};
}

std::vector<Action> reconcile(const Job& job, const Workload* workload, const Decision& decision, Starter starter) {
  const bool over = job.phase == JobPhase::finished || job.phase == JobPhase::failed;
  if (over || job.meta.deleted_at || care_of(job.meta) != Care::ours) return {};
  const Hold hold = hold_of(job);
  if (hold == Hold::none) {
    // Held by nothing, and not by our release: its owner has started it.
    const bool was_held = remembered(job.meta).start_by.has_value();
    return was_held && !job.suspended ? record_start_by_others(k_jobs, job.meta, decision) : std::vector<Action>{};
  }
  if (!decision.released) return tell_waiting(k_jobs, job.meta, decision);
  if (hold == Hold::gate) {
    if (auto steps = steps_to_queue(k_jobs, job.meta, workload, decision)) return *std::move(steps);
  }
  return {release(job, hold, decision, starter)};
}

}  // namespace valle::k8s
