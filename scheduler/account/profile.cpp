// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/profile.hpp"

#include "scheduler/account/apportion.hpp"
#include "scheduler/account/run_energy.hpp"
#include "scheduler/units/require.hpp"

namespace valle::scheduler {
namespace {

/// `slice.interval` cut to the attempt: a meter's stamps may lie a little outside.
std::vector<EnergySlice> slices_of(const EnergyFigure& figure, const Interval& ran) {
  std::vector<EnergySlice> slices;
  Energy inside;
  for (const EnergySlice& slice : figure.profile) {
    const Interval interval = slice.interval.overlap(ran);
    if (interval.empty()) continue;
    slices.push_back({interval, slice.energy});
    inside += slice.energy;
  }
  // Energy of slices that lie outside altogether was used all the same.
  if (!slices.empty() && inside <= figure.energy) slices.back().energy += figure.energy - inside;
  if (slices.empty() || inside > figure.energy) return {{ran, figure.energy}};
  return slices;
}

Instant scaled(Instant t, Instant from, const PowerCap& cap) {
  return from + Duration{narrow(divide_rounded(Wide{(t - from).count()} * cap.uncapped_duration.count(),
                                               cap.capped_duration.count()))};
}

}  // namespace

Profile measured_profile(const Run& run, EnergyBoundary boundary) {
  Profile profile;
  for (std::size_t i = 0; i < run.attempts.size(); ++i) {
    const Attempt& attempt = run.attempts[i];
    if (attempt.ran.empty()) continue;
    const EnergyFigure* figure = figure_of(attempt, boundary);
    require(figure != nullptr, "a run is counted by a boundary that all its attempts have");
    profile.push_back({i, attempt.ran, slices_of(*figure, attempt.ran)});
  }
  return profile;
}

Profile without_cap(const Profile& capped, const PowerCap& cap) {
  require(cap.capped_duration.count() > 0 && cap.uncapped_duration.count() > 0 && cap.capped_power.base() > 0,
          "both modes of a power cap take time and power");
  Profile free = capped;
  for (AttemptProfile& attempt : free) {
    const Instant from = attempt.ran.begin;
    std::vector<Wide> weights;
    Wide energy = 0;
    for (EnergySlice& slice : attempt.slices) {
      weights.push_back(slice.energy.base());
      energy += slice.energy.base();
      slice.interval = {scaled(slice.interval.begin, from, cap), scaled(slice.interval.end, from, cap)};
      // A slice of few seconds must not vanish with its energy.
      if (slice.interval.empty()) slice.interval.end = slice.interval.begin + Duration{1};
    }
    attempt.ran.end = std::max(attempt.slices.back().interval.end, scaled(attempt.ran.end, from, cap));
    const Wide from_modes = Wide{cap.uncapped_power.base()} * cap.uncapped_duration.count();
    const Wide to_modes = Wide{cap.capped_power.base()} * cap.capped_duration.count();
    const std::int64_t total = narrow(divide_rounded(energy * from_modes, to_modes));
    const auto shares = apportioned(total, weights);
    for (std::size_t i = 0; i < shares.size(); ++i) attempt.slices[i].energy = Energy::of_base(shares[i]);
  }
  return free;
}

Profile begun_at(const Profile& profile, Instant start) {
  Profile moved = profile;
  Instant next = start;
  for (AttemptProfile& attempt : moved) {
    const Duration by = next - attempt.ran.begin;
    attempt.ran = {next, attempt.ran.end + by};
    for (EnergySlice& slice : attempt.slices) slice.interval = {slice.interval.begin + by, slice.interval.end + by};
    next = attempt.ran.end;
  }
  return moved;
}

}  // namespace valle::scheduler
