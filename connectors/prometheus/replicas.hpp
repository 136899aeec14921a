// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "connectors/prometheus/client.hpp"

namespace valle::connectors::prometheus {

/// Raw samples that are wanted: `metric{label=~"values…",matchers…}` over a window.
struct Wanted {
  std::string metric;
  std::string label;                       ///< that the values are of
  std::vector<std::string> values;         ///< not empty
  std::vector<std::string> matchers = {};  ///< further ones, whole: `zone=~"package|dram"`
  scheduler::Span window;

  /// The query for some of the values, as an instant query at the window's end.
  [[nodiscard]] std::string text(std::span<const std::string> some, const scheduler::Span& part) const;
};

/// What all replicas said, each apart: their samples are never put into one order.
struct Seen {
  QueryOutcome outcome = QueryOutcome::unavailable;  ///< `data` if any replica has some; else the best of them
  std::vector<std::vector<Series>> replicas = {};    ///< in the order of the replicas; empty where one was silent
  bool complete = true;                              ///< all replicas answered, without warnings
  std::string detail = {};
};

/// Prometheus servers that scrape the same exporters, asked alike.
class Replicas {
 public:
  /// At least one.
  explicit Replicas(std::vector<Client> clients) : clients_{std::move(clients)} {}

  /// Raw samples from each. Where a server finds it too much, the values are halved, then the window, down to ten
  /// minutes.
  [[nodiscard]] Seen samples(const Wanted& wanted, const QueryPatience& patience);
  /// One instant query, to the first that answers.
  [[nodiscard]] QueryAnswer first_answer(const std::string& promql, scheduler::Moment time,
                                         const QueryPatience& patience);
  [[nodiscard]] Client::Names metric_names(const std::string& selector, const scheduler::Interval& window,
                                           const QueryPatience& patience);

 private:
  std::vector<Client> clients_;
};

}  // namespace valle::connectors::prometheus
