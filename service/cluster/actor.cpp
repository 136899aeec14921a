// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/actor.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "k8s/reconcile/second_wait.hpp"
#include "service/app/best_slot.hpp"
#include "service/app/job_terms.hpp"
#include "service/cluster/decision_of.hpp"
#include "service/cluster/job_reading.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

using app::Job;
using app::JobState;
using scheduler::Duration;
using scheduler::Instant;
namespace log = runtime::log;
namespace names = k8s::names;

/// Patches in flight. On a busy API server each takes a fifth of a second; how many there are in a second is limited by
/// the client.
constexpr std::size_t k_threads = 20;
constexpr std::chrono::seconds k_call_time{10};

/// The job's run as a question for the best slot, without a window.
std::optional<app::BestSlotRequest> question_of(const Job& job, std::span<const runtime::SiteConfig> sites,
                                                const std::string& site, Duration longest_wait) {
  const auto terms = app::terms_of(job.request, sites, job.submitted_at, longest_wait);
  const auto found = std::find_if(sites.begin(), sites.end(), [&](const auto& each) { return each.name == site; });
  if (!terms || found == sites.end()) return {};
  app::BestSlotRequest question{.duration = terms->modes.front().duration};
  question.zones = {found->zone};
  question.home = found->zone;
  question.power = terms->modes.front().power;
  return question;
}

}  // namespace

Actor::Actor(const Services& services, Parts parts)
    : services_{services},
      parts_{std::move(parts)},
      writes_{services_.metrics.counter("valle_kubernetes_writes_total", "Patches of objects by outcome", {"outcome"})},
      lateness_{services_.cycle.release_lateness()} {}

Actor::~Actor() { stop(); }

void Actor::start() {
  for (std::size_t i = 0; i < k_threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

void Actor::stop() {
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

void Actor::forget(const std::string& uid) {
  const std::scoped_lock lock{mutex_};
  written_version_.erase(uid);
}

void Actor::run(const std::stop_token& stop) {
  while (const auto key = queue_.take(stop)) {
    bool settled = false;
    try {
      settled = act(*key);
    } catch (const std::exception& thrown) {
      log::error("act_failed", {{"job", *key}, {"what", thrown.what()}});
    }
    if (settled) {
      queue_.forget(*key);
    } else {
      queue_.add_later(*key);
    }
    queue_.done(*key);
  }
}

bool Actor::act(const std::string& key) {
  if (!parts_.leading()) return true;
  const auto object = parts_.objects.find(key);
  const auto job = parts_.board.by_key(key);
  if (!object || !job || job->id != object->meta.uid) return true;
  {
    const std::scoped_lock lock{mutex_};
    const auto written = written_version_.find(job->id);
    if (written != written_version_.end()) {
      // What we wrote is on its way; its arrival brings us here again.
      if (k8s::is_later(written->second, object->meta.resource_version)) return true;
      written_version_.erase(written);
    }
  }
  auto actions = parts_.objects.wanted(key, decide(*job, *object));
  if (actions.empty() && job->state != JobState::waiting) actions = second_wait(key, *job);
  return std::all_of(actions.begin(), actions.end(),
                     [&](const k8s::Action& action) { return perform(*object, *job, action); });
}

k8s::Decision Actor::decide(const Job& job, const HeldObject& object) const {
  const auto sites = services_.places.sites(*services_.book.get());
  k8s::Decision decision = decision_of(job, sites);
  decision.epoch = parts_.epoch();
  // A release is what the API server is told, not what was decided: behind a thousand others that is later.
  if (decision.released_at) decision.released_at = std::max(*decision.released_at, services_.clock.now());
  if (!decision.planned) return decision;
  // The baseline belongs to the submission: once told, it stands.
  if (const auto told = object.meta.annotation(names::k_baseline_grams)) {
    const double grams = std::strtod(told->c_str(), nullptr);
    if (grams >= 0 && grams < 1e12) decision.baseline = scheduler::Emissions::of_base(std::llround(grams * 1000));
    return decision;
  }
  const auto terms = app::terms_of(job.request, sites, job.submitted_at, services_.config.planning.max_wait);
  if (!terms) return decision;
  auto at_once = question_of(job, sites, sites[terms->home_site].name, services_.config.planning.max_wait);
  if (!at_once) return decision;
  at_once->earliest_start = job.submitted_at;
  at_once->max_wait = Duration{0};
  const auto answer = app::best_slot(*at_once, *services_.book.get(), services_.places, services_.clock.now());
  if (answer && answer->run_now) decision.baseline = answer->run_now->slot.emissions;
  return decision;
}

std::vector<k8s::Action> Actor::second_wait(const std::string& key, const Job& job) {
  const auto workload = parts_.objects.workload_of(job.id);
  if (!workload || !job.slot) return {};
  const Instant now = services_.clock.now();
  k8s::SecondWait wish{.start_by = job.start_by, .site = job.slot->site};
  if (const auto agreed = k8s::waits_again_until(*workload)) {
    wish.until = *agreed;
  } else if (workload->evicted && !workload->quota_reserved && now < job.start_by) {
    const auto sites = services_.places.sites(*services_.book.get());
    // Its pods are pinned to their region already; only time is left to choose.
    auto question = question_of(job, sites, job.slot->site, services_.config.planning.max_wait);
    if (!question) return {};
    question->latest_start = job.start_by;
    const auto answer = app::best_slot(*question, *services_.book.get(), services_.places, now);
    // Less than a slot is not worth taking it out of Kueue's hands.
    const bool later = answer && answer->best.slot.interval.begin >= now + services_.config.planning.slot;
    if (later) wish.until = answer->best.slot.interval.begin;
  }
  // Where now is as good as any later start, it may still be Kueue that has no room until that is over: look again
  // then.
  const Duration slot = services_.config.planning.slot;
  const bool pending = workload->evicted && !workload->quota_reserved && now < job.start_by;
  const Instant next_slot{(now.time_since_epoch() / slot + 1) * slot};
  const Instant look_again = wish.until.value_or(pending ? next_slot : now);
  if (look_again > now) {
    services_.timers.at(look_again, [this, key] { queue_.add(key, true); });
  }
  return k8s::reconcile(*workload, wish, now);
}

bool Actor::perform(const HeldObject& object, const Job& job, const k8s::Action& action) {
  auto& client = *services_.link.objects;
  const auto done = client.patch(
      {.resource = action.resource, .space = action.space, .name = action.name, .subresource = action.subresource},
      {.type = action.kind, .body = action.body, .conflicts = k8s::Patch::Conflicts::force},
      {.deadline = client.clock().now() + k_call_time});
  if (done) {
    writes_.with({"done"}).add();
    const auto meta = k8s::meta_of(done->object);
    if (meta.uid == job.id) {
      const std::scoped_lock lock{mutex_};
      written_version_[job.id] = meta.resource_version;
    }
    if (action.releases && job.reason == k_asked_to_run_now) {
      parts_.events.write(object, {k8s::EventReason::run_now, false, "released: " + job.reason});
    } else {
      for (const auto& event : action.events) parts_.events.write(object, event);
    }
    if (action.releases) {
      const Instant due = job.slot ? std::min(job.slot->start(), job.start_by) : job.start_by;
      const auto late = std::max<std::int64_t>(0, (services_.clock.now() - due).count());
      lateness_.with({}).observe(static_cast<double>(late));
      log::info("object_released", {{"job", object.key()}, {"late", late}});
    }
    return true;
  }
  const k8s::ApiError& error = done.error();
  writes_.with({k8s::name_of(error.kind)}).add();
  // It has gone: whoever watches has been told.
  if (error.kind == k8s::ApiError::Kind::not_found) return true;
  // Another version of it is on its way to us: the next look decides anew.
  if (error.kind != k8s::ApiError::Kind::conflict) {
    log::warning("write_failed",
                 {{"job", object.key()}, {"releases", action.releases}, {"detail", k8s::text_of(error)}});
  }
  return false;
}

}  // namespace valle::service::cluster
