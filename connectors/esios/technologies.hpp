// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace valle::connectors::esios {

/// One real-time generation indicator of the Spanish peninsula and the lifecycle factor of its technology.
struct Technology {
  int indicator;
  std::string_view name;
  std::int64_t factor_mg_per_kwh;
  /// What it usually carries of the mix, in ppm: says whether it may be missing as long as nothing was seen yet.
  std::int64_t usual_share_ppm;
  std::int64_t combustion_mg_per_kwh = 0;  ///< what burning the fuel alone emits: for the cross-check
};

/// Lifecycle factors in force for Spain in 2025, in mg CO2e/kWh: IPCC 2014 (biomass), UNECE 2022 (nuclear, hydro,
/// wind), INCER ACV (sun), EU-ETS with ENTSO-E generation of 2025 (coal, gas, oil), and the yearly mix behind pumped
/// storage. Cogeneration and the rest burn mostly gas.
inline constexpr std::array<Technology, 11> k_technologies{{
    {546, "hydro", 10'700, 120'000},
    {547, "coal", 1'112'030, 4'000, 1'052'030},
    {548, "fuel and gas", 1'070'110, 0, 826'110},
    {549, "nuclear", 5'130, 200'000},
    {550, "combined cycle", 537'270, 130'000, 417'270},
    {551, "wind", 12'620, 220'000},
    {1294, "solar thermal", 26'467, 15'000},
    {1295, "photovoltaic", 26'467, 200'000},
    {1296, "renewable thermal", 230'000, 15'000},
    {1297, "cogeneration and rest", 537'270, 70'000, 417'270},
    {2079, "pumped storage", 77'300, 0},
}};

/// A technology that carried at least this share (0.5 %) must be there for an hour to count: at coal's factor even that
/// moves the Spanish mean by some percent.
inline constexpr std::int64_t k_share_that_counts_ppm = 5'000;

}  // namespace valle::connectors::esios
