// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "service/app/job_changes.hpp"
#include "service/app/job_explanation.hpp"
#include "service/app/job_watch.hpp"
#include "service/app/places.hpp"
#include "service/app/plan_cycle.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/clock.hpp"

namespace valle::service::app {

/// A job as it arrives: an id if the caller chose one.
struct NewJob {
  std::string id = {};
  JobRequest request;
};

/// Jobs that a replica which does not lead knows all the same: those of a cluster, by their objects. Empty: none.
struct SeenJobs {
  std::function<std::optional<Job>(const std::string& id)> find = {};
  std::function<std::vector<Job>()> all = {};  ///< by sequence, ascending
};

/// The use cases of jobs. Every call returns at once and answers through `done`, exactly once, from another thread (or
/// from this one if the request is refused or a queue is full). Safe from any thread; what it is given outlives it.
class Jobs final {
 public:
  struct Services {
    const runtime::Clock& clock;
    const CurrentBook& book;
    const Places& places;
    StoreAccess& store;
    PlanCycle& cycle;
    JobWatch& watch;
    runtime::WorkQueue& long_questions;
    runtime::PlanningConfig planning;
    ObserveSnapshot observe = {};
    SeenJobs seen = {};
    std::function<bool()> may_write = {};  ///< of several replicas only the leader; empty: always
  };
  template <class T>
  using Done = std::function<void(scheduler::Result<T>)>;

  explicit Jobs(Services services) : services_{std::move(services)} {}

  /// Stores a job and plans it; answers when that is done. A job that can't meet its deadline is released at its
  /// earliest start with a warning, or refused, as `planning.onInfeasible` says.
  void submit(NewJob job, std::optional<store::Idempotency> idempotency, Done<store::Submission> done);
  /// What was answered to a key; `done` comes when it is stored.
  void remember_answer(const std::string& key, const std::string& answer, std::function<void()> done);

  void find(const std::string& id, Done<Job> done);
  void list(const store::JobFilter& filter, Done<std::vector<Job>> done);
  /// Whether lists hold all jobs there are: not on a replica that does not lead, which knows only a cluster's.
  [[nodiscard]] bool lists_all() const { return may_write(); }
  /// Changes members of a waiting job, which is then planned anew.
  void change(const std::string& id, const JobRequest& change, Done<Job> done);
  void cancel(const std::string& id, Done<Job> done);
  void start(const std::string& id, std::optional<scheduler::Instant> at, Done<Job> done);
  void finish(const std::string& id, const Finish& finish, Done<Job> done);
  void explain(const std::string& id, Done<Explanation> done);
  void plan(Done<std::optional<store::StoredPlan>> done);

  /// Calls `stands` with the job as it is, or `moved` once with the job when its state has changed. Of two callers
  /// that race, none is forgotten: reading and waiting are one step of the writing thread. `waiting` gets the ticket
  /// for `JobWatch::cancel` and the job as it is, before `moved` can come; a ticket of 0 means that too many wait.
  void await_change(const std::string& id, JobWatch::Call moved,
                    std::function<void(scheduler::Result<Job>, JobWatch::Id)> waiting);

 private:
  using Step = std::function<scheduler::Result<Job>(Job)>;
  enum class Then { answer, plan };

  [[nodiscard]] bool may_write() const { return !services_.may_write || services_.may_write(); }
  /// Answers from what a replica that does not lead knows, or `not-leader`.
  template <class T>
  void answer_as_seen(const Done<T>& done, std::function<scheduler::Result<T>(const SeenJobs&)> question);
  scheduler::Result<Job> new_job(NewJob job) const;
  scheduler::Result<Job> changed(Job job, const JobRequest& change) const;
  PlanningSnapshot snapshot_of(std::vector<Job> jobs) const;
  void take_step(const std::string& id, Step step, Then then, Done<Job> done);

  Services services_;
};

}  // namespace valle::service::app
