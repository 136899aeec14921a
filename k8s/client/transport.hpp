// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "k8s/client/clock.hpp"

namespace valle::k8s {

struct Request {
  std::string method = "GET";
  std::string target;  ///< path and query, already encoded
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  SteadyTime deadline;  ///< for the whole exchange, the last byte of a stream included
};

struct Response {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names in lower case, in the order of the wire
  std::string body = {};
  /// The first of that name.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view lower_case_name) const;
};

/// Why there is no (whole) response.
struct TransportFailure {
  enum class Kind {
    unreachable,  ///< no connection, or none that survived: name, route, refusal, cut
    tls,          ///< the certificate is not to be trusted, or ours is not
    deadline,
    cancelled,  ///< `stop` was requested
    too_large,  ///< head, body or line beyond its limit
    malformed,  ///< not HTTP
  };
  Kind kind;
  std::string detail;  ///< without headers or bodies
};

template <class T>
using TransportResult = tl::expected<T, TransportFailure>;

enum class Flow { more, enough };
/// Called with each line of a stream, without its end; the view lives during the call.
using LineSink = std::function<Flow(std::string_view line)>;

/// Blocking exchange of one request. Safe from any thread. Never throws for what a network does.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual TransportResult<Response> send(const Request& request, std::stop_token stop) = 0;
  /// Hands on a 200's body line by line as it comes and returns, with an empty body, when the server ends it or the
  /// sink has enough. Any other status comes back whole, as from `send`. A stream that is cut is a failure, after the
  /// lines that were whole.
  [[nodiscard]] virtual TransportResult<Response> stream(const Request& request, const LineSink& line,
                                                         std::stop_token stop) = 0;
};

}  // namespace valle::k8s
