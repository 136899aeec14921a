// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/run_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

using scheduler::Instant;
using scheduler::Run;
namespace log = runtime::log;
namespace resources = k8s::resources;

constexpr const char* k_job_label = "batch.kubernetes.io/job-name";
constexpr const char* k_volcano_label = "volcano.sh/job-name";
constexpr const char* k_job_set_label = "jobset.sigs.k8s.io/jobset-name";
constexpr std::size_t k_most_together = 500;
constexpr std::size_t k_most_open_runs = 100'000;
constexpr std::size_t k_most_gone = 100'000;
constexpr std::chrono::seconds k_tick{60};
/// Last states of pods come a little after their job has ended.
constexpr scheduler::Duration k_keep_ended = std::chrono::minutes{10};

void pause(int milliseconds, const std::stop_token& stop) {
  const auto clock = k8s::monotonic_clock();
  (void)clock->wait_until(clock->now() + std::chrono::milliseconds{milliseconds}, stop);
}

std::optional<scheduler::Emissions> told_baseline(const k8s::ObjectMeta& meta) {
  const auto told = meta.annotation(k8s::names::k_baseline_grams);
  if (!told) return {};
  const double grams = std::strtod(told->c_str(), nullptr);
  if (!(grams >= 0 && grams < 1e12)) return {};
  return scheduler::Emissions::of_base(std::llround(grams * 1000));
}

}  // namespace

RunLedger::RunLedger(Services services)
    : services_{std::move(services)}, job_pods_(watch(k_job_label)), volcano_pods_(watch(k_volcano_label)) {}

RunLedger::~RunLedger() { stop(); }

k8s::Informer<k8s::Pod> RunLedger::watch(const char* label) {
  return {services_.link.objects,
          {.collection = {.resource = resources::k_pods}, .selection = {.labels = label}},
          k8s::parse_pod,
          [this](const auto& before, const auto& now) { pod_changed(before, now); }};
}

void RunLedger::start() {
  job_pods_.start();
  if (services_.volcano) volcano_pods_.start();
  ticking_ = services_.timers.every(k_tick, [this] { to_write_.add(""); });
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

void RunLedger::stop() {
  if (std::exchange(stopped_, true)) return;
  if (ticking_ != 0) services_.timers.cancel(ticking_);
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  job_pods_.stop();
  volcano_pods_.stop();
}

void RunLedger::job_changed(const app::Job& job) {
  if (!job.object) return;
  if (!app::is_active(job.state)) {
    const std::scoped_lock lock{mutex_};
    ended_[job.id] = {std::make_shared<const app::Job>(job), services_.clock.now()};
  }
  if (job.state != app::JobState::waiting) to_write_.add(job.id);
}

/// The id of the job that the pod is of; empty if it is none that we know.
std::string RunLedger::job_of(const k8s::Pod& pod) const {
  const auto* owner = pod.meta.controller();
  if (owner != nullptr && job_with(owner->uid)) return owner->uid;
  if (const auto set = pod.meta.label(k_job_set_label)) {
    if (const auto job = services_.board.by_key("JobSet/" + pod.meta.space + "/" + *set)) return job->id;
  }
  return {};
}

RunLedger::JobPtr RunLedger::job_with(const std::string& id) const {
  if (auto job = services_.board.by_uid(id)) return job;
  const std::scoped_lock lock{mutex_};
  const auto found = ended_.find(id);
  return found == ended_.end() ? nullptr : found->second.job;
}

void RunLedger::pod_changed(const std::shared_ptr<const k8s::Pod>& before, const std::shared_ptr<const k8s::Pod>& now) {
  const k8s::Pod& pod = now ? *now : *before;
  const std::string id = job_of(pod);
  if (id.empty()) return;
  if (!now) {
    const auto last = seen_pod(pod, true, services_.clock.now());
    const std::scoped_lock lock{mutex_};
    if (last && gone_.size() < k_most_gone) {
      gone_[pod.meta.uid] = *last;
      job_of_gone_[pod.meta.uid] = id;
    }
  }
  to_write_.add(id);
}

bool RunLedger::synced() const { return job_pods_.synced() && (!services_.volcano || volcano_pods_.synced()); }

void RunLedger::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto ids = to_write_.take_all(k_most_together, stop);
    if (ids.empty()) continue;
    try {
      if (!services_.leading() || !synced()) {
        took_over_ = false;
        pause(200, stop);
        if (services_.leading()) to_write_.add("");
        continue;
      }
      if (!took_over_ && !take_over()) {
        pause(1'000, stop);
        to_write_.add("");
        continue;
      }
      if (std::erase(ids, "") > 0) note_tick();
      if (!ids.empty() && !write(ids)) {
        for (const auto& id : ids) to_write_.add_later(id);
      }
    } catch (const std::exception& thrown) {
      log::error("runs_not_written", {{"what", thrown.what()}});
      pause(1'000, stop);
    }
  }
}

bool RunLedger::take_over() {
  auto open = services_.ledger.running(k_most_open_runs);
  if (!open) {
    log::error("ledger_not_read", {{"detail", open.error().detail}});
    return false;
  }
  open_.clear();
  looked_at_.clear();
  for (const auto& run : *open) open_.insert(run.id);
  took_over_ = true;
  for (const auto& id : open_) to_write_.add(id);
  for (const auto& job : services_.board.all()) {
    if (job->state != app::JobState::waiting) to_write_.add(job->id);
  }
  return true;
}

/// Runs that go on are known to go on; jobs that ended a while ago are forgotten.
void RunLedger::note_tick() {
  for (const auto& id : open_) to_write_.add(id);
  const Instant now = services_.clock.now();
  const std::scoped_lock lock{mutex_};
  std::erase_if(ended_, [&](const auto& each) { return each.second.since + k_keep_ended < now; });
}

RunLedger::Pods RunLedger::pods_now(Instant now) {
  Pods pods;
  const auto take = [&](const auto& informer) {
    for (const auto& pod : informer.snapshot()) {
      const std::string id = job_of(*pod);
      if (id.empty()) continue;
      if (auto seen = seen_pod(*pod, false, now)) pods[id].push_back(*std::move(seen));
    }
  };
  take(job_pods_);
  take(volcano_pods_);
  const std::scoped_lock lock{mutex_};
  for (const auto& [uid, pod] : gone_) pods[job_of_gone_.at(uid)].push_back(pod);
  return pods;
}

std::optional<Run> RunLedger::first_state(const app::Job& job, const std::vector<runtime::SiteConfig>& sites) {
  const auto object = services_.objects.find(key_of(*job.object));
  const bool same = object && object->meta.uid == job.id;
  if (same) services_.estimates.remember(job.id, k8s::signature_of(object->pods));
  return new_run(job, sites, same ? told_baseline(object->meta) : std::nullopt);
}

bool RunLedger::write(const std::vector<std::string>& ids) {
  const Instant now = services_.clock.now();
  const auto sites = services_.places.sites(*services_.book.get());
  std::vector<std::string> dealt_with;
  {
    const std::scoped_lock lock{mutex_};
    for (const auto& [uid, id] : job_of_gone_) {
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) dealt_with.push_back(uid);
    }
  }
  const Pods pods = pods_now(now);
  std::vector<JobPtr> jobs;
  std::map<std::string, std::optional<Run>> first;
  for (const auto& id : ids) {
    const auto job = job_with(id);
    if (job && !open_.contains(id)) first[id] = first_state(*job, sites);
  }
  std::map<std::string, Run> after;
  const auto step = [&](const std::string& id, const Run* stored) -> std::optional<Run> {
    const auto job = job_with(id);
    const auto seen = pods.find(id);
    const bool over = job && !app::is_active(job->state);
    if (!job && (stored == nullptr || stored->finished)) return {};
    if (stored == nullptr && !first[id]) return {};
    Run run = stored != nullptr ? *stored : *first[id];
    const std::string site = job && job->slot ? job->slot->site : run.home_site;
    if (!looked_at_.contains(id)) {
      std::vector<std::string> there;
      if (seen != pods.end()) {
        for (const auto& pod : seen->second) there.push_back(pod.pod.uid);
      }
      run = without_lost_pods(std::move(run), there);
    }
    if (seen != pods.end()) run = with_pods(std::move(run), seen->second, site, now);
    if (over) {
      auto closed = closed_run(std::move(run), *job, sites);
      if (!closed) return {};
      run = *std::move(closed);
    } else if (run.attempts.empty()) {
      return {};
    } else if (!job) {
      // The job ended while nobody wrote, and its record is closed.
      if (auto abandoned = abandoned_run(run)) run = *std::move(abandoned);
    }
    after[id] = run;
    return run;
  };
  const auto changed = services_.ledger.change(ids, step);
  if (!changed) {
    log::error("runs_not_written", {{"detail", changed.error().detail}});
    return false;
  }
  for (const auto& id : ids) {
    to_write_.forget(id);
    looked_at_.insert(id);
  }
  for (const auto& [id, run] : after) {
    if (run.finished) {
      open_.erase(id);
      looked_at_.erase(id);
      services_.estimates.take(run);
    } else {
      open_.insert(id);
    }
  }
  const std::scoped_lock lock{mutex_};
  for (const auto& uid : dealt_with) {
    gone_.erase(uid);
    job_of_gone_.erase(uid);
  }
  return true;
}

}  // namespace valle::service::cluster
