// SPDX-License-Identifier: Apache-2.0
// Objects as the API server has them, and what becomes of them under our patches.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "k8s/api/job.hpp"
#include "k8s/api/names.hpp"
#include "k8s/reconcile/decision.hpp"

namespace valle::tests {

using k8s::Json;

inline scheduler::Instant at(std::string_view text) { return scheduler::parse_instant(text).value(); }

/// Builds the JSON of a carbon-aware object.
class ObjectBuilder final {
 public:
  explicit ObjectBuilder(Json object) : object_(std::move(object)) {  // braces would make a list of it
    auto& metadata = object_["metadata"];
    metadata["name"] = "fit";
    metadata["namespace"] = "lab";
    metadata["uid"] = "uid-1";
    metadata["resourceVersion"] = "7";
    metadata["creationTimestamp"] = "2027-06-02T06:00:00Z";
    annotated("kueue.x-k8s.io/carbon-aware", "true");
  }
  ObjectBuilder& annotated(const std::string& name, const std::string& value) {
    object_["metadata"]["annotations"][name] = value;
    return *this;
  }
  ObjectBuilder& labelled(const std::string& name, const std::string& value) {
    object_["metadata"]["labels"][name] = value;
    return *this;
  }
  ObjectBuilder& gated(const std::string& gates = "valle.sh/carbon") {
    object_["spec"]["suspend"] = true;
    return labelled("kueue.x-k8s.io/queue-name", "batch").annotated("kueue.x-k8s.io/admission-gated-by", gates);
  }
  ObjectBuilder& suspended_by_us() {
    object_["spec"]["suspend"] = true;
    return annotated("valle.sh/held", "suspend");
  }
  ObjectBuilder& with(const char* pointer, Json value) {
    object_[Json::json_pointer{pointer}] = std::move(value);
    return *this;
  }
  [[nodiscard]] Json json() const { return object_; }

 private:
  Json object_;
};

inline ObjectBuilder a_job() {
  return ObjectBuilder{
      Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {}, "spec": {"parallelism": 2,
    "completions": 2, "template": {"spec": {"containers": [{"name": "work",
      "resources": {"requests": {"cpu": "2", "memory": "4Gi"}}}]}}}})")};
}

inline ObjectBuilder a_job_set() {
  return ObjectBuilder{Json::parse(R"({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {},
    "spec": {"replicatedJobs": [
      {"name": "leader", "replicas": 1, "template": {"spec": {"template": {"spec": {"containers": [
        {"name": "a", "resources": {"requests": {"cpu": "1"}}}]}}}}},
      {"name": "workers", "replicas": 2, "template": {"spec": {"parallelism": 3, "template": {"spec": {
        "nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "containers": [{"name": "b", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}}]}})")};
}

inline ObjectBuilder a_volcano_job() {
  return ObjectBuilder{Json::parse(R"({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {},
    "spec": {"minAvailable": 4, "tasks": [
      {"name": "master", "replicas": 1, "template": {"spec": {"containers": [{"name": "m"}]}}},
      {"name": "worker", "replicas": 3, "template": {"spec": {"schedulingGates": [{"name": "other.org/gate"}],
        "containers": [{"name": "w", "resources": {"requests": {"cpu": "500m"}}}]}}}]}})")};
}

inline k8s::Job job_of(const Json& object) { return k8s::parse_job(object).value(); }

/// The object after an action, as the API server would have it.
inline Json after(const Json& object, const k8s::Action& action) {
  Json changed = object;
  if (action.kind == k8s::Patch::Type::json) {
    changed = object.patch(action.body);
  } else {
    const auto version = action.body.at("metadata").find("resourceVersion");
    EXPECT_TRUE(version != action.body.at("metadata").end()) << "not guarded: " << action.body.dump();
    if (version != action.body.at("metadata").end()) {
      EXPECT_EQ(*version, object.at("metadata").at("resourceVersion"));
    }
    changed.merge_patch(action.body);
  }
  auto& now = changed["metadata"]["resourceVersion"];
  now = std::to_string(std::stol(now.get<std::string>()) + 1);
  return changed;
}

inline k8s::Decision waiting_until(std::string_view planned) {
  return {.planned_start = at(planned),
          .site = "es",
          .region = "eu-south-2",
          .start_by = at("2027-06-02T14:00:00Z"),
          .planned = scheduler::Emissions::of_base(250'000),
          .baseline = scheduler::Emissions::of_base(1'000'000),
          .reason = "cleaner in es"};
}

inline k8s::Decision released_at(std::string_view instant) {
  auto decision = waiting_until("2027-06-02T11:00:00Z");
  decision.released = true;
  decision.released_at = at(instant);
  return decision;
}

}  // namespace valle::tests
