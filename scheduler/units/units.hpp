// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

using Power = Quantity<struct PowerTag>;                      ///< milliwatt
using Energy = Quantity<struct EnergyTag>;                    ///< milliwatt-hour
using CarbonIntensity = Quantity<struct CarbonIntensityTag>;  ///< milligram CO2e per kilowatt-hour
using Emissions = Quantity<struct EmissionsTag>;              ///< milligram CO2e
using Ratio = Quantity<struct RatioTag>;                      ///< parts per million; PUE 1.2 is 1,200,000
using EnergyPrice = Quantity<struct EnergyPriceTag>;          ///< micro-euro per megawatt-hour; may be negative
using Money = Quantity<struct MoneyTag>;                      ///< micro-euro

inline constexpr Ratio k_one = Ratio::of_base(1'000'000);

/// ∫ intensity dt over some seconds, in mg·s/kWh: what prefix sums hold. Exact. Two years at 2000 g/kWh
/// are 1.3e14, far below 64 bits.
using IntensitySeconds = Quantity<struct IntensitySecondsTag>;

/// From a decimal number as users write it, rounded to the base unit. The caller has checked that the
/// value is finite and within the limits of its field; outside ±9e18 base units the program stops.
[[nodiscard]] Power power_from_watts(double watts);
[[nodiscard]] Energy energy_from_kwh(double kwh);
[[nodiscard]] CarbonIntensity intensity_from_grams_per_kwh(double grams);
[[nodiscard]] Ratio ratio_from_number(double number);
[[nodiscard]] EnergyPrice price_from_eur_per_mwh(double eur);

/// To a decimal number for people and JSON. Exact to the base unit for all realistic sizes.
[[nodiscard]] double watts(Power power);
[[nodiscard]] double kwh(Energy energy);
[[nodiscard]] double grams_per_kwh(CarbonIntensity intensity);
[[nodiscard]] double grams(Emissions emissions);
[[nodiscard]] double number(Ratio ratio);
[[nodiscard]] double eur_per_mwh(EnergyPrice price);
[[nodiscard]] double eur(Money money);

/// Energy of a constant power over a duration, rounded to the nearest mWh.
[[nodiscard]] constexpr Energy energy_of(Power power, std::chrono::seconds duration) {
  return Energy::of_base(narrow(divide_rounded(Wide{power.base()} * duration.count(), 3600)));
}

/// Energy at the meter of the building: the job's own energy times PUE.
[[nodiscard]] constexpr Energy at_facility(Energy energy, Ratio pue) {
  return Energy::of_base(narrow(divide_rounded(Wide{energy.base()} * pue.base(), k_one.base())));
}

/// ∫ of a constant intensity over a duration. Exact.
[[nodiscard]] constexpr IntensitySeconds integral_of(CarbonIntensity intensity, std::chrono::seconds duration) {
  return IntensitySeconds::of_base(narrow(Wide{intensity.base()} * duration.count()));
}

/// Mean intensity over `duration` > 0 from its integral, rounded to the nearest mg/kWh.
[[nodiscard]] constexpr CarbonIntensity mean_of(IntensitySeconds integral, std::chrono::seconds duration) {
  return CarbonIntensity::of_base(narrow(divide_rounded(integral.base(), duration.count())));
}

/// Emissions of `energy` (before PUE) spread evenly over `duration` > 0 while the grid's intensity
/// integrates to `integral`: E · PUE · ∫I dt / duration, in one rounding. Energy ≤ 1e9 kWh, PUE ≤ 16 and
/// 30 days at 2000 g/kWh stay within 127 bits.
[[nodiscard]] constexpr Emissions emissions_of(Energy energy, Ratio pue, IntensitySeconds integral,
                                               std::chrono::seconds duration) {
  // mWh · ppm · mg·s/kWh ÷ s ÷ 1e6 (mWh in a kWh) ÷ 1e6 (ppm)
  const Wide numerator = Wide{energy.base()} * pue.base() * integral.base();
  return Emissions::of_base(narrow(divide_rounded(numerator, Wide{duration.count()} * 1'000'000 * k_one.base())));
}

/// Emissions of a constant `power` (before PUE) while the grid's intensity integrates to `integral`.
[[nodiscard]] constexpr Emissions emissions_of(Power power, Ratio pue, IntensitySeconds integral) {
  // mW · ppm · mg·s/kWh ÷ 3600 (s in an hour) ÷ 1e6 (mW in a kW) ÷ 1e6 (ppm)
  const Wide numerator = Wide{power.base()} * pue.base() * integral.base();
  return Emissions::of_base(narrow(divide_rounded(numerator, Wide{3600} * 1'000'000 * k_one.base())));
}

}  // namespace valle::scheduler
