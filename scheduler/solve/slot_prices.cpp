// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/slot_prices.hpp"

#include <algorithm>
#include <chrono>

namespace valle::scheduler::solving {
namespace {

/// Grams a unit-hour of one milligram a granule and slot.
double grams_of(const Problem& problem, const Instance& instance, std::size_t resource) {
  const double hours = static_cast<double>(problem.slot.count()) / 3600;
  return 1 / (static_cast<double>(instance.granules[resource]) * hours);  // thousandths and milligrams cancel
}

/// The earlier price at an instant, or on the same hour of the last day that has one; 0 if there is none.
double price_at(const SlotPrices& prices, const SlotPrices::Row& row, Instant instant) {
  const auto slots = static_cast<std::int64_t>(row.grams_per_unit_hour.size());
  constexpr Duration day = std::chrono::days{1};
  if (const Instant end = prices.start + prices.slot * slots; instant >= end) {
    instant -= day * ((instant - end) / day + 1);
  }
  if (instant < prices.start) return 0;
  return row.grams_per_unit_hour[static_cast<std::size_t>((instant - prices.start) / prices.slot)];
}

}  // namespace

SlotPrices published(const Problem& problem, const Instance& instance, const Prices& prices) {
  SlotPrices out{.start = problem.start, .slot = problem.slot, .rows = {}};
  for (std::size_t k = 0; k < instance.resources; ++k) {
    const double grams = grams_of(problem, instance, k);
    for (std::size_t q = 0; q < instance.sites; ++q) {
      const double* of_cell = prices.of_cell.data() + instance.cell(k, q, 0);
      if (std::all_of(of_cell, of_cell + instance.slots, [](double price) { return price <= 0; })) continue;
      SlotPrices::Row row{problem.sites[q].name, instance.resource_names[k], {}};
      for (std::size_t t = 0; t < instance.slots; ++t) row.grams_per_unit_hour.push_back(grams * of_cell[t]);
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

Prices taken_up(const Problem& problem, const Instance& instance, const SlotPrices& earlier) {
  Prices prices{instance};
  for (const SlotPrices::Row& row : earlier.rows) {
    const auto site = std::find_if(problem.sites.begin(), problem.sites.end(),
                                   [&](const Site& each) { return each.name == row.site; });
    const auto resource = std::find(instance.resource_names.begin(), instance.resource_names.end(), row.resource);
    if (site == problem.sites.end() || resource == instance.resource_names.end()) continue;
    const auto k = static_cast<std::size_t>(resource - instance.resource_names.begin());
    const auto q = static_cast<std::size_t>(site - problem.sites.begin());
    const double grams = grams_of(problem, instance, k);
    for (std::size_t t = 0; t < instance.slots; ++t) {
      const Instant instant = problem.start + problem.slot * static_cast<std::int64_t>(t);
      prices.of_cell[instance.cell(k, q, t)] = std::max(0.0, price_at(earlier, row, instant)) / grams;
    }
  }
  return prices;
}

}  // namespace valle::scheduler::solving
