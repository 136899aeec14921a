// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "scheduler/energy/figure.hpp"

namespace valle::scheduler {

/// The source of figures that a caller has told.
inline constexpr std::string_view k_posted_source = "posted";

/// Half width that a posted figure gets where its caller told none, as a share of the energy: the ± 5 % that makers of
/// boards state for their own sensors.
inline constexpr Ratio k_unstated_uncertainty = Ratio::of_base(50'000);

/// Energy of a whole run as its caller tells it: constant power, the job's own boundary.
[[nodiscard]] inline EnergyFigure posted_figure(Energy energy, std::optional<Energy> uncertainty = {}) {
  EnergyFigure figure;
  figure.boundary = EnergyBoundary::job;
  figure.quality = EnergyQuality::measured;
  figure.energy = energy;
  figure.uncertainty = uncertainty.value_or(at_facility(energy, k_unstated_uncertainty));
  figure.coverage = k_one;
  figure.source = k_posted_source;
  return figure;
}

}  // namespace valle::scheduler
