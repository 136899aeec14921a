// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "k8s/api/kueue.hpp"
#include "service/app/plan_problem.hpp"

namespace valle::service::cluster {

/// Kueue's objects that capacity follows from, seen together.
struct KueueObjects {
  template <class T>
  using Of = std::vector<std::shared_ptr<const T>>;
  Of<k8s::ClusterQueue> cluster_queues = {};
  Of<k8s::Cohort> cohorts = {};
  Of<k8s::LocalQueue> local_queues = {};
  Of<k8s::ResourceFlavor> flavors = {};
  Of<k8s::Workload> workloads = {};
};

/// Completes a snapshot by what Kueue would admit, so that no plan counts on what is not there or taken.
///
/// A job draws on the ClusterQueue of its LocalQueue (at a site with a queue of its own: of that one), and with it on
/// the whole cohort. Each becomes a resource of its own, `cpu@team-a` or `cpu@cohort/all`, beside the plain `cpu` that
/// the configuration may limit:
/// - a ClusterQueue without cohort has its nominal quota;
/// - a cohort has the nominal quotas of all its ClusterQueues, and those of its own;
/// - a ClusterQueue in a cohort may have its nominal quota and what the others lend, up to its limit; it is left out
///   where that is all that the cohort has.
/// A flavor counts at the sites of its region (its nodes' label); one without region, or a site without, counts
/// everywhere. What is not covered at a site where it is covered elsewhere is 0 there.
///
/// What admitted Workloads of others hold is reserved until they are expected to end: `maximumExecutionTimeSeconds`, or
/// `default_run`, after their admission; one that should have ended needs one more slot. Those of the snapshot's own
/// jobs hold their place in the plan itself.
///
/// `queue_of` names the LocalQueue of each job by its id; jobs without one are not Kueue's. As a problem has few
/// resources, the least shared pools are left out beyond that: their number is returned.
std::size_t observe_kueue(app::PlanningSnapshot& snapshot, const KueueObjects& kueue,
                          const std::map<std::string, std::string>& queue_of, scheduler::Duration default_run);

/// Of which resource the demand is more than the ClusterQueue has in any region, in words; empty if of none, or if it
/// may borrow.
[[nodiscard]] std::string larger_than_quota(const k8s::ClusterQueue& queue,
                                            const KueueObjects::Of<k8s::ResourceFlavor>& flavors,
                                            std::span<const scheduler::ResourceDemand> demand);

}  // namespace valle::service::cluster
