// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/model/plan.hpp"

namespace valle::scheduler::solving {

/// The exact account of placements in whole milligrams and milliwatt-hours, by prefix sums. What a plan reports, and
/// what decides between plans, is computed here; the search itself works on doubles. Borrows the problem.
class Ledger {
 public:
  explicit Ledger(const Problem& problem);

  /// The placement with its energy and emissions, rounded as `emissions_of` rounds.
  [[nodiscard]] Placement placement(std::size_t job, std::size_t site, std::size_t mode,
                                    std::vector<Interval> segments) const;

  /// Emissions of the placed job at its earliest start at home, capacity ignored; see `Plan::run_now`.
  [[nodiscard]] Emissions run_now(const Placement& placement) const;

  /// What the plan minimises, in mg CO2e: emissions, and with eur_per_tonne also the energy's cost in its equivalent.
  [[nodiscard]] std::int64_t objective(const Placement& placement) const;

 private:
  [[nodiscard]] IntensitySeconds integral(std::size_t site, Interval interval) const;
  [[nodiscard]] Emissions emissions_at(std::size_t site, Energy energy, Ratio pue, Instant t) const;
  [[nodiscard]] double cost_equivalent(const Placement& placement) const;

  const Problem& problem_;
  Interval horizon_;
  std::vector<std::vector<std::int64_t>> prefix_;  // per site: ∫ intensity from the start to each boundary, mg·s/kWh
};

/// The plan of these placements: sorted by job, with totals.
[[nodiscard]] Plan assemble(const Ledger& ledger, std::vector<Placement> placements, std::vector<Unplaced> unplaced);

/// The first boundary of the horizon's grid at which a job may start: its earliest start rounded up, not before the
/// problem's start.
[[nodiscard]] Instant first_start(const Problem& problem, const Job& job);
[[nodiscard]] Interval horizon_of(const Problem& problem);

}  // namespace valle::scheduler::solving
