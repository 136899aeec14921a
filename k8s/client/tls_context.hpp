// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "k8s/client/endpoint.hpp"
#include "scheduler/model/error.hpp"

namespace boost::asio::ssl {
class context;
}

namespace valle::k8s {

/// A client's TLS settings: whom to trust and what to show. Made anew when a file behind them changes; connections keep
/// what they began with. Safe from any thread.
class TlsContext final {
 public:
  /// `Errc::invalid_request`, with the file as pointer, where a certificate or key cannot be used.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<TlsContext>> make(const Endpoint& endpoint);

  /// The settings for a new connection. Files that cannot be used any more leave the old settings in force.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> current();

 private:
  TlsContext(Pem authority, Pem certificate, Pem key);
  [[nodiscard]] std::string fingerprint() const;

  Pem authority_;
  Pem certificate_;
  Pem key_;
  std::mutex mutex_;
  std::string seen_;
  std::shared_ptr<boost::asio::ssl::context> current_;
};

}  // namespace valle::k8s
