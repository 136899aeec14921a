// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scheduler/model/error.hpp"
#include "service/http/message.hpp"

namespace valle::service::http {

constexpr std::size_t k_small_body = 64u << 10;    ///< one question, e.g. best-slot
constexpr std::size_t k_array_body = 10u << 20;    ///< arrays of ≤ 10,000
constexpr std::size_t k_problem_body = 64u << 20;  ///< /v1/plans

struct RouteOptions {
  std::size_t largest_body = k_small_body;  ///< beyond: 413, before the body is read where its length is known
  std::chrono::milliseconds time_limit{
      30'000};                          ///< from the whole request to the answer; beyond: 504. Long polls need more
  bool without_authentication = false;  ///< `/healthz`, `/readyz`
};

/// The table of paths. Filled once at start, then only read, from any thread.
///
/// Patterns are literal segments and `{name}` for exactly one non-empty segment; a literal wins over a name. A trailing
/// slash makes no difference, `//` inside does. HEAD goes to GET's handler where none is set for HEAD. OPTIONS answers
/// 204 with Allow, an unknown method of a known path 405 with Allow.
class Router final {
 public:
  struct Route {
    std::string method;
    std::string pattern;
    std::vector<std::string> segments;
    Handler handler;
    RouteOptions options;
  };
  /// Where a request goes: `request` has path, route, parameters and query filled in.
  struct Match {
    const Route* route;
    Request request;
  };

  /// The same method and pattern twice, or a malformed pattern, is a programmer error.
  void add(std::string_view method, std::string_view pattern, Handler handler, RouteOptions options = {});

  /// Finds the route for a request line; the target as received (`/v1/jobs/a%20b?x=1`). Otherwise the finished answer:
  /// 400 for a malformed target, 404, 405, or 204 for OPTIONS.
  [[nodiscard]] std::variant<Match, Response> find(std::string_view method, std::string_view target) const;

  /// `find` and the handler in one, for callers that hold the whole request (tests, the command line): uses method,
  /// headers, body and the rest of `request`, and checks the body's size.
  void dispatch(std::string_view target, Request request, Respond respond) const;

  /// Every (method, pattern), in the order added: for the check of openapi.json against the handlers.
  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

/// The refusal of a body beyond a route's limit.
[[nodiscard]] scheduler::Error body_too_large(std::size_t largest);

}  // namespace valle::service::http
