// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::solving {

Interval horizon_of(const Problem& problem) {
  return {problem.start, problem.start + problem.slot * static_cast<std::int64_t>(problem.slots)};
}

Instant first_start(const Problem& problem, const Job& job) {
  const std::int64_t slot = problem.slot.count();
  const std::int64_t seconds = std::max<std::int64_t>(0, (job.earliest_start - problem.start).count());
  return problem.start + problem.slot * ((seconds + slot - 1) / slot);
}

Ledger::Ledger(const Problem& problem) : problem_{problem}, horizon_{horizon_of(problem)} {
  prefix_.reserve(problem.sites.size());
  for (const Site& site : problem.sites) {
    std::vector<std::int64_t>& sums = prefix_.emplace_back(problem.slots + 1, 0);
    for (std::size_t t = 0; t < problem.slots; ++t) {
      sums[t + 1] = sums[t] + integral_of(site.intensity[t], problem.slot).base();
    }
  }
}

IntensitySeconds Ledger::integral(std::size_t site, Interval interval) const {
  const Interval inside = horizon_.overlap(interval);
  if (inside.empty()) return {};
  const auto until = [&](Instant t) {
    const std::int64_t seconds = (t - problem_.start).count();
    const auto slot = static_cast<std::size_t>(seconds / problem_.slot.count());
    const std::int64_t rest = seconds % problem_.slot.count();
    return prefix_[site][slot] + (rest == 0 ? 0 : problem_.sites[site].intensity[slot].base() * rest);
  };
  return IntensitySeconds::of_base(until(inside.end) - until(inside.begin));
}

Emissions Ledger::emissions_at(std::size_t site, Energy energy, Ratio pue, Instant t) const {
  const Duration second{1};
  return emissions_of(energy, pue, integral(site, {t, t + second}), second);
}

Placement Ledger::placement(std::size_t job_index, std::size_t site_index, std::size_t mode,
                            std::vector<Interval> segments) const {
  const Job& job = problem_.jobs[job_index];
  const Site& site = problem_.sites[site_index];
  Duration running{0};
  IntensitySeconds sum{};
  for (const Interval& segment : segments) {
    running += horizon_.overlap(segment).length();
    sum += integral(site_index, segment);
  }
  Placement placement{.job = job_index, .site = site_index, .mode = mode, .segments = std::move(segments)};
  placement.energy = energy_of(job.modes[mode].power, running);
  placement.emissions = emissions_of(job.modes[mode].power, site.pue, sum);
  for (std::size_t i = 1; i < placement.segments.size(); ++i) {
    placement.energy += job.interruption->restart_energy;
    placement.emissions +=
        emissions_at(site_index, job.interruption->restart_energy, site.pue, placement.segments[i].begin);
  }
  placement.facility_energy = at_facility(placement.energy, site.pue);
  if (job.transfer_gb > 0 && site_index != job.home_site && !job.fixed) {
    const double energy = job.transfer_gb * static_cast<double>(site.energy_per_gb.base());
    placement.emissions += emissions_at(site_index, Energy::of_base(std::llround(energy)), k_one, placement.start());
  }
  return placement;
}

Emissions Ledger::run_now(const Placement& placement) const {
  const Job& job = problem_.jobs[placement.job];
  const Ratio pue = problem_.sites[job.home_site].pue;
  Instant start = first_start(problem_, job);
  if (job.fixed) {
    const Duration length = horizon_.overlap({placement.start(), placement.end()}).length();
    start = std::min(start, horizon_.end - length);
    return emissions_of(job.modes[0].power, pue, integral(job.home_site, {start, start + length}));
  }
  const auto mode = std::find_if(job.modes.begin(), job.modes.end(),
                                 [&](const Mode& m) { return start + m.duration <= horizon_.end; });
  if (mode == job.modes.end()) return {};
  return emissions_of(mode->power, pue, integral(job.home_site, {start, start + mode->duration}));
}

std::int64_t Ledger::objective(const Placement& placement) const {
  if (problem_.eur_per_tonne == 0) return placement.emissions.base();
  return placement.emissions.base() + std::llround(cost_equivalent(placement));
}

double Ledger::cost_equivalent(const Placement& placement) const {
  const Site& site = problem_.sites[placement.site];
  double watt_prices = 0;  // Σ seconds · micro-euro per MWh
  for (const Interval& segment : placement.segments) {
    const Interval inside = horizon_.overlap(segment);
    for (Instant t = inside.begin; t < inside.end;) {
      const auto slot = static_cast<std::size_t>((t - problem_.start) / problem_.slot);
      const Instant next = std::min(inside.end, problem_.start + problem_.slot * static_cast<std::int64_t>(slot + 1));
      watt_prices += static_cast<double>((next - t).count()) * static_cast<double>(site.price[slot].base());
      t = next;
    }
  }
  // mW · s · µEUR/MWh ÷ 3600 ÷ 1e9 (mWh in a MWh) = µEUR; one EUR is worth 1e9 mg / eur_per_tonne.
  const double power = static_cast<double>(problem_.jobs[placement.job].modes[placement.mode].power.base());
  const double micro_eur = power * number(site.pue) * watt_prices / 3600.0 / 1e9;
  return micro_eur * 1e3 / problem_.eur_per_tonne;
}

Plan assemble(const Ledger& ledger, std::vector<Placement> placements, std::vector<Unplaced> unplaced) {
  Plan plan{.placements = std::move(placements), .unplaced = std::move(unplaced)};
  const auto by_job = [](const auto& a, const auto& b) { return a.job < b.job; };
  std::sort(plan.placements.begin(), plan.placements.end(), by_job);
  std::sort(plan.unplaced.begin(), plan.unplaced.end(), by_job);
  for (const Placement& placement : plan.placements) {
    plan.emissions += placement.emissions;
    plan.run_now += ledger.run_now(placement);
  }
  return plan;
}

}  // namespace valle::scheduler::solving
