// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "scheduler/model/reading.hpp"

namespace valle::connectors {

/// A value as it stood on the wire. Absent and null are both "missing"; a text, boolean, object or list is not a
/// number.
struct RawNumber {
  enum class State { absent, null, wrong_type, number };
  State state = State::absent;
  double value = 0;  ///< only where state is `number`

  [[nodiscard]] static RawNumber of(double value) { return {State::number, value}; }
};

/// Units that a provider may speak in.
enum class IntensityUnit { grams_per_kwh, kilograms_per_mwh, tonnes_per_mwh, pounds_per_mwh };

/// `g/kWh`, `gCO2eq/kWh`, `gCO₂eq/kWh`, `kg/MWh`, `t/MWh`, `lb/MWh` and the like, without regard to case. Nothing for
/// any other word: an unknown unit is refused, never guessed.
[[nodiscard]] std::optional<IntensityUnit> intensity_unit_from_text(std::string_view text);

/// From lowest to highest, both included.
struct IntensityRange {
  scheduler::CarbonIntensity lowest = scheduler::CarbonIntensity::of_base(1'000);
  scheduler::CarbonIntensity highest = scheduler::CarbonIntensity::of_base(2'000'000);
};

/// What an intensity must pass before anything else sees it: present, a number, finite, positive, in a known unit and
/// within the zone's plausible range. Pure; a value type, safe to share.
class Door {
 public:
  Door() = default;
  /// Ranges that replace 1…2000 g/kWh for single zones.
  explicit Door(std::map<scheduler::Zone, IntensityRange> ranges) : ranges_{std::move(ranges)} {}

  [[nodiscard]] IntensityRange range_of(const scheduler::Zone& zone) const;

  /// The value in mg/kWh, or why not. `start` only labels the rejection.
  [[nodiscard]] tl::expected<scheduler::CarbonIntensity, scheduler::Rejection> admit(
      const scheduler::Zone& zone, scheduler::Instant start, RawNumber value,
      std::optional<IntensityUnit> unit = IntensityUnit::grams_per_kwh) const;

 private:
  std::map<scheduler::Zone, IntensityRange> ranges_;
};

/// True where a value lies outside what is usual for the zone (FR 5…200, ES 20…400, DE 60…800 g/kWh, lifecycle): worth
/// a flag, never a refusal. Zones without a usual range are never flagged.
[[nodiscard]] bool is_unusual(const scheduler::SeriesIdentity& identity, scheduler::CarbonIntensity value);

/// A day-ahead price: present, a number, finite, within ±1,000,000 EUR/MWh. Zero and negative are prices.
[[nodiscard]] tl::expected<scheduler::EnergyPrice, scheduler::Rejection> admit_price(scheduler::Instant start,
                                                                                     RawNumber eur_per_mwh);

}  // namespace valle::connectors
