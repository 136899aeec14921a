// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_waits.hpp"

#include <algorithm>

#include "scheduler/forecast/threshold.hpp"
#include "scheduler/solve/ledger.hpp"

namespace valle::service::app {
namespace {

using scheduler::CarbonIntensity;
using scheduler::Emissions;
using scheduler::Wide;

constexpr std::chrono::days k_range_seen{28};
constexpr std::size_t k_least_seen = 24;  // measured rows; fewer say nothing about the range

std::string rounded(CarbonIntensity value) { return std::to_string((value.base() + 500) / 1'000) + " g/kWh"; }

/// 1,732,051 ppm as `1.8`: a promise is rounded up.
std::string tenths_up(scheduler::Ratio ratio) {
  const auto tenths = (ratio.base() + 99'999) / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

bool only_the_present_is_known(const std::vector<bool>& known) {
  return !known.empty() && known.front() && std::find(known.begin() + 1, known.end(), true) == known.end();
}

}  // namespace

std::vector<std::size_t> not_worth_waiting(const scheduler::Problem& problem, const scheduler::Plan& plan,
                                           scheduler::Ratio least) {
  const scheduler::solving::Ledger ledger{problem};
  const auto horizon = scheduler::solving::horizon_of(problem);
  std::vector<std::size_t> jobs;
  for (const auto& placement : plan.placements) {
    const scheduler::Job& job = problem.jobs[placement.job];
    const auto first = scheduler::solving::first_start(problem, job);
    const scheduler::Interval at_once{first, first + job.modes.front().duration};
    if (job.fixed || !job.group.empty() || placement.start() == first || at_once.end > horizon.end) continue;
    std::optional<Emissions> cleanest;
    for (const std::size_t site : job.sites) {
      const auto emissions = ledger.placement(placement.job, site, 0, {at_once}).emissions;
      cleanest = cleanest ? std::min(*cleanest, emissions) : emissions;
    }
    if (!cleanest) continue;
    const Emissions saved = *cleanest - placement.emissions;
    const bool enough = Wide{saved.base()} * scheduler::k_one.base() >= Wide{cleanest->base()} * least.base();
    if (!enough) jobs.push_back(placement.job);
  }
  return jobs;
}

std::optional<BlindStart> start_without_forecast(const PlanningSnapshot& snapshot, const PlanningGrid& grid,
                                                 const scheduler::Job& job) {
  if (job.earliest_start > snapshot.now || !job.group.empty()) return {};
  for (const std::size_t site : job.sites) {
    if (!only_the_present_is_known(grid.known[site])) continue;
    const auto seen = snapshot.book->rows({.zone = grid.sites[site].zone,
                                           .window = {snapshot.now - k_range_seen, snapshot.now},
                                           .now = snapshot.now,
                                           .kind = scheduler::ReadingKind::measured});
    if (seen.rows.size() < k_least_seen) continue;
    const auto [least, most] = std::minmax_element(seen.rows.begin(), seen.rows.end(),
                                                   [](const auto& a, const auto& b) { return a.value < b.value; });
    const auto threshold = scheduler::forecast::OnlineThreshold::of(least->value, most->value);
    const CarbonIntensity present = grid.sites[site].intensity.front();
    if (!threshold || present > threshold->start_at) continue;
    return BlindStart{site, "nothing is known of the time ahead, and " + rounded(present) + " is no more than " +
                                rounded(threshold->start_at) + ": such a start is at most " +
                                tenths_up(threshold->ratio) + " times as dirty as the cleanest that may come"};
  }
  return {};
}

}  // namespace valle::service::app
