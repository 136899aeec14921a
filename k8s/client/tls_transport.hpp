// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "k8s/client/endpoint.hpp"
#include "k8s/client/transport.hpp"

namespace valle::k8s {

struct TransportLimits {
  std::size_t head = 64u << 10;
  std::size_t body = 64u << 20;  ///< a page of a list
  std::size_t line = 8u << 20;   ///< an event of a watch
  std::size_t idle_connections = 8;
  std::size_t busy_connections = 32;          ///< a further call waits, until its deadline
  std::size_t streams = 64;                   ///< watches hold a connection each; a further one is refused
  std::chrono::milliseconds connect{10'000};  ///< name, connection and handshake together, inside the deadline
};

/// HTTP/1.1 over TLS 1.2 or later, certificate and name verified, connections kept and used again. The calling thread
/// does the work of its own call. `Errc::invalid_request` where a certificate or key cannot be used.
/// A name that the system's resolver hangs on can delay a call beyond its deadline; addresses cannot.
[[nodiscard]] scheduler::Result<std::shared_ptr<Transport>> make_tls_transport(Endpoint endpoint,
                                                                               TransportLimits limits = {});

}  // namespace valle::k8s
