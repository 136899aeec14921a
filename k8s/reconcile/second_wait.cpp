// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/second_wait.hpp"

#include <algorithm>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "k8s/reconcile/telling.hpp"

namespace valle::k8s {
namespace {

using resources::k_workloads;
using scheduler::Instant;

constexpr const char* k_kueue_version = "kueue.x-k8s.io/v1beta2";

Action change(const Workload& workload, Json mark, Json spec) {
  return merge_patch(k_workloads, workload.meta, {{"annotations", {{names::k_waits_again, std::move(mark)}}}},
                     std::move(spec));
}

Action deactivate(const Workload& workload, Instant until, const SecondWait& wish) {
  Action action = change(workload, scheduler::format_instant(until), {{"active", false}});
  action.events.push_back({EventReason::redeferred, false,
                           "evicted (" + workload.eviction_reason + "); waits again until " +
                               scheduler::format_instant(until) + (wish.site.empty() ? "" : " for " + wish.site) +
                               ", at most until " + scheduler::format_instant(wish.start_by)});
  return action;
}

Action reactivate(const Workload& workload) {
  Action action = change(workload, nullptr, {{"active", true}});
  action.events.push_back({EventReason::released, false, "its second wait is over"});
  action.releases = true;
  return action;
}

Json conditions_of(const std::string& type, const char* reason, std::string message, Instant now) {
  return Json::array({{{"type", type},
                       {"status", "True"},
                       {"reason", reason},
                       {"message", std::move(message)},
                       {"lastTransitionTime", scheduler::format_instant(now)}}});
}

Action apply_status(const Resource& resource, const char* kind, const ObjectMeta& meta, Json status) {
  Json metadata{{"name", meta.name}, {"resourceVersion", meta.resource_version}};
  if (!meta.space.empty()) metadata["namespace"] = meta.space;
  return {.resource = resource,
          .space = meta.space,
          .name = meta.name,
          .kind = Patch::Type::apply,
          .body = {{"apiVersion", k_kueue_version}, {"kind", kind}, {"metadata", metadata}, {"status", status}},
          .subresource = "status"};
}

}  // namespace

std::optional<Instant> waits_again_until(const Workload& workload) {
  const auto text = workload.meta.annotation(names::k_waits_again);
  if (!text) return {};
  // A mark that can't be read counts as over.
  return scheduler::parse_instant(*text).value_or(Instant{});
}

std::vector<Action> reconcile(const Workload& workload, const SecondWait& wish, Instant now) {
  if (workload.finished || workload.meta.deleted_at) return {};
  const Instant until = std::min(wish.until.value_or(now), wish.start_by);
  const auto mark = waits_again_until(workload);
  if (mark && workload.active) return {change(workload, nullptr, Json::object())};  // somebody resumed it himself
  if (mark) return now >= until ? std::vector{reactivate(workload)} : std::vector<Action>{};
  const bool lost_its_quota = workload.evicted && workload.active && !workload.admitted;
  if (!lost_its_quota || now >= until) return {};
  return {deactivate(workload, until, wish)};
}

std::vector<Action> verdict(const Workload& workload, const std::string& check, Instant now) {
  if (workload.finished || workload.evicted || !workload.quota_reserved) return {};
  const auto entry = std::find_if(workload.checks.begin(), workload.checks.end(),
                                  [&check](const CheckEntry& each) { return each.name == check; });
  if (entry == workload.checks.end() || entry->state != "Pending") return {};
  // requeueAfterSeconds stands there explicitly: what is left out may stay, as Kueue owns the entry too.
  return {apply_status(k_workloads, "Workload", workload.meta,
                       {{"admissionChecks", Json::array({{{"name", check},
                                                          {"state", "Ready"},
                                                          {"message", "may start now"},
                                                          {"requeueAfterSeconds", 0},
                                                          {"lastTransitionTime", scheduler::format_instant(now)}}})}})};
}

std::vector<Action> activate(const AdmissionCheck& check, Instant now) {
  if (check.controller != names::k_check_controller || check.active || check.meta.deleted_at) return {};
  return {apply_status(resources::k_admission_checks, "AdmissionCheck", check.meta,
                       {{"conditions", conditions_of("Active", "Active", "valle answers this check", now)}})};
}

}  // namespace valle::k8s
