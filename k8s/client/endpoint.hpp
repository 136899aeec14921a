// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "k8s/client/token.hpp"
#include "scheduler/model/error.hpp"

namespace valle::k8s {

/// PEM given as a text or as a file, which is read again when it changes. Neither: there is none.
struct Pem {
  std::string text = {};
  std::filesystem::path file = {};
  [[nodiscard]] bool given() const { return !text.empty() || !file.empty(); }
};

/// An API server and as whom we speak to it. Always HTTPS, always verified.
struct Endpoint {
  std::string host;  ///< a name or an address, without brackets
  std::uint16_t port = 443;
  std::string base_path = {};    ///< before every path, such as "/k8s/clusters/c-1"; no slash at its end
  std::string server_name = {};  ///< the name that the certificate must carry; empty: `host`
  Pem authority = {};            ///< certificates to trust; none: the system's
  Pem client_certificate = {};
  Pem client_key = {};
  std::shared_ptr<TokenSource> token = {};  ///< may be none
  std::string default_namespace = "default";
  std::string origin = {};  ///< where this was read, for messages: "kubeconfig /etc/valle/kubeconfig, context prod"
};

/// Reads one kubeconfig file. `context` empty: its `current-context`. Files that it names are relative to it. What
/// cannot be honoured is refused, never ignored: `exec` and `auth-provider` plug-ins, passwords, impersonation,
/// proxies, plain HTTP and `insecure-skip-tls-verify`. Errors (`Errc::invalid_request`) name file and member in
/// `pointer`.
[[nodiscard]] scheduler::Result<Endpoint> endpoint_from_kubeconfig(const std::filesystem::path& file,
                                                                   const std::string& context = {});

/// What a pod finds about its own cluster.
struct InCluster {
  std::string host;                                                                ///< KUBERNETES_SERVICE_HOST
  std::string port;                                                                ///< KUBERNETES_SERVICE_PORT
  std::filesystem::path folder = "/var/run/secrets/kubernetes.io/serviceaccount";  ///< holds token, ca.crt, namespace
};
[[nodiscard]] scheduler::Result<Endpoint> endpoint_in_cluster(const InCluster& given);

}  // namespace valle::k8s
