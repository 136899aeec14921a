// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "k8s/client/client.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cluster {

/// The way to one API server: connections and client.
class Link final {
 public:
  /// By the configured kubeconfig, else as the pod that we run in. Nothing is asked of the server yet. Refused with
  /// what is missing and where.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<Link>> open(
      const runtime::KubernetesConfig& kubernetes, const std::map<std::string, std::string>& environment);

  [[nodiscard]] k8s::Client& client() { return client_; }

 private:
  explicit Link(std::unique_ptr<k8s::Transport> transport) : transport_{std::move(transport)}, client_{*transport_} {}
  std::unique_ptr<k8s::Transport> transport_;
  k8s::Client client_;
};

/// A name for this process among the replicas: host and a random part.
[[nodiscard]] std::string identity();

}  // namespace valle::service::cluster
