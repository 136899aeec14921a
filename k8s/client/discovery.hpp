// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/client/client.hpp"

namespace valle::k8s {

/// What the API server is and serves, as found at one time.
struct Served {
  std::string version = {};  ///< "v1.35.4"
  int major = 0;
  int minor = 0;
  std::set<std::string> group_versions = {};  ///< "batch/v1", "v1"; all that the server names
  std::set<std::string> kinds = {};  ///< "batch/v1/jobs", "batch/v1/jobs/status"; of the groups that were asked for
  [[nodiscard]] bool has(const Resource& resource, std::string_view subresource = {}) const;
};

/// A kind that we cannot do without, and what for.
struct Needed {
  Resource resource;
  std::string purpose;  ///< "to hold Jobs in Kueue"
};

/// Asks for the version, the groups, and the kinds of those group versions that `resources` name. A group version that
/// is not served is no error.
[[nodiscard]] ApiResult<Served> discover(Client& client, const std::vector<Resource>& resources, const Call& call);

/// One sentence for each kind that is missing: "workloads.kueue.x-k8s.io/v1beta2 is not served, needed to …; the server
/// offers kueue.x-k8s.io/v1beta1 instead". Empty: all is there.
[[nodiscard]] std::vector<std::string> missing(const Served& served, const std::vector<Needed>& needed);

/// The kinds that we know, for discovery and paths.
namespace resources {
inline const Resource k_jobs{"batch", "v1", "jobs"};
inline const Resource k_cron_jobs{"batch", "v1", "cronjobs"};
inline const Resource k_pods{"", "v1", "pods"};
inline const Resource k_nodes{"", "v1", "nodes", Scope::cluster};
inline const Resource k_secrets{"", "v1", "secrets"};
inline const Resource k_leases{"coordination.k8s.io", "v1", "leases"};
inline const Resource k_events{"events.k8s.io", "v1", "events"};
inline const Resource k_mutating_webhooks{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
                                          Scope::cluster};
inline const Resource k_validating_webhooks{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                                            Scope::cluster};
inline const Resource k_workloads{"kueue.x-k8s.io", "v1beta2", "workloads"};
inline const Resource k_local_queues{"kueue.x-k8s.io", "v1beta2", "localqueues"};
inline const Resource k_cluster_queues{"kueue.x-k8s.io", "v1beta2", "clusterqueues", Scope::cluster};
inline const Resource k_cohorts{"kueue.x-k8s.io", "v1beta2", "cohorts", Scope::cluster};
inline const Resource k_resource_flavors{"kueue.x-k8s.io", "v1beta2", "resourceflavors", Scope::cluster};
inline const Resource k_admission_checks{"kueue.x-k8s.io", "v1beta2", "admissionchecks", Scope::cluster};
inline const Resource k_multikueue_clusters{"kueue.x-k8s.io", "v1beta2", "multikueueclusters", Scope::cluster};
inline const Resource k_multikueue_configs{"kueue.x-k8s.io", "v1beta2", "multikueueconfigs", Scope::cluster};
inline const Resource k_volcano_jobs{"batch.volcano.sh", "v1alpha1", "jobs"};
inline const Resource k_pod_groups{"scheduling.volcano.sh", "v1beta1", "podgroups"};
inline const Resource k_job_sets{"jobset.x-k8s.io", "v1alpha2", "jobsets"};
}  // namespace resources

}  // namespace valle::k8s
