// SPDX-License-Identifier: Apache-2.0
#include "k8s/lease/lease_record.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace valle::k8s {
namespace {

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() ? &*found : nullptr;
}

std::string text_in(const Json& object, const char* name) {
  const Json* found = member(object, name);
  return found && found->is_string() ? found->get<std::string>() : std::string{};
}

std::int64_t number_in(const Json& object, const char* name) {
  const Json* found = member(object, name);
  if (!found || !found->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, INT32_MAX);  // int32 in the API
}

}  // namespace

LeaseRecord lease_record_of(const Json& lease) {
  LeaseRecord record;
  if (const Json* meta = member(lease, "metadata")) record.resource_version = text_in(*meta, "resourceVersion");
  const Json* spec = member(lease, "spec");
  if (!spec) return record;
  record.holder = text_in(*spec, "holderIdentity");
  record.duration = std::chrono::seconds{number_in(*spec, "leaseDurationSeconds")};
  record.acquire_time = text_in(*spec, "acquireTime");
  record.renew_time = text_in(*spec, "renewTime");
  record.transitions = number_in(*spec, "leaseTransitions");
  return record;
}

Json lease_with(Json lease, const LeaseRecord& record, const std::string& space, const std::string& name) {
  if (!lease.is_object()) lease = Json::object();
  lease["apiVersion"] = "coordination.k8s.io/v1";
  lease["kind"] = "Lease";
  Json& meta = lease["metadata"];
  if (!meta.is_object()) meta = Json::object();
  meta["namespace"] = space;
  meta["name"] = name;
  if (record.resource_version.empty()) {
    meta.erase("resourceVersion");
  } else {
    meta["resourceVersion"] = record.resource_version;
  }
  Json spec{{"holderIdentity", record.holder},
            {"leaseDurationSeconds", record.duration.count()},
            {"leaseTransitions", record.transitions}};
  if (!record.acquire_time.empty()) spec["acquireTime"] = record.acquire_time;
  if (!record.renew_time.empty()) spec["renewTime"] = record.renew_time;
  lease["spec"] = std::move(spec);
  return lease;
}

}  // namespace valle::k8s
