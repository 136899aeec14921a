// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace valle::connectors {

/// A request to a provider: what is asked, in `query`, and how long it may take. Query values are given plain and are
/// percent-encoded by the transport.
struct HttpRequest {
  std::string base_url;  ///< `https://host[:port][/prefix]`
  std::string path;      ///< `/v4/carbon-intensity/latest`
  std::vector<std::pair<std::string, std::string>> query = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string json = {};                      ///< of a POST: its body, in place of the query
  std::chrono::milliseconds timeout{10'000};  ///< for the whole exchange
  std::size_t largest_body = 16u << 20;
};

struct HttpReply {
  int status = 0;
  std::string content_type = {};                                  ///< lower case, without parameters
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names in lower case
  std::string body = {};
  [[nodiscard]] std::optional<std::string_view> header(std::string_view lower_case_name) const;
};

/// Why there is no reply at all.
struct TransportFailure {
  enum class Kind { refused, timed_out, cut, tls, too_large, bad_address };
  Kind kind;
  std::string detail;  ///< without secrets: neither headers nor query values
};

/// Blocking HTTP client, safe from several threads. Never throws. TLS certificates are verified; redirects to
/// another host are followed without the caller's headers.
class HttpTransport {
 public:
  struct Result {
    std::optional<HttpReply> reply;
    std::optional<TransportFailure> failure;
  };
  virtual ~HttpTransport() = default;
  [[nodiscard]] virtual Result get(const HttpRequest& request) = 0;
  /// As `get`, but a POST of `json` or, where there is none, of the query, form-encoded: for queries longer than
  /// addresses may be. Only redirects that keep the method (307, 308) are followed.
  [[nodiscard]] virtual Result post(const HttpRequest& request) = 0;
};

}  // namespace valle::connectors
