// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/link.hpp"

#include <unistd.h>

#include <array>
#include <random>

#include "k8s/client/tls_transport.hpp"

namespace valle::service::cluster {
namespace {

constexpr k8s::Rate k_object_calls{.per_second = 150, .burst = 300};
constexpr k8s::Rate k_event_calls{.per_second = 20, .burst = 100};

std::string found(const std::map<std::string, std::string>& environment, const char* name) {
  const auto entry = environment.find(name);
  return entry == environment.end() ? std::string{} : entry->second;
}

}  // namespace

scheduler::Result<Link> open_link(const runtime::KubernetesConfig& kubernetes,
                                  const std::map<std::string, std::string>& environment) {
  auto endpoint = kubernetes.kubeconfig.empty()
                      ? k8s::endpoint_in_cluster({.host = found(environment, "KUBERNETES_SERVICE_HOST"),
                                                  .port = found(environment, "KUBERNETES_SERVICE_PORT")})
                      : k8s::endpoint_from_kubeconfig(kubernetes.kubeconfig);
  if (!endpoint) return tl::unexpected{endpoint.error()};
  const auto token = endpoint->token;
  std::string origin = endpoint->origin;
  auto transport = k8s::make_tls_transport(*std::move(endpoint));
  if (!transport) return tl::unexpected{transport.error()};
  const auto client = [&](k8s::Rate rate) {
    return std::make_shared<k8s::Client>(*transport, token, k8s::monotonic_clock(), k8s::ClientOptions{.rate = rate});
  };
  return Link{client(k_object_calls), client({}), client(k_event_calls), std::move(origin)};
}

std::string identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  return std::string{host.data()} + "-" + std::to_string(random());
}

}  // namespace valle::service::cluster
