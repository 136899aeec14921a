// SPDX-License-Identifier: Apache-2.0
#include "service/app/meters.hpp"

#include "connectors/prometheus/prometheus.hpp"

namespace valle::service::app {

using namespace scheduler;

Result<std::unique_ptr<EnergyMeter>> make_meter(const runtime::EnergyConfig& config,
                                                connectors::HttpTransport& transport, connectors::Waiter& waiter) {
  const auto seconds = [](Duration duration) { return static_cast<double>(duration.count()); };
  connectors::PrometheusOptions options{.base_urls = config.prometheus, .sources = config.sources};
  if (!config.token_file.empty()) options.token = connectors::token_from_file(config.token_file);
  options.terms.scrape_seconds = seconds(config.scrape_interval);
  if (config.collect_interval) options.terms.collect_seconds = seconds(*config.collect_interval);
  options.terms.node_limit_watts = config.node_limit_watts;
  options.terms.board_limit_watts = config.board_limit_watts;
  options.terms.board_idle_watts = config.board_idle_watts;
  options.terms.domains = config.domains;
  auto meter = connectors::make_prometheus_meter(std::move(options), {.transport = transport, .waiter = waiter});
  if (!meter) meter.error().pointer = "energy." + meter.error().pointer;
  return meter;
}

}  // namespace valle::service::app
