// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/fit.hpp"

namespace valle::scheduler::solving {

/// The run of least cost and price for a task, whatever the room; not placed if staying out, at its penalty, is
/// cheaper. `price(load, cell)` is the price of a load in one cell, `nudge(i)` is added to the i-th start looked at
/// (of runs without a pause) at each site.
template <class Price, class Nudge>
Fit best_response(const Instance& instance, const Task& task, const Price& price, const Nudge& nudge,
                  StartScratch& scratch) {
  Fit best{.spot = {}, .pattern = {}, .key = task.penalty};
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Option& option = instance.options_of(task)[o];
      const StartRange starts = starts_of(task, option);
      if (starts.count == 0) continue;
      put_costs(instance, task, option, site, starts, scratch);
      add_prices(instance, instance.extents_of(option.footprint), site, starts, price, scratch);
      for (std::int32_t i = 0; i < starts.count; ++i) {
        const double value = scratch.value[static_cast<std::size_t>(i)] + nudge(i);
        if (value >= best.key) continue;
        best.key = value;
        best.spot = {.site = static_cast<std::int32_t>(site), .start = starts.first + i, .option = o, .cost = 0};
      }
    }
  });
  if (best.spot.placed()) {
    const Option& option = instance.options_of(task)[best.spot.option];
    best.spot.cost = instance.cost(task, option, static_cast<std::size_t>(best.spot.site), best.spot.start);
    if (task.interruptible >= 0) best.pattern = without_pause(instance, task, option);
  }
  if (task.interruptible >= 0) {
    const auto pieces = cheapest_pieces(instance, task, price, nullptr, scratch.pieces);
    if (pieces && pieces->fit.value < best.key) best = fit_of(instance, task, *pieces);
  }
  return best;
}

}  // namespace valle::scheduler::solving
