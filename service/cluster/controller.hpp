// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "k8s/lease/lease_keeper.hpp"
#include "service/app/lease_status.hpp"
#include "service/cluster/actor.hpp"
#include "service/cluster/check_answers.hpp"
#include "service/cluster/job_reading.hpp"
#include "service/cluster/run_ledger.hpp"
#include "service/cluster/services.hpp"

namespace valle::service::cluster {

/// The loop between a cluster and the plan: objects → jobs of the store (here), jobs of the store → patches of objects
/// (Actor). Both are level-triggered: whatever was missed, the next look sees it. Only the holder of the lease does
/// either; the others follow the objects, so that they can take over at once.
class Controller final {
 public:
  /// Refused: times of the lease that break its rules.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<Controller>> make(Services services);
  ~Controller();  ///< stop()
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void start();
  /// Gives the lease up and ends the threads. Before the store's queues are closed.
  void stop();

  /// Holds the lease and has seen every object: may plan, release and take what changes jobs.
  [[nodiscard]] bool leading() const { return took_over_ && lease_->leading(); }
  /// Holds the lease, whatever it has seen.
  [[nodiscard]] bool holds_lease() const { return lease_->leading(); }
  [[nodiscard]] bool gate_works() const { return objects_.gate_works(); }
  [[nodiscard]] bool kueue_installed() const { return objects_.kueue_installed(); }

  /// A stored job was added or changed. Quick; from any thread.
  void job_changed(const app::Job& job);

  /// What Kueue has room for; see observe_kueue. From any thread.
  void observe(app::PlanningSnapshot& snapshot) const;
  /// Warnings about the queues that such a job would draw on; from any thread, from memory.
  [[nodiscard]] std::vector<std::string> queue_warnings(const std::string& space, const std::string& queue,
                                                        std::span<const scheduler::ResourceDemand> demand) const;

  [[nodiscard]] ReadingRules rules() const;
  /// From any thread.
  [[nodiscard]] app::LeaseStatus lease_status() const;
  /// Jobs as their objects alone tell them, in the order of their creation: what any replica knows. From any thread;
  /// all of them take a while.
  [[nodiscard]] std::optional<app::Job> seen(const std::string& id) const;
  [[nodiscard]] std::vector<app::Job> all_seen() const;

 private:
  explicit Controller(Services services);
  void leadership_changed(const k8s::Leadership& leadership);
  void workload_changed(const std::string& uid);

  void run(const std::stop_token& stop);
  void say_why_not_leading();
  /// After taking the lease: the store's jobs into memory, every object and every job looked at again.
  bool take_over();
  void sync(const std::vector<std::string>& keys);
  void note_progress(const app::Job& before, const app::Job& after);
  void warn_of_queues(const HeldObject& object, const app::Job& job);
  void learn_admission(std::int64_t seconds);
  void look_for_late_pods();

  Services services_;
  Board board_;
  KeyQueue to_sync_;
  EventWriter events_;
  std::unique_ptr<k8s::LeaseKeeper> lease_;
  std::atomic<bool> took_over_ = false;
  std::atomic<std::int64_t> allowance_seconds_;

  std::mutex mutex_;
  std::set<std::string> told_late_;  ///< uids
  mutable std::atomic<bool> told_left_out_ = false;
  std::deque<std::int64_t> admission_seconds_;  ///< of the last releases, newest last

  runtime::Family<runtime::Gauge>& leader_;
  runtime::Family<runtime::Histogram>& pod_lateness_;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<RunLedger> runs_;
  std::unique_ptr<CheckAnswers> checks_;
  Objects objects_;                                  // its threads call the members above
  std::chrono::steady_clock::time_point said_at_{};  // of the thread
  std::jthread thread_;
  bool stopped_ = false;
};

}  // namespace valle::service::cluster
