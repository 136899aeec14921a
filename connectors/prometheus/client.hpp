// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "connectors/prometheus/parse.hpp"
#include "connectors/retry/surroundings.hpp"
#include "connectors/secret/secret.hpp"

namespace valle::connectors::prometheus {

struct ClientOptions {
  std::string base_url;                          ///< `http://prometheus:9090`, with a prefix where a proxy wants one
  std::chrono::milliseconds timeout{30'000};     ///< of one request
  std::shared_ptr<TokenSource> token = nullptr;  ///< sent as a bearer token, where there is one
  std::size_t largest_answer = 64u << 20;
  ParseLimits limits = {};
};

/// How a query ended. Only `data` carries series; `empty` is an answer too: nothing is known, which is not zero.
enum class QueryOutcome {
  data,
  empty,
  too_much,      ///< 422 for too many samples, or an answer beyond our limits: worth asking for less
  timed_out,     ///< 503 with `timeout`: worth asking for less
  rejected,      ///< 400 and other 422: the query is wrong for this server
  unauthorized,  ///< 401, 403
  unavailable,   ///< no connection, 5xx, a page of a proxy: worth asking again later
  bad_answer,    ///< 200 with something that is no answer of Prometheus
};
[[nodiscard]] std::string_view to_text(QueryOutcome outcome);

struct QueryAnswer {
  QueryOutcome outcome = QueryOutcome::unavailable;
  std::vector<Series> series = {};
  std::vector<std::string> warnings = {};  ///< not empty: parts may be missing
  std::string detail = {};                 ///< why there is no data; one line, no secrets
};

/// What still may be spent on a question.
struct QueryPatience {
  scheduler::Instant now;              ///< for dates in headers and the spread of retries
  std::chrono::milliseconds deadline;  ///< in `Waiter::elapsed()`
};

/// Asks one Prometheus by POST, form-encoded. What is away is asked up to three times. Safe from several threads; never
/// throws. `surroundings` outlive it.
class Client {
 public:
  Client(ClientOptions options, Surroundings surroundings);

  /// /api/v1/query at `time`.
  [[nodiscard]] QueryAnswer query(const std::string& promql, scheduler::Moment time, const QueryPatience& patience);

  struct Names {
    QueryOutcome outcome = QueryOutcome::unavailable;
    std::vector<std::string> names = {};
    std::string detail = {};
  };
  /// The names of metrics that match `selector` and had samples in `window`: cheap, from the index.
  [[nodiscard]] Names metric_names(const std::string& selector, const scheduler::Interval& window,
                                   const QueryPatience& patience);

  [[nodiscard]] const std::string& base_url() const { return options_.base_url; }

 private:
  struct Attempt {
    QueryOutcome outcome = QueryOutcome::unavailable;
    std::string body = {};
    std::string detail = {};
    std::optional<std::chrono::seconds> retry_after = {};
  };
  enum class Method { get, post };

  [[nodiscard]] Attempt ask(HttpRequest request, Method method, const QueryPatience& patience);
  [[nodiscard]] Attempt ask_once(const HttpRequest& request, Method method, const QueryPatience& patience);
  [[nodiscard]] Attempt judged(HttpReply reply, scheduler::Instant now) const;

  ClientOptions options_;
  Surroundings surroundings_;
};

}  // namespace valle::connectors::prometheus
