// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/estimate_priors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace valle::scheduler {
namespace {

/// The model's letters and digits in lower case, other characters as one blank each: "nvidia h100 80gb hbm3".
std::string plain(std::string_view model) {
  std::string text;
  for (const char c : model) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool word = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    text += word ? lower : ' ';
  }
  return text;
}

bool has(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

constexpr BoardPrior prior(std::int64_t rated, std::int64_t lowest, std::int64_t best_low, std::int64_t best_high) {
  return {Power::of_base(rated * 1000), Power::of_base(lowest * 1000), Power::of_base(best_low * 1000),
          Power::of_base(best_high * 1000)};
}

}  // namespace

std::optional<BoardPrior> board_prior(std::string_view model) {
  const std::string text = plain(model);
  if (has(text, " mig ")) return {};
  const bool pcie = has(text, "pcie");
  // Boards of 80 GB in the SXM form are named after their memory ("80GB HBM3"), not their form.
  if (has(text, "h100")) return pcie ? prior(350, 100, 245, 280) : prior(700, 200, 490, 560);
  if (has(text, "a100")) return pcie ? prior(300, 100, 210, 240) : prior(400, 100, 280, 320);
  if (has(text, "l40s")) return prior(350, 100, 245, 280);
  if (has(text, "rtx 5090")) return prior(575, 100, 400, 460);
  return {};
}

QueryEnergy query_energy_from_watt_hours(double watt_hours) {
  require(watt_hours >= 0 && watt_hours < 9e12, "an energy out of range");
  return QueryEnergy::of_base(std::llround(watt_hours * 1e6));
}

TokenEnergy token_energy_from_joules(double joules) {
  require(joules >= 0 && joules < 9e12, "an energy out of range");
  return TokenEnergy::of_base(std::llround(joules * 1e6));
}

double joules(TokenEnergy energy) { return static_cast<double>(energy.base()) / 1e6; }

Energy energy_of_queries(std::int64_t queries, QueryEnergy each) {
  return Energy::of_base(narrow(divide_rounded(Wide{queries} * each.base(), 1'000)));  // µWh to mWh
}

Energy energy_of_tokens(std::int64_t tokens, TokenEnergy each) {
  return Energy::of_base(narrow(divide_rounded(Wide{tokens} * each.base(), 3'600'000)));  // µJ to mWh
}

TokenEnergy token_energy(Power mean, double tokens_per_second) {
  return token_energy_from_joules(watts(mean) / tokens_per_second);
}

TokenEnergy capped_token_energy(Power cap, Ratio drawn, double tokens_per_second, Ratio kept) {
  return token_energy_from_joules(watts(cap) * number(drawn) / (tokens_per_second * number(kept)));
}

BatchCost batch_cost(Energy energy, Ratio pue, EnergyPrice price, CarbonIntensity intensity) {
  BatchCost cost{.energy = energy, .facility = at_facility(energy, pue)};
  // mWh · µ€/MWh ÷ 1e9 (mWh in a MWh), and mWh · mg/kWh ÷ 1e6 (mWh in a kWh)
  cost.money = Money::of_base(narrow(divide_rounded(Wide{cost.facility.base()} * price.base(), 1'000'000'000)));
  cost.emissions = Emissions::of_base(narrow(divide_rounded(Wide{cost.facility.base()} * intensity.base(), 1'000'000)));
  return cost;
}

}  // namespace valle::scheduler
