// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "k8s/client/client.hpp"
#include "k8s/lease/lease_keeper.hpp"
#include "k8s/reconcile/job_hold.hpp"
#include "k8s/watch/informer.hpp"
#include "service/app/jobs.hpp"
#include "service/cluster/board.hpp"
#include "service/cluster/event_writer.hpp"
#include "service/cluster/job_reading.hpp"
#include "service/cluster/key_queue.hpp"
#include "service/cluster/link.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::cluster {

/// The loop between a cluster and the plan: objects → jobs of the store (`sync`), jobs of the store → patches of
/// objects
/// (`act`). Both are level-triggered: whatever was missed, the next look sees it. Only the holder of the lease does
/// either; the others follow the objects, so that they can take over at once.
///
/// Threads of its own: one a watched kind, one for the lease, one that syncs, several that act, one for Events.
class Controller final {
 public:
  struct Services {
    Link link;
    const runtime::Clock& clock;
    const app::CurrentBook& book;
    const app::Places& places;
    app::StoreAccess& store;
    app::PlanCycle& cycle;
    app::JobWatch& watch;
    runtime::Metrics& metrics;
    runtime::Timers& timers;
    runtime::Config config;
    std::string identity;  ///< unique among replicas
  };
  /// Refused: times of the lease that break its rules.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<Controller>> make(Services services);
  ~Controller();  ///< stop()
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void start();
  /// Gives the lease up and ends the threads. Before the store's queues are closed.
  void stop();

  /// Holds the lease and has seen every object: may plan, release and take what changes jobs.
  [[nodiscard]] bool leading() const;
  [[nodiscard]] bool synced() const;

  /// A stored job was added or changed. Quick; from any thread.
  void job_changed(const app::Job& job);

  /// Quotas of Kueue by site, for resources that the configuration does not limit. Quick; from any thread.
  void observe_capacity(std::vector<runtime::SiteConfig>& sites) const;

  [[nodiscard]] ReadingRules rules() const;

 private:
  explicit Controller(Services services);
  using JobObject = k8s::Informer<k8s::Job>::Object;

  void object_changed(const JobObject& before, const JobObject& now);
  void workload_changed(const k8s::Informer<k8s::Workload>::Object& now);
  void leadership_changed(const k8s::Leadership& leadership);
  [[nodiscard]] bool holds_lease() const { return lease_->leading(); }
  /// An object of a cache by `namespace/name`.
  template <class T>
  [[nodiscard]] static typename k8s::Informer<T>::Object find(const k8s::Informer<T>& informer, const std::string& key);
  void forget(const std::string& uid);
  void note_capacity();

  void sync_loop(const std::stop_token& stop);
  /// After taking the lease: the store's jobs into memory, every object and every job looked at again.
  bool take_over();
  void sync(const std::vector<std::string>& keys);
  void note_progress(const app::Job& before, const app::Job& after);

  void act_loop(const std::stop_token& stop);
  /// False: look again after a pause.
  bool act(const std::string& key);
  bool perform(const k8s::Job& object, const app::Job& job, const k8s::Action& action);
  [[nodiscard]] k8s::Decision decide(const app::Job& job, const k8s::Job& object) const;
  void look_for_late_pods();

  Services services_;
  bool kueue_ = false;
  Board board_;
  KeyQueue to_sync_;
  KeyQueue to_act_;
  EventWriter events_;

  k8s::Informer<k8s::Job> jobs_;
  k8s::Informer<k8s::Workload> workloads_;
  k8s::Informer<k8s::ClusterQueue> cluster_queues_;
  k8s::Informer<k8s::ResourceFlavor> flavors_;
  std::unique_ptr<k8s::LeaseKeeper> lease_;

  std::atomic<bool> took_over_ = false;
  std::atomic<std::int64_t> allowance_seconds_;
  mutable std::mutex mutex_;
  /// region → resource → quota
  std::map<std::string, std::map<std::string, scheduler::Amount>> quotas_;
  std::map<std::string, std::string> workload_of_;  ///< uid of a Job → key of its Workload
  std::set<std::string> told_late_;
  /// By uid, the version that our last write of an object made: older ones in the cache don't show it yet.
  std::map<std::string, std::string> written_version_;
  std::deque<std::int64_t> admission_seconds_;  ///< of the last releases, newest last

  runtime::Family<runtime::Gauge>& leader_;
  runtime::Family<runtime::Histogram>& pod_lateness_;
  runtime::Family<runtime::Counter>& writes_;
  std::vector<std::jthread> threads_;
  bool stopped_ = false;
};

}  // namespace valle::service::cluster
