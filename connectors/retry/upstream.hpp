// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <climits>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "connectors/retry/budget.hpp"
#include "connectors/retry/retry.hpp"
#include "connectors/retry/surroundings.hpp"
#include "connectors/secret/secret.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// One fetch of a source may need several requests; they share the caller's time.
struct Patience {
  scheduler::Instant now;              ///< the clock, for the budget and for dates in headers
  std::chrono::milliseconds deadline;  ///< in `Waiter::elapsed()`
  unsigned most_attempts = UINT_MAX;   ///< of one request, where fewer than the policy's
};

struct UpstreamOptions {
  std::string provider;  ///< for texts: "Electricity Maps"
  std::string base_url;
  std::chrono::milliseconds timeout;
  unsigned budget_per_hour;
  RetryPolicy retry = {};
};

/// What all clients take alike from their own options.
template <class Options>
[[nodiscard]] UpstreamOptions upstream_of(std::string provider, const Options& options) {
  return {.provider = std::move(provider),
          .base_url = options.base_url,
          .timeout = options.timeout,
          .budget_per_hour = options.budget_per_hour};
}

/// Is the zone among those that a client is to serve? None named: all.
[[nodiscard]] inline bool is_wanted(const scheduler::Zone& zone, const std::vector<scheduler::Zone>& wanted) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), zone) != wanted.end();
}

/// Polite requests to one provider: within the budget, repeated where that helps, with what went wrong in one sentence.
/// Safe from several threads.
class Upstream {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;
  /// An answer that ends the matter: `unavailable`, `rate_limited`, `budget_spent`, `misconfigured`; never `data`.
  using Reply = tl::expected<HttpReply, scheduler::SourceAnswer>;

  Upstream(UpstreamOptions options, Surroundings surroundings)
      : options_{std::move(options)}, surroundings_{std::move(surroundings)}, budget_{options_.budget_per_hour} {}

  [[nodiscard]] Patience patience_for(const scheduler::SourceRequest& request) const;

  /// The reply, whatever its status except 429 and 5xx, which are repeated and then given up.
  [[nodiscard]] Reply get(const std::string& path, Texts query, Texts headers, const Patience& patience);

  [[nodiscard]] const Door& door() const { return surroundings_.door; }
  [[nodiscard]] const std::string& provider() const { return options_.provider; }

 private:
  [[nodiscard]] Reply attempt(const HttpRequest& request, const Patience& patience);

  UpstreamOptions options_;
  Surroundings surroundings_;
  RequestBudget budget_;
};

/// What a provider's error body says, for people: the text of `error` or `message`, else the beginning of the body; one
/// line, at most 200 characters, without the secret should the provider echo it.
[[nodiscard]] std::string words_of(const HttpReply& reply, const Secret* secret = nullptr);

/// The answer that a reply with a status other than 200 means to every provider: 401 and 403 (HTML: a firewall), 404,
/// 400 and others. Detail: "Energy-Charts answered 404: …".
[[nodiscard]] scheduler::SourceAnswer refusal_of(const HttpReply& reply, std::string_view provider,
                                                 const Secret* secret = nullptr);

/// `bad_answer` where a reply with status 200 is a web page by its Content-Type (of a proxy or a firewall).
[[nodiscard]] tl::expected<void, scheduler::SourceAnswer> expect_json(const HttpReply& reply,
                                                                      std::string_view provider);

}  // namespace valle::connectors
