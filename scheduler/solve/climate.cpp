// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/climate.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::solving {
namespace {

/// Calls visit(resource, amount · slots) for what a task holds in its first option.
template <class Visit>
void each_load(const Instance& instance, const Task& task, Visit visit) {
  for (const Extent& extent : instance.extents_of(instance.options_of(task)[0].footprint)) {
    for (const Load& load : instance.loads_of(extent)) {
      visit(load.resource, static_cast<double>(load.amount) * extent.length);
    }
  }
}

/// The mean price where there is any, at least a share of what the energy of one granule could save.
std::vector<double> typical_prices(const Instance& instance, const Prices& prices) {
  double energy = 0;
  std::vector<double> work(instance.resources, 1e-9), unit(instance.resources, 0);
  for (const Task& task : instance.tasks) {
    for (const std::uint32_t w : instance.ways_of(task, instance.options_of(task)[0])) {
      energy += instance.ways[w].power * instance.ways[w].length;
    }
    each_load(instance, task, [&](std::uint32_t k, double amount) { work[k] += amount; });
  }
  for (std::size_t k = 0; k < instance.resources; ++k) {
    if (work[k] < 1) continue;
    double sum = 0;
    std::size_t priced = 0;
    for (std::size_t i = k * instance.cells(); i < (k + 1) * instance.cells(); ++i) {
      sum += prices.of_cell[i];
      priced += prices.of_cell[i] > 0;
    }
    const double mean = priced > 0 ? sum / static_cast<double>(priced) : 0.0;
    unit[k] = std::max(mean, 0.3 * instance.spread * energy / work[k]);
  }
  return unit;
}

}  // namespace

Climate::Climate(const Instance& instance, const TaskList& tasks, const Prices& prices)
    : unit{typical_prices(instance, prices)}, room(instance.tasks.size(), 0), weight(instance.tasks.size(), 1) {
  double mean = 0;
  for (const std::uint32_t t : tasks) {
    each_load(instance, instance.tasks[t], [&](std::uint32_t k, double amount) { room[t] += unit[k] * amount; });
    mean += room[t] / static_cast<double>(tasks.size());
  }
  for (const std::uint32_t t : tasks) weight[t] = mean > 0 ? std::sqrt(room[t] / mean) : 1.0;
  for (const Task& task : instance.tasks) dearest = std::max(dearest, task.penalty);
}

}  // namespace valle::scheduler::solving
