// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "scheduler/solve/fit.hpp"

namespace valle::scheduler::solving {

/// The run of least cost and price for a task, whatever the room; not placed if staying out, at its penalty, is
/// cheaper. `price(load)(cell)` is the price of a load in one cell, `noise_scale`
/// times noise[i] is added to the i-th start (of runs without a pause) of each option and site, unless `noise` is null.
template <class Price>
Fit best_response(const Instance& instance, const Task& task, const Price& price, const double* noise,
                  double noise_scale, StartScratch& scratch) {
  Fit best{.spot = {}, .pattern = {}, .key = task.penalty};
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Option& option = instance.options_of(task)[o];
      const StartRange starts = starts_of(task, option);
      if (starts.count == 0) continue;
      put_costs(instance, task, option, site, starts, scratch);
      add_prices(instance, instance.extents_of(option.footprint), site, starts, price, scratch);
      double* value = scratch.value.data();
      if (noise != nullptr) {
        for (std::int32_t i = 0; i < starts.count; ++i) value[i] += noise_scale * noise[i];
      }
      double smallest = value[0];
#pragma omp simd reduction(min : smallest)
      for (std::int32_t i = 0; i < starts.count; ++i) smallest = value[i] < smallest ? value[i] : smallest;
      if (smallest >= best.key) continue;
      best.key = smallest;
      const auto i = static_cast<std::int32_t>(std::find(value, value + starts.count, smallest) - value);
      best.spot = {.site = static_cast<std::int32_t>(site), .start = starts.first + i, .option = o, .cost = 0};
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
