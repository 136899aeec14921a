// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/kueue.hpp"

#include <algorithm>

#include "k8s/api/names.hpp"
#include "k8s/api/quantity.hpp"

namespace valle::k8s {
namespace {

bool holds(const std::optional<Condition>& condition) { return condition && condition->is_true; }

std::optional<scheduler::Amount> amount_in(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? std::nullopt : quantity_of(*found);
}

Quotas quotas_of(const Json& spec) {
  Quotas quotas;
  for (const auto& group : inner(spec, "resourceGroups")) {
    for (const auto& flavor : inner(group, "flavors")) {
      auto& quota = quotas[text_member(flavor, "name")];
      for (const auto& resource : inner(flavor, "resources")) {
        const auto nominal = amount_in(resource, "nominalQuota");
        if (!nominal) continue;
        quota[text_member(resource, "name")] = {.nominal = *nominal,
                                                .borrowing_limit = amount_in(resource, "borrowingLimit"),
                                                .lending_limit = amount_in(resource, "lendingLimit")};
      }
    }
  }
  return quotas;
}

}  // namespace

scheduler::Result<Workload> parse_workload(const Json& object) {
  auto meta = named_meta_of(object, "Workload");
  if (!meta) return tl::unexpected{meta.error()};
  Workload workload{.meta = *std::move(meta)};
  const Json& spec = inner(object, "spec");
  const Json& status = inner(object, "status");
  workload.job_uid = workload.meta.label(names::k_job_uid).value_or("");
  workload.queue = text_member(spec, "queueName");
  workload.active = flag_member(spec, "active", true);
  workload.gated = !workload.meta.annotation(names::k_gated_by).value_or("").empty();
  const auto reserved = condition_of(object, "QuotaReserved");
  const auto admitted = condition_of(object, "Admitted");
  const auto evicted = condition_of(object, "Evicted");
  const auto finished = condition_of(object, "Finished");
  workload.quota_reserved = holds(reserved);
  workload.admitted = holds(admitted);
  workload.evicted = holds(evicted);
  workload.finished = holds(finished);
  if (const auto& telling = workload.finished ? finished : reserved) {
    workload.reason = telling->reason;
    workload.message = telling->message;
  }
  if (workload.evicted) workload.eviction_reason = evicted->reason;
  if (workload.admitted) workload.admitted_at = admitted->since;
  workload.cluster_name = text_member(status, "clusterName");
  if (const auto limit = number_member(spec, "maximumExecutionTimeSeconds"); limit && *limit > 0) {
    workload.longest_run = scheduler::Duration{std::min(*limit, std::int64_t{366} * 86'400)};
  }
  for (const auto& check : inner(status, "admissionChecks")) {
    workload.checks.push_back({.name = text_member(check, "name"), .state = text_member(check, "state")});
  }
  const Json& admission = inner(status, "admission");
  workload.cluster_queue = text_member(admission, "clusterQueue");
  for (const auto& assigned : inner(admission, "podSetAssignments")) {
    const auto flavors = texts_member(assigned, "flavors");
    for (const auto& [resource, used] : inner(assigned, "resourceUsage").items()) {
      const auto flavor = flavors.find(resource);
      const auto amount = quantity_of(used);
      if (flavor == flavors.end() || !amount) continue;
      auto& sum = workload.usage[flavor->second][resource];
      sum = added(sum, *amount);
    }
  }
  return workload;
}

scheduler::Result<ClusterQueue> parse_cluster_queue(const Json& object) {
  auto meta = named_meta_of(object, "ClusterQueue");
  if (!meta) return tl::unexpected{meta.error()};
  ClusterQueue queue{.meta = *std::move(meta), .active = holds(condition_of(object, "Active"))};
  const Json& spec = inner(object, "spec");
  queue.cohort = text_member(spec, "cohortName");
  queue.quota = quotas_of(spec);
  for (const auto& check : inner(inner(spec, "admissionChecksStrategy"), "admissionChecks")) {
    queue.checks.push_back(text_member(check, "name"));
  }
  return queue;
}

scheduler::Result<Cohort> parse_cohort(const Json& object) {
  auto meta = named_meta_of(object, "Cohort");
  if (!meta) return tl::unexpected{meta.error()};
  const Json& spec = inner(object, "spec");
  return Cohort{*std::move(meta), text_member(spec, "parentName"), quotas_of(spec)};
}

scheduler::Result<LocalQueue> parse_local_queue(const Json& object) {
  auto meta = named_meta_of(object, "LocalQueue");
  if (!meta) return tl::unexpected{meta.error()};
  return LocalQueue{*std::move(meta), text_member(inner(object, "spec"), "clusterQueue")};
}

scheduler::Result<ResourceFlavor> parse_resource_flavor(const Json& object) {
  auto meta = named_meta_of(object, "ResourceFlavor");
  if (!meta) return tl::unexpected{meta.error()};
  return ResourceFlavor{*std::move(meta), texts_member(inner(object, "spec"), "nodeLabels")};
}

}  // namespace valle::k8s
