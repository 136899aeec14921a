// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/common/loopback_listener.hpp"

namespace valle::tests {

/// One reply, byte for byte, and what goes wrong with it.
struct ScriptedReply {
  enum class Fault {
    none,
    cut_body,   ///< Content-Length promises more than is sent, then the connection closes
    cut_head,   ///< the connection closes inside the headers
    no_answer,  ///< the connection stays open and silent until the client gives up
  };
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body = {};
  std::vector<std::string> headers = {};  ///< whole lines, such as "Retry-After: 120"
  Fault fault = Fault::none;
};

/// A request as it came in.
struct SeenRequest {
  std::string target;  ///< path and query, still encoded
  std::string head;    ///< request line and headers
  [[nodiscard]] std::string path() const { return target.substr(0, target.find('?')); }
  /// The value of a header, name in any case; "-" if it is not there.
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// A provider on loopback: plain sockets, a port of its own, replies by script in the order of the requests. When the
/// script is over it answers 500. Keeps connections alive; serves one connection at a time beside silent ones.
class ScriptedServer {
 public:
  ScriptedServer() : listener_{[this](int socket, std::size_t) { serve(socket); }} {}
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string base_url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  ScriptedServer& then(ScriptedReply reply);
  ScriptedServer& then_json(std::string body) { return then({.body = std::move(body)}); }
  [[nodiscard]] std::vector<SeenRequest> seen() const;
  [[nodiscard]] std::size_t connections() const { return listener_.connections(); }
  /// Replies not used yet.
  [[nodiscard]] std::size_t left() const;

 private:
  void serve(int connection);
  [[nodiscard]] ScriptedReply next(SeenRequest request);

  mutable std::mutex mutex_;
  std::deque<ScriptedReply> script_;
  std::vector<SeenRequest> seen_;
  LoopbackListener listener_;
};

}  // namespace valle::tests
