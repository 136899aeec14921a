// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "connectors/electricity_maps/electricity_maps.hpp"
#include "connectors/retry/upstream.hpp"

namespace valle::connectors::electricity_maps {

/// `/v3/` or `/v4/`
[[nodiscard]] inline std::string version_path(const ElectricityMapsOptions& options) {
  return options.version == ElectricityMapsOptions::Version::v3 ? "/v3/" : "/v4/";
}

/// The base URL without a version at its end: people copy it from documentation with and without.
[[nodiscard]] inline UpstreamOptions upstream_options(const ElectricityMapsOptions& options) {
  std::string base_url = options.base_url;
  while (base_url.ends_with('/')) base_url.pop_back();
  if (base_url.ends_with("/v3") || base_url.ends_with("/v4")) base_url.resize(base_url.size() - 3);
  return {.provider = "Electricity Maps",
          .base_url = std::move(base_url),
          .timeout = options.timeout,
          .budget_per_hour = options.budget_per_hour};
}

}  // namespace valle::connectors::electricity_maps
