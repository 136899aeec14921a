// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

#include "k8s/client/tls_transport.hpp"

namespace boost::asio::ssl {
class context;
}

namespace valle::k8s {

/// One TLS connection. The calling thread runs its own private event loop, so that each wait ends with what was waited
/// for, the deadline, or `stop`. One call at a time.
class Connection {
 public:
  virtual ~Connection() = default;
  [[nodiscard]] virtual TransportResult<Response> exchange(const Request& request, std::stop_token stop) = 0;
  [[nodiscard]] virtual TransportResult<Response> stream(const Request& request, const LineSink& line,
                                                         std::stop_token stop) = 0;
  /// The last exchange ended cleanly, and the server has neither closed nor said anything since.
  [[nodiscard]] virtual bool reusable() = 0;
};

[[nodiscard]] TransportResult<std::unique_ptr<Connection>> open_connection(
    const Endpoint& endpoint, std::shared_ptr<boost::asio::ssl::context> tls, const TransportLimits& limits,
    SteadyTime deadline, std::stop_token stop);

}  // namespace valle::k8s
