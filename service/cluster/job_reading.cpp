// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/job_reading.hpp"

#include <algorithm>
#include <utility>

#include "k8s/annotations/carbon_request.hpp"
#include "k8s/api/names.hpp"
#include "k8s/reconcile/job_hold.hpp"
#include "service/app/job_changes.hpp"
#include "service/app/job_terms.hpp"
#include "service/app/places.hpp"
#include "service/app/plan_decision.hpp"
#include "service/app/plan_outcome.hpp"

namespace valle::service::cluster {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;
namespace names = k8s::names;

tl::unexpected<scheduler::Error> unknown_region(const std::string& annotation, const std::string& region,
                                                std::span<const runtime::SiteConfig> sites) {
  std::string known;
  for (const auto& site : sites) known += (known.empty() ? "" : ", ") + (site.region.empty() ? site.name : site.region);
  return refuse(Errc::unknown_site, annotation + ": no site is in region " + region + "; there are " + known,
                annotation);
}

Result<void> place(const HeldObject& object, const k8s::CarbonRequest& request,
                   std::span<const runtime::SiteConfig> sites, app::JobRequest& planned) {
  std::vector<std::string> regions = request.regions;
  // Who pins a job to a region himself means it.
  for (const auto& set : object.pods) {
    const auto pinned = set.pods.node_selector.find(names::k_region_label);
    if (pinned == set.pods.node_selector.end()) continue;
    const auto site = site_of_region(pinned->second, sites);
    if (!site) return unknown_region("nodeSelector " + names::k_region_label, pinned->second, sites);
    const bool allowed = regions.empty() || std::any_of(regions.begin(), regions.end(), [&](const auto& region) {
                           return site_of_region(region, sites) == site;
                         });
    if (!allowed) {
      return refuse(Errc::invalid_request,
                    "the pods' nodeSelector asks for region " + pinned->second + ", which " + names::k_regions +
                        " does not allow",
                    names::k_regions);
    }
    regions = {pinned->second};
  }
  std::vector<std::string> allowed;
  for (const auto& region : regions) {
    auto site = site_of_region(region, sites);
    if (!site) return unknown_region(names::k_regions, region, sites);
    if (std::find(allowed.begin(), allowed.end(), *site) == allowed.end()) allowed.push_back(*std::move(site));
  }
  if (!allowed.empty()) planned.sites = std::move(allowed);
  if (request.home_region) {
    auto home = site_of_region(*request.home_region, sites);
    if (!home) return unknown_region(names::k_home_region, *request.home_region, sites);
    planned.home_site = *std::move(home);
  }
  return {};
}

/// What no plan could hold: the whole cluster's planning must not stumble over one job.
Result<void> within_limits(const app::JobRequest& request) {
  using Limits = scheduler::ProblemLimits;
  if (request.duration > Limits::k_duration) {
    return refuse(Errc::invalid_request, names::k_expected_duration + ": a job runs for at most 366 days",
                  names::k_expected_duration);
  }
  if (request.energy && (request.energy->base() <= 0 || *request.energy > Limits::k_energy)) {
    return refuse(Errc::invalid_request, names::k_energy_kwh + " must lie between 0.000001 and 1e9",
                  names::k_energy_kwh);
  }
  const auto power = request.power.value_or(scheduler::Power::of_base(scheduler::narrow(scheduler::divide_rounded(
      scheduler::Wide{request.energy.value_or(scheduler::Energy{}).base()} * 3600, request.duration->count()))));
  if (power.base() <= 0 || power > Limits::k_power) {
    return refuse(Errc::invalid_request,
                  "its power must lie between 0.001 W and 1e9 W; it follows from " + names::k_power_watts + ", " +
                      names::k_energy_kwh + " or the pods' requests",
                  names::k_power_watts);
  }
  for (const auto& each : *request.demand) {
    if (each.amount <= Limits::k_amount) continue;
    return refuse(Errc::invalid_request, "all pods together ask for more than 1e12 of " + each.resource, each.resource);
  }
  return {};
}

/// The latest start as promised, and the one that the plan keeps to so that pods, too, start by then.
void set_deadline(app::Job& job, Instant promised, const ReadingRules& rules) {
  job.object->start_by = promised;
  const Duration room = std::max(Duration{0}, promised - job.submitted_at);
  job.request.latest_start = promised - std::min(rules.admission_allowance, room / 4);
}

void set_terms(app::Job& job, std::span<const runtime::SiteConfig> sites, const ReadingRules& rules) {
  const auto terms = app::terms_of(job.request, sites, job.submitted_at, rules.longest_wait);
  if (!terms) return;
  job.earliest_start = terms->earliest_start;
  job.finish_by = terms->finish_by;
  job.start_by = std::max(terms->start_by, terms->earliest_start);
}

/// Released as the object shows it.
app::Job taken_off(app::Job job, std::span<const runtime::SiteConfig> sites, Instant at) {
  // What is started before its time is started without a plan.
  const bool as_planned = job.slot && job.slot->start() <= at;
  const app::JobSlot slot = as_planned ? *job.slot : app::unplanned_slot(job, sites, at);
  return app::released(job, slot, at).value_or(job);
}

Instant promised_by(const HeldObject& object, const k8s::CarbonRequest& request, Duration duration, Instant created,
                    const ReadingRules& rules) {
  const Instant asked = k8s::latest_start(request, created, duration, rules.finish_margin, rules.longest_wait);
  const auto fixed = k8s::remembered(object.meta).start_by;
  return fixed ? std::min(asked, *fixed) : asked;
}

/// Other regions than before; ones that no site has change nothing.
void take_places(app::Job& job, const HeldObject& object, const k8s::CarbonRequest& request,
                 std::span<const runtime::SiteConfig> sites) {
  app::JobRequest wanted;
  if (!place(object, request, sites, wanted)) return;
  if (wanted.sites == job.request.sites && wanted.home_site == job.request.home_site) return;
  job.request.sites = wanted.sites;
  job.request.home_site = wanted.home_site;
  const auto& allowed = job.request.sites;
  if (job.slot && allowed && std::find(allowed->begin(), allowed->end(), job.slot->site) == allowed->end()) {
    job.slot.reset();
    job.reason = "waiting for a plan after its regions have changed";
  }
}

void take_changes(app::Job& job, const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                  const ReadingRules& rules, Instant now) {
  const auto request = k8s::carbon_request(object.meta);
  if (!request) return;
  if (!request->aware || request->run_now) {
    job.reason = request->aware ? k_asked_to_run_now : "its owner no longer lets it wait";
    job = taken_off(std::move(job), sites, now);
    return;
  }
  take_places(job, object, *request, sites);
  const Duration duration = job.request.duration.value_or(rules.default_duration);
  const Instant promised = promised_by(object, *request, duration, job.submitted_at, rules);
  if (promised >= job.object->start_by) return;
  set_deadline(job, promised, rules);
  set_terms(job, sites, rules);
  if (job.slot && job.slot->start() > job.start_by) job.slot.reset();
}

}  // namespace

std::optional<std::string> site_of_region(const std::string& region, std::span<const runtime::SiteConfig> sites) {
  const std::string wanted = app::lower_case(region);
  for (const auto& site : sites) {
    const bool same = wanted == app::lower_case(site.region) || wanted == app::lower_case(site.zone.name()) ||
                      wanted == app::lower_case(site.name);
    if (same) return site.name;
  }
  return {};
}

std::string owner_of(const k8s::ObjectMeta& meta, const std::string& by) {
  constexpr std::string_view k_label = "label:";
  if (by == "queue") {
    const auto queue = meta.label(names::k_queue);
    return queue ? *queue : meta.annotation(names::k_held_queue).value_or("");
  }
  if (by.starts_with(k_label)) return meta.label(by.substr(k_label.size())).value_or("");
  return meta.space;
}

Result<app::Job> read_job(const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                          const ReadingRules& rules) {
  const auto request = k8s::carbon_request(object.meta);
  if (!request) return tl::unexpected{request.error()};
  if (!object.meta.created_at) {
    return refuse(Errc::invalid_request, "has no creation time yet", "/metadata/creationTimestamp");
  }
  const auto learned = rules.learned ? rules.learned(k8s::signature_of(object.pods)) : std::nullopt;
  const auto run =
      k8s::expected_duration(*request, object.meta, learned, object.active_deadline, rules.default_duration);
  app::Job planned{.id = object.meta.uid, .request = {}, .submitted_at = *object.meta.created_at};
  planned.request.owner = owner_of(object.meta, rules.owner_by);
  planned.request.duration = run.duration;
  planned.request.demand = k8s::demand_of(object.pods);
  const auto power = k8s::expected_power(*request, learned, *planned.request.demand, k8s::board_model_of(object.pods));
  planned.request.energy = power.energy;
  planned.request.power = power.power;
  if (auto sane = within_limits(planned.request); !sane) return tl::unexpected{sane.error()};
  if (auto placed = place(object, *request, sites, planned.request); !placed) return tl::unexpected{placed.error()};
  planned.object = app::ClusterObject{.kind = object.kind, .space = object.meta.space, .name = object.meta.name};
  set_deadline(planned, promised_by(object, *request, run.duration, planned.submitted_at, rules), rules);
  set_terms(planned, sites, rules);
  planned.reason = "waiting for its first plan; taken to run " + scheduler::format_duration(run.duration) + " by " +
                   run.from + ", its energy by " + power.from;
  return planned;
}

app::Job advanced(app::Job stored, const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                  const ReadingRules& rules, Instant now) {
  app::Job job = std::move(stored);
  if (!app::is_active(job.state)) return job;
  const auto earlier = k8s::remembered(object.meta);
  if (job.state == app::JobState::waiting) {
    take_changes(job, object, sites, rules, now);
    if (job.state == app::JobState::waiting && !object.held) {
      if (!earlier.released_at) job.reason = k_started_elsewhere;
      job = taken_off(std::move(job), sites, earlier.released_at.value_or(now));
    }
  }
  const bool over = object.over();
  const bool runs = object.started_at && !object.suspended && (object.pods_run || over);
  if (job.state == app::JobState::released && runs) {
    const Instant at = std::clamp(*object.started_at, std::min(job.submitted_at, now), now);
    // The object was let go a little after that was decided.
    if (earlier.released_at) job.released_at = std::max(*job.released_at, std::min(*earlier.released_at, at));
    job = app::started(job, at, now).value_or(job);
  }
  if (job.state == app::JobState::running && over) {
    const auto ending = object.phase == k8s::JobPhase::finished ? app::Ending::finished : app::Ending::failed;
    const Instant at = std::clamp(object.finished_at.value_or(now), std::min(*job.started_at, now), now);
    job = app::finished(job, {.at = at, .ending = ending}, now).value_or(job);
  } else if (over) {
    // It never ran, e.g. because its deadline passed while it was suspended.
    job = app::cancelled(job, now).value_or(job);
  }
  return job;
}

app::Job vanished(app::Job stored, Instant now) {
  if (!app::is_active(stored.state)) return stored;
  app::Job job = app::cancelled(stored, now).value_or(stored);
  job.reason = "its object was deleted";
  return job;
}

}  // namespace valle::service::cluster
