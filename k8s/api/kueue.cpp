// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/kueue.hpp"

#include "k8s/api/names.hpp"
#include "k8s/api/quantity.hpp"

namespace valle::k8s {
namespace {

scheduler::Result<ObjectMeta> named_meta(const Json& object, const char* kind) {
  auto meta = meta_of(object);
  if (!meta.name.empty()) return meta;
  return scheduler::refuse(scheduler::Errc::invalid_request, std::string{"is no "} + kind + ": it has no name",
                           "/metadata/name");
}

std::optional<scheduler::Amount> amount_of(const Json& value) {
  if (value.is_string()) return parse_quantity(value.get<std::string>());
  return value.is_number() ? parse_quantity(value.dump()) : std::nullopt;
}

bool holds(const std::optional<Condition>& condition) { return condition && condition->is_true; }

}  // namespace

scheduler::Result<Workload> parse_workload(const Json& object) {
  auto meta = named_meta(object, "Workload");
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
    workload.longest_run = scheduler::Duration{*limit};
  }
  for (const auto& check : inner(status, "admissionChecks")) workload.checks.push_back(text_member(check, "name"));
  const Json& admission = inner(status, "admission");
  workload.cluster_queue = text_member(admission, "clusterQueue");
  for (const auto& assigned : inner(admission, "podSetAssignments")) {
    const auto flavors = texts_member(assigned, "flavors");
    for (const auto& [resource, used] : inner(assigned, "resourceUsage").items()) {
      const auto flavor = flavors.find(resource);
      const auto amount = amount_of(used);
      if (flavor != flavors.end() && amount) workload.usage[flavor->second][resource] += *amount;
    }
  }
  return workload;
}

scheduler::Result<ClusterQueue> parse_cluster_queue(const Json& object) {
  auto meta = named_meta(object, "ClusterQueue");
  if (!meta) return tl::unexpected{meta.error()};
  ClusterQueue queue{.meta = *std::move(meta), .active = holds(condition_of(object, "Active"))};
  const Json& spec = inner(object, "spec");
  for (const auto& group : inner(spec, "resourceGroups")) {
    for (const auto& flavor : inner(group, "flavors")) {
      auto& quota = queue.quota[text_member(flavor, "name")];
      for (const auto& resource : inner(flavor, "resources")) {
        const auto nominal = resource.find("nominalQuota");
        const auto amount = nominal == resource.end() ? std::nullopt : amount_of(*nominal);
        if (amount) quota[text_member(resource, "name")] += *amount;
      }
    }
  }
  for (const auto& check : inner(inner(spec, "admissionChecksStrategy"), "admissionChecks")) {
    queue.checks.push_back(text_member(check, "name"));
  }
  return queue;
}

scheduler::Result<LocalQueue> parse_local_queue(const Json& object) {
  auto meta = named_meta(object, "LocalQueue");
  if (!meta) return tl::unexpected{meta.error()};
  return LocalQueue{*std::move(meta), text_member(inner(object, "spec"), "clusterQueue")};
}

scheduler::Result<ResourceFlavor> parse_resource_flavor(const Json& object) {
  auto meta = named_meta(object, "ResourceFlavor");
  if (!meta) return tl::unexpected{meta.error()};
  return ResourceFlavor{*std::move(meta), texts_member(inner(object, "spec"), "nodeLabels")};
}

}  // namespace valle::k8s
