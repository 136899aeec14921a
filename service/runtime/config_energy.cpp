// SPDX-License-Identifier: Apache-2.0
// The section `energy`.
#include <algorithm>

#include "connectors/prometheus/prometheus.hpp"
#include "scheduler/energy/channels.hpp"
#include "service/api/nearest_name.hpp"
#include "service/runtime/config_sections.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::runtime {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_most_replicas = 8;
constexpr std::size_t k_most_sources = 16;
constexpr double k_most_watts = 1e6;

auto within(Duration least, Duration most) {
  return [=](std::string_view text) { return parse_duration_within(text, {least, most}); };
}

Result<double> parse_watts(std::string_view text) { return parse_number_within(text, {1, k_most_watts}); }

Result<std::string> parse_source(std::string_view text) {
  const auto sources = connectors::prometheus_sources();
  if (std::find(sources.begin(), sources.end(), text) != sources.end()) return std::string{text};
  const auto nearest = api::nearest_name(text, sources);
  std::string listed;
  for (const std::string_view source : sources) listed += (listed.empty() ? "" : ", ") + std::string{source};
  return refuse(Errc::invalid_request,
                nearest ? "did you mean " + std::string{*nearest} + "?" : "must be one of " + listed);
}

template <class Parse>
void read_list(Section& section, const std::string& key, std::size_t most, std::vector<std::string>& target,
               Parse parse) {
  for (const Setting& setting : section.texts(key, most)) {
    if (auto value = parse(setting.text))
      target.push_back(*std::move(value));
    else
      section.refuse(setting, key, value.error().detail);
  }
}

/// One address or a list of them.
void read_prometheus(Section& section, EnergyConfig& energy) {
  if (section.is_list("prometheus"))
    return read_list(section, "prometheus", k_most_replicas, energy.prometheus, parse_url);
  std::string url;
  section.read("prometheus", url, parse_url);
  if (!url.empty()) energy.prometheus.push_back(std::move(url));
}

void read_domains(Section& section, EnergyConfig& energy) {
  std::vector<std::string> domains;
  read_list(section, "domains", 8, domains, parse_name);
  if (domains.empty()) return;
  if (const auto fit = scheduler::check_domains(domains); !fit) {
    section.reading().refuse(section.place(), section.full("domains"), fit.error().detail);
  }
  energy.domains = std::move(domains);
}

}  // namespace

void read_energy(Section& root, Config& config) {
  Section section = root.inner("energy");
  if (!section.present({"prometheus"})) return;
  EnergyConfig energy;
  read_prometheus(section, energy);
  read_list(section, "sources", k_most_sources, energy.sources, parse_source);
  section.read_path("tokenFile", energy.token_file);
  section.read("every", energy.every, within(std::chrono::seconds{1}, std::chrono::days{1}));
  section.read("giveUpAfter", energy.give_up_after, within(std::chrono::minutes{1}, std::chrono::days{30}));
  section.read("scrapeInterval", energy.scrape_interval, within(std::chrono::seconds{1}, std::chrono::hours{1}));
  section.read("collectInterval", energy.collect_interval,
               [](std::string_view text) -> Result<std::optional<Duration>> {
                 const auto duration = parse_duration_within(text, {std::chrono::seconds{1}, std::chrono::hours{1}});
                 if (!duration) return tl::unexpected{duration.error()};
                 return *duration;
               });
  section.read("nodeLimitWatts", energy.node_limit_watts, parse_watts);
  section.read("boardLimitWatts", energy.board_limit_watts, parse_watts);
  section.read("boardIdleWatts", energy.board_idle_watts, [](std::string_view text) -> Result<std::optional<double>> {
    const auto watts = parse_watts(text);
    if (!watts) return tl::unexpected{watts.error()};
    return *watts;
  });
  read_domains(section, energy);
  section.finish();
  if (energy.prometheus.empty()) {
    section.reading().refuse(section.place(), section.full("prometheus"),
                             "is missing; write it like prometheus: http://prometheus:9090");
  }
  config.energy = std::move(energy);
}

}  // namespace valle::service::runtime
