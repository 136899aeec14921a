// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/retry/surroundings.hpp"
#include "connectors/secret/secret.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/ports/energy_meter.hpp"

namespace valle::connectors {

/// What a board or a node can draw, and how often it is read: known to whoever runs the cluster.
struct MeterTerms {
  double scrape_seconds = 15;                  ///< T, where the samples don't tell
  std::optional<double> collect_seconds = {};  ///< of dcgm-exporter, where it is set
  double node_limit_watts = 1'000;
  double board_limit_watts = 700;
  std::optional<double> board_idle_watts = {};             ///< else the least that was seen while nobody had the board
  std::vector<std::string> domains = {"package", "dram"};  ///< of Kepler's counters; must not hold each other
};

struct PrometheusOptions {
  std::vector<std::string> base_urls;     ///< replicas that scrape the same exporters; at least one
  std::vector<std::string> sources = {};  ///< `kepler`, `dcgm`, `scaphandre`; none: all that are found
  std::shared_ptr<TokenSource> token = nullptr;
  std::chrono::milliseconds timeout{30'000};
  MeterTerms terms = {};
};

/// Sources that may be named in `PrometheusOptions::sources`.
[[nodiscard]] std::vector<std::string_view> prometheus_sources();

/// Reads what attempts used from Prometheus: boards by dcgm-exporter, the pods' share of their nodes by Kepler or
/// Scaphandre. What there is, is found out at the first question and again every hour. Raw samples and our own
/// arithmetic; a query for at most 1,000 pods and about 500,000 samples, one after the other. Refused with
/// `invalid_request` is a choice of domains that hold each other, an unknown source, or no server.
[[nodiscard]] scheduler::Result<std::unique_ptr<scheduler::EnergyMeter>> make_prometheus_meter(
    PrometheusOptions options, Surroundings surroundings);

}  // namespace valle::connectors
