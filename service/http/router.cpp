// SPDX-License-Identifier: Apache-2.0
#include "service/http/router.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "scheduler/units/require.hpp"
#include "service/http/problem.hpp"
#include "service/http/target.hpp"

namespace valle::service::http {

using scheduler::Errc;
using scheduler::Error;
using scheduler::require;
using scheduler::Result;

namespace {

bool is_name(std::string_view segment) { return segment.starts_with('{'); }

std::vector<std::string> split_pattern(std::string_view pattern) {
  require(pattern.starts_with('/'), "a route's pattern starts with a slash");
  std::vector<std::string> segments;
  pattern.remove_prefix(1);
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view segment = pattern.substr(0, end);
    require(!segment.empty() && (!is_name(segment) || (segment.ends_with('}') && segment.size() > 2)),
            "a route's pattern has literal segments and {names}");
    segments.emplace_back(segment);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return segments;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
  return std::ranges::equal(pattern, segments,
                            [](const auto& p, const auto& s) { return is_name(p) ? !s.empty() : p == s; });
}

/// Two patterns that match the same path differ first where one is literal: that one is meant.
bool more_literal(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::lexicographical_compare(a, b,
                                              [](const auto& x, const auto& y) { return !is_name(x) && is_name(y); });
}

std::string joined(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) path += '/' + segment;
  return path.empty() ? "/" : path;
}

std::string allowed_methods(const std::vector<const Router::Route*>& candidates) {
  std::string text;
  const auto append = [&](std::string_view method) {
    if (!text.empty()) text += ", ";
    text += method;
  };
  bool has_get = false;
  bool has_head = false;
  for (const Router::Route* route : candidates) {
    append(route->method);
    has_get |= route->method == "GET";
    has_head |= route->method == "HEAD";
  }
  if (has_get && !has_head) append("HEAD");
  append("OPTIONS");
  return text;
}

Response options_answer(std::string allow) {
  Response response;
  response.status = 204;
  response.content_type.clear();
  response.headers.emplace_back("Allow", std::move(allow));
  return response;
}

Response method_not_allowed(std::string_view method, const std::string& path, std::string allow) {
  Response response = problem(
      Error{Errc::method_not_allowed, std::string{method} + " is not offered at " + path + "; allowed: " + allow});
  response.headers.emplace_back("Allow", std::move(allow));
  return response;
}

Router::Match match_of(const Router::Route& route, std::string_view method, Target target, std::string path) {
  Request request{.method = std::string{method}, .path = std::move(path), .route = route.pattern};
  for (std::size_t i = 0; i < route.segments.size(); ++i) {
    const std::string_view segment = route.segments[i];
    if (!is_name(segment)) continue;
    request.path_parameters.emplace_back(segment.substr(1, segment.size() - 2), std::move(target.segments[i]));
  }
  request.query = std::move(target.query);
  return {&route, std::move(request)};
}

}  // namespace

void Router::add(std::string_view method, std::string_view pattern, Handler handler, RouteOptions options) {
  Route route{std::string{method}, std::string{pattern}, split_pattern(pattern), std::move(handler), options};
  const bool known = std::ranges::any_of(
      routes_, [&](const Route& r) { return r.method == route.method && r.pattern == route.pattern; });
  require(!known, "a route is added once");
  routes_.push_back(std::move(route));
}

std::variant<Router::Match, Response> Router::find(std::string_view method, std::string_view target) const {
  if (method == "OPTIONS" && target == "*") return options_answer("GET, HEAD, POST, PATCH, DELETE, OPTIONS");
  Result<Target> parsed = parse_target(target);
  if (!parsed) return problem(parsed.error());

  std::vector<const Route*> candidates;  // every method of the most literal pattern that matches
  for (const Route& route : routes_) {
    if (!matches(route.segments, parsed->segments)) continue;
    if (!candidates.empty() && more_literal(route.segments, candidates.front()->segments)) candidates.clear();
    if (!candidates.empty() && more_literal(candidates.front()->segments, route.segments)) continue;
    candidates.push_back(&route);
  }
  std::string path = joined(parsed->segments);
  if (candidates.empty()) return problem(Error{Errc::not_found, "there is nothing at " + path});

  const auto with_method = [&](std::string_view wanted) -> const Route* {
    const auto found = std::ranges::find(candidates, wanted, &Route::method);
    return found == candidates.end() ? nullptr : *found;
  };
  const Route* route = with_method(method);
  if (!route && method == "HEAD") route = with_method("GET");
  if (route) return match_of(*route, method, *std::move(parsed), std::move(path));
  if (method == "OPTIONS") return options_answer(allowed_methods(candidates));
  return method_not_allowed(method, path, allowed_methods(candidates));
}

void Router::dispatch(std::string_view target, Request request, Respond respond) const {
  std::variant<Match, Response> found = find(request.method, target);
  if (auto* answer = std::get_if<Response>(&found)) return respond(std::move(*answer));
  Match& match = std::get<Match>(found);
  if (request.body.size() > match.route->options.largest_body) {
    return respond(problem(body_too_large(match.route->options.largest_body)));
  }
  request.path = std::move(match.request.path);
  request.route = std::move(match.request.route);
  request.path_parameters = std::move(match.request.path_parameters);
  request.query = std::move(match.request.query);
  match.route->handler(std::move(request), std::move(respond));
}

Error body_too_large(std::size_t largest) {
  return {Errc::too_large, "the body has more than " + std::to_string(largest) + " bytes, the most that is read here"};
}

}  // namespace valle::service::http
