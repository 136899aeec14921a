// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "k8s/client/tls_transport.hpp"
#include "tests/support/k8s/scripted_api_server.hpp"

namespace valle::tests {

inline const std::string k_loopback = "IP:127.0.0.1,DNS:localhost";

/// A server and transports to it, over TLS on loopback.
class OverTls : public ::testing::Test {
 protected:
  ScriptedApiServer& serve(ScriptedApiServer::Handler handler, ApiServerOptions options = {}) {
    return serve_as(authority_.issue("server", k_loopback), std::move(handler), std::move(options));
  }
  ScriptedApiServer& serve_as(PemPair identity, ScriptedApiServer::Handler handler, ApiServerOptions options = {}) {
    server_ = std::make_unique<ScriptedApiServer>(std::move(identity), std::move(handler), std::move(options));
    return *server_;
  }
  k8s::Endpoint endpoint() const {
    return {.host = "127.0.0.1", .port = server_->port(), .authority = {.text = authority_.certificate()}};
  }
  static std::shared_ptr<k8s::Transport> connect(k8s::Endpoint endpoint, k8s::TransportLimits limits = {}) {
    auto made = k8s::make_tls_transport(std::move(endpoint), limits);
    EXPECT_TRUE(made) << made.error().detail;
    return *made;
  }
  /// Far enough that a busy machine does not reach it.
  k8s::SteadyTime soon() const { return clock_->now() + std::chrono::seconds{60}; }
  k8s::Request get(const std::string& target = "/") const { return {.target = target, .deadline = soon()}; }
  k8s::TransportFailure failure_of(const k8s::TransportResult<k8s::Response>& result) const {
    EXPECT_FALSE(result.has_value());
    return result ? k8s::TransportFailure{k8s::TransportFailure::Kind::malformed, "there was none"} : result.error();
  }
  std::shared_ptr<k8s::Clock> clock_ = k8s::monotonic_clock();
  TestAuthority authority_;
  std::unique_ptr<ScriptedApiServer> server_;
};

inline void say_ok(const ApiRequest&, Conversation& conversation) { conversation.answer(200, "{}"); }

}  // namespace valle::tests
