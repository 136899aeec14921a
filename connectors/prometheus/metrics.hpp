// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Names of metrics as exporters write them.
namespace valle::connectors::prometheus {

inline constexpr std::string_view k_kepler_pod_joules = "kepler_pod_cpu_joules_total";
inline constexpr std::string_view k_kepler_container_joules = "kepler_container_joules_total";
inline constexpr std::string_view k_dcgm_energy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";  ///< millijoules
inline constexpr std::string_view k_dcgm_power = "DCGM_FI_DEV_POWER_USAGE";                ///< watts
inline constexpr std::string_view k_scaphandre_power = "scaph_process_power_consumption_microwatts";

}  // namespace valle::connectors::prometheus
