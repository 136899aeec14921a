// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/job_hold.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "k8s/annotations/carbon_request.hpp"
#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"

namespace valle::k8s {
namespace {

using scheduler::Instant;

std::vector<std::string> split(const std::string& gates) {
  std::vector<std::string> list;
  std::size_t from = 0;
  while (from <= gates.size()) {
    const auto comma = std::min(gates.find(',', from), gates.size());
    std::string name = gates.substr(from, comma - from);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (!name.empty()) list.push_back(std::move(name));
    from = comma + 1;
  }
  return list;
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& each : list) text += (text.empty() ? "" : ",") + each;
  return text;
}

std::optional<Instant> instant_annotation(const ObjectMeta& meta, const std::string& name) {
  const auto text = meta.annotation(name);
  const auto instant = text ? scheduler::parse_instant(*text) : scheduler::refuse(scheduler::Errc::not_found, "");
  return instant ? std::optional{*instant} : std::nullopt;
}

/// Grams with three decimals, without a trip through floating point.
std::string grams_text(scheduler::Emissions emissions) {
  const auto milligrams = emissions.base();
  std::string decimals = std::to_string(1'000 + milligrams % 1'000).substr(1);
  return std::to_string(milligrams / 1'000) + "." + decimals;
}

/// The annotations that tell people what is planned.
Json told(const Decision& decision) {
  Json annotations{{names::k_start_by, scheduler::format_instant(decision.start_by)},
                   {names::k_reason, decision.reason}};
  const auto set = [&annotations](const std::string& name, std::optional<std::string> text) {
    annotations[name] = text ? Json(*std::move(text)) : Json(nullptr);
  };
  const bool placed = decision.planned_start.has_value();
  set(names::k_planned_start,
      placed ? std::optional{scheduler::format_instant(*decision.planned_start)} : std::nullopt);
  const std::string& place = decision.region.empty() ? decision.site : decision.region;
  set(names::k_planned_region, placed && !place.empty() ? std::optional{place} : std::nullopt);
  set(names::k_planned_grams, decision.planned ? std::optional{grams_text(*decision.planned)} : std::nullopt);
  set(names::k_baseline_grams, decision.baseline ? std::optional{grams_text(*decision.baseline)} : std::nullopt);
  return annotations;
}

/// Of wanted annotations those that the object has not yet (or still has).
Json missing(const Json& wanted, const ObjectMeta& meta) {
  Json rest = Json::object();
  for (const auto& [name, value] : wanted.items()) {
    const auto there = meta.annotation(name);
    if (value.is_null() ? there.has_value() : there != value.get<std::string>()) rest[name] = value;
  }
  return rest;
}

std::string saving_text(const Decision& decision) {
  if (!decision.planned || !decision.baseline || decision.baseline->base() <= 0) return {};
  const auto saved = decision.baseline->base() - decision.planned->base();
  const auto percent = scheduler::divide_rounded(scheduler::Wide{saved} * 100, decision.baseline->base());
  if (saved <= 0) return {};
  return "; saves " + std::to_string(static_cast<long long>(percent)) + " % against a run at once";
}

std::string planned_text(const Decision& decision) {
  return "planned at " + scheduler::format_instant(*decision.planned_start) +
         (decision.site.empty() ? "" : " in " + decision.site) + saving_text(decision);
}

std::vector<JobEvent> events_of_waiting(const Job& job, const Decision& decision) {
  std::vector<JobEvent> events;
  const auto before = remembered(job.meta);
  if (!before.start_by) {
    events.push_back({EventReason::held, false,
                      "waits for clean hours and starts by " + scheduler::format_instant(decision.start_by)});
  }
  if (decision.planned_start && decision.planned_start != before.planned_start) {
    const bool first = !before.planned_start;
    events.push_back({first ? EventReason::planned : EventReason::replanned, false, planned_text(decision)});
  }
  return events;
}

JobEvent event_of_release(const Decision& decision) {
  if (decision.warning) return {EventReason::deadline, true, "released: " + *decision.warning};
  return {EventReason::released, false,
          "released" + (decision.site.empty() ? std::string{} : " in " + decision.site) + saving_text(decision)};
}

/// The node selector and the toleration of a region, beside what the template has.
Json pinned_template(const Job& job, const std::string& region) {
  Json tolerations = job.pods.tolerations;
  const Json ours{
      {"key", names::k_region_toleration}, {"operator", "Equal"}, {"value", region}, {"effect", "NoSchedule"}};
  std::erase_if(tolerations.get_ref<Json::array_t&>(),
                [](const Json& each) { return text_member(each, "key") == names::k_region_toleration; });
  tolerations.push_back(ours);
  return {{"spec", {{"nodeSelector", {{names::k_region_label, region}}}, {"tolerations", tolerations}}}};
}

Action action_on(const Job& job, Json body) {
  return {.resource = resources::k_jobs, .space = job.meta.space, .name = job.meta.name, .body = std::move(body)};
}

Action release(const Job& job, Hold hold, const Decision& decision) {
  Json annotations = told(decision);
  annotations[names::k_released_at] = scheduler::format_instant(decision.released_at.value_or(decision.start_by));
  const auto gates = job.meta.annotation(names::k_gated_by);
  if (gates) {
    const std::string others = without_our_gate(*gates);
    annotations[names::k_gated_by] = others.empty() ? Json(nullptr) : Json(others);
  }
  Json spec = Json::object();
  if (hold == Hold::suspend) {
    spec["suspend"] = false;
    annotations[names::k_held] = nullptr;
  }
  if (!decision.region.empty()) spec["template"] = pinned_template(job, decision.region);
  Json body{
      {"metadata", {{"resourceVersion", job.meta.resource_version}, {"annotations", missing(annotations, job.meta)}}}};
  if (!spec.empty()) body["spec"] = std::move(spec);
  Action action = action_on(job, std::move(body));
  action.events.push_back(event_of_release(decision));
  action.releases = true;
  return action;
}

Action move_to_queue(const Job& job, const std::string& queue) {
  return action_on(
      job, {{"metadata", {{"resourceVersion", job.meta.resource_version}, {"labels", {{names::k_queue, queue}}}}}});
}

}  // namespace

std::string_view to_text(EventReason reason) {
  switch (reason) {
    case EventReason::held: return "CarbonHeld";
    case EventReason::planned: return "CarbonPlanned";
    case EventReason::replanned: return "CarbonReplanned";
    case EventReason::released: return "CarbonReleased";
    case EventReason::deadline: return "CarbonDeadline";
    case EventReason::run_now: return "CarbonRunNow";
    case EventReason::invalid: return "CarbonInvalid";
    case EventReason::unsuspended: return "CarbonUnsuspended";
    case EventReason::redeferred: return "CarbonRedeferred";
    case EventReason::late: return "CarbonLate";
  }
  return "Carbon";
}

Care care_of(const ObjectMeta& meta) {
  if (!claims_carbon_aware(meta)) return Care::not_asked;
  if (meta.label(names::k_multikueue_origin)) return Care::remote_copy;
  if (meta.label(names::k_prebuilt)) return Care::prebuilt;
  if (meta.annotation(names::k_elastic) == "true" || meta.label(names::k_elastic) == "true") return Care::elastic;
  // A CronJob is never held itself; whatever else makes Jobs is.
  const auto* owner = meta.controller();
  return owner != nullptr && owner->kind != "CronJob" ? Care::child : Care::ours;
}

Hold hold_of(const Job& job) {
  const auto gates = split(job.meta.annotation(names::k_gated_by).value_or(""));
  const bool gated = std::find(gates.begin(), gates.end(), names::k_gate) != gates.end();
  const bool queued = job.meta.label(names::k_queue).has_value();
  // Without a queue Kueue does not look at the gate.
  if (gated && queued) return Hold::gate;
  return job.suspended && job.meta.annotation(names::k_held) == "suspend" ? Hold::suspend : Hold::none;
}

std::string without_our_gate(const std::string& gates) {
  auto list = split(gates);
  std::erase(list, names::k_gate);
  return joined(list);
}

std::string with_our_gate(const std::string& gates) {
  auto list = split(gates);
  if (std::find(list.begin(), list.end(), names::k_gate) == list.end()) list.push_back(names::k_gate);
  return joined(list);
}

Remembered remembered(const ObjectMeta& meta) {
  return {.start_by = instant_annotation(meta, names::k_start_by),
          .planned_start = instant_annotation(meta, names::k_planned_start),
          .released_at = instant_annotation(meta, names::k_released_at),
          .planned_region = meta.annotation(names::k_planned_region).value_or("")};
}

std::vector<Action> reconcile(const Job& job, const Workload* workload, const Decision& decision) {
  const bool over = job.phase == JobPhase::finished || job.phase == JobPhase::failed;
  if (over || job.meta.deleted_at || care_of(job.meta) != Care::ours) return {};
  const Hold hold = hold_of(job);
  if (hold == Hold::none) return {};
  if (decision.released) {
    if (hold == Hold::gate && !decision.queue.empty()) {
      if (job.meta.label(names::k_queue) != decision.queue) return {move_to_queue(job, decision.queue)};
      // The gate must not go before the Workload is in the new queue, or it may be admitted in the old one.
      if (workload != nullptr && workload->queue != decision.queue) return {};
    }
    return {release(job, hold, decision)};
  }
  const Json annotations = missing(told(decision), job.meta);
  if (annotations.empty()) return {};
  Action action = action_on(job, {{"metadata", {{"annotations", annotations}}}});
  action.events = events_of_waiting(job, decision);
  return {action};
}

}  // namespace valle::k8s
