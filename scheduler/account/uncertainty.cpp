// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/uncertainty.hpp"

#include <cmath>
#include <cstdint>

namespace valle::scheduler {
namespace {

double relative_error(const IntensityQuality& quality) {
  if (quality.energy.base() == 0) return number(k_measured_intensity_error);
  const auto all = static_cast<double>(quality.energy.base());
  const double estimated = static_cast<double>(quality.estimated.base()) / all;
  const double fallback = static_cast<double>(quality.fallback.base()) / all;
  return number(k_measured_intensity_error) * (1 - estimated - fallback) +
         number(k_estimated_intensity_error) * estimated + number(k_fallback_intensity_error) * fallback;
}

double milligrams(Emissions emissions) { return static_cast<double>(emissions.base()); }
Emissions rounded(double milligrams) { return Emissions::of_base(std::llround(milligrams)); }

}  // namespace

Uncertainty uncertainty_of(const Split& split, const RunEnergy& energy, const IntensityQuality& home,
                           const IntensityQuality& real, Windows windows) {
  const double saved = std::abs(milligrams(split.saved()));
  const double by_energy = energy.energy.base() == 0 ? 0
                                                     : saved * static_cast<double>(energy.uncertainty.base()) /
                                                           static_cast<double>(energy.energy.base());
  const double by_intensity = windows == Windows::same ? relative_error(real) * saved
                                                       : std::hypot(relative_error(home) * milligrams(split.baseline),
                                                                    relative_error(real) * milligrams(split.real));
  return {rounded(by_energy), rounded(by_intensity), rounded(std::hypot(by_energy, by_intensity))};
}

}  // namespace valle::scheduler
