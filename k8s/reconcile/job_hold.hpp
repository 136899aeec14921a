// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/api/job.hpp"
#include "k8s/api/kueue.hpp"
#include "k8s/reconcile/decision.hpp"

namespace valle::k8s {

/// Whether valle looks after a Job at all, and if not, why.
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
};
[[nodiscard]] Hold hold_of(const Job& job);

/// Names of a gate list without ours, in order; and with ours added once.
[[nodiscard]] std::string without_our_gate(const std::string& gates);
[[nodiscard]] std::string with_our_gate(const std::string& gates);

/// What a Job's own object says of an earlier decision: enough to go on after losing every database.
struct Remembered {
  std::optional<scheduler::Instant> start_by = {};
  std::optional<scheduler::Instant> planned_start = {};
  std::optional<scheduler::Instant> released_at = {};
  std::string planned_region = {};
};
[[nodiscard]] Remembered remembered(const ObjectMeta& meta);

/// What to do so that the Job is as the decision wants it. Level-triggered: done once, the same question gives nothing.
/// `workload` is nullptr while Kueue has none for the Job. At most one action at a time changes whether it may start.
///
/// Held by the gate, it is released by one merge patch that drops our gate (and no other), pins the region by node
/// selector *and* a toleration (Kueue compares tolerations, not selectors: without it the pin would not reach its
/// Workload and the start would fail for good), and records the instant. With a queue for the site the Job moves there
/// first, and its gate goes only when its Workload has followed. Held by suspension, one patch unsuspends and pins.
/// Every release is guarded by the resourceVersion that was seen.
[[nodiscard]] std::vector<Action> reconcile(const Job& job, const Workload* workload, const Decision& decision);

}  // namespace valle::k8s
