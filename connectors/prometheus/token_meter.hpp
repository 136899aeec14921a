// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "connectors/prometheus/metering.hpp"

namespace valle::connectors::prometheus {

/// Tokens that one pod's inference server generated, as its counter stood at each scrape. All engines of the pod
/// together, as the observer with the most samples saw them.
struct TokenCounter {
  std::string model;  ///< several: joined by `+`, as they share the pod's energy
  scheduler::Samples totals;
};

/// Reads the token counters of vLLM by the pod's name and namespace, which a scrape by Kubernetes' service discovery
/// adds. Nothing for pods that have none. `metric` is the counter's name. Items are ordered by end.
[[nodiscard]] std::vector<std::optional<TokenCounter>> read_token_counters(Replicas& replicas,
                                                                           std::span<const PodItem> items,
                                                                           const std::string& metric,
                                                                           double scrape_seconds,
                                                                           const QueryPatience& patience);

}  // namespace valle::connectors::prometheus
