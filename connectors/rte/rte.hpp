// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "connectors/retry/surroundings.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// Settings of source kind `rte`.
struct RteOptions {
  std::string base_url = "https://odre.opendatasoft.com";
  std::chrono::milliseconds timeout{20'000};
  unsigned budget_per_hour = 30;
};

/// RTE's éCO2mix for mainland France, no account needed: measured quarter-hours of `taux_co2`, which counts combustion
/// in French plants only (direct, combustion). Not comparable with lifecycle values.
[[nodiscard]] std::unique_ptr<scheduler::IntensitySource> make_rte(RteOptions options, Surroundings surroundings);

}  // namespace valle::connectors
