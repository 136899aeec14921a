// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "connectors/retry/surroundings.hpp"
#include "connectors/secret/secret.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// Settings of source kind `electricity-maps`.
struct ElectricityMapsOptions {
  enum class Version { v3, v4 };
  std::string base_url = "https://api.electricitymaps.com";  ///< an ending `/v3` or `/v4` is taken off
  Version version = Version::v4;
  std::shared_ptr<TokenSource> token;
  std::chrono::milliseconds timeout{10'000};  ///< for one request
  unsigned budget_per_hour = 30;              ///< requests a token; the provider publishes no limit
  std::vector<scheduler::Zone> zones = {};    ///< empty: any zone
};

/// Carbon intensity (measured, forecast; lifecycle, flow-traced) and day-ahead prices of any zone in the plan of the
/// token.
[[nodiscard]] std::unique_ptr<scheduler::IntensitySource> make_electricity_maps(ElectricityMapsOptions options,
                                                                                Surroundings surroundings);

}  // namespace valle::connectors
