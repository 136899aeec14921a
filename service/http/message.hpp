// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/runtime/deadline.hpp"

namespace valle::service::http {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// One request, complete and decoded. Body and header sizes are within the limits of server and route.
struct Request {
  std::string method;          ///< `GET`, `POST`, …; a HEAD request arrives at the handler of GET as `HEAD`
  std::string path;            ///< percent-decoded, for people; starts with `/`
  std::string route;           ///< the pattern that matched, `/v1/jobs/{id}`
  Pairs path_parameters = {};  ///< `{"id", "j1"}`, percent-decoded
  Pairs query = {};            ///< decoded, in the order given, repeats kept; a name without `=` has an empty value
  Pairs headers = {};          ///< names in lower case, in the order given
  std::string body = {};
  std::string id = {};      ///< the caller's X-Request-Id if it was plain, else made here; goes back in the answer
  std::string peer = {};    ///< `127.0.0.1:40112`, `[::1]:40112`
  std::string caller = {};  ///< name of the token's owner; empty where no authentication is configured
  runtime::Deadline deadline = {};  ///< after it the server answers 504 by itself

  /// The first header of that name.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view lower_case_name) const;
  /// A parameter of the pattern; asking for one that the pattern lacks is a programmer error.
  [[nodiscard]] const std::string& path_parameter(std::string_view name) const;
};

/// A body that is too large for memory, handed out piece by piece on an io thread: each call is quick.
class BodySource {
 public:
  virtual ~BodySource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Replaces `piece` by what comes next; false after `size` bytes. An exception ends the connection.
  [[nodiscard]] virtual bool next(std::string& piece) = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";  ///< no such header where empty
  Pairs headers = {};  ///< further ones; Content-Length, Connection, Date and X-Request-Id are the server's
  std::string body = {};
  std::shared_ptr<BodySource> source = {};  ///< instead of `body`

  [[nodiscard]] std::uint64_t length() const { return source ? source->size() : body.size(); }
};

/// Gives the answer: exactly once, now or later, from any thread. The first call counts, later ones are ignored. When
/// the last copy goes away without a call, the client gets 500. Never blocks.
using Respond = std::function<void(Response)>;

/// Runs on an io thread and must not block: work over a millisecond goes to a WorkQueue, with `respond` moved along. An
/// exception that leaves a handler becomes a 500.
using Handler = std::function<void(Request, Respond)>;

}  // namespace valle::service::http
