// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/controller.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/reconcile/telling.hpp"
#include "service/app/job_changes.hpp"
#include "service/app/plan_outcome.hpp"
#include "service/cluster/seen_job.hpp"
#include "service/runtime/log.hpp"
#include "service/store/job_repository.hpp"

namespace valle::service::cluster {
namespace {

using app::Job;
using app::JobState;
using scheduler::Duration;
using scheduler::Instant;
namespace log = runtime::log;
namespace names = k8s::names;

constexpr std::size_t k_most_synced_together = 500;
constexpr std::size_t k_admissions_remembered = 256;
constexpr std::size_t k_least_admissions = 8;
constexpr std::int64_t k_first_allowance = 3;
constexpr std::int64_t k_longest_allowance = 300;
constexpr std::chrono::seconds k_look_for_late{5};
constexpr std::chrono::seconds k_say_again{60};

/// Wall time for texts in objects; the service's clock has whole seconds.
k8s::WallClock wall_clock(const runtime::Clock& clock) {
  return [&clock] { return k8s::WallTime{clock.now()}; };
}

void pause(int milliseconds, const std::stop_token& stop) {
  const auto clock = k8s::monotonic_clock();
  (void)clock->wait_until(clock->now() + std::chrono::milliseconds{milliseconds}, stop);
}

/// A job whose annotations can't be read (it came past the webhook): not waiting is the safe reading.
Job not_waiting(const HeldObject& object, std::span<const runtime::SiteConfig> sites, const ReadingRules& rules,
                Instant now, const std::string& why) {
  HeldObject plain = object;
  std::erase_if(plain.meta.annotations, [](const auto& each) { return each.first.starts_with("valle.sh/"); });
  for (const auto& name : names::k_carbon_deadline) plain.meta.annotations.erase(name);
  plain.meta.annotations[names::k_carbon_aware[0]] = "true";
  auto job = read_job(plain, sites, rules);
  Job fallback = job.value_or(Job{});
  if (!job) {
    fallback.id = object.meta.uid;
    fallback.submitted_at = object.meta.created_at.value_or(now);
    fallback.request.owner = owner_of(object.meta, rules.owner_by);
    fallback.request.duration = rules.default_duration;
    fallback.object = app::ClusterObject{.kind = object.kind, .space = object.meta.space, .name = object.meta.name};
  }
  fallback.object->start_by = now;
  fallback.warning = why;
  fallback.reason = "released at once: " + why;
  const auto slot = app::unplanned_slot(fallback, sites, now);
  return app::released(fallback, slot, now).value_or(fallback);
}

}  // namespace

Controller::Controller(Services services)
    : services_{std::move(services)},
      events_{services_.link.events, wall_clock(services_.clock), services_.identity},
      allowance_seconds_{k_first_allowance},
      leader_{services_.metrics.gauge("valle_leader", "1 where this replica plans and releases, else 0")},
      pod_lateness_{services_.metrics.histogram("valle_pod_start_lateness_seconds",
                                                "Start of a job's pods after its latest start; 0 where in time", {},
                                                {0, 1, 2, 5, 10, 30, 60, 300, 900, 3600})},
      objects_{services_.link,
               services_.config.kubernetes,
               {.object = [this](const std::string& key) { to_sync_.add(key); },
                .pods = [this](const std::string& key) { actor_->look(key, true); },
                .workload = [this](const std::string& uid) { workload_changed(uid); },
                .quotas = [this] { services_.cycle.request(app::PlanKind::replan); },
                .check = [this](const std::string& name) { checks_->look_at_check(name); },
                .checked = [this](const std::string& key) { checks_->look_at_workload(key); }}} {
  leader_.with({}).set(0);
  auto& silent = services_.metrics.gauge("valle_lease_silent_seconds",
                                         "For how long another's Lease has not been renewed though it has not run out: "
                                         "nobody leads. Absent where all is well");
  services_.metrics.before_text([this, &silent] {
    const auto seconds = lease_ ? lease_->silent_for() : std::nullopt;
    seconds ? silent.with({}).set(static_cast<double>(seconds->count())) : silent.with({}).clear();
  });
  actor_ = std::make_unique<Actor>(services_, Actor::Parts{.board = board_,
                                                           .objects = objects_,
                                                           .events = events_,
                                                           .leading = [this] { return leading(); },
                                                           .epoch = [this] { return lease_->epoch(); }});
  checks_ = std::make_unique<CheckAnswers>(services_, objects_, [this] { return leading(); });
  if (services_.ledger == nullptr || services_.estimates == nullptr) return;
  const auto& modes = services_.config.kubernetes.modes;
  runs_ = std::make_unique<RunLedger>(RunLedger::Services{
      .link = services_.link,
      .clock = services_.clock,
      .book = services_.book,
      .places = services_.places,
      .timers = services_.timers,
      .board = board_,
      .objects = objects_,
      .ledger = *services_.ledger,
      .estimates = *services_.estimates,
      .leading = [this] { return leading(); },
      .volcano = std::find(modes.begin(), modes.end(), runtime::KubernetesMode::volcano) != modes.end()});
}

Controller::~Controller() { stop(); }

scheduler::Result<std::unique_ptr<Controller>> Controller::make(Services services) {
  std::unique_ptr<Controller> controller{new Controller{std::move(services)}};
  const auto& parts = controller->services_;
  const auto& config = parts.config.kubernetes;
  auto lease = k8s::LeaseKeeper::make(
      parts.link.lease, wall_clock(parts.clock),
      {.space = config.lease_namespace,
       .name = config.lease_name,
       .identity = parts.identity,
       .times = {.duration = config.lease_duration,
                 .renew_deadline = config.lease_renew_deadline,
                 .retry_period = config.lease_retry},
       .seed = std::hash<std::string>{}(parts.identity)},
      [raw = controller.get()](const k8s::Leadership& leadership) { raw->leadership_changed(leadership); });
  if (!lease) return tl::unexpected{lease.error()};
  controller->lease_ = *std::move(lease);
  return controller;
}

void Controller::start() {
  objects_.start();
  lease_->start();
  actor_->start();
  if (runs_) runs_->start();
  checks_->start();
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
  // Without anything new, too: pods that are late, and the lease that may have come while lists were incomplete.
  services_.timers.every(k_look_for_late, [this] { to_sync_.add(""); });
}

void Controller::stop() {
  if (std::exchange(stopped_, true)) return;
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (runs_) runs_->stop();
  checks_->stop();
  actor_->stop();
  lease_->stop();
  objects_.stop();
}

std::optional<Job> Controller::seen(const std::string& id) const {
  const auto object = objects_.with_uid(id);
  if (!object) return {};
  return seen_job(*object, services_.places.sites(*services_.book.get()), rules(), services_.clock.now());
}

std::vector<Job> Controller::all_seen() const {
  const auto sites = services_.places.sites(*services_.book.get());
  const auto rules = this->rules();
  std::vector<Job> jobs;
  for (const auto& key : objects_.keys()) {
    const auto object = objects_.find(key);
    auto job = object ? seen_job(*object, sites, rules, services_.clock.now()) : std::nullopt;
    if (job) jobs.push_back(*std::move(job));
  }
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.sequence < b.sequence; });
  return jobs;
}

ReadingRules Controller::rules() const {
  const auto& planning = services_.config.planning;
  return {.owner_by = services_.config.report.owner,
          .default_duration = services_.config.kubernetes.default_duration,
          .longest_wait = planning.max_wait,
          .finish_margin = services_.config.kubernetes.finish_margin,
          .admission_allowance = Duration{allowance_seconds_},
          .learned = [estimates = services_.estimates](const scheduler::JobSignature& signature) {
            return estimates == nullptr ? std::nullopt : estimates->learned(signature);
          }};
}

void Controller::workload_changed(const std::string& uid) {
  // A release may be waiting for its Workload to follow into another queue, or may have lost its quota again.
  const auto job = board_.by_uid(uid);
  if (job && job->state != JobState::waiting) actor_->look(key_of(*job->object), true);
}

void Controller::leadership_changed(const k8s::Leadership& leadership) {
  if (!leadership.leading) took_over_ = false;
  leader_.with({}).set(leadership.leading ? 1 : 0);
  log::info("leadership", {{"leading", leadership.leading}, {"epoch", leadership.epoch}});
  to_sync_.add("");
}

void Controller::job_changed(const Job& job) {
  if (!job.object) return;
  board_.put(job);
  if (runs_) runs_->job_changed(job);
  if (app::is_active(job.state)) {
    actor_->look(key_of(*job.object), job.state != JobState::waiting);
    return;
  }
  // Ended jobs leave nothing behind.
  actor_->forget(job.id);
  objects_.forget(job.id);
  const std::scoped_lock lock{mutex_};
  told_late_.erase(job.id);
}

void Controller::observe(app::PlanningSnapshot& snapshot) const {
  if (!objects_.kueue_installed()) return;
  std::map<std::string, std::string> queue_of;
  for (const auto& job : snapshot.jobs) {
    if (!job.object) continue;
    if (auto queue = objects_.queue_of(key_of(*job.object))) queue_of[job.id] = *std::move(queue);
  }
  const auto left_out =
      observe_kueue(snapshot, objects_.kueue(), queue_of, services_.config.kubernetes.default_duration);
  if (left_out > 0 && !told_left_out_.exchange(true)) {
    log::warning("quotas_left_out", {{"resources", left_out},
                                     {"detail",
                                      "jobs wait in more ClusterQueues with limits of their own than one plan "
                                      "can count with; those with the fewest jobs are taken for unlimited"}});
  }
}

std::vector<std::string> Controller::queue_warnings(const std::string& space, const std::string& queue,
                                                    std::span<const scheduler::ResourceDemand> demand) const {
  std::vector<std::string> warnings;
  const auto look_at = [&](const std::string& name) {
    auto problem = objects_.queue_problem(space, name, demand);
    if (!problem.empty() && std::find(warnings.begin(), warnings.end(), problem) == warnings.end()) {
      warnings.push_back(std::move(problem));
    }
  };
  const auto& sites = services_.config.sites;
  const bool own_counts =
      sites.empty() || std::any_of(sites.begin(), sites.end(), [](const auto& site) { return site.queue.empty(); });
  if (own_counts) look_at(queue);
  for (const auto& site : sites) {
    if (!site.queue.empty()) look_at(site.queue);
  }
  return warnings;
}

void Controller::warn_of_queues(const HeldObject& object, const Job& job) {
  const auto queue = objects_.queue_of(object.key());
  if (!queue || !job.request.demand) return;
  for (const auto& warning : queue_warnings(object.meta.space, *queue, *job.request.demand)) {
    events_.write(object, {k8s::EventReason::no_queue, true, warning + ": Kueue can't admit it as things are"});
  }
}

void Controller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto keys = to_sync_.take_all(k_most_synced_together, stop);
    if (keys.empty()) continue;
    try {
      if (!lease_->leading()) say_why_not_leading();
      if (!lease_->leading() || !objects_.synced()) {
        // Asked again when the lease comes or a list is complete; everything is looked at then.
        pause(50, stop);
        if (lease_->leading()) to_sync_.add("");
        continue;
      }
      if (!took_over_ && !take_over()) {
        pause(200, stop);
        to_sync_.add("");
        continue;
      }
      sync(keys);
      // The empty key is the tick: lateness is looked for then, not with each of thousands of changes.
      if (std::find(keys.begin(), keys.end(), "") != keys.end()) look_for_late_pods();
    } catch (const std::exception& thrown) {
      log::error("sync_failed", {{"what", thrown.what()}});
    }
  }
}

/// A lease that can't be had is said now and then: without it nothing is released.
void Controller::say_why_not_leading() {
  const auto now = std::chrono::steady_clock::now();
  if (now - said_at_ < k_say_again) return;
  const auto status = lease_status();
  if (!status.problem.empty()) {
    said_at_ = now;
    log::error("nobody_leads", {{"holder", status.holder}, {"detail", status.problem}});
  } else if (!status.holder.empty() && status.holder != services_.identity) {
    said_at_ = now;
    log::info("standing_by", {{"leader", status.holder}});
  }
}

app::LeaseStatus Controller::lease_status() const {
  app::LeaseStatus status{.leading = lease_->leading(), .holder = lease_->holder()};
  const auto& config = services_.config.kubernetes;
  const std::string name = "the Lease " + config.lease_namespace + "/" + config.lease_name;
  const std::string error = lease_->last_error();
  const auto rival = lease_->rival();
  if (status.leading) return status;
  if (!error.empty()) {
    status.problem = name + " can't be had: " + error + "; see deploy/10-rbac.yaml";
  } else if (const auto silent = lease_->silent_for(); silent && rival) {
    status.problem = rival->holder + " holds " + name + " for " + std::to_string(rival->duration.count()) +
                     " s and has not renewed it for " + std::to_string(silent->count()) +
                     " s: nothing is planned or released until it runs out. If " + rival->holder +
                     " is gone, delete the Lease";
  }
  return status;
}

bool Controller::take_over() {
  auto active =
      services_.store.read_now([](store::Database& database) { return store::JobRepository{database}.active(); });
  if (!active) {
    log::error("take_over_failed", {{"detail", active.error().detail}});
    return false;
  }
  board_.clear();
  for (const auto& job : active->jobs) board_.put(job);
  std::vector<std::string> keys = objects_.keys();
  for (const auto& job : board_.all()) keys.push_back(key_of(*job->object));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (std::size_t from = 0; from < keys.size(); from += k_most_synced_together) {
    const auto to = std::min(keys.size(), from + k_most_synced_together);
    sync({keys.begin() + static_cast<std::ptrdiff_t>(from), keys.begin() + static_cast<std::ptrdiff_t>(to)});
  }
  took_over_ = true;
  services_.cycle.request(app::PlanKind::replan);
  for (const auto& key : keys) actor_->look(key);
  checks_->look_at_all();
  log::info("took_over", {{"jobs", board_.all().size()}, {"objects", keys.size()}, {"epoch", lease_->epoch()}});
  return true;
}

void Controller::sync(const std::vector<std::string>& keys) {
  const Instant now = services_.clock.now();
  const auto sites = services_.places.sites(*services_.book.get());
  const ReadingRules rules = this->rules();
  std::map<std::string, std::optional<HeldObject>> objects;  // by uid; empty: gone
  for (const auto& key : keys) {
    if (key.empty()) continue;
    const auto object = objects_.find(key);
    const auto known = board_.by_key(key);
    if (object) objects[object->meta.uid] = object;
    if (known && (!object || object->meta.uid != known->id)) objects[known->id] = std::nullopt;
  }
  std::vector<std::string> ids;
  for (const auto& [uid, object] : objects) ids.push_back(uid);
  std::vector<std::pair<HeldObject, std::string>> invalid;
  const auto step = [&](const std::string& id, const Job* stored) -> std::optional<Job> {
    const auto& object = objects[id];
    if (stored != nullptr) {
      return object ? advanced(*stored, *object, sites, rules, now) : vanished(*stored, now);
    }
    // A job that nobody has held is none of ours.
    if (!object || object->over() || (!object->held && !k8s::remembered(object->meta).released_at)) return {};
    auto job = read_job(*object, sites, rules);
    if (job) return advanced(*std::move(job), *object, sites, rules, now);
    invalid.emplace_back(*object, job.error().detail);
    return not_waiting(*object, sites, rules, now, job.error().detail);
  };
  if (!ids.empty()) {
    auto done = services_.store.write_now([&](store::Database& database) {
      auto upserts = store::JobRepository{database}.upsert(ids, step);
      if (upserts) {
        for (const auto& job : upserts->added) services_.watch.added(job);
        services_.watch.changed(upserts->changed);
      }
      return upserts;
    });
    if (!done) {
      log::error("sync_not_stored", {{"detail", done.error().detail}});
      for (const auto& key : keys) to_sync_.add_later(key);
      return;
    }
    for (const auto& change : done->changed) note_progress(change.before, change.after);
    for (const auto& job : done->added) {
      if (const auto& object = objects[job.id]) warn_of_queues(*object, job);
    }
    if (!done->added.empty() || !done->changed.empty()) services_.cycle.request(app::PlanKind::settle);
  }
  for (const auto& [object, why] : invalid) events_.write(object, {k8s::EventReason::invalid, true, why});
  for (const auto& key : keys) {
    to_sync_.forget(key);
    // The object may differ from what the job wants, also where the job did not change.
    if (!key.empty() && board_.by_key(key)) actor_->look(key);
  }
}

void Controller::note_progress(const Job& before, const Job& after) {
  if (!after.object) return;
  if (before.state == JobState::waiting && after.state == JobState::released) {
    log::info("job_released", {{"job", key_of(*after.object)}, {"reason", after.reason}});
    const auto object = objects_.find(key_of(*after.object));
    if (after.reason == k_started_elsewhere && object) {
      events_.write(*object, {k8s::EventReason::unsuspended, false, after.reason + "; valle leaves it alone"});
    }
  }
  if (before.started_at || !after.started_at) return;
  const auto late = std::max<std::int64_t>(0, (*after.started_at - after.object->start_by).count());
  pod_lateness_.with({}).observe(static_cast<double>(late));
  if (!after.released_at) return;
  learn_admission(std::max<std::int64_t>(0, (*after.started_at - *after.released_at).count()));
}

/// The allowance is what three of four releases needed until their pods ran, and a second for the clocks' seconds: the
/// ordinary case. Those that waited longest mostly waited for quota, which no allowance buys.
void Controller::learn_admission(std::int64_t seconds) {
  const std::scoped_lock lock{mutex_};
  admission_seconds_.push_back(seconds);
  if (admission_seconds_.size() > k_admissions_remembered) admission_seconds_.pop_front();
  std::vector<std::int64_t> sorted{admission_seconds_.begin(), admission_seconds_.end()};
  if (sorted.size() < k_least_admissions) return;
  const auto at = static_cast<std::ptrdiff_t>(sorted.size() * 3 / 4);
  std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
  allowance_seconds_ = std::clamp<std::int64_t>(sorted[static_cast<std::size_t>(at)] + 1, 1, k_longest_allowance);
}

/// Jobs released in time whose pods wait for something else: a full quota, a missing node.
void Controller::look_for_late_pods() {
  const Instant now = services_.clock.now();
  for (const auto& job : board_.all()) {
    if (job->state != JobState::released || now <= job->object->start_by) continue;
    {
      const std::scoped_lock lock{mutex_};
      if (!told_late_.insert(job->id).second) continue;
    }
    const auto object = objects_.find(key_of(*job->object));
    if (!object || object->meta.uid != job->id) continue;
    const auto workload = objects_.workload_of(job->id);
    const bool gated = workload && workload->gated;
    const bool no_quota = workload && !workload->quota_reserved && !gated;
    const std::string why = object->held ? "its release has not got through to the API server yet"
                            : gated      ? "another admission gate holds it"
                            : no_quota   ? "Kueue has no quota for it: " + workload->message
                                         : "its pods have not started";
    events_.write(*object, {k8s::EventReason::late, true,
                            "its latest start " + scheduler::format_instant(job->object->start_by) +
                                " has passed; it may start, but " + why});
  }
}

}  // namespace valle::service::cluster
