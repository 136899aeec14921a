// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/api_error.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace valle::k8s {
namespace {

using Json = nlohmann::json;
using Kind = ApiError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds k_longest_retry_after{3600};
constexpr std::size_t k_longest_message = 2000;

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

Kind kind_of(int code, const std::string& reason, const std::string& message) {
  switch (code) {
    case 401: return Kind::unauthorized;
    case 403: return Kind::forbidden;
    case 404: return Kind::not_found;
    case 409: return reason == "AlreadyExists" ? Kind::already_exists : Kind::conflict;
    case 410: return Kind::expired;
    case 422: return Kind::invalid;
    case 429: return Kind::too_many_requests;
    default: break;
  }
  if (code >= 400 && code < 500) return Kind::bad_request;
  // The server gives a webhook that does not answer no reason of its own. Only what people are told depends on this:
  // both kinds are repeated.
  if (message.find("failed calling webhook") != std::string::npos) return Kind::webhook_failed;
  return Kind::server;
}

std::optional<milliseconds> retry_after_of(const Json& status) {
  const auto details = status.find("details");
  if (details == status.end() || !details->is_object()) return std::nullopt;
  const auto found = details->find("retryAfterSeconds");
  if (found == details->end() || !found->is_number_integer()) return std::nullopt;
  const auto given = found->get<std::int64_t>();
  if (given <= 0) return std::nullopt;
  return seconds{std::min<std::int64_t>(given, k_longest_retry_after.count())};
}

std::optional<milliseconds> retry_after_of(const Response& response) {
  const auto text = response.header("retry-after");
  if (!text) return std::nullopt;
  std::int64_t given = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), given);
  if (error != std::errc{} || end != text->data() + text->size() || given < 0) return std::nullopt;
  return seconds{std::min<std::int64_t>(given, k_longest_retry_after.count())};
}

/// Which of the server's priority classes was full, for whoever tunes them.
std::string class_that_was_full(const Response& response) {
  const auto schema = response.header("x-kubernetes-pf-flowschema-uid");
  const auto level = response.header("x-kubernetes-pf-prioritylevel-uid");
  if (!schema || !level) return {};
  return " (flow schema " + std::string{*schema} + ", priority level " + std::string{*level} + ')';
}

std::optional<ApiError> read_status(const Json& status, int code) {
  if (!status.is_object() || text_in(status, "kind") != "Status") return std::nullopt;
  ApiError error{Kind::server, code, text_in(status, "reason"), text_in(status, "message")};
  if (const auto own = status.find("code"); code == 0 && own != status.end() && own->is_number_integer()) {
    error.code = static_cast<int>(std::clamp<std::int64_t>(own->get<std::int64_t>(), 0, 999));
  }
  if (error.reason == "Expired" || error.reason == "Gone") error.code = 410;
  error.kind = kind_of(error.code, error.reason, error.message);
  error.message.resize(std::min(error.message.size(), k_longest_message));
  error.retry_after = retry_after_of(status);
  return error;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::bad_request: return "bad_request";
    case Kind::unauthorized: return "unauthorized";
    case Kind::forbidden: return "forbidden";
    case Kind::not_found: return "not_found";
    case Kind::conflict: return "conflict";
    case Kind::already_exists: return "already_exists";
    case Kind::expired: return "expired";
    case Kind::invalid: return "invalid";
    case Kind::too_many_requests: return "too_many_requests";
    case Kind::webhook_failed: return "webhook_failed";
    case Kind::server: return "server";
    case Kind::too_large: return "too_large";
    case Kind::unreachable: return "unreachable";
    case Kind::untrusted: return "untrusted";
    case Kind::deadline: return "deadline";
    case Kind::cancelled: return "cancelled";
  }
  return "server";
}

std::string text_of(const ApiError& error) {
  std::string text = error.code != 0 ? std::to_string(error.code) : std::string{name_of(error.kind)};
  if (!error.reason.empty()) text += ' ' + error.reason;
  if (!error.message.empty()) text += ": " + error.message;
  return text;
}

bool worth_repeating(Kind kind) {
  switch (kind) {
    case Kind::too_many_requests:
    case Kind::webhook_failed:
    case Kind::server:
    case Kind::unreachable: return true;
    default: return false;
  }
}

ApiError error_of(const Response& response) {
  const Json body = Json::parse(response.body, nullptr, false);
  auto error =
      read_status(body, response.status)
          .value_or(ApiError{kind_of(response.status, {}, {}), response.status, {}, "no Status object in the answer"});
  if (const auto wish = retry_after_of(response)) error.retry_after = wish;
  if (error.kind == Kind::too_many_requests) error.message += class_that_was_full(response);
  return error;
}

ApiError error_of_status(const Json& status) {
  return read_status(status, 0).value_or(ApiError{Kind::server, 0, {}, "an error without a Status object"});
}

ApiError error_of(const TransportFailure& failure) {
  switch (failure.kind) {
    case TransportFailure::Kind::unreachable: return {Kind::unreachable, 0, {}, failure.detail};
    case TransportFailure::Kind::tls: return {Kind::untrusted, 0, {}, failure.detail};
    case TransportFailure::Kind::deadline: return {Kind::deadline, 0, {}, failure.detail};
    case TransportFailure::Kind::cancelled: return {Kind::cancelled, 0, {}, failure.detail};
    case TransportFailure::Kind::too_large: return {Kind::too_large, 0, {}, failure.detail};
    case TransportFailure::Kind::malformed: return {Kind::server, 0, {}, failure.detail};
  }
  return {Kind::server, 0, {}, failure.detail};
}

}  // namespace valle::k8s
