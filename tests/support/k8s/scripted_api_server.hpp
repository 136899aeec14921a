// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/common/loopback_listener.hpp"
#include "tests/support/k8s/test_authority.hpp"

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;

namespace valle::tests {

struct ApiRequest {
  std::string method;
  std::string target;                          ///< path and query, still encoded
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::string client;          ///< common name of the client's certificate; empty if it showed none
  std::size_t connection = 0;  ///< 1 for the first connection of the server, and so on
  [[nodiscard]] std::string path() const { return target.substr(0, target.find('?')); }
  [[nodiscard]] bool asks(std::string_view parameter) const { return target.find(parameter) != std::string::npos; }
  [[nodiscard]] std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? "-" : found->second;
  }
};

/// The server's side of one request. What it sends goes out at once.
class Conversation final {
 public:
  Conversation(SSL* tls, int socket) : tls_{tls}, socket_{socket} {}
  /// A whole response; header lines such as "Retry-After: 3".
  void answer(int status, std::string_view body, const std::vector<std::string>& headers = {});
  /// The head of a 200 whose body follows in chunks.
  void begin_stream();
  void chunk(std::string_view bytes);
  void line(std::string_view json) { chunk(std::string{json} + '\n'); }
  void end_stream() { raw("0\r\n\r\n"); }
  void raw(std::string_view bytes);
  /// Closes the connection under the client, without a word of TLS.
  void cut();
  /// Blocks until the client is gone, or the server is taken down.
  void wait_until_gone();
  [[nodiscard]] bool is_cut() const { return cut_; }
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  SSL* tls_;
  int socket_;
  bool cut_ = false;
  bool gone_ = false;  // a write failed
};

struct ApiServerOptions {
  std::string client_authority = {};  ///< PEM; if given, clients must show a certificate of it
};

/// An API server on loopback, over TLS, on a free port. The handler answers each request on the thread of its
/// connection; connections are kept. For faults: it may send anything, stop in the middle, or never answer.
class ScriptedApiServer final {
 public:
  using Handler = std::function<void(const ApiRequest&, Conversation&)>;
  ScriptedApiServer(PemPair identity, Handler handler, ApiServerOptions options = {});

  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] std::vector<ApiRequest> seen() const;
  [[nodiscard]] std::size_t connections() const { return listener_.connections(); }
  /// Blocks until that many requests have come.
  void wait_for_requests(std::size_t count) const;

 private:
  void serve(int socket, std::size_t number);
  void converse(SSL* tls, int socket, std::size_t number);

  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  Handler handler_;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::vector<ApiRequest> seen_;
  LoopbackListener listener_;
};

}  // namespace valle::tests
