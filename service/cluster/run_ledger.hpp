// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "k8s/api/pod.hpp"
#include "k8s/watch/informer.hpp"
#include "scheduler/ports/job_ledger.hpp"
#include "service/app/estimates.hpp"
#include "service/app/places.hpp"
#include "service/cluster/board.hpp"
#include "service/cluster/key_queue.hpp"
#include "service/cluster/objects.hpp"
#include "service/cluster/run_attempts.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::cluster {

/// Writes down which pods a cluster's jobs had, where, when and how they ended: what a meter needs to find their energy
/// again once the pods are gone. Follows pods by watches of its own; level-triggered: a run is made from all that is
/// seen of it, so that what was missed while nobody led comes back with the next look. Only the leader writes.
class RunLedger final {
 public:
  struct Services {
    Link link;
    const runtime::Clock& clock;
    const app::CurrentBook& book;
    const app::Places& places;
    runtime::Timers& timers;
    const Board& board;
    const Objects& objects;
    scheduler::JobLedger& ledger;
    app::RunEstimates& estimates;
    std::function<bool()> leading;
    bool volcano = false;
  };
  explicit RunLedger(Services services);
  ~RunLedger();  ///< stop()
  RunLedger(const RunLedger&) = delete;
  RunLedger& operator=(const RunLedger&) = delete;

  void start();
  void stop();
  /// A stored job was added or changed. Quick; from any thread.
  void job_changed(const app::Job& job);

 private:
  using JobPtr = std::shared_ptr<const app::Job>;
  /// By job id.
  using Pods = std::map<std::string, std::vector<SeenPod>>;
  struct Ended {
    JobPtr job;
    scheduler::Instant since;
  };

  [[nodiscard]] k8s::Informer<k8s::Pod> watch(const char* label);
  void pod_changed(const std::shared_ptr<const k8s::Pod>& before, const std::shared_ptr<const k8s::Pod>& now);
  [[nodiscard]] std::string job_of(const k8s::Pod& pod) const;

  void run(const std::stop_token& stop);
  [[nodiscard]] bool synced() const;
  /// After taking the lease: every job and every open run is looked at.
  [[nodiscard]] bool take_over();
  /// False: not stored, look again.
  [[nodiscard]] bool write(const std::vector<std::string>& ids);
  [[nodiscard]] Pods pods_now(scheduler::Instant now);
  [[nodiscard]] JobPtr job_with(const std::string& id) const;
  [[nodiscard]] std::optional<scheduler::Run> first_state(const app::Job& job,
                                                          const std::vector<runtime::SiteConfig>& sites);
  void note_tick();

  Services services_;
  KeyQueue to_write_;  ///< ids of jobs; empty: the tick
  mutable std::mutex mutex_;
  std::map<std::string, Ended> ended_;   ///< jobs that have left the board, for a while
  std::map<std::string, SeenPod> gone_;  ///< by pod uid: how a deleted pod ended
  std::map<std::string, std::string> job_of_gone_;
  std::set<std::string> open_;            ///< runs that go on; of the thread
  std::set<std::string> looked_at_;       ///< since the lease was taken; of the thread
  bool took_over_ = false;                // of the thread
  k8s::Informer<k8s::Pod> job_pods_;      // its thread calls the members above
  k8s::Informer<k8s::Pod> volcano_pods_;  // likewise
  runtime::Timers::Id ticking_ = 0;
  std::jthread thread_;
  bool stopped_ = false;
};

}  // namespace valle::service::cluster
