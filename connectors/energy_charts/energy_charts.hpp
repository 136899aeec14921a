// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "connectors/retry/surroundings.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// Settings of source kind `energy-charts`.
struct EnergyChartsOptions {
  std::string base_url = "https://api.energy-charts.info";
  std::chrono::milliseconds timeout{20'000};
  unsigned budget_per_hour = 30;
  std::chrono::minutes between_requests{15};  ///< for one country and call; earlier questions get the last answer
  std::vector<scheduler::Zone> zones = {};    ///< empty: all that it has
};

/// Fraunhofer ISE's Energy-Charts, no account needed: measured and forecast intensity (lifecycle, production) and
/// day-ahead prices of European countries.
[[nodiscard]] std::unique_ptr<scheduler::IntensitySource> make_energy_charts(EnergyChartsOptions options,
                                                                             Surroundings surroundings);

}  // namespace valle::connectors
