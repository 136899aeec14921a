// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_cycle.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "service/app/plan_outcome.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::app {

using scheduler::Instant;
using scheduler::Result;
using std::chrono::milliseconds;
namespace log = runtime::log;

namespace {

/// How often a cycle is begun again because jobs have changed meanwhile; after that the next request or tick is waited
/// for.
constexpr int k_most_attempts = 3;

/// When a waiting job must be looked at again.
Instant next_due(const Job& job) { return job.slot ? std::min(job.slot->start(), job.start_by) : job.start_by; }

void log_move(const PlanMove& move) {
  log::info("job_moved", {{"job", move.job},
                          {"from_site", move.from.site},
                          {"from", move.from.start()},
                          {"to_site", move.to.site},
                          {"to", move.to.start()},
                          {"saved_grams", move.saved ? std::to_string(scheduler::grams(*move.saved)) : "unknown"},
                          {"reason", move.reason}});
}

Instant slot_of(Instant now, scheduler::Duration slot) { return now - now.time_since_epoch() % slot; }

}  // namespace

PlanCycle::PlanCycle(Services services)
    : services_{std::move(services)},
      gap_{services_.metrics.gauge("valle_plan_gap_ratio", "Share of the plan's emissions above the proven lower bound",
                                   {})},
      duration_{services_.metrics.histogram("valle_plan_duration_seconds", "Time taken to make a plan", {})},
      lateness_{services_.metrics.histogram("valle_release_lateness_seconds",
                                            "Release of a job after its planned start", {},
                                            {1, 2, 5, 10, 30, 60, 300, 900, 3600})} {}

void PlanCycle::start() {
  services_.timers.every(services_.planning.every, [this] { tick(); });
  request(PlanKind::replan);
}

void PlanCycle::tick() {
  {
    const std::scoped_lock lock{mutex_};
    if (pending_) return;
    pending_ = Pending{PlanKind::replan, {}};
    if (std::exchange(running_, true)) return;
  }
  if (!services_.solver.post([this] { drain(); })) {
    const std::scoped_lock lock{mutex_};
    running_ = false;
    pending_.reset();
  }
}

void PlanCycle::request(PlanKind kind, std::function<void()> done) {
  std::optional<Pending> dropped;
  {
    const std::scoped_lock lock{mutex_};
    replan_due_ = true;
    if (!pending_) pending_ = Pending{kind, {}};
    if (kind == PlanKind::replan) pending_->kind = kind;
    if (done) pending_->done.push_back(std::move(done));
    if (std::exchange(running_, true)) return;
  }
  if (services_.solver.post([this] { drain(); })) return;
  {
    const std::scoped_lock lock{mutex_};
    running_ = false;
    dropped.swap(pending_);
  }
  if (!dropped) return;
  for (const auto& call : dropped->done) call();
}

void PlanCycle::drain() {
  while (true) {
    Pending work;
    {
      const std::scoped_lock lock{mutex_};
      if (!pending_) {
        running_ = false;
        return;
      }
      work = *std::exchange(pending_, std::nullopt);
    }
    for (int i = 0; i < k_most_attempts; ++i) {
      const Attempt attempted = attempt_safely(work.kind);
      if (attempted == Attempt::done) break;
      const std::scoped_lock lock{mutex_};
      replan_due_ = true;  // the next tick tries again, whatever happens here
      if (attempted == Attempt::failed) break;
    }
    for (const auto& call : work.done) call();
  }
}

PlanningSnapshot PlanCycle::snapshot(store::ActiveJobs& active) const {
  auto book = services_.book.get();
  auto sites = services_.places.sites(*book);
  PlanningSnapshot taken{.now = services_.clock.now(),
                         .jobs = std::move(active.jobs),
                         .book = std::move(book),
                         .sites = std::move(sites),
                         .planning = services_.planning,
                         .prices = prices_};
  if (services_.observe) services_.observe(taken);
  return taken;
}

/// A broken world ends one cycle, not the planning: the plan in force stays, the next tick tries again.
PlanCycle::Attempt PlanCycle::attempt_safely(PlanKind kind) {
  try {
    return attempt(kind);
  } catch (const std::exception& thrown) {
    log::error("plan_failed", {{"what", thrown.what()}});
    return Attempt::failed;
  }
}

PlanCycle::Attempt PlanCycle::attempt(PlanKind kind) {
  if (!may_act()) return Attempt::done;
  bool changed = false;
  {
    const std::scoped_lock lock{mutex_};
    changed = replan_due_;
    if (kind == PlanKind::replan) replan_due_ = false;
  }
  const Instant slot = slot_of(services_.clock.now(), services_.planning.slot);
  if (!changed && planned_on_.lock() == services_.book.get() && planned_slot_ == slot) return Attempt::done;

  auto active = services_.store.read_now(
      [this](store::Database& database) { return store::JobRepository{database}.active(parsed_); });
  if (!active) {
    log::error("plan_without_jobs", {{"detail", active.error().detail}});
    return Attempt::failed;
  }
  const PlanningSnapshot taken = snapshot(*active);
  runtime::QueueParallel parallel{services_.solver};
  const auto began = std::chrono::steady_clock::now();
  auto decision = decide(taken, kind, parallel, services_.solver.stop_token());
  const auto elapsed = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
  if (services_.solver.stop_token().stop_requested() || !decision || !may_act()) return Attempt::failed;

  note(*decision, elapsed);
  auto prices = decision->prices;
  const auto committed = commit(active->revision, taken, *std::move(decision), elapsed);
  if (!committed) {
    const bool outdated = committed.error().code == scheduler::Errc::conflict;
    if (!outdated) log::error("plan_not_stored", {{"detail", committed.error().detail}});
    return outdated ? Attempt::outdated : Attempt::failed;
  }
  prices_ = std::move(prices);
  planned_on_ = taken.book;
  planned_slot_ = slot;
  return Attempt::done;
}

void PlanCycle::note(const PlanDecision& decision, milliseconds elapsed) {
  duration_.with({}).observe(static_cast<double>(elapsed.count()) / 1000);
  const auto emissions = decision.solution.plan.emissions.base();
  if (emissions > 0) {
    gap_.with({}).set(static_cast<double>(emissions - decision.solution.lower_bound.base()) /
                      static_cast<double>(emissions));
  } else {
    gap_.with({}).clear();
  }
}

PlanCycle::Summary PlanCycle::summary_of(const PlanningSnapshot& taken, const PlanDecision& decision) {
  const auto& [problem, job_of, not_yet] = decision.planned;
  Summary summary;
  for (const auto& placement : decision.solution.plan.placements) {
    // A job that has left waiting holds its place a little longer each time that one looks; that is no other plan.
    const bool waits = taken.jobs[job_of[placement.job]].state == JobState::waiting;
    summary.emplace_back(problem.jobs[placement.job].id, problem.sites[placement.site].name,
                         waits ? placement.segments : std::vector<scheduler::Interval>{});
  }
  for (const auto& unplaced : decision.solution.plan.unplaced) {
    summary.emplace_back(problem.jobs[unplaced.job].id, "", std::vector<scheduler::Interval>{});
  }
  return summary;
}

Result<void> PlanCycle::commit(std::int64_t revision, const PlanningSnapshot& taken, PlanDecision decision,
                               milliseconds elapsed) {
  const auto& problem = decision.planned.problem;
  Summary summary = summary_of(taken, decision);
  store::PlanCommit commit{.revision = revision, .changed = std::move(decision.changed), .made_at = taken.now};
  if (in_force_ != summary) commit.document = services_.write_plan(problem, decision.solution, elapsed);
  const bool quiet = !commit.document && commit.changed.empty();

  auto stored = services_.store.write_now([&](store::Database& database) -> Result<std::size_t> {
    if (!quiet) {
      const auto changes = store::JobRepository{database}.commit(commit);
      if (!changes) return tl::unexpected{changes.error()};
      services_.watch.changed(*changes);
    }
    release_due(database);
    return commit.changed.size();
  });
  if (!stored) return tl::unexpected{std::move(stored.error())};
  for (const PlanMove& move : decision.moves) log_move(move);
  if (commit.document) {
    log::info("plan_committed", {{"jobs", problem.jobs.size()},
                                 {"changed", *stored},
                                 {"moved", decision.moved},
                                 {"unplaced", decision.solution.plan.unplaced.size()},
                                 {"ms", elapsed.count()}});
  }
  in_force_ = std::move(summary);
  return {};
}

void PlanCycle::release_soon() {
  if (!services_.store.write([this](store::Database& database) { release_due(database); })) {
    log::warning("release_delayed", {{"detail", "the store's queue is full or closed"}});
  }
}

void PlanCycle::release_due(store::Database& database) {
  if (!may_act()) return;
  const Instant now = services_.clock.now();
  const auto sites = services_.places.sites(*services_.book.get());
  std::optional<Instant> next;
  const auto changes = store::JobRepository{database}.release(
      [&](const Job& job) {
        auto due = due_release(job, sites, now);
        if (!due) next = next ? std::min(*next, next_due(job)) : next_due(job);
        return due;
      },
      parsed_);
  if (!changes) {
    log::error("release_failed", {{"detail", changes.error().detail}});
    return;
  }
  for (const auto& [before, after] : *changes) {
    const auto late = now - next_due(before);
    if (!after.object) lateness_.with({}).observe(static_cast<double>(late.count()));
    log::info("job_released", {{"job", after.id}, {"site", after.slot->site}, {"planned", next_due(before)}});
  }
  services_.watch.changed(*changes);
  if (next) wake_at(*next);
}

void PlanCycle::wake_at(Instant next) {
  const std::scoped_lock lock{mutex_};
  if (wake_up_) services_.timers.cancel(*wake_up_);
  wake_up_ = services_.timers.at(next, [this] { release_soon(); });
}

}  // namespace valle::service::app
