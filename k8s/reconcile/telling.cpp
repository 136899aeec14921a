// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/telling.hpp"

#include <algorithm>
#include <utility>

#include "k8s/api/names.hpp"

namespace valle::k8s {
namespace {

using scheduler::Instant;

constexpr std::size_t k_longest_note = 1'024;

std::optional<Instant> instant_annotation(const ObjectMeta& meta, const std::string& name) {
  const auto text = meta.annotation(name);
  if (!text) return {};
  const auto instant = scheduler::parse_instant(*text);
  return instant ? std::optional{*instant} : std::nullopt;
}

/// Grams with three decimals, without a trip through floating point.
std::string grams_text(scheduler::Emissions emissions) {
  const auto milligrams = emissions.base();
  std::string decimals = std::to_string(1'000 + milligrams % 1'000).substr(1);
  return std::to_string(milligrams / 1'000) + "." + decimals;
}

/// The annotations that tell people what is planned.
Json told(const ObjectMeta& meta, const Decision& decision) {
  const Instant start_by = std::min(decision.start_by, remembered(meta).start_by.value_or(decision.start_by));
  Json annotations{{names::k_start_by, scheduler::format_instant(start_by)}, {names::k_reason, decision.reason}};
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
Json not_yet(const Json& wanted, const ObjectMeta& meta) {
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
  if (saved <= 0) return {};
  const auto percent = scheduler::divide_rounded(scheduler::Wide{saved} * 100, decision.baseline->base());
  return "; saves " + std::to_string(static_cast<long long>(percent)) + " % against a run at once";
}

std::string planned_text(const Decision& decision) {
  return "planned at " + scheduler::format_instant(*decision.planned_start) +
         (decision.site.empty() ? "" : " in " + decision.site) + saving_text(decision);
}

bool asks_to_run_now(const ObjectMeta& meta) { return meta.annotation(names::k_run_now) == "true"; }

JobEvent event(EventReason reason, bool warning, std::string note) {
  return {reason, warning, cut_text(std::move(note), k_longest_note)};
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
    case EventReason::evicted: return "CarbonEvicted";
    case EventReason::no_queue: return "CarbonNoQueue";
    case EventReason::late: return "CarbonLate";
  }
  return "Carbon";
}

Remembered remembered(const ObjectMeta& meta) {
  return {.start_by = instant_annotation(meta, names::k_start_by),
          .planned_start = instant_annotation(meta, names::k_planned_start),
          .released_at = instant_annotation(meta, names::k_released_at),
          .planned_region = meta.annotation(names::k_planned_region).value_or("")};
}

Json annotations_of_waiting(const ObjectMeta& meta, const Decision& decision) {
  return not_yet(told(meta, decision), meta);
}

Json annotations_of_release(const ObjectMeta& meta, const Decision& decision) {
  Json annotations = told(meta, decision);
  const Instant at = remembered(meta).released_at.value_or(decision.released_at.value_or(decision.start_by));
  annotations[names::k_released_at] = scheduler::format_instant(at);
  return not_yet(annotations, meta);
}

std::vector<JobEvent> events_of_waiting(const ObjectMeta& meta, const Decision& decision) {
  std::vector<JobEvent> events;
  const auto before = remembered(meta);
  if (!before.start_by) {
    events.push_back(event(EventReason::held, false,
                           "waits for clean hours and starts by " + scheduler::format_instant(decision.start_by)));
  }
  if (decision.planned_start && decision.planned_start != before.planned_start) {
    const auto reason = before.planned_start ? EventReason::replanned : EventReason::planned;
    events.push_back(event(reason, false, planned_text(decision)));
  }
  return events;
}

JobEvent event_of_release(const ObjectMeta& meta, const Decision& decision) {
  if (asks_to_run_now(meta)) {
    return event(EventReason::run_now, false, "released: its owner asked for it by " + names::k_run_now);
  }
  if (decision.warning) return event(EventReason::deadline, true, "released: " + *decision.warning);
  return event(EventReason::released, false,
               "released" + (decision.site.empty() ? std::string{} : " in " + decision.site) + saving_text(decision));
}

Action merge_patch(const Resource& resource, const ObjectMeta& meta, Json metadata, Json spec) {
  metadata["resourceVersion"] = meta.resource_version;
  Json body{{"metadata", std::move(metadata)}};
  if (!spec.empty()) body["spec"] = std::move(spec);
  return {.resource = resource, .space = meta.space, .name = meta.name, .body = std::move(body)};
}

std::vector<Action> tell_waiting(const Resource& resource, const ObjectMeta& meta, const Decision& decision) {
  const Json annotations = annotations_of_waiting(meta, decision);
  if (annotations.empty()) return {};
  Action action = merge_patch(resource, meta, {{"annotations", annotations}});
  action.events = events_of_waiting(meta, decision);
  return {action};
}

std::vector<Action> record_start_by_others(const Resource& resource, const ObjectMeta& meta, const Decision& decision) {
  if (remembered(meta).released_at || !decision.released) return {};
  return {merge_patch(resource, meta, {{"annotations", annotations_of_release(meta, decision)}})};
}

Json pinned_tolerations(Json tolerations, const std::string& region) {
  if (!tolerations.is_array()) tolerations = Json::array();
  const Json ours{
      {"key", names::k_region_toleration}, {"operator", "Equal"}, {"value", region}, {"effect", "NoSchedule"}};
  std::erase_if(tolerations.get_ref<Json::array_t&>(),
                [](const Json& each) { return text_member(each, "key") == names::k_region_toleration; });
  tolerations.push_back(ours);
  return tolerations;
}

std::string pin_of(const std::map<std::string, std::string>& node_selector, const Decision& decision) {
  const auto own = node_selector.find(names::k_region_label);
  return own == node_selector.end() || own->second == decision.region ? decision.region : std::string{};
}

}  // namespace valle::k8s
