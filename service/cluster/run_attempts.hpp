// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "k8s/api/pod.hpp"
#include "scheduler/account/run.hpp"
#include "service/app/job.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cluster {

/// The most pods of one run that the ledger keeps.
inline constexpr std::size_t k_most_pods_of_run = 4'096;

/// A pod of a job, as far as the ledger is concerned.
struct SeenPod {
  scheduler::PodOfRun pod;  ///< `ran.end` is `now` while it runs
  /// `running` while it does; `evicted` where others than its program took it away.
  scheduler::AttemptOutcome outcome = scheduler::AttemptOutcome::running;
  friend bool operator==(const SeenPod&, const SeenPod&) = default;
};

/// Nothing for a pod none of whose containers has begun. A pod that is `gone` from the API server has ended by now,
/// whatever it showed last. Boards are known from annotations of device plugins that hold UUIDs (`GPU-…`, `MIG-…`).
[[nodiscard]] std::optional<SeenPod> seen_pod(const k8s::Pod& pod, bool gone, scheduler::Instant now);

/// The job as the ledger first writes it: what the baseline needs is frozen as of now. `baseline`: what its owner was
/// told that a run at once would emit.
[[nodiscard]] scheduler::Run new_run(const app::Job& job, std::span<const runtime::SiteConfig> sites,
                                     std::optional<scheduler::Emissions> baseline);

/// The run with what its pods show. A pod that began after all pods of the last attempt had ended, the last of them not
/// well, begins a new attempt; pods of a job that goes on are of the same. An attempt ended as the pod that ended last.
/// Pods are told apart by their UID; those of an earlier look that are not seen any more stay as they were.
[[nodiscard]] scheduler::Run with_pods(scheduler::Run run, std::vector<SeenPod> pods, const std::string& site,
                                       scheduler::Instant now);

/// Attempts whose pods have all vanished while nobody watched: they ended when they were last known to run.
[[nodiscard]] scheduler::Run without_lost_pods(scheduler::Run run, const std::vector<std::string>& still_there);

/// The run after its job has ended. Pods that still seem to run ended with it; the last attempt ended as the job did. A
/// job whose pods nobody saw (they ran in another cluster) has one attempt from its start to its end. Nothing for a job
/// that never ran.
[[nodiscard]] std::optional<scheduler::Run> closed_run(scheduler::Run run, const app::Job& job,
                                                       std::span<const runtime::SiteConfig> sites);

/// A run whose job nobody knows any more: finished when it was last known to run. Nothing while a pod of it runs.
[[nodiscard]] std::optional<scheduler::Run> abandoned_run(scheduler::Run run);

}  // namespace valle::service::cluster
