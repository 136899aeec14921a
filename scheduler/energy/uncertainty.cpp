// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/uncertainty.hpp"

#include <algorithm>

namespace valle::scheduler {
namespace {

constexpr std::size_t k_enough_rates = 20;

}  // namespace

Rates rates_of(std::span<const Sample> totals, double base_seconds) {
  Rates rates;
  for (std::size_t i = 1; i < totals.size(); ++i) {
    const double seconds = seconds_between(totals[i - 1].at, totals[i].at);
    if (seconds < base_seconds || seconds <= 0) continue;
    const double watts = (totals[i].value - totals[i - 1].value) / seconds;
    rates.least_watts = rates.count == 0 ? watts : std::min(rates.least_watts, watts);
    rates.most_watts = rates.count == 0 ? watts : std::max(rates.most_watts, watts);
    rates.last_watts = watts;
    ++rates.count;
  }
  return rates;
}

double uncertainty_joules(const Rates& rates, const ReadingErrors& errors) {
  const double limit = std::max({errors.limit_watts, rates.most_watts, errors.mean_watts});
  if (rates.count < k_enough_rates) {
    const double range = std::max(limit - errors.mean_watts, errors.mean_watts - errors.floor_watts);
    return errors.unseen_seconds * range + errors.stamp_seconds * limit;
  }
  return errors.unseen_seconds * 1.5 * (rates.most_watts - rates.least_watts) + errors.stamp_seconds * rates.most_watts;
}

}  // namespace valle::scheduler
