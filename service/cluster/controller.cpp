// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/controller.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "service/app/best_slot.hpp"
#include "service/app/job_terms.hpp"
#include "service/app/plan_outcome.hpp"
#include "service/cluster/decision_of.hpp"
#include "service/runtime/log.hpp"
#include "service/store/job_repository.hpp"

namespace valle::service::cluster {
namespace {

using app::Job;
using app::JobState;
using scheduler::Amount;
using scheduler::Duration;
using scheduler::Instant;
namespace log = runtime::log;
namespace names = k8s::names;

constexpr std::size_t k_acting_threads = 6;
constexpr std::size_t k_most_synced_together = 500;
constexpr std::size_t k_admissions_remembered = 256;
constexpr std::int64_t k_first_allowance = 3;
constexpr std::int64_t k_longest_allowance = 300;
constexpr std::chrono::seconds k_call_time{10};
constexpr std::chrono::seconds k_look_for_late{5};

bool uses(const runtime::Config& config, runtime::KubernetesMode mode) {
  const auto& modes = config.kubernetes.modes;
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

/// Wall time for texts in objects; the service's clock has whole seconds.
k8s::WallClock wall_clock(const runtime::Clock& clock) {
  return [&clock] { return k8s::WallTime{clock.now()}; };
}

void pause(int milliseconds, const std::stop_token& stop) {
  const auto clock = k8s::monotonic_clock();
  (void)clock->wait_until(clock->now() + std::chrono::milliseconds{milliseconds}, stop);
}

k8s::WatchOptions watch_of(const k8s::Resource& resource, std::uint64_t seed) {
  return {.collection = {.resource = resource}, .seed = seed};
}

/// A job whose annotations can't be read (it came past the webhook): not waiting is the safe reading.
Job not_waiting(const k8s::Job& object, std::span<const runtime::SiteConfig> sites, const ReadingRules& rules,
                Instant now, const std::string& why) {
  k8s::Job plain = object;
  std::erase_if(plain.meta.annotations, [](const auto& each) { return each.first.starts_with("valle.sh/"); });
  for (const auto& name : names::k_carbon_deadline) plain.meta.annotations.erase(name);
  plain.meta.annotations[names::k_carbon_aware[0]] = "true";
  auto job = read_job(plain, sites, rules);
  Job fallback = job.value_or(Job{});
  if (!job) {
    fallback.id = object.meta.uid;
    fallback.submitted_at = object.meta.created_at.value_or(now);
    fallback.request.owner = object.meta.space;
    fallback.request.duration = rules.default_duration;
    fallback.object = app::ClusterObject{.kind = "Job", .space = object.meta.space, .name = object.meta.name};
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
      kueue_{uses(services_.config, runtime::KubernetesMode::kueue)},
      events_{services_.link.events, wall_clock(services_.clock), services_.identity},
      jobs_{services_.link.objects, watch_of(k8s::resources::k_jobs, 1), k8s::parse_job,
            [this](const auto& before, const auto& now) { object_changed(before, now); }},
      workloads_{services_.link.objects, watch_of(k8s::resources::k_workloads, 2), k8s::parse_workload,
                 [this](const auto&, const auto& now) { workload_changed(now); }},
      cluster_queues_{services_.link.objects, watch_of(k8s::resources::k_cluster_queues, 3), k8s::parse_cluster_queue,
                      [this](const auto&, const auto&) { note_capacity(); }},
      flavors_{services_.link.objects, watch_of(k8s::resources::k_resource_flavors, 4), k8s::parse_resource_flavor,
               [this](const auto&, const auto&) { note_capacity(); }},
      allowance_seconds_{k_first_allowance},
      leader_{services_.metrics.gauge("valle_leader", "1 where this replica plans and releases, else 0")},
      pod_lateness_{services_.metrics.histogram("valle_pod_start_lateness_seconds",
                                                "Start of a job's pods after its latest start; 0 where in time", {},
                                                {0, 1, 2, 5, 10, 30, 60, 300, 900, 3600})},
      writes_{
          services_.metrics.counter("valle_kubernetes_writes_total", "Patches of objects by outcome", {"outcome"})} {
  leader_.with({}).set(0);
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

template <class T>
typename k8s::Informer<T>::Object Controller::find(const k8s::Informer<T>& informer, const std::string& key) {
  const auto slash = key.find('/');
  return slash == std::string::npos ? informer.get("", key) : informer.get(key.substr(0, slash), key.substr(slash + 1));
}

void Controller::start() {
  jobs_.start();
  if (kueue_) {
    workloads_.start();
    cluster_queues_.start();
    flavors_.start();
  }
  lease_->start();
  threads_.emplace_back([this](const std::stop_token& stop) { sync_loop(stop); });
  for (std::size_t i = 0; i < k_acting_threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { act_loop(stop); });
  }
  services_.timers.every(k_look_for_late, [this] { to_sync_.add(""); });
}

void Controller::stop() {
  if (std::exchange(stopped_, true)) return;
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
  lease_->stop();
  jobs_.stop();
  workloads_.stop();
  cluster_queues_.stop();
  flavors_.stop();
}

bool Controller::leading() const { return took_over_ && holds_lease(); }

bool Controller::synced() const {
  return jobs_.synced() && (!kueue_ || (workloads_.synced() && cluster_queues_.synced() && flavors_.synced()));
}

ReadingRules Controller::rules() const {
  const auto& planning = services_.config.planning;
  return {.default_duration = services_.config.kubernetes.default_duration,
          .longest_wait = planning.max_wait,
          .finish_margin = services_.config.kubernetes.finish_margin,
          .admission_allowance = Duration{allowance_seconds_}};
}

void Controller::object_changed(const JobObject& before, const JobObject& now) {
  const auto ours = [](const JobObject& object) { return object && k8s::care_of(object->meta) == k8s::Care::ours; };
  if (ours(before) || ours(now)) to_sync_.add((now ? now : before)->meta.key());
}

/// Ended jobs leave nothing behind.
void Controller::forget(const std::string& uid) {
  const std::scoped_lock lock{mutex_};
  told_late_.erase(uid);
  written_version_.erase(uid);
  workload_of_.erase(uid);
}

void Controller::workload_changed(const k8s::Informer<k8s::Workload>::Object& now) {
  if (!now || now->job_uid.empty()) return;
  {
    const std::scoped_lock lock{mutex_};
    workload_of_[now->job_uid] = now->meta.key();
  }
  // A release may be waiting for its Workload to follow into another queue.
  const auto job = board_.by_uid(now->job_uid);
  if (job && job->state == JobState::released) to_act_.add(key_of(*job->object), true);
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
  const bool urgent = job.state != JobState::waiting;
  if (!app::is_active(job.state)) return forget(job.id);
  to_act_.add(key_of(*job.object), urgent);
}

void Controller::note_capacity() {
  std::map<std::string, std::map<std::string, Amount>> quotas;
  for (const auto& queue : cluster_queues_.snapshot()) {
    for (const auto& [name, resources] : queue->quota) {
      const auto flavor = find(flavors_, name);
      if (!flavor) continue;
      const auto region = flavor->node_labels.find(names::k_region_label);
      auto& sums = quotas[app::lower_case(region == flavor->node_labels.end() ? "" : region->second)];
      for (const auto& [resource, amount] : resources) {
        const auto planned = planned_resource(resource, amount);
        if (planned) sums[planned->name] += planned->amount;
      }
    }
  }
  const std::scoped_lock lock{mutex_};
  quotas_ = std::move(quotas);
}

void Controller::observe_capacity(std::vector<runtime::SiteConfig>& sites) const {
  const std::scoped_lock lock{mutex_};
  for (auto& site : sites) {
    const auto quota = quotas_.find(app::lower_case(site.region));
    if (quota == quotas_.end()) continue;
    for (const auto& [resource, amount] : quota->second) site.capacity.try_emplace(resource, amount);
  }
}

void Controller::sync_loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto keys = to_sync_.take_all(k_most_synced_together, stop);
    if (keys.empty()) continue;
    try {
      if (!holds_lease() || !synced()) {
        // Asked again when the lease comes or a list is complete; everything is looked at then.
        pause(50, stop);
        if (holds_lease()) to_sync_.add("");
        continue;
      }
      if (!took_over_ && !take_over()) {
        pause(200, stop);
        to_sync_.add("");
        continue;
      }
      sync(keys);
      look_for_late_pods();
    } catch (const std::exception& thrown) {
      log::error("sync_failed", {{"what", thrown.what()}});
    }
  }
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
  std::vector<std::string> keys;
  for (const auto& object : jobs_.snapshot()) {
    if (k8s::care_of(object->meta) == k8s::Care::ours) keys.push_back(object->meta.key());
  }
  for (const auto& job : board_.all()) keys.push_back(key_of(*job->object));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (std::size_t from = 0; from < keys.size(); from += k_most_synced_together) {
    const auto to = std::min(keys.size(), from + k_most_synced_together);
    sync({keys.begin() + static_cast<std::ptrdiff_t>(from), keys.begin() + static_cast<std::ptrdiff_t>(to)});
  }
  took_over_ = true;
  services_.cycle.request(app::PlanKind::replan);
  for (const auto& key : keys) to_act_.add(key);
  log::info("took_over", {{"jobs", board_.all().size()}, {"objects", keys.size()}, {"epoch", lease_->epoch()}});
  return true;
}

void Controller::sync(const std::vector<std::string>& keys) {
  const Instant now = services_.clock.now();
  const auto sites = services_.places.sites(*services_.book.get());
  const ReadingRules rules = this->rules();
  std::map<std::string, JobObject> objects;  // by uid; empty: gone
  for (const auto& key : keys) {
    if (key.empty()) continue;
    const auto object = find(jobs_, key);
    const auto known = board_.by_key(key);
    if (object && k8s::care_of(object->meta) == k8s::Care::ours) objects[object->meta.uid] = object;
    if (known && (!object || object->meta.uid != known->id)) objects[known->id] = nullptr;
  }
  std::vector<std::string> ids;
  for (const auto& [uid, object] : objects) ids.push_back(uid);
  std::vector<std::pair<JobObject, std::string>> invalid;
  const auto step = [&](const std::string& id, const Job* stored) -> std::optional<Job> {
    const JobObject& object = objects[id];
    if (stored != nullptr) {
      return object ? advanced(*stored, *object, sites, rules, now) : vanished(*stored, now);
    }
    const bool over = !object || object->phase == k8s::JobPhase::finished || object->phase == k8s::JobPhase::failed;
    const bool held = object && k8s::hold_of(*object) != k8s::Hold::none;
    const bool released_before = object && k8s::remembered(object->meta).released_at;
    // A job that nobody has held is none of ours.
    if (over || (!held && !released_before)) return {};
    auto job = read_job(*object, sites, rules);
    if (job) return advanced(*std::move(job), *object, sites, rules, now);
    invalid.emplace_back(object, job.error().detail);
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
    if (!done->added.empty() || !done->changed.empty()) services_.cycle.request(app::PlanKind::settle);
  }
  for (const auto& [object, why] : invalid) events_.write(object->meta, {k8s::EventReason::invalid, true, why});
  for (const auto& key : keys) {
    to_sync_.forget(key);
    // The object may differ from what the job wants, also where the job did not change.
    if (!key.empty() && board_.by_key(key)) to_act_.add(key);
  }
}

void Controller::note_progress(const Job& before, const Job& after) {
  if (!after.object) return;
  if (before.state == JobState::waiting && after.state == JobState::released) {
    log::info("job_released", {{"job", key_of(*after.object)}, {"reason", after.reason}});
    const auto object = find(jobs_, key_of(*after.object));
    if (after.reason == k_started_elsewhere && object) {
      events_.write(object->meta, {k8s::EventReason::unsuspended, false, after.reason + "; valle leaves it alone"});
    }
  }
  if (before.started_at || !after.started_at) return;
  const auto late = std::max<std::int64_t>(0, (*after.started_at - after.object->start_by).count());
  pod_lateness_.with({}).observe(static_cast<double>(late));
  if (!after.released_at) return;
  const auto took = std::max<std::int64_t>(0, (*after.started_at - *after.released_at).count());
  const std::scoped_lock lock{mutex_};
  admission_seconds_.push_back(took);
  if (admission_seconds_.size() > k_admissions_remembered) admission_seconds_.pop_front();
  // What 95 of 100 releases needed until their pods ran, and a second for the clocks' seconds.
  std::vector<std::int64_t> sorted{admission_seconds_.begin(), admission_seconds_.end()};
  const auto at = static_cast<std::ptrdiff_t>(sorted.size() * 95 / 100);
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
    const auto object = find(jobs_, key_of(*job->object));
    if (!object || object->meta.uid != job->id) continue;
    std::string why = "its pods have not started";
    if (kueue_) {
      const std::scoped_lock lock{mutex_};
      const auto key = workload_of_.find(job->id);
      const auto workload = key == workload_of_.end() ? nullptr : find(workloads_, key->second);
      if (workload && !workload->quota_reserved) why = "Kueue has no quota for it: " + workload->message;
    }
    events_.write(object->meta, {k8s::EventReason::late, true,
                                 "its latest start " + scheduler::format_instant(job->object->start_by) +
                                     " has passed; it was released in time, but " + why});
  }
}

void Controller::act_loop(const std::stop_token& stop) {
  while (const auto key = to_act_.take(stop)) {
    bool settled = false;
    try {
      settled = act(*key);
    } catch (const std::exception& thrown) {
      log::error("act_failed", {{"job", *key}, {"what", thrown.what()}});
    }
    if (settled) {
      to_act_.forget(*key);
    } else {
      to_act_.add_later(*key);
    }
    to_act_.done(*key);
  }
}

bool Controller::act(const std::string& key) {
  if (!leading()) return true;
  const auto object = find(jobs_, key);
  const auto job = board_.by_key(key);
  if (!object || !job || job->id != object->meta.uid) return true;
  k8s::Informer<k8s::Workload>::Object workload;
  {
    const std::scoped_lock lock{mutex_};
    const auto written = written_version_.find(job->id);
    if (written != written_version_.end()) {
      // What we wrote is on its way; its arrival brings us here again.
      if (k8s::is_later(written->second, object->meta.resource_version)) return true;
      written_version_.erase(written);
    }
    const auto found = workload_of_.find(job->id);
    if (found != workload_of_.end()) workload = find(workloads_, found->second);
  }
  const auto actions = k8s::reconcile(*object, workload.get(), decide(*job, *object));
  return std::all_of(actions.begin(), actions.end(),
                     [&](const k8s::Action& action) { return perform(*object, *job, action); });
}

k8s::Decision Controller::decide(const Job& job, const k8s::Job& object) const {
  const auto sites = services_.places.sites(*services_.book.get());
  k8s::Decision decision = decision_of(job, sites);
  decision.epoch = lease_->epoch();
  if (!decision.planned) return decision;
  // The baseline belongs to the submission: once told, it stands.
  if (const auto told = object.meta.annotation(names::k_baseline_grams)) {
    const double grams = std::strtod(told->c_str(), nullptr);
    if (grams >= 0 && grams < 1e12) decision.baseline = scheduler::Emissions::of_base(std::llround(grams * 1000));
    return decision;
  }
  const auto terms = app::terms_of(job.request, sites, job.submitted_at, services_.config.planning.max_wait);
  if (!terms) return decision;
  const auto& run = terms->modes.front();
  const auto& home = sites[terms->home_site].zone;
  app::BestSlotRequest at_once{.duration = run.duration, .earliest_start = job.submitted_at};
  at_once.max_wait = Duration{0};
  at_once.zones = {home};
  at_once.home = home;
  at_once.power = run.power;
  const auto answer = app::best_slot(at_once, *services_.book.get(), services_.places, services_.clock.now());
  if (answer && answer->run_now) decision.baseline = answer->run_now->slot.emissions;
  return decision;
}

bool Controller::perform(const k8s::Job& object, const Job& job, const k8s::Action& action) {
  auto& client = *services_.link.objects;
  const auto done =
      client.patch({.resource = action.resource, .space = action.space, .name = action.name},
                   {.type = action.kind, .body = action.body}, {.deadline = client.clock().now() + k_call_time});
  if (done) {
    writes_.with({"done"}).add();
    {
      const std::scoped_lock lock{mutex_};
      written_version_[job.id] = k8s::meta_of(done->object).resource_version;
    }
    if (action.releases && job.reason == k_asked_to_run_now) {
      events_.write(object.meta, {k8s::EventReason::run_now, false, "released: " + job.reason});
    } else {
      for (const auto& event : action.events) events_.write(object.meta, event);
    }
    if (action.releases) log::info("object_released", {{"job", object.meta.key()}});
    return true;
  }
  const k8s::ApiError& error = done.error();
  writes_.with({k8s::name_of(error.kind)}).add();
  // It has gone, or another version of it is on its way to us: the next look decides anew.
  if (error.kind == k8s::ApiError::Kind::not_found) return true;
  if (error.kind != k8s::ApiError::Kind::conflict) {
    log::warning("write_failed",
                 {{"job", object.meta.key()}, {"releases", action.releases}, {"detail", k8s::text_of(error)}});
  }
  return false;
}

}  // namespace valle::service::cluster
