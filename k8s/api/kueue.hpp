// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "k8s/api/object_meta.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/model/problem.hpp"

namespace valle::k8s {

/// One admission check of a Workload.
struct CheckEntry {
  std::string name;
  std::string state;  ///< Pending, Ready, Retry or Rejected
  friend bool operator==(const CheckEntry&, const CheckEntry&) = default;
};

/// A kueue.x-k8s.io/v1beta2 Workload: Kueue's request for quota, one for each Job.
struct Workload {
  ObjectMeta meta;
  std::string job_uid = {};  ///< label `kueue.x-k8s.io/job-uid`
  std::string queue = {};    ///< LocalQueue
  bool active = true;
  bool gated = false;  ///< carries an admission gate
  bool quota_reserved = false;
  bool admitted = false;
  bool evicted = false;
  bool finished = false;
  std::string reason = {};  ///< of QuotaReserved while it is false; of Finished once it is finished
  std::string message = {};
  std::string eviction_reason = {};
  std::string cluster_queue = {};  ///< that has reserved quota for it
  std::string cluster_name = {};   ///< MultiKueue: the worker cluster
  std::vector<CheckEntry> checks = {};
  /// What it holds, by flavor, then resource.
  std::map<std::string, std::map<std::string, scheduler::Amount>> usage = {};
  std::optional<scheduler::Duration> longest_run = {};  ///< maximumExecutionTimeSeconds
  std::optional<scheduler::Instant> admitted_at = {};
  friend bool operator==(const Workload&, const Workload&) = default;
};
[[nodiscard]] scheduler::Result<Workload> parse_workload(const Json& object);

/// What may be had of one resource in one flavor.
struct Quota {
  scheduler::Amount nominal{};
  std::optional<scheduler::Amount> borrowing_limit = {};  ///< from the cohort; nothing: as much as the others leave
  std::optional<scheduler::Amount> lending_limit = {};    ///< to the cohort; nothing: all
  friend bool operator==(const Quota&, const Quota&) = default;
};
using Quotas = std::map<std::string, std::map<std::string, Quota>>;  ///< by flavor, then resource

struct ClusterQueue {
  ObjectMeta meta;
  bool active = false;
  std::string cohort = {};  ///< whose quota it shares; empty: none
  Quotas quota = {};
  std::vector<std::string> checks = {};
  friend bool operator==(const ClusterQueue&, const ClusterQueue&) = default;
};
[[nodiscard]] scheduler::Result<ClusterQueue> parse_cluster_queue(const Json& object);

/// Quota that several ClusterQueues share. One without an object is the sum of its ClusterQueues.
struct Cohort {
  ObjectMeta meta;
  std::string parent = {};
  Quotas quota = {};  ///< beside its ClusterQueues'
  friend bool operator==(const Cohort&, const Cohort&) = default;
};
[[nodiscard]] scheduler::Result<Cohort> parse_cohort(const Json& object);

struct LocalQueue {
  ObjectMeta meta;
  std::string cluster_queue = {};
  friend bool operator==(const LocalQueue&, const LocalQueue&) = default;
};
[[nodiscard]] scheduler::Result<LocalQueue> parse_local_queue(const Json& object);

struct ResourceFlavor {
  ObjectMeta meta;
  std::map<std::string, std::string> node_labels = {};
  friend bool operator==(const ResourceFlavor&, const ResourceFlavor&) = default;
};
[[nodiscard]] scheduler::Result<ResourceFlavor> parse_resource_flavor(const Json& object);

}  // namespace valle::k8s
