// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/endpoint.hpp"
#include "k8s/client/file_text.hpp"
#include "k8s/client/server_address.hpp"

namespace valle::k8s {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

Result<Endpoint> endpoint_in_cluster(const InCluster& given) {
  if (given.host.empty() || given.port.empty()) {
    return refuse(Errc::invalid_request, "is not set: this is no pod of a cluster; give a kubeconfig file instead",
                  given.host.empty() ? "KUBERNETES_SERVICE_HOST" : "KUBERNETES_SERVICE_PORT");
  }
  const auto port = parse_port(given.port);
  if (!port) return refuse(Errc::invalid_request, "is not a port, 1 to 65535", "KUBERNETES_SERVICE_PORT");
  Endpoint endpoint{.host = given.host, .port = *port};
  endpoint.authority.file = given.folder / "ca.crt";
  endpoint.token = token_from_file(given.folder / "token");
  endpoint.origin = "the pod's service account, " + given.folder.string();
  if (auto token = endpoint.token->current(); !token) return tl::unexpected{token.error()};
  if (auto authority = text_of_file(endpoint.authority.file); !authority) return tl::unexpected{authority.error()};
  auto space = text_of_file(given.folder / "namespace");
  if (!space) return tl::unexpected{space.error()};
  while (!space->empty() && space->back() <= ' ') space->pop_back();
  if (space->empty()) {
    return refuse(Errc::invalid_request, "is empty", (given.folder / "namespace").string());
  }
  endpoint.default_namespace = *std::move(space);
  return endpoint;
}

}  // namespace valle::k8s
