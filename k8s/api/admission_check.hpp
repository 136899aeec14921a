// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "k8s/api/object_meta.hpp"
#include "scheduler/model/error.hpp"

namespace valle::k8s {

/// A kueue.x-k8s.io/v1beta2 AdmissionCheck: somebody's say before a Workload starts.
struct AdmissionCheck {
  ObjectMeta meta;
  std::string controller = {};  ///< controllerName: whose say it is
  bool active = false;          ///< an inactive one stops all its ClusterQueues
  std::string parameters = {};  ///< name of the object that configures it
  friend bool operator==(const AdmissionCheck&, const AdmissionCheck&) = default;
};
[[nodiscard]] scheduler::Result<AdmissionCheck> parse_admission_check(const Json& object);

struct MultiKueueConfig {
  ObjectMeta meta;
  std::vector<std::string> clusters = {};
  friend bool operator==(const MultiKueueConfig&, const MultiKueueConfig&) = default;
};
[[nodiscard]] scheduler::Result<MultiKueueConfig> parse_multikueue_config(const Json& object);

struct MultiKueueCluster {
  ObjectMeta meta;
  bool active = false;
  friend bool operator==(const MultiKueueCluster&, const MultiKueueCluster&) = default;
};
[[nodiscard]] scheduler::Result<MultiKueueCluster> parse_multikueue_cluster(const Json& object);

}  // namespace valle::k8s
