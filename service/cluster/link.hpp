// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "k8s/client/client.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cluster {

/// The way to one API server. The clients share connections but not their limits of calls, so that neither a burst of
/// patches nor of Events stands between a leader and its lease.
struct Link {
  std::shared_ptr<k8s::Client> objects;
  std::shared_ptr<k8s::Client> lease;
  std::shared_ptr<k8s::Client> events;
  std::string origin;  ///< where the address was found, for messages
};

/// By the configured kubeconfig, else as the pod that we run in. Nothing is asked of the server yet. Refused with what
/// is missing and where.
[[nodiscard]] scheduler::Result<Link> open_link(const runtime::KubernetesConfig& kubernetes,
                                                const std::map<std::string, std::string>& environment);

/// A name for this process among the replicas: host and a random part.
[[nodiscard]] std::string identity();

}  // namespace valle::service::cluster
