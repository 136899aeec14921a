// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "connectors/esios/parse.hpp"

/// The computed mix of Spain against what the grid operator publishes of its emissions. Pure.
namespace valle::connectors::esios {

/// CO2 of the real-time generation. Its unit is told in three ways; read here as tonnes an hour. It counts combustion
/// only, so it is compared with the combustion of the computed mix, never taken as an intensity.
inline constexpr int k_published_emissions = 10355;

/// The operator's own factors for gas and coal lie up to a sixth below ours, and it leaves some of the cogeneration
/// out: a fault of the unit or of a technology shows beyond both of these.
inline constexpr std::int64_t k_tolerance_ppm = 250'000;
inline constexpr auto k_tolerance = scheduler::CarbonIntensity::of_base(20'000);

/// Means over the same hours.
struct CrossCheck {
  std::size_t hours = 0;
  scheduler::CarbonIntensity computed;   ///< of combustion
  scheduler::CarbonIntensity published;  ///< 1000 · Σ tonnes / Σ MWh
  [[nodiscard]] bool agrees() const;
};

/// Over the hours of `accepted` that the indicator knows, too; nothing if there are none.
[[nodiscard]] std::optional<CrossCheck> cross_check(const std::map<int, Indicator>& generation,
                                                    const scheduler::Harvest& accepted, const Indicator& published);

/// A sentence for people where the two do not agree; else empty.
[[nodiscard]] std::string remark_on(const CrossCheck& check);

}  // namespace valle::connectors::esios
