// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/api/job.hpp"
#include "k8s/api/kueue.hpp"
#include "k8s/reconcile/decision.hpp"
#include "k8s/reconcile/gates.hpp"
#include "k8s/reconcile/telling.hpp"

namespace valle::k8s {

/// Whether valle looks after a job at all, and if not, why.
enum class Care {
  ours,
  not_asked,    ///< not carbon-aware
  remote_copy,  ///< a MultiKueue copy on a worker cluster: its manager cluster decides
  child,        ///< belongs to an object that is held itself
  prebuilt,     ///< names a prebuilt Workload: Kueue does not copy its gate
  elastic,      ///< Kueue does not follow the removal of its gate
};
[[nodiscard]] Care care_of(const ObjectMeta& meta);

/// What keeps a Job from starting.
enum class Hold {
  none,
  gate,     ///< our name among Kueue's admission gates
  suspend,  ///< `spec.suspend`, set by us
  queue,    ///< suspended and taken out of its queue: Kueue's gate is off or not there
};
[[nodiscard]] Hold hold_of(const ObjectMeta& meta, bool suspended);
[[nodiscard]] inline Hold hold_of(const Job& job) { return hold_of(job.meta, job.suspended); }

/// Who unsuspends what is in a queue. Where nobody does (Kueue is not installed), a release does it itself.
enum class Starter { kueue, nobody };

/// What comes before the gate of an object that is to run in another LocalQueue: its label changes first and alone (in
/// one patch with the gate, Kueue may admit it in its old queue), then its Workload is waited for (no action). Nothing:
/// the gate may go.
[[nodiscard]] std::optional<std::vector<Action>> steps_to_queue(const Resource& resource, const ObjectMeta& meta,
                                                                const Workload* workload, const Decision& decision);

/// What to do so that the Job is as the decision wants it. Level-triggered: done once, the same question gives nothing.
/// `workload` is nullptr while Kueue has none for the Job. At most one action at a time changes whether it may start.
///
/// Held by the gate, it is released by one merge patch that drops our gate (and no other), pins the region by node
/// selector *and* a toleration (Kueue compares tolerations, not selectors: without it the pin would not reach its
/// Workload and the start would fail for good), and records the instant. With a queue for the site the Job moves there
/// first, and its gate goes only when its Workload has followed. Held by suspension, one patch unsuspends and pins;
/// held out of its queue, one patch pins it and puts it in, and Kueue unsuspends. Every write is guarded by the
/// resourceVersion that was seen. Nothing is released before the decision says so.
[[nodiscard]] std::vector<Action> reconcile(const Job& job, const Workload* workload, const Decision& decision,
                                            Starter starter = Starter::kueue);

}  // namespace valle::k8s
