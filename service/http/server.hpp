// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"
#include "service/http/auth.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/io.hpp"

namespace valle::service::http {

/// PEM files; re-read when they change, the old ones kept while the new ones don't fit.
struct TlsFiles {
  std::filesystem::path certificate;  ///< the chain, leaf first
  std::filesystem::path key;
  std::filesystem::path client_ca = {};  ///< where given, clients must show a certificate of this authority
};

struct ServerLimits {
  std::size_t connections = 1024;                ///< beyond: 503 and close
  std::size_t header_bytes = 16u << 10;          ///< request line and headers; beyond: 431
  std::size_t target_bytes = 8u << 10;           ///< beyond: 414
  std::size_t body_bytes_together = 256u << 20;  ///< bodies being read or handled, over all connections; beyond: 503
  std::chrono::milliseconds idle{60'000};        ///< between two requests; then closed without a word
  std::chrono::milliseconds header_time{
      10'000};  ///< from a request's first byte to its last header (408), and for a TLS handshake
  std::chrono::milliseconds body_time{30'000};      ///< for the body, plus its size at the slowest pace; beyond: 408
  std::chrono::milliseconds write_time{30'000};     ///< for a client to take an answer, plus the same
  std::size_t slowest_bytes_a_second = 256u << 10;  ///< the pace that long bodies and answers keep at least
  std::chrono::milliseconds linger{2'000};          ///< how long the rest of a refused body is read and thrown away
};

/// Told after each answer: the route's pattern ("" where none matched or no request could be read), status, seconds
/// from the request's first byte to the answer's last. On an io thread; must not block.
using RequestHook = std::function<void(std::string_view route, int status, double seconds)>;

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< an address; `::1` and `[::1]` for IPv6
  std::uint16_t port = 8080;       ///< 0: the system picks one, see Server::port
  ServerLimits limits = {};
  std::optional<TlsFiles> tls = {};
  std::chrono::milliseconds tls_check_every{10'000};  ///< how often changed TLS files are looked for
  Authenticate authenticate = {};                     ///< empty: everybody may
  RequestHook on_request = {};
};

/// HTTP/1.1 (and 1.0) over TCP or TLS: keep-alive, pipelining (answered in order, one at a time), chunked bodies in,
/// `Expect: 100-continue`. Malformed requests get a problem document and are closed. Connections live on the threads of
/// `io`, each on its own strand.
class Server final {
 public:
  /// Listens at once. Refused (invalid_request) with the address and the system's reason, or the TLS file's.
  /// `io` and `clock` must outlive the server.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<Server>> start(runtime::Io& io, const runtime::Clock& clock,
                                                                        Router router, ServerOptions options);
  ~Server();  ///< stop(0)
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// `http://127.0.0.1:8080`
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::size_t open_connections() const;

  /// Reads the TLS files again now. Refused with the file and the reason; then the old ones stay in use.
  [[nodiscard]] scheduler::Result<void> reload_tls();

  /// Stops accepting, closes idle connections, lets requests in flight be answered (with `Connection: close`) for at
  /// most `drain`, then closes all. Blocks; not from an io thread. True if nothing was cut. Later calls return at once.
  bool stop(std::chrono::milliseconds drain);

 private:
  struct Core;
  explicit Server(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace valle::service::http
