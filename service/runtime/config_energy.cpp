// SPDX-License-Identifier: Apache-2.0
// The section `energy`.
#include <algorithm>

#include "connectors/prometheus/prometheus.hpp"
#include "scheduler/energy/channels.hpp"
#include "scheduler/energy/words.hpp"
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
constexpr std::size_t k_most_calibrations = 64;
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

/// A node's name; a `*` may stand at its end.
Result<std::string> parse_nodes(std::string_view text) {
  const std::string_view name = text.substr(0, text.size() - (text.ends_with('*') ? 1 : 0));
  if (text == "*") return std::string{text};
  if (auto plain = parse_host(name); !plain) return plain;
  return std::string{text};
}

Result<scheduler::EnergyBoundary> parse_boundary(std::string_view text) {
  for (const auto boundary : {scheduler::EnergyBoundary::board, scheduler::EnergyBoundary::pod}) {
    if (scheduler::to_text(boundary) == text) return boundary;
  }
  return refuse(Errc::invalid_request, "must be board or pod");
}

void read_calibration(Section& section, EnergyConfig& energy) {
  constexpr scheduler::Ratio k_none{};
  for (Section& entry : section.entries("calibration", k_most_calibrations)) {
    scheduler::Calibration calibration;
    calibration.factor = k_none;
    entry.read("nodes", calibration.node_type, parse_nodes);
    entry.read("source", calibration.source, parse_source);
    calibration.boundary = scheduler::EnergyBoundary::pod;
    entry.read("boundary", calibration.boundary, parse_boundary);
    entry.read("factor", calibration.factor, [](std::string_view text) -> Result<scheduler::Ratio> {
      return parse_number_within(text, {0.5, 3}).map(scheduler::ratio_from_number);
    });
    entry.read("residualPercent", calibration.residual, parse_percent);
    entry.read("meter", calibration.meter, parse_text);
    entry.read("made", calibration.made, [](std::string_view text) { return scheduler::parse_instant(text); });
    entry.finish();
    const bool whole = !calibration.node_type.empty() && !calibration.source.empty() && calibration.factor != k_none &&
                       !calibration.meter.empty();
    if (!whole) {
      section.reading().refuse(entry.place(), section.full("calibration"),
                               "needs nodes, source, factor and meter: valle calibrate writes such lines");
    }
    energy.calibration.push_back(std::move(calibration));
  }
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
  read_calibration(section, energy);
  section.finish();
  if (energy.prometheus.empty()) {
    section.reading().refuse(section.place(), section.full("prometheus"),
                             "is missing; write it like prometheus: http://prometheus:9090");
  }
  config.energy = std::move(energy);
}

}  // namespace valle::service::runtime
