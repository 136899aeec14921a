// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "scheduler/units/units.hpp"

namespace valle::scheduler {

// What a job is taken to need before anything like it has run. Priors, never measurements.

/// An accelerator by its data sheet. The best range is for work that is bound by memory.
struct BoardPrior {
  Power rated;       ///< TDP: what a busy board is taken to draw
  Power lowest_cap;  ///< a cap may lie between this and `rated`
  Power best_low;
  Power best_high;
  friend bool operator==(const BoardPrior&, const BoardPrior&) = default;
};

/// By the model as drivers and node labels spell it (`NVIDIA-H100-80GB-HBM3`, `NVIDIA A100-SXM4-80GB`, `L40S`,
/// `…-SHARED`), without regard to case. Nothing for models that the table does not have, and for slices of a board
/// (`…-MIG-1g.10gb`), which don't draw its power.
[[nodiscard]] std::optional<BoardPrior> board_prior(std::string_view model);

using QueryEnergy = Quantity<struct QueryEnergyTag>;  ///< microwatt-hour a query
using TokenEnergy = Quantity<struct TokenEnergyTag>;  ///< microjoule a token

/// From a number within 0…9e12 Wh, or J.
[[nodiscard]] QueryEnergy query_energy_from_watt_hours(double watt_hours);
[[nodiscard]] TokenEnergy token_energy_from_joules(double joules);
[[nodiscard]] double joules(TokenEnergy energy);

/// N · E_q and tokens × J/token, of the boundary that the rate was measured at (mostly boards), before PUE. `queries`
/// and `tokens` ≥ 0; results beyond 9e15 kWh stop the program.
[[nodiscard]] Energy energy_of_queries(std::int64_t queries, QueryEnergy each);
[[nodiscard]] Energy energy_of_tokens(std::int64_t tokens, TokenEnergy each);

/// Mean power ÷ throughput (> 0 tokens a second).
[[nodiscard]] TokenEnergy token_energy(Power mean, double tokens_per_second);
/// Under a power cap: cap · η ÷ (throughput · f). `drawn`, η: the share of the cap that is really drawn; `kept`, f > 0:
/// what is left of the throughput.
[[nodiscard]] TokenEnergy capped_token_energy(Power cap, Ratio drawn, double tokens_per_second, Ratio kept);

/// What a batch costs: money and emissions of its energy at the meter of the building.
struct BatchCost {
  Energy energy;    ///< the batch's own
  Energy facility;  ///< with PUE
  Money money = {};
  Emissions emissions = {};
};
[[nodiscard]] BatchCost batch_cost(Energy energy, Ratio pue, EnergyPrice price, CarbonIntensity intensity);

}  // namespace valle::scheduler
