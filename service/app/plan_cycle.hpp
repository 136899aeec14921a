// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "service/app/job_watch.hpp"
#include "service/app/places.hpp"
#include "service/app/plan_decision.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::app {

/// How a plan is written down: JSON of the contract's section 4. Lives in service/api; called on a solver thread.
using PlanWriter = std::function<std::string(const scheduler::Problem& problem, const scheduler::Solution& solution,
                                             std::chrono::milliseconds elapsed)>;

/// The loop that keeps the plan: take a snapshot of jobs and numbers, decide, verify, commit if the snapshot still
/// holds, release what is due. One cycle at a time, on a solver thread; requests that come meanwhile share the next
/// one. Times are the clock's, so a test clock lives through weeks.
///
/// Safe from any thread. The queues and timers must have ended before this does.
class PlanCycle final {
 public:
  struct Services {
    const runtime::Clock& clock;
    const CurrentBook& book;
    const Places& places;
    StoreAccess& store;
    runtime::WorkQueue& solver;
    runtime::Timers& timers;
    JobWatch& watch;
    runtime::Metrics& metrics;
    runtime::PlanningConfig planning;
    PlanWriter write_plan;
    ObserveSnapshot observe = {};
    std::function<bool()> may_act = {};  ///< of several replicas only the leader plans and releases; empty: always
  };
  explicit PlanCycle(Services services);
  PlanCycle(const PlanCycle&) = delete;
  PlanCycle& operator=(const PlanCycle&) = delete;

  /// Plans now, and then every `planning.every`, where jobs, numbers or the hour have changed.
  void start();
  /// Plans soon. `done` is called after a cycle that has seen everything stored before this call, however it ended.
  void request(PlanKind kind, std::function<void()> done = {});
  /// `valle_release_lateness_seconds`: of a cluster's jobs, whoever releases their objects observes it.
  [[nodiscard]] runtime::Family<runtime::Histogram>& release_lateness() { return lateness_; }

 private:
  struct Pending {
    PlanKind kind = PlanKind::settle;
    std::vector<std::function<void()>> done;
  };
  /// What the plan in force says, to see whether another one differs.
  using Summary = std::vector<std::tuple<std::string, std::string, std::vector<scheduler::Interval>>>;
  enum class Attempt { done, outdated, failed };

  void tick();
  void drain();
  Attempt attempt_safely(PlanKind kind);
  Attempt attempt(PlanKind kind);
  PlanningSnapshot snapshot(store::ActiveJobs& active) const;
  void note(const PlanDecision& decision, std::chrono::milliseconds elapsed);
  [[nodiscard]] bool may_act() const { return !services_.may_act || services_.may_act(); }
  static Summary summary_of(const PlanningSnapshot& taken, const PlanDecision& decision);
  scheduler::Result<void> commit(std::int64_t revision, const PlanningSnapshot& taken, PlanDecision decision,
                                 std::chrono::milliseconds elapsed);
  void release_soon();
  void release_due(store::Database& database);
  void wake_at(scheduler::Instant next);

  Services services_;
  runtime::Family<runtime::Gauge>& gap_;
  runtime::Family<runtime::Histogram>& duration_;
  runtime::Family<runtime::Histogram>& lateness_;

  std::mutex mutex_;
  std::optional<Pending> pending_;
  bool running_ = false;
  bool replan_due_ = true;  ///< something has changed since the last re-planning
  std::optional<runtime::Timers::Id> wake_up_;

  // Of the solver thread alone.
  std::weak_ptr<const IntensityBook> planned_on_;
  std::optional<scheduler::Instant> planned_slot_;
  std::optional<Summary> in_force_;

  store::JobCache parsed_;
  std::shared_ptr<const scheduler::SlotPrices> prices_;  ///< of the last plan
};

}  // namespace valle::service::app
