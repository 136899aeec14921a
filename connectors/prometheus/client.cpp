// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/client.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "connectors/json/json.hpp"
#include "connectors/retry/retry.hpp"

namespace valle::connectors::prometheus {
namespace {

using scheduler::Moment;
using std::chrono::milliseconds;

constexpr RetryPolicy k_retry{};
constexpr std::size_t k_most_names = 10'000;

/// Seconds with decimals, as the API reads them.
std::string seconds_text(Moment moment) {
  const auto count = moment.time_since_epoch().count();
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(count / 1000),
                static_cast<long long>(count % 1000));
  return text;
}

std::string on_one_line(std::string text) {
  for (char& c : text) c = c < ' ' || c > '~' ? ' ' : c;
  return text;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What an error in Prometheus' own words means. Its `errorType` is closed; "too many samples" is told only by the
/// text.
QueryOutcome outcome_of(int status, const Envelope& envelope) {
  if (envelope.error_type == "timeout") return QueryOutcome::timed_out;
  if (envelope.error_type == "execution" && contains(envelope.error, "too many samples")) return QueryOutcome::too_much;
  if (contains(envelope.error, "exceeded maximum resolution")) return QueryOutcome::too_much;
  if (status >= 500) return QueryOutcome::unavailable;
  return QueryOutcome::rejected;
}

QueryOutcome outcome_of(TransportFailure::Kind kind) {
  switch (kind) {
    case TransportFailure::Kind::too_large: return QueryOutcome::too_much;
    case TransportFailure::Kind::bad_address:
    case TransportFailure::Kind::tls: return QueryOutcome::rejected;
    case TransportFailure::Kind::timed_out: return QueryOutcome::timed_out;
    case TransportFailure::Kind::refused:
    case TransportFailure::Kind::cut: break;
  }
  return QueryOutcome::unavailable;
}

}  // namespace

std::string_view to_text(QueryOutcome outcome) {
  switch (outcome) {
    case QueryOutcome::data: return "data";
    case QueryOutcome::empty: return "empty";
    case QueryOutcome::too_much: return "too-much";
    case QueryOutcome::timed_out: return "timed-out";
    case QueryOutcome::rejected: return "rejected";
    case QueryOutcome::unauthorized: return "unauthorized";
    case QueryOutcome::unavailable: return "unavailable";
    case QueryOutcome::bad_answer: return "bad-answer";
  }
  return "";
}

Client::Client(ClientOptions options, Surroundings surroundings)
    : options_{std::move(options)}, surroundings_{std::move(surroundings)} {}

QueryAnswer Client::query(const std::string& promql, Moment time, const QueryPatience& patience) {
  HttpRequest request{.base_url = options_.base_url, .path = "/api/v1/query"};
  request.query = {{"query", promql}, {"time", seconds_text(time)}};
  Attempt attempt = ask(std::move(request), Method::post, patience);
  QueryAnswer answer{.outcome = attempt.outcome, .detail = std::move(attempt.detail)};
  if (attempt.outcome != QueryOutcome::data) return answer;
  auto envelope = parse_answer(attempt.body, options_.limits);
  if (!envelope) {
    const bool beyond = contains(envelope.error().detail, "than are taken");
    answer.outcome = beyond ? QueryOutcome::too_much : QueryOutcome::bad_answer;
    answer.detail = "Prometheus answered something else: " + envelope.error().detail;
    return answer;
  }
  answer.series = std::move(envelope->series);
  answer.warnings = std::move(envelope->warnings);
  if (answer.series.empty()) answer.outcome = QueryOutcome::empty;
  return answer;
}

Client::Names Client::metric_names(const std::string& selector, const scheduler::Interval& window,
                                   const QueryPatience& patience) {
  HttpRequest request{.base_url = options_.base_url, .path = "/api/v1/label/__name__/values"};
  request.query = {{"match[]", selector}, {"start", seconds_text(window.begin)}, {"end", seconds_text(window.end)}};
  Attempt attempt = ask(std::move(request), Method::get, patience);
  Names names{.outcome = attempt.outcome, .detail = std::move(attempt.detail)};
  if (attempt.outcome != QueryOutcome::data) return names;
  const auto document = json::parse(attempt.body);
  const auto* list = document ? json::list(*document, "data") : nullptr;
  if (list == nullptr || list->size() > k_most_names) {
    return {.outcome = QueryOutcome::bad_answer, .detail = "Prometheus answered no list of names"};
  }
  for (const json::Value& element : *list) {
    if (const auto name = json::text(&element)) names.names.emplace_back(*name);
  }
  if (names.names.empty()) names.outcome = QueryOutcome::empty;
  return names;
}

Client::Attempt Client::ask(HttpRequest request, Method method, const QueryPatience& patience) {
  request.largest_body = options_.largest_answer;
  if (options_.token) {
    const auto token = options_.token->current();
    if (!token) return {.outcome = QueryOutcome::unauthorized, .detail = token.error().detail};
    request.headers.emplace_back("Authorization", "Bearer " + token->reveal());
  }
  for (unsigned made = 1;; ++made) {
    Attempt attempt = ask_once(request, method, patience);
    if (attempt.outcome != QueryOutcome::unavailable) return attempt;
    const auto pause = pause_before_retry(k_retry,
                                          {.made = made,
                                           .retry_after = attempt.retry_after,
                                           .time_left = patience.deadline - surroundings_.waiter.elapsed()},
                                          surroundings_.jitter_seed + made);
    if (!pause || !surroundings_.waiter.wait(*pause)) return attempt;
  }
}

Client::Attempt Client::ask_once(const HttpRequest& wanted, Method method, const QueryPatience& patience) {
  const milliseconds left = patience.deadline - surroundings_.waiter.elapsed();
  if (left <= milliseconds{0}) return {.detail = "no time left to ask Prometheus"};
  HttpRequest request = wanted;
  request.timeout = std::min(options_.timeout, left);
  auto result = method == Method::post ? surroundings_.transport.post(request) : surroundings_.transport.get(request);
  if (!result.reply) {
    const auto failure = result.failure.value_or(TransportFailure{TransportFailure::Kind::cut, "no reply"});
    return {.outcome = outcome_of(failure.kind), .detail = "Prometheus: " + failure.detail};
  }
  return judged(*std::move(result.reply), patience.now);
}

/// What a reply with this status means. Other bodies than Prometheus' own come from what stands before it.
Client::Attempt Client::judged(HttpReply reply, scheduler::Instant now) const {
  const std::string status = "Prometheus answered " + std::to_string(reply.status);
  const bool web_page = contains(reply.content_type, "html");
  if (reply.status == 200) {
    if (web_page) return {.outcome = QueryOutcome::bad_answer, .detail = status + " with a web page"};
    return {.outcome = QueryOutcome::data, .body = std::move(reply.body)};
  }
  Attempt attempt{.detail = status};
  const auto envelope = parse_answer(reply.body, {.series = 0, .samples = 0});
  if (envelope) attempt.detail += ": " + on_one_line(envelope->error);
  if (reply.status == 401 || reply.status == 403) {
    attempt.outcome = QueryOutcome::unauthorized;
  } else if (reply.status == 413) {
    attempt.outcome = QueryOutcome::too_much;
  } else if (envelope) {
    attempt.outcome = outcome_of(reply.status, *envelope);
  } else {
    if (web_page) attempt.detail += " with a web page";
    const bool passes = reply.status == 429 || reply.status >= 500;
    attempt.outcome = passes ? QueryOutcome::unavailable : QueryOutcome::rejected;
  }
  if (const auto after = reply.header("retry-after")) attempt.retry_after = parse_retry_after(*after, now);
  return attempt;
}

}  // namespace valle::connectors::prometheus
