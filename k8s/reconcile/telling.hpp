// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/api/object_meta.hpp"
#include "k8s/reconcile/decision.hpp"

// What a held job's object and its Events say to people, alike for all kinds.
namespace valle::k8s {

/// What a job's own object says of an earlier decision: enough to go on after losing every database.
struct Remembered {
  std::optional<scheduler::Instant> start_by = {};
  std::optional<scheduler::Instant> planned_start = {};
  std::optional<scheduler::Instant> released_at = {};
  std::string planned_region = {};
  friend bool operator==(const Remembered&, const Remembered&) = default;
};
[[nodiscard]] Remembered remembered(const ObjectMeta& meta);

/// The annotations that the decision asks for and the object does not have so far, as members of a merge patch: null
/// takes one away. `start-by` only ever moves forward in time to an earlier instant.
[[nodiscard]] Json annotations_of_waiting(const ObjectMeta& meta, const Decision& decision);
/// The same, with the instant of the release: the earlier one, if it was recorded before.
[[nodiscard]] Json annotations_of_release(const ObjectMeta& meta, const Decision& decision);

/// What has changed for somebody who watches a waiting job.
[[nodiscard]] std::vector<JobEvent> events_of_waiting(const ObjectMeta& meta, const Decision& decision);
[[nodiscard]] JobEvent event_of_release(const ObjectMeta& meta, const Decision& decision);

/// A merge patch of that object, made sure by its resourceVersion that nobody changed it in between.
[[nodiscard]] Action merge_patch(const Resource& resource, const ObjectMeta& meta, Json metadata, Json spec = {});
/// The action that tells what the decision is; nothing if it is told already.
[[nodiscard]] std::vector<Action> tell_waiting(const Resource& resource, const ObjectMeta& meta,
                                               const Decision& decision);
/// The action that records on a job which somebody else has started that it waits no longer; nothing if it is recorded
/// already. It carries no Event: who saw the change says so.
[[nodiscard]] std::vector<Action> record_start_by_others(const Resource& resource, const ObjectMeta& meta,
                                                         const Decision& decision);

/// `tolerations` with the region's own one, in place of one for another region. It makes Kueue copy the pin to its
/// Workload: Kueue compares tolerations, not node selectors.
[[nodiscard]] Json pinned_tolerations(Json tolerations, const std::string& region);
/// The region that pods are pinned to: none where their owner has chosen another one himself.
[[nodiscard]] std::string pin_of(const std::map<std::string, std::string>& node_selector, const Decision& decision);

}  // namespace valle::k8s
