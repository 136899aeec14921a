// SPDX-License-Identifier: Apache-2.0
#include "scheduler/check/walk.hpp"

#include <algorithm>

namespace valle::scheduler::checking {
namespace {

/// ∫ intensity over the part of the segments inside the horizon, one slot after the other.
IntensitySeconds walked_integral(const Problem& problem, const Site& site, const std::vector<Interval>& segments) {
  IntensitySeconds sum{};
  for (const std::size_t t : touched_slots(problem, segments)) {
    for (const Interval& segment : segments) {
      sum += integral_of(site.intensity[t], slot_at(problem, t).overlap(segment).length());
    }
  }
  return sum;
}

Duration inside_horizon(const Problem& problem, const std::vector<Interval>& segments) {
  Duration sum{0};
  for (const Interval& segment : segments) sum += horizon(problem).overlap(segment).length();
  return sum;
}

/// A one-off energy at the intensity of the slot that holds `t`.
Emissions emissions_at(const Problem& problem, const Site& site, Energy energy, Ratio pue, Instant t) {
  if (!horizon(problem).contains(t)) return {};
  const auto slot = static_cast<std::size_t>((t - problem.start) / problem.slot);
  const Duration second{1};
  return emissions_of(energy, pue, integral_of(site.intensity[slot], second), second);
}

Emissions transfer_to(const Problem& problem, const Job& job, std::size_t site, Instant start) {
  if (site == job.home_site || job.fixed) return {};
  const double energy = job.transfer_gb * static_cast<double>(problem.sites[site].energy_per_gb.base());
  return emissions_at(problem, problem.sites[site], Energy::of_base(static_cast<std::int64_t>(energy + 0.5)), k_one,
                      start);
}

/// `count` thousandths as a decimal number without trailing zeros.
std::string decimal(std::int64_t count, int decimals) {
  std::string digits = std::to_string(count < 0 ? -count : count);
  const auto width = static_cast<std::size_t>(decimals);
  if (digits.size() <= width) digits.insert(0, width + 1 - digits.size(), '0');
  std::string fraction = digits.substr(digits.size() - width);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return (count < 0 ? "-" : "") + digits.substr(0, digits.size() - width) + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace

Interval horizon(const Problem& problem) {
  return {problem.start, problem.start + problem.slot * static_cast<std::int64_t>(problem.slots)};
}

Interval slot_at(const Problem& problem, std::size_t t) {
  const Instant begin = problem.start + problem.slot * static_cast<std::int64_t>(t);
  return {begin, begin + problem.slot};
}

bool on_boundary(const Problem& problem, Instant t) { return (t - problem.start) % problem.slot == Duration{0}; }

std::vector<std::size_t> touched_slots(const Problem& problem, const std::vector<Interval>& segments) {
  std::vector<std::size_t> touched;
  for (const Interval& segment : segments) {
    const Interval inside = horizon(problem).overlap(segment);
    if (inside.empty()) continue;
    auto t = static_cast<std::size_t>((inside.begin - problem.start) / problem.slot);
    for (; t < problem.slots && slot_at(problem, t).begin < inside.end; ++t) {
      if (touched.empty() || touched.back() < t) touched.push_back(t);
    }
  }
  return touched;
}

Account account_of(const Problem& problem, const Run& run) {
  const Job& job = problem.jobs[run.job];
  const Site& site = problem.sites[run.site];
  const Power power = job.modes[run.mode].power;
  Account account;
  account.energy = energy_of(power, inside_horizon(problem, run.segments));
  account.emissions = emissions_of(power, site.pue, walked_integral(problem, site, run.segments));
  for (std::size_t i = 1; job.interruption && i < run.segments.size(); ++i) {
    account.energy += job.interruption->restart_energy;
    account.emissions += emissions_at(problem, site, job.interruption->restart_energy, site.pue, run.segments[i].begin);
  }
  account.facility_energy = at_facility(account.energy, site.pue);
  account.emissions += transfer_to(problem, job, run.site, run.segments.front().begin);
  return account;
}

Emissions run_now_of(const Problem& problem, const Run& run) {
  const Job& job = problem.jobs[run.job];
  const Site& home = problem.sites[job.home_site];
  const Interval all = horizon(problem);
  const std::int64_t late = std::max<std::int64_t>(0, (job.earliest_start - all.begin).count());
  Instant start = all.begin + problem.slot * ((late + problem.slot.count() - 1) / problem.slot.count());
  if (job.fixed) {
    const Duration length = inside_horizon(problem, run.segments);
    start = std::min(start, all.end - length);
    return emissions_of(job.modes[0].power, home.pue, walked_integral(problem, home, {{start, start + length}}));
  }
  for (const Mode& mode : job.modes) {
    if (start + mode.duration > all.end) continue;
    return emissions_of(mode.power, home.pue, walked_integral(problem, home, {{start, start + mode.duration}}));
  }
  return {};
}

std::string job_at_site(const Problem& problem, const Run& run) {
  return "job \"" + problem.jobs[run.job].id + "\" at site \"" + problem.sites[run.site].name + "\"";
}

std::string in_units(Amount amount) { return decimal(amount.base(), 3); }
std::string in_watts(Power power) { return decimal(power.base(), 3) + " W"; }
std::string in_kwh(Energy energy) { return decimal(energy.base(), 6) + " kWh"; }
std::string in_grams(Emissions emissions) { return decimal(emissions.base(), 3) + " g"; }

}  // namespace valle::scheduler::checking
