// SPDX-License-Identifier: Apache-2.0
#include "connectors/retry/upstream.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "connectors/json/json.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::SourceAnswer;
using std::chrono::milliseconds;

constexpr std::size_t k_longest_words = 200;

SourceAnswer failed(Outcome outcome, std::string detail, std::optional<std::chrono::seconds> retry_after = {}) {
  return {.outcome = outcome, .detail = std::move(detail), .retry_after = retry_after};
}

Outcome outcome_of(TransportFailure::Kind kind) {
  switch (kind) {
    case TransportFailure::Kind::refused:
    case TransportFailure::Kind::timed_out:
    case TransportFailure::Kind::cut: return Outcome::unavailable;
    case TransportFailure::Kind::too_large: return Outcome::bad_answer;
    case TransportFailure::Kind::tls:
    case TransportFailure::Kind::bad_address: return Outcome::misconfigured;
  }
  return Outcome::unavailable;
}

/// One line of ASCII: what a provider writes must break neither a log nor our own JSON.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, k_longest_words)) line += c < ' ' || c > '~' ? (c == '\n' ? ' ' : '?') : c;
  return line;
}

}  // namespace

Patience Upstream::patience_for(const scheduler::SourceRequest& request) const {
  return {request.now, surroundings_.waiter.elapsed() + request.time_left};
}

Upstream::Reply Upstream::get(const std::string& path, Texts query, Texts headers, const Patience& patience) {
  HttpRequest request{.base_url = options_.base_url,
                      .path = path,
                      .query = std::move(query),
                      .headers = std::move(headers),
                      .timeout = options_.timeout};
  for (unsigned made = 1;; ++made) {
    const milliseconds left = patience.deadline - surroundings_.waiter.elapsed();
    if (left <= milliseconds{0}) {
      return tl::unexpected{failed(Outcome::unavailable, options_.provider + ": no time left to ask")};
    }
    request.timeout = std::min(options_.timeout, left);
    auto reply = attempt(request, patience);
    if (reply) return reply;
    if (made >= patience.most_attempts) return reply;
    const SourceAnswer& answer = reply.error();
    const std::uint64_t seed =
        scrambled(surroundings_.jitter_seed ^ static_cast<std::uint64_t>(patience.now.time_since_epoch().count())) +
        made;
    const auto pause = pause_before_retry(options_.retry,
                                          {.made = made,
                                           .outcome = answer.outcome,
                                           .retry_after = answer.retry_after,
                                           .time_left = patience.deadline - surroundings_.waiter.elapsed()},
                                          seed);
    if (!pause || !surroundings_.waiter.wait(*pause)) return reply;
  }
}

Upstream::Reply Upstream::attempt(const HttpRequest& request, const Patience& patience) {
  if (const auto wait = budget_.take(patience.now)) {
    return tl::unexpected{failed(
        Outcome::budget_spent,
        options_.provider + ": our budget of " + std::to_string(budget_.per_hour()) + " requests an hour is spent",
        *wait)};
  }
  auto result = surroundings_.transport.get(request);
  if (!result.reply) {
    const auto failure = result.failure.value_or(TransportFailure{TransportFailure::Kind::cut, "no reply"});
    return tl::unexpected{failed(outcome_of(failure.kind), options_.provider + ": " + failure.detail)};
  }
  HttpReply& reply = *result.reply;
  const bool limited = reply.status == 429;
  if (!limited && reply.status < 500) return std::move(reply);
  const auto after = reply.header("retry-after");
  return tl::unexpected{failed(limited ? Outcome::rate_limited : Outcome::unavailable,
                               options_.provider + " answered " + std::to_string(reply.status),
                               after ? parse_retry_after(*after, patience.now) : std::nullopt)};
}

std::string words_of(const HttpReply& reply, const Secret* secret) {
  std::string words = reply.body;
  if (const auto document = json::parse(reply.body)) {
    for (const auto* name : {"error", "message", "errors"}) {
      if (const auto text = json::text(*document, name)) {
        words = *text;
        break;
      }
    }
  }
  if (secret != nullptr && !secret->empty()) {
    for (auto at = words.find(secret->reveal()); at != std::string::npos; at = words.find(secret->reveal(), at)) {
      words.replace(at, secret->reveal().size(), "***");
    }
  }
  return on_one_line(words);
}

SourceAnswer refusal_of(const HttpReply& reply, std::string_view provider, const Secret* secret) {
  const bool html = reply.content_type.find("html") != std::string::npos;
  const std::string words = html ? "a web page" : words_of(reply, secret);
  const std::string said = std::string{provider} + " answered " + std::to_string(reply.status) + ": " + words;
  switch (reply.status) {
    case 401: return failed(Outcome::authentication, said + " (the key is kept and tried again later)");
    case 403:
      if (html) return failed(Outcome::blocked, said + ". A firewall stands in front; the key may well be good");
      return failed(Outcome::authentication, said + " (the key is kept and tried again later)");
    case 404: return failed(Outcome::no_data, said);
    default: return failed(Outcome::bad_answer, said);
  }
}

tl::expected<void, SourceAnswer> expect_json(const HttpReply& reply, std::string_view provider) {
  if (reply.content_type.find("html") == std::string::npos) return {};
  return tl::unexpected{
      failed(Outcome::bad_answer, std::string{provider} + " answered 200 with a web page in place of JSON")};
}

}  // namespace valle::connectors
