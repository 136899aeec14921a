// SPDX-License-Identifier: Apache-2.0
#include "connectors/esios/cross_check.hpp"

#include <algorithm>
#include <cmath>

#include "connectors/esios/mix.hpp"

namespace valle::connectors::esios {
namespace {

using scheduler::CarbonIntensity;
using scheduler::Instant;
using scheduler::Power;
using scheduler::Wide;

/// mW · h are mWh, a million of them a kWh.
constexpr std::int64_t k_mwh_a_kwh = 1'000'000;

CarbonIntensity per_kwh(Wide milligrams, Wide milliwatt_hours) {
  return CarbonIntensity::of_base(
      scheduler::narrow(scheduler::divide_rounded(milligrams * k_mwh_a_kwh, milliwatt_hours)));
}

std::string grams(CarbonIntensity intensity) {
  return std::to_string(scheduler::narrow(scheduler::divide_rounded(intensity.base(), 1'000))) + " g/kWh";
}

}  // namespace

bool CrossCheck::agrees() const {
  const CarbonIntensity gap = std::max(computed, published) - std::min(computed, published);
  return gap <= k_tolerance || Wide{gap.base()} * 1'000'000 <= Wide{computed.base()} * k_tolerance_ppm;
}

std::optional<CrossCheck> cross_check(const std::map<int, Indicator>& generation, const scheduler::Harvest& accepted,
                                      const Indicator& published) {
  std::map<int, std::map<Instant, Power>> means;
  for (const auto& [id, indicator] : generation) means[id] = hourly_means(indicator);
  // Tonnes read like megawatts are 1e9 base units each, which so are milligrams.
  const std::map<Instant, Power> emitted = hourly_means(published);
  CrossCheck check;
  Wide burnt = 0, told = 0, generated = 0;
  for (const auto& reading : accepted.intensity) {
    const auto hour = emitted.find(reading.interval.begin);
    if (hour == emitted.end()) continue;
    Wide of_hour = 0;
    for (const Technology& technology : k_technologies) {
      const auto series = means.find(technology.indicator);
      if (series == means.end() || !series->second.contains(hour->first)) continue;
      const Power power = std::max(Power{}, series->second.at(hour->first));
      of_hour += power.base();
      burnt += Wide{power.base()} * technology.combustion_mg_per_kwh;
    }
    generated += of_hour;
    told += hour->second.base();
    ++check.hours;
  }
  if (check.hours == 0 || generated <= 0) return std::nullopt;
  check.computed = per_kwh(burnt / k_mwh_a_kwh, generated);
  check.published = per_kwh(told, generated);
  return check;
}

std::string remark_on(const CrossCheck& check) {
  if (check.agrees()) return {};
  return "cross-check: over " + std::to_string(check.hours) + " hours what burns in the computed mix emits " +
         grams(check.computed) + ", indicator " + std::to_string(k_published_emissions) + " says " +
         grams(check.published) + ": a technology or a unit may be wrong";
}

}  // namespace valle::connectors::esios
