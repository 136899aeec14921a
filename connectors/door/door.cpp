// SPDX-License-Identifier: Apache-2.0
#include "connectors/door/door.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace valle::connectors {
namespace {

using scheduler::CarbonIntensity;
using scheduler::EnergyPrice;
using scheduler::Rejection;
using scheduler::RejectionReason;

/// Far above any plausible value and far below the limits of the unit: what is larger is not converted at all.
constexpr double k_convertible = 1e9;
constexpr double k_largest_price_eur_per_mwh = 1e6;
constexpr double k_grams_per_pound = 453.59237;

double grams_in(IntensityUnit unit) {
  switch (unit) {
    case IntensityUnit::grams_per_kwh:
    case IntensityUnit::kilograms_per_mwh: return 1;
    case IntensityUnit::tonnes_per_mwh: return 1000;
    case IntensityUnit::pounds_per_mwh: return k_grams_per_pound / 1000;
  }
  return 0;
}

tl::unexpected<Rejection> reject(scheduler::Instant start, RejectionReason reason, std::string detail) {
  return tl::unexpected{Rejection{start, reason, std::move(detail)}};
}

/// The finite number, or why there is none.
tl::expected<double, Rejection> finite_number(scheduler::Instant start, RawNumber raw) {
  switch (raw.state) {
    case RawNumber::State::absent: return reject(start, RejectionReason::missing, "the value is absent");
    case RawNumber::State::null: return reject(start, RejectionReason::missing, "the value is null");
    case RawNumber::State::wrong_type: return reject(start, RejectionReason::not_a_number, "the value is not a number");
    case RawNumber::State::number: break;
  }
  if (!std::isfinite(raw.value)) return reject(start, RejectionReason::not_a_number, "the value is not finite");
  return raw.value;
}

/// Lower case, without blanks, `₂` and `·` written plainly.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\xE2\x82\x82")) {  // subscript two
      out += '2';
      i += 2;
    } else if (text[i] >= 'A' && text[i] <= 'Z') {
      out += static_cast<char>(text[i] - 'A' + 'a');
    } else if (text[i] != ' ') {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::optional<IntensityUnit> intensity_unit_from_text(std::string_view text) {
  struct Word {
    std::string_view mass;
    std::string_view energy;
    IntensityUnit unit;
  };
  constexpr std::array<Word, 5> k_words{{{"g", "/kwh", IntensityUnit::grams_per_kwh},
                                         {"kg", "/mwh", IntensityUnit::kilograms_per_mwh},
                                         {"t", "/mwh", IntensityUnit::tonnes_per_mwh},
                                         {"lb", "/mwh", IntensityUnit::pounds_per_mwh},
                                         {"lbs", "/mwh", IntensityUnit::pounds_per_mwh}}};
  constexpr std::array<std::string_view, 4> k_gases{"", "co2", "co2e", "co2eq"};  // may stand behind the mass
  const std::string unit = plain(text);
  for (const Word& word : k_words) {
    for (const std::string_view gas : k_gases) {
      if (unit == std::string{word.mass}.append(gas).append(word.energy)) return word.unit;
    }
  }
  return std::nullopt;
}

IntensityRange Door::range_of(const scheduler::Zone& zone) const {
  const auto found = ranges_.find(zone);
  return found == ranges_.end() ? IntensityRange{} : found->second;
}

tl::expected<CarbonIntensity, Rejection> Door::admit(const scheduler::Zone& zone, scheduler::Instant start,
                                                     RawNumber value, std::optional<IntensityUnit> unit) const {
  const auto number = finite_number(start, value);
  if (!number) return tl::unexpected{number.error()};
  if (!unit) return reject(start, RejectionReason::unknown_unit, "the unit of the value is unknown");
  if (*number == 0) return reject(start, RejectionReason::zero, "an intensity of zero is an outage, not a clean hour");
  const double grams = *number * grams_in(*unit);
  if (grams > 0 && grams < k_convertible) {
    const CarbonIntensity intensity = scheduler::intensity_from_grams_per_kwh(grams);
    const IntensityRange range = range_of(zone);
    if (range.lowest <= intensity && intensity <= range.highest) return intensity;
  }
  return reject(start, RejectionReason::implausible, "the value lies outside the plausible range of " + zone.name());
}

bool is_unusual(const scheduler::SeriesIdentity& identity, CarbonIntensity value) {
  struct Usual {
    std::string_view zone;
    std::int64_t lowest_grams;
    std::int64_t highest_grams;
  };
  constexpr std::array<Usual, 3> k_usual{{{"FR", 5, 200}, {"ES", 20, 400}, {"DE", 60, 800}}};
  if (identity.accounting.scope != scheduler::Scope::lifecycle) return false;
  const auto found = std::find_if(k_usual.begin(), k_usual.end(),
                                  [&](const Usual& usual) { return usual.zone == identity.zone.name(); });
  if (found == k_usual.end()) return false;
  return value.base() < found->lowest_grams * 1000 || value.base() > found->highest_grams * 1000;
}

tl::expected<EnergyPrice, Rejection> admit_price(scheduler::Instant start, RawNumber eur_per_mwh) {
  const auto number = finite_number(start, eur_per_mwh);
  if (!number) return tl::unexpected{number.error()};
  if (std::fabs(*number) > k_largest_price_eur_per_mwh) {
    return reject(start, RejectionReason::implausible, "the price lies outside a million EUR/MWh");
  }
  return scheduler::price_from_eur_per_mwh(*number);
}

}  // namespace valle::connectors
