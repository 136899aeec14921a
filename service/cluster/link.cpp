// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/link.hpp"

#include <unistd.h>

#include <array>
#include <random>

namespace valle::service::cluster {
namespace {

constexpr const char* k_service_account = "/var/run/secrets/kubernetes.io/serviceaccount";

std::string found(const std::map<std::string, std::string>& environment, const char* name) {
  const auto entry = environment.find(name);
  return entry == environment.end() ? std::string{} : entry->second;
}

}  // namespace

scheduler::Result<std::unique_ptr<Link>> Link::open(const runtime::KubernetesConfig& kubernetes,
                                                    const std::map<std::string, std::string>& environment) {
  const auto endpoint = kubernetes.kubeconfig.empty()
                            ? k8s::endpoint_in_cluster(k_service_account, found(environment, "KUBERNETES_SERVICE_HOST"),
                                                       found(environment, "KUBERNETES_SERVICE_PORT"))
                            : k8s::endpoint_from_kubeconfig(kubernetes.kubeconfig);
  if (!endpoint) return tl::unexpected{endpoint.error()};
  auto transport = k8s::make_transport(*endpoint);
  if (!transport) return tl::unexpected{transport.error()};
  return std::unique_ptr<Link>{new Link{*std::move(transport)}};
}

std::string identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  return std::string{host.data()} + "-" + std::to_string(random());
}

}  // namespace valle::service::cluster
