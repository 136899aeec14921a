// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/admission_check.hpp"

#include <utility>

namespace valle::k8s {
namespace {

bool is_active(const Json& object) {
  const auto active = condition_of(object, "Active");
  return active && active->is_true;
}

}  // namespace

scheduler::Result<AdmissionCheck> parse_admission_check(const Json& object) {
  return named_meta_of(object, "AdmissionCheck").map([&object](ObjectMeta meta) {
    const Json& spec = inner(object, "spec");
    return AdmissionCheck{.meta = std::move(meta),
                          .controller = text_member(spec, "controllerName"),
                          .active = is_active(object),
                          .parameters = text_member(inner(spec, "parameters"), "name")};
  });
}

scheduler::Result<MultiKueueConfig> parse_multikueue_config(const Json& object) {
  return named_meta_of(object, "MultiKueueConfig").map([&object](ObjectMeta meta) {
    MultiKueueConfig config{.meta = std::move(meta)};
    for (const auto& cluster : inner(inner(object, "spec"), "clusters")) {
      if (cluster.is_string()) config.clusters.push_back(cluster.get<std::string>());
    }
    return config;
  });
}

scheduler::Result<MultiKueueCluster> parse_multikueue_cluster(const Json& object) {
  return named_meta_of(object, "MultiKueueCluster").map([&object](ObjectMeta meta) {
    return MultiKueueCluster{.meta = std::move(meta), .active = is_active(object)};
  });
}

}  // namespace valle::k8s
