// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "connectors/electricity_maps/electricity_maps.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::electricity_maps {

/// One zone of `/zones`. `access` is a list such as `carbon-intensity/latest`, or `*`; empty without a token.
struct ZoneListing {
  std::string key;
  std::string name;
  std::vector<std::string> access;
  friend bool operator==(const ZoneListing&, const ZoneListing&) = default;
};
/// Both forms: the list of v4 and the older object keyed by zone. In order of key.
[[nodiscard]] scheduler::Result<std::vector<ZoneListing>> parse_zones(std::string_view body);

/// Asks for the list. With a token it tells what the plan allows, by the provider's word; single calls may still
/// refuse.
[[nodiscard]] scheduler::Result<std::vector<ZoneListing>> list_zones(const ElectricityMapsOptions& options,
                                                                     Surroundings surroundings, scheduler::Instant now);

}  // namespace valle::connectors::electricity_maps
