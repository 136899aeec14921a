// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/capabilities.hpp"

#include <algorithm>
#include <array>

#include "connectors/prometheus/metrics.hpp"

namespace valle::connectors::prometheus {
namespace {

constexpr std::array<std::string_view, 2> k_vllm_tokens{"vllm:generation_tokens_total", "vllm_generation_tokens_total"};
constexpr std::array<std::string_view, 3> k_node_power{"ipmi_dcmi_power_consumption_watts", "kepler_platform_watts",
                                                       "redfish_power_powercontrol_power_consumed_watts"};

}  // namespace

std::string_view capability_selector() {
  return "{__name__=~\"kepler_.*joules_total|kepler_platform_watts|DCGM_FI_DEV_(TOTAL_ENERGY_CONSUMPTION|POWER_USAGE)|"
         "scaph_process_power_consumption_microwatts|vllm.generation_tokens_total|ipmi_dcmi_power_consumption_watts|"
         "redfish_power_powercontrol_power_consumed_watts\"}";
}

Capabilities capabilities_of(std::span<const std::string> metric_names, std::span<const std::string> wanted_sources) {
  const auto has = [&](std::string_view name) {
    return std::find(metric_names.begin(), metric_names.end(), name) != metric_names.end();
  };
  const auto wants = [&](std::string_view source) {
    return wanted_sources.empty() ||
           std::find(wanted_sources.begin(), wanted_sources.end(), source) != wanted_sources.end();
  };
  Capabilities found;
  found.kepler = wants(k_kepler_source) && has(k_kepler_pod_joules);
  found.kepler_legacy = wants(k_kepler_source) && has(k_kepler_container_joules);
  found.dcgm_energy = wants(k_dcgm_source) && has(k_dcgm_energy);
  found.dcgm_power = wants(k_dcgm_source) && has(k_dcgm_power);
  found.scaphandre = wants(k_scaphandre_source) && has(k_scaphandre_power);
  for (const std::string_view name : k_vllm_tokens) {
    if (found.vllm_tokens.empty() && has(name)) found.vllm_tokens = name;
  }
  for (const std::string_view name : k_node_power) {
    if (has(name)) found.node_power.emplace_back(name);
  }
  return found;
}

std::string Capabilities::text() const {
  std::string words;
  const auto say = [&](bool there, std::string_view what) {
    if (there) words += (words.empty() ? "" : ", ") + std::string{what};
  };
  say(kepler, "kepler from 0.10 on");
  say(kepler_legacy, "kepler up to 0.9");
  say(dcgm_energy, "dcgm energy counter");
  say(dcgm_power, "dcgm power");
  say(scaphandre, "scaphandre");
  say(!vllm_tokens.empty(), "vllm tokens");
  for (const std::string& name : node_power) say(true, name);
  return words.empty() ? "nothing" : words;
}

}  // namespace valle::connectors::prometheus
