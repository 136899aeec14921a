// SPDX-License-Identifier: Apache-2.0
#include "service/app/run_recorder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "scheduler/account/posted.hpp"
#include "service/app/job_terms.hpp"
#include "service/runtime/log.hpp"
#include "service/store/job_repository.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::app {
namespace {

using scheduler::Attempt;
using scheduler::AttemptOutcome;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::Run;

const runtime::SiteConfig* site_named(const std::string& name, std::span<const runtime::SiteConfig> sites) {
  const auto found = std::find_if(sites.begin(), sites.end(),
                                  [&](const auto& site) { return lower_case(site.name) == lower_case(name); });
  return found == sites.end() ? nullptr : &*found;
}

std::optional<scheduler::Amount> gpus_of(const JobRequest& request) {
  for (const auto& demand : request.demand.value_or(std::vector<scheduler::ResourceDemand>{})) {
    if (demand.resource == "gpu" || demand.resource == "nvidia.com/gpu") return demand.amount;
  }
  return std::nullopt;
}

/// What is frozen the first time that a job is seen.
Run first_seen(const Job& job, std::span<const runtime::SiteConfig> sites) {
  Run run;
  run.id = job.id;
  run.name = job.object ? job.object->space + "/" + job.object->name : job.id;
  run.owner = job.request.owner.value_or(job.object ? job.object->space : "");
  run.submitted = job.submitted_at;
  const auto terms = terms_of(job.request, sites, job.submitted_at, std::chrono::days{366});
  if (terms) {
    run.home_site = sites[terms->home_site].name;
    run.home_pue = sites[terms->home_site].pue;
  }
  run.gpus = gpus_of(job.request);
  return run;
}

/// The two modes of a job that is to run in another one than the hungriest.
std::optional<scheduler::PowerCap> cap_of(const Job& job) {
  if (!job.slot || !job.request.modes) return std::nullopt;
  const auto& modes = *job.request.modes;
  const auto ran =
      std::find_if(modes.begin(), modes.end(), [&](const auto& mode) { return mode.name == job.slot->mode; });
  const auto free =
      std::max_element(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.power < b.power; });
  if (ran == modes.end() || ran == free) return std::nullopt;
  return scheduler::PowerCap{ran->power, ran->duration, free->power, free->duration};
}

AttemptOutcome outcome_of(JobState state) {
  switch (state) {
    case JobState::finished: return AttemptOutcome::finished;
    case JobState::failed: return AttemptOutcome::failed;
    case JobState::cancelled: return AttemptOutcome::evicted;
    case JobState::waiting:
    case JobState::released:
    case JobState::running: break;
  }
  return AttemptOutcome::running;
}

/// The one run of a job that nobody watches more closely.
Attempt only_attempt(const Job& job, std::span<const runtime::SiteConfig> sites) {
  Attempt attempt;
  attempt.site = job.slot ? job.slot->site : job.request.home_site.value_or("");
  if (const auto* site = site_named(attempt.site, sites)) attempt.pue = site->pue;
  attempt.ran = {*job.started_at, job.finished_at.value_or(*job.started_at)};
  attempt.outcome = outcome_of(job.state);
  // A job that ran has used something: 0 is a reading that failed.
  if (job.energy && job.energy->base() > 0) attempt.figures.push_back(scheduler::posted_figure(*job.energy));
  return attempt;
}

}  // namespace

Run run_after(const Job& job, const Run* stored, std::span<const runtime::SiteConfig> sites) {
  Run run = stored != nullptr ? *stored : first_seen(job, sites);
  if (run.finished) return run;
  run.start_by = job.object ? job.object->start_by : job.start_by;
  run.cap = cap_of(job);
  if (job.object) {  // its attempts and its end are the watcher's; without a start there are none
    if (!is_active(job.state) && !job.started_at && run.attempts.empty()) run.finished = job.finished_at;
    return run;
  }
  if (job.started_at) {
    auto figures =
        run.attempts.size() == 1 ? std::move(run.attempts.front().figures) : std::vector<scheduler::EnergyFigure>{};
    run.attempts = {only_attempt(job, sites)};
    if (run.attempts.front().figures.empty()) run.attempts.front().figures = std::move(figures);
  }
  if (is_active(job.state)) return run;
  run.finished = job.finished_at;
  return run;
}

std::optional<scheduler::Emissions> planned_saving(const Job& job, const Run& run,
                                                   std::span<const runtime::SiteConfig> sites,
                                                   const IntensityBook& book, Instant now) {
  if (!job.slot || !job.slot->emissions || !job.slot->energy) return std::nullopt;
  const auto* home = site_named(run.home_site, sites);
  const auto terms = terms_of(job.request, sites, job.submitted_at, std::chrono::days{366});
  if (home == nullptr || !terms) return std::nullopt;
  const auto free = std::max_element(terms->modes.begin(), terms->modes.end(),
                                     [](const auto& a, const auto& b) { return a.power < b.power; });
  const Interval at_once{run.submitted, run.submitted + free->duration};
  const scheduler::Zone zones[] = {home->zone, job.slot->zone};
  const auto choice =
      book.choose({.zones = zones, .window = {at_once.begin, std::max(at_once.end, job.slot->end())}, .now = now});
  for (const auto& chosen : choice.zones) {
    if (chosen.zone != 0) continue;
    const auto integral = chosen.series->integral(at_once);
    if (!integral) return std::nullopt;
    return scheduler::emissions_of(free->power, run.home_pue, *integral) - *job.slot->emissions;
  }
  return std::nullopt;
}

void RunRecorder::job_changed(const Job& job) {
  {
    const std::scoped_lock lock{mutex_};
    waiting_.insert_or_assign(job.id, job);
    if (std::exchange(posted_, true)) return;
  }
  post();
}

void RunRecorder::post() {
  if (services_.store.write([this](store::Database& database) { write(database); })) return;
  // The next change tries again; what the program's end cuts off is caught up at its next start.
  const std::scoped_lock lock{mutex_};
  posted_ = false;
}

void RunRecorder::write(store::Database& database) {
  std::map<std::string, Job> jobs;
  {
    const std::scoped_lock lock{mutex_};
    jobs.swap(waiting_);
    posted_ = false;
  }
  const auto book = services_.book.get();
  const auto sites = services_.places.sites(*book);
  std::vector<std::string> ids;
  for (const auto& [id, job] : jobs) ids.push_back(id);
  const auto written = store::RunRepository{database}.change(ids, [&](const std::string& id, const Run* stored) {
    const Job& job = jobs.at(id);
    Run run = run_after(job, stored, sites);
    const bool leaves = job.state != JobState::waiting && !run.planned_saved;
    if (leaves) run.planned_saved = planned_saving(job, run, sites, *book, services_.clock.now());
    return std::optional{std::move(run)};
  });
  if (!written) runtime::log::error("ledger_not_written", {{"what", written.error().detail}});
}

void RunRecorder::catch_up() {
  const bool taken = services_.store.write([this](store::Database& database) {
    store::JobRepository jobs{database};
    const auto ids = store::RunRepository{database}.unrecorded_jobs();
    const auto active = jobs.active();
    if (!ids || !active) return;
    for (const auto& id : *ids) {
      if (const auto job = jobs.find(id)) job_changed(*job);
    }
    for (const auto& job : active->jobs) job_changed(job);
  });
  if (!taken) runtime::log::error("ledger_not_caught_up", {});
}

}  // namespace valle::service::app
