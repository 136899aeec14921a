// SPDX-License-Identifier: Apache-2.0
#include "service/app/sources.hpp"

#include <map>
#include <utility>

#include "connectors/electricity_maps/electricity_maps.hpp"
#include "connectors/energy_charts/energy_charts.hpp"
#include "connectors/esios/esios.hpp"
#include "connectors/files/files.hpp"
#include "connectors/rte/rte.hpp"
#include "connectors/sample/sample.hpp"

namespace valle::service::app {

using namespace scheduler;

namespace {

using Source = std::unique_ptr<IntensitySource>;

/// What all provider clients take alike from the configuration, over the client's own defaults.
template <class Options>
Options common(const runtime::SourceConfig& config) {
  Options options;
  if (!config.base_url.empty()) options.base_url = config.base_url;
  if (config.timeout) options.timeout = *config.timeout;
  if (config.budget_per_hour) options.budget_per_hour = static_cast<unsigned>(*config.budget_per_hour);
  return options;
}

Result<std::shared_ptr<connectors::TokenSource>> token_of(const runtime::SourceConfig& config) {
  if (config.token) return connectors::fixed_token(*config.token);
  if (!config.token_file.empty()) return connectors::token_from_file(config.token_file);
  return refuse(Errc::invalid_request,
                "source " + config.kind + " needs a token: give tokenFile: or tokenVariable: beside its kind",
                "sources");
}

Result<Source> electricity_maps(const runtime::SourceConfig& config, const connectors::Surroundings& surroundings) {
  auto token = token_of(config);
  if (!token) return tl::unexpected{token.error()};
  auto options = common<connectors::ElectricityMapsOptions>(config);
  options.token = *std::move(token);
  options.zones = config.zones;
  if (config.version == "v3") options.version = connectors::ElectricityMapsOptions::Version::v3;
  return connectors::make_electricity_maps(std::move(options), surroundings);
}

Result<Source> esios(const runtime::SourceConfig& config, const connectors::Surroundings& surroundings) {
  auto token = token_of(config);
  if (!token) return tl::unexpected{token.error()};
  auto options = common<connectors::EsiosOptions>(config);
  options.token = *std::move(token);
  options.zones = config.zones;
  return connectors::make_esios(std::move(options), surroundings);
}

Result<Source> energy_charts(const runtime::SourceConfig& config, const connectors::Surroundings& surroundings) {
  auto options = common<connectors::EnergyChartsOptions>(config);
  options.zones = config.zones;
  return connectors::make_energy_charts(std::move(options), surroundings);
}

Result<Source> rte(const runtime::SourceConfig& config, const connectors::Surroundings& surroundings) {
  return connectors::make_rte(common<connectors::RteOptions>(config), surroundings);
}

Result<Source> files(const runtime::SourceConfig& config, const connectors::Surroundings& surroundings) {
  return connectors::make_files_source({.paths = {config.path}, .zones = config.zones, .door = surroundings.door});
}

using Maker = Result<Source> (*)(const runtime::SourceConfig&, const connectors::Surroundings&);

/// The kinds that a configuration may name: to add a provider, add a line.
const std::map<std::string, Maker, std::less<>> k_makers{{"electricity-maps", electricity_maps},
                                                         {"esios", esios},
                                                         {"energy-charts", energy_charts},
                                                         {"rte", rte},
                                                         {"files", files}};

}  // namespace

connectors::Door make_door(const runtime::Config& config) {
  std::map<Zone, connectors::IntensityRange> ranges;
  for (const auto& [zone, range] : config.plausible) ranges.insert({zone, {range.least, range.most}});
  return connectors::Door{std::move(ranges)};
}

Result<std::vector<Source>> make_sources(const runtime::Config& config, connectors::HttpTransport& transport,
                                         connectors::Waiter& waiter) {
  std::vector<Source> sources;
  if (config.sources.empty()) {
    sources.push_back(connectors::make_sample_source());
    return sources;
  }
  const connectors::Surroundings surroundings{.transport = transport, .waiter = waiter, .door = make_door(config)};
  for (const runtime::SourceConfig& source : config.sources) {
    const auto maker = k_makers.find(source.kind);
    if (maker == k_makers.end()) return refuse(Errc::invalid_request, "unknown source kind " + source.kind, "sources");
    auto made = maker->second(source, surroundings);
    if (!made) return tl::unexpected{made.error()};
    sources.push_back(*std::move(made));
  }
  return sources;
}

}  // namespace valle::service::app
