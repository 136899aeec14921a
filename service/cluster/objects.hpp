// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "k8s/api/admission_check.hpp"
#include "k8s/api/kueue.hpp"
#include "k8s/api/pod.hpp"
#include "k8s/reconcile/decision.hpp"
#include "k8s/watch/informer.hpp"
#include "service/cluster/capacity.hpp"
#include "service/cluster/held_object.hpp"
#include "service/cluster/link.hpp"

namespace valle::service::cluster {

/// The objects of the cluster that matter here, kept up to date by watches. It first asks the server what it serves:
/// kinds that are not there are not watched, and that is logged with what they would be needed for. Reading is safe
/// from any thread and never waits for the network.
class Objects final {
 public:
  /// Called from the watches' threads, after the copies have changed; quick.
  struct Handlers {
    std::function<void(const std::string& key)> object;    ///< one that is ours, or was
    std::function<void(const std::string& key)> pods;      ///< pods of a vcjob: its key
    std::function<void(const std::string& uid)> workload;  ///< of the object with that uid
    std::function<void()> quotas;                          ///< of Kueue, or who may use them
    std::function<void(const std::string& name)> check;
    std::function<void(const std::string& key)> checked;  ///< a Workload of whomever that has checks
  };
  Objects(Link link, runtime::KubernetesConfig config, Handlers handlers);
  ~Objects();  ///< stop()

  void start();
  void stop();
  /// Everything that is watched has been listed once.
  [[nodiscard]] bool synced() const;

  /// By `Kind/namespace/name`; nothing if it is not there or none of ours.
  [[nodiscard]] std::optional<HeldObject> find(const std::string& key) const;
  [[nodiscard]] std::optional<HeldObject> with_uid(const std::string& uid) const;
  /// Of all that are ours.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// What to write so that the object is as the decision wants it.
  [[nodiscard]] std::vector<k8s::Action> wanted(const std::string& key, const k8s::Decision& decision) const;
  /// Kueue's Workload of the object with that uid, or null.
  [[nodiscard]] std::shared_ptr<const k8s::Workload> workload_of(const std::string& uid) const;
  void forget(const std::string& uid);
  [[nodiscard]] std::vector<std::shared_ptr<const k8s::Workload>> workloads() const { return workloads_.snapshot(); }
  /// By `namespace/name`; null if there is none.
  [[nodiscard]] std::shared_ptr<const k8s::Workload> workload(const std::string& key) const;
  [[nodiscard]] std::vector<std::shared_ptr<const k8s::AdmissionCheck>> admission_checks() const {
    return checks_.snapshot();
  }

  /// What capacity follows from; of Workloads those that hold quota.
  [[nodiscard]] KueueObjects kueue() const;
  /// The LocalQueue that the object is in, or will enter; nothing for one outside Kueue.
  [[nodiscard]] std::optional<std::string> queue_of(const std::string& key) const;
  /// What keeps Kueue from ever admitting such a job from that LocalQueue, as things are; empty: nothing that is known.
  [[nodiscard]] std::string queue_problem(const std::string& space, const std::string& queue,
                                          std::span<const scheduler::ResourceDemand> demand) const;
  /// Whether Kueue minds its admission gate. True until it is known not to.
  [[nodiscard]] bool gate_works() const { return gate_works_; }
  /// False until it is known.
  [[nodiscard]] bool kueue_installed() const { return with_kueue_; }

 private:
  void join(const std::stop_token& stop);
  void watch_what_is_there(bool kueue, bool volcano, bool job_sets);
  void probe_gate(const std::stop_token& stop);
  template <class T>
  [[nodiscard]] k8s::Informer<T> watch(const k8s::Resource& resource, scheduler::Result<T> (*parse)(const k8s::Json&),
                                       const char* kind);
  template <class T>
  [[nodiscard]] k8s::Informer<T> watch_quotas(const k8s::Resource& resource,
                                              scheduler::Result<T> (*parse)(const k8s::Json&));
  [[nodiscard]] bool uses(runtime::KubernetesMode mode) const;

  Link link_;
  const runtime::KubernetesConfig config_;
  const Handlers handlers_;
  k8s::Informer<k8s::Job> jobs_;
  k8s::Informer<k8s::JobSet> job_sets_;
  k8s::Informer<k8s::VolcanoJob> volcano_jobs_;
  k8s::Informer<k8s::Pod> volcano_pods_;
  k8s::Informer<k8s::Workload> workloads_;
  k8s::Informer<k8s::ClusterQueue> cluster_queues_;
  k8s::Informer<k8s::Cohort> cohorts_;
  k8s::Informer<k8s::LocalQueue> local_queues_;
  k8s::Informer<k8s::ResourceFlavor> flavors_;
  k8s::Informer<k8s::AdmissionCheck> checks_;
  std::atomic<bool> joined_ = false;
  std::atomic<bool> with_jobs_ = false;
  std::atomic<bool> with_job_sets_ = false;
  std::atomic<bool> with_volcano_ = false;
  std::atomic<bool> with_kueue_ = false;
  std::atomic<bool> gate_works_ = true;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> workload_of_;  ///< uid of the owner → key
  std::jthread joining_;
};

}  // namespace valle::service::cluster
