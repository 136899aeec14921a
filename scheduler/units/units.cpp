// SPDX-License-Identifier: Apache-2.0
#include "scheduler/units/units.hpp"

#include <cmath>

namespace valle::scheduler {
namespace {

/// Rounds `value · scale` to a 64-bit count, halves away from zero.
std::int64_t scaled(double value, double scale) {
  const double product = value * scale;
  require(std::isfinite(product) && std::fabs(product) < 9.0e18, "number outside the range of its unit");
  return std::llround(product);
}

double unscaled(std::int64_t count, double scale) { return static_cast<double>(count) / scale; }

}  // namespace

Power power_from_watts(double watts) { return Power::of_base(scaled(watts, 1e3)); }
Energy energy_from_kwh(double kwh) { return Energy::of_base(scaled(kwh, 1e6)); }
CarbonIntensity intensity_from_grams_per_kwh(double grams) { return CarbonIntensity::of_base(scaled(grams, 1e3)); }
Ratio ratio_from_number(double number) { return Ratio::of_base(scaled(number, 1e6)); }
EnergyPrice price_from_eur_per_mwh(double eur) { return EnergyPrice::of_base(scaled(eur, 1e6)); }

double watts(Power power) { return unscaled(power.base(), 1e3); }
double kwh(Energy energy) { return unscaled(energy.base(), 1e6); }
double grams_per_kwh(CarbonIntensity intensity) { return unscaled(intensity.base(), 1e3); }
double grams(Emissions emissions) { return unscaled(emissions.base(), 1e3); }
double number(Ratio ratio) { return unscaled(ratio.base(), 1e6); }
double eur_per_mwh(EnergyPrice price) { return unscaled(price.base(), 1e6); }
double eur(Money money) { return unscaled(money.base(), 1e6); }

}  // namespace valle::scheduler
