// SPDX-License-Identifier: Apache-2.0
#include "service/http/problem.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "scheduler/units/require.hpp"

namespace valle::service::http {

using scheduler::Errc;
using scheduler::Error;
using scheduler::Fact;

namespace {

constexpr std::string_view k_retry_after = "retryAfterSeconds";

/// Problem types are names, not pages: each code's meaning stands in the documentation of the API.
nlohmann::ordered_json document_of(const ProblemKind& kind, const std::string& detail, const std::string& pointer) {
  nlohmann::ordered_json document;
  document["type"] = "urn:valle:problem:" + std::string{kind.code};
  document["title"] = kind.title;
  document["status"] = kind.status;
  document["detail"] = detail;
  document["code"] = kind.code;
  if (!pointer.empty()) document["pointer"] = pointer;
  return document;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Response response_of(int status, const nlohmann::ordered_json& document) {
  Response response;
  response.status = status;
  response.content_type = "application/problem+json";
  // What is echoed of a caller's text may be cut or foreign: replaced rather than refused.
  response.body = document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return response;
}

ProblemKind protocol_kind(int status) {
  switch (status) {
    case 400: return {400, "invalid-request", "The request is malformed"};
    case 408: return {408, "request-timeout", "The request came too slowly"};
    case 413: return {413, "too-large", "The request is too large"};
    case 414: return {414, "too-large", "The request's address is too long"};
    case 417: return {417, "invalid-request", "The expectation cannot be met"};
    case 431: return {431, "too-large", "The request's headers are too large"};
    case 500: return {500, "internal-error", "The server made a mistake"};
    case 501: return {501, "not-implemented", "The request uses what this server lacks"};
    case 503: return {503, "overloaded", "The server has too much to do"};
    case 505: return {505, "invalid-request", "The HTTP version is not supported"};
    default: break;
  }
  scheduler::require(false, "this status is one of the protocol's refusals");
  std::abort();
}

}  // namespace

ProblemKind problem_kind(Errc code) {
  switch (code) {
    case Errc::invalid_request: return {400, "invalid-request", "The request is malformed"};
    case Errc::unknown_field: return {400, "unknown-field", "The request has a member or parameter that is not known"};
    case Errc::unknown_zone: return {422, "unknown-zone", "The zone is not known"};
    case Errc::unknown_site: return {422, "unknown-site", "The site is not known"};
    case Errc::window_too_short: return {422, "window-too-short", "The job does not fit its window"};
    case Errc::infeasible: return {422, "infeasible", "The job cannot be placed"};
    case Errc::too_large: return {413, "too-large", "The request is too large"};
    case Errc::no_intensity_data: return {503, "no-intensity-data", "Intensity data are missing"};
    case Errc::unauthorized: return {401, "unauthorized", "Authentication is needed"};
    case Errc::forbidden: return {403, "forbidden", "The caller may not do this"};
    case Errc::not_found: return {404, "not-found", "There is no such thing"};
    case Errc::method_not_allowed: return {405, "method-not-allowed", "The method is not offered here"};
    case Errc::conflict: return {409, "conflict", "The request contradicts what is stored"};
    case Errc::rate_limited: return {429, "rate-limited", "Too many requests"};
    case Errc::source_unavailable: return {503, "source-unavailable", "A data source cannot be reached"};
    case Errc::not_leader: return {503, "not-leader", "Another replica is the leader"};
    case Errc::deadline_exceeded: return {504, "deadline-exceeded", "The answer was not ready in time"};
    case Errc::storage_failed: return {503, "storage-failed", "The store failed"};
  }
  scheduler::require(false, "every Errc has a row");
  std::abort();
}

std::optional<Errc> errc_from_code(std::string_view code) {
  for (int value = 0; value <= static_cast<int>(Errc::storage_failed); ++value) {
    if (problem_kind(static_cast<Errc>(value)).code == code) return static_cast<Errc>(value);
  }
  return std::nullopt;
}

nlohmann::ordered_json problem_document(const Error& error) {
  nlohmann::ordered_json document = document_of(problem_kind(error.code), error.detail, error.pointer);
  for (const Fact& fact : error.facts) {
    const auto* text = std::get_if<std::string>(&fact.value);
    const std::optional<std::int64_t> seconds = text && fact.name == k_retry_after ? whole_number(*text) : std::nullopt;
    if (seconds) {
      document[fact.name] = *seconds;
    } else {
      std::visit([&](const auto& value) { document[fact.name] = value; }, fact.value);
    }
  }
  return document;
}

Response problem(const Error& error) {
  Response response = response_of(problem_kind(error.code).status, problem_document(error));
  for (const Fact& fact : error.facts) {
    const auto* seconds = std::get_if<std::string>(&fact.value);
    if (fact.name == k_retry_after && seconds && whole_number(*seconds)) {
      response.headers.emplace_back("Retry-After", *seconds);
    }
  }
  if (error.code == Errc::unauthorized) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"valle\"");
  return response;
}

Response protocol_problem(int status, std::string detail) {
  return response_of(status, document_of(protocol_kind(status), detail, {}));
}

}  // namespace valle::service::http
