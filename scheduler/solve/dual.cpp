// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace valle::scheduler::solving {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

}  // namespace

Dual::Dual(const Instance& instance, const TaskList& tasks, LeavingOut leaving_out, Parallel& parallel)
    : instance_{instance},
      tasks_{tasks},
      leaving_out_{leaving_out},
      parallel_{parallel},
      used_(instance.capacity.size()) {
  const std::size_t rows = instance.resources * instance.sites * (instance.slots + 1);
  price_sums_.resize(rows);
  // Parts hold a difference array each: few where arrays are large.
  constexpr std::size_t k_most_cells = 8'000'000;
  const std::size_t affordable = std::max<std::size_t>(1, k_most_cells / std::max<std::size_t>(1, rows));
  const std::size_t count = std::clamp<std::size_t>(std::min(tasks.size() / 256, affordable), 1, 32);
  for (std::size_t p = 0; p < count; ++p) {
    parts_.push_back({.begin = tasks.size() * p / count,
                      .end = tasks.size() * (p + 1) / count,
                      .changes = std::vector<std::int64_t>(rows),
                      .value = std::vector<double>(instance.slots + 1),
                      .total = std::vector<double>(instance.slots + 1),
                      .slot_costs = {}});
  }
}

double Dual::evaluate(const Prices& prices) {
  sum_prices(prices);
  parallel_.for_each(parts_.size(), [&](std::size_t p) { parts_[p].sum = best_runs(parts_[p]); });
  double value = 0;
  for (const Part& part : parts_) value += part.sum;
  const std::size_t stride = instance_.slots + 1;
  for (std::size_t row = 0; row < instance_.resources * instance_.sites; ++row) {
    std::int64_t held = 0;
    for (std::size_t t = 0; t < instance_.slots; ++t) {
      for (const Part& part : parts_) held += part.changes[row * stride + t];
      used_[row * instance_.slots + t] = held;
    }
  }
  for (std::size_t i = 0; i < used_.size(); ++i) value -= prices.of_cell[i] * instance_.capacity[i];
  return value;
}

void Dual::sum_prices(const Prices& prices) {
  const std::size_t stride = instance_.slots + 1;
  for (std::size_t row = 0; row < instance_.resources * instance_.sites; ++row) {
    double sum = 0;
    for (std::size_t t = 0; t < instance_.slots; ++t) {
      price_sums_[row * stride + t] = sum;
      sum += prices.of_cell[row * instance_.slots + t];
    }
    price_sums_[row * stride + instance_.slots] = sum;
  }
}

double Dual::best_runs(Part& part) {
  std::fill(part.changes.begin(), part.changes.end(), 0);
  double sum = 0;
  for (std::size_t i = part.begin; i < part.end; ++i) sum += best_of_task(instance_.tasks[tasks_[i]], part);
  return sum;
}

double Dual::without_run(const Task& task) const {
  return leaving_out_ == LeavingOut::at_penalty ? task.penalty : k_infinite;
}

double Dual::best_of_task(const Task& task, Part& part) {
  if (task.interruptible >= 0) return best_with_pauses(task, part);
  return task.members == 1 ? best_of_single(task, part) : best_of_group(task, part);
}

void Dual::put_way(const Member& member, const Way& way, std::uint32_t footprint, std::size_t site, StartRange starts,
                   double* value) const {
  const double* sums = instance_.energy.data() + site * (instance_.slots + 1) + starts.first;
  const double* end = sums + way.length - 1;
  const double whole = way.power * (1 - way.last), last = way.power * way.last, power = way.power;
  for (std::int32_t i = 0; i < starts.count; ++i) value[i] = whole * end[i] + last * end[i + 1] - power * sums[i];
  if (member.transfer_gb > 0 && site != member.home) {
    const double* moving = instance_.transfer.data() + site * instance_.slots + starts.first;
    for (std::int32_t i = 0; i < starts.count; ++i) value[i] += member.transfer_gb * moving[i];
  }
  for (const Extent& extent : instance_.extents_of(footprint)) {
    for (const Load& load : instance_.loads_of(extent)) {
      const double* from = sums_of(load.resource, site) + starts.first + extent.offset;
      const double* to = from + extent.length;
      const double amount = load.amount;
      for (std::int32_t i = 0; i < starts.count; ++i) value[i] += amount * (to[i] - from[i]);
    }
  }
}

void Dual::hold(std::uint32_t footprint, std::size_t site, std::int32_t start, Part& part) const {
  for (const Extent& extent : instance_.extents_of(footprint)) {
    for (const Load& load : instance_.loads_of(extent)) {
      std::int64_t* row = part.changes.data() + (load.resource * instance_.sites + site) * (instance_.slots + 1);
      row[start + extent.offset] += load.amount;
      row[start + extent.offset + extent.length] -= load.amount;
    }
  }
}

double Dual::best_of_single(const Task& task, Part& part) {
  const Member& member = instance_.members[task.first_member];
  double least = without_run(task);
  bool runs = false;
  std::size_t best_site = 0;
  std::uint32_t best_way = 0;
  std::int32_t best_start = 0;
  double* value = part.value.data();
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t w = member.first_way; w < member.first_way + member.ways; ++w) {
      const Way& way = instance_.ways[w];
      const StartRange starts{task.first, std::max(0, way.latest - task.first + 1)};
      if (starts.count == 0) continue;
      put_way(member, way, w, site, starts, value);
      double smallest = value[0];
#pragma omp simd reduction(min : smallest)
      for (std::int32_t i = 0; i < starts.count; ++i) smallest = value[i] < smallest ? value[i] : smallest;
      if (smallest >= least) continue;
      least = smallest;
      runs = true;
      best_site = site;
      best_way = w;
      best_start = starts.first + static_cast<std::int32_t>(std::find(value, value + starts.count, smallest) - value);
    }
  });
  if (runs) hold(best_way, best_site, best_start, part);
  return least;
}

double Dual::best_of_group(const Task& task, Part& part) {
  const std::span<const Member> members = instance_.members_of(task);
  const StartRange all{task.first, task.latest - task.first + 1};
  // Calls visit(member's cheapest way, its value) for one start: the last use tells what the minimum holds.
  const auto cheapest_ways = [&](std::size_t site, StartRange starts, double* total) {
    std::fill_n(total, starts.count, 0.0);
    std::vector<double> least(static_cast<std::size_t>(starts.count));
    for (const Member& member : members) {
      std::fill(least.begin(), least.end(), k_infinite);
      for (std::uint32_t w = member.first_way; w < member.first_way + member.ways; ++w) {
        const StartRange in_time{starts.first,
                                 std::clamp(instance_.ways[w].latest - starts.first + 1, 0, starts.count)};
        put_way(member, instance_.ways[w], w, site, in_time, part.value.data());
        for (std::int32_t i = 0; i < in_time.count; ++i) {
          least[static_cast<std::size_t>(i)] =
              std::min(least[static_cast<std::size_t>(i)], part.value[static_cast<std::size_t>(i)]);
        }
      }
      for (std::int32_t i = 0; i < starts.count; ++i) total[i] += least[static_cast<std::size_t>(i)];
    }
  };
  double least = without_run(task);
  bool runs = false;
  std::size_t best_site = 0;
  std::int32_t best_start = 0;
  double* total = part.total.data();
  for_each_site(task.sites, [&](std::size_t site) {
    cheapest_ways(site, all, total);
    const double* smallest = std::min_element(total, total + all.count);
    if (*smallest >= least) return;
    least = *smallest;
    runs = true;
    best_site = site;
    best_start = all.first + static_cast<std::int32_t>(smallest - total);
  });
  if (!runs) return least;
  for (const Member& member : members) {
    std::uint32_t best_way = member.first_way;
    double best = k_infinite;
    for (std::uint32_t w = member.first_way; w < member.first_way + member.ways; ++w) {
      if (instance_.ways[w].latest < best_start) continue;
      double value = 0;
      put_way(member, instance_.ways[w], w, best_site, {best_start, 1}, &value);
      if (value < best) {
        best = value;
        best_way = w;
      }
    }
    hold(best_way, best_site, best_start, part);
  }
  return least;
}

/// Relaxed: the cheapest slots of the window, in any pieces, resumed for nothing; a slot counts as far as it is used.
double Dual::best_with_pauses(const Task& task, Part& part) {
  const Member& member = instance_.members[task.first_member];
  double least = without_run(task);
  bool runs = false;
  std::size_t best_site = 0;
  std::uint32_t best_way = 0;
  const auto fill = [&](std::size_t site, std::uint32_t w) {
    const Way& way = instance_.ways[w];
    const double* energy = instance_.energy.data() + site * (instance_.slots + 1);
    part.slot_costs.clear();
    for (std::int32_t t = task.first; t < member.end; ++t) {
      double cost = way.power * (energy[t + 1] - energy[t]);
      for (const Extent& extent : instance_.extents_of(w)) {
        if (extent.offset + extent.length < way.length) continue;  // what is held all along, not at the start alone
        for (const Load& load : instance_.loads_of(extent)) {
          const double* sums = sums_of(load.resource, site);
          cost += load.amount * (sums[t + 1] - sums[t]);
        }
      }
      part.slot_costs.emplace_back(cost, t);
    }
    const std::size_t needed = static_cast<std::size_t>(way.length);
    if (part.slot_costs.size() > needed) {
      std::nth_element(part.slot_costs.begin(), part.slot_costs.begin() + way.length - 1, part.slot_costs.end());
    }
    double sum = 0, dearest = -k_infinite;
    for (std::size_t i = 0; i < needed; ++i) {
      sum += part.slot_costs[i].first;
      dearest = std::max(dearest, part.slot_costs[i].first);
    }
    return sum - (1 - way.last) * dearest;
  };
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t w = member.first_way; w < member.first_way + member.ways; ++w) {
      if (instance_.ways[w].latest < task.first) continue;
      const double value = fill(site, w);
      if (value >= least) continue;
      least = value;
      runs = true;
      best_site = site;
      best_way = w;
    }
  });
  if (!runs) return least;
  fill(best_site, best_way);
  const Extent& running = instance_.extents_of(best_way).back();
  for (std::int32_t i = 0; i < instance_.ways[best_way].length; ++i) {
    const auto t = static_cast<std::size_t>(part.slot_costs[static_cast<std::size_t>(i)].second);
    for (const Load& load : instance_.loads_of(running)) {
      std::int64_t* row = part.changes.data() + (load.resource * instance_.sites + best_site) * (instance_.slots + 1);
      row[t] += load.amount;
      row[t + 1] -= load.amount;
    }
  }
  return least;
}

std::int64_t safe_floor(double bound, double magnitude, std::size_t roundings) {
  const double slack = 1e-11 * magnitude + static_cast<double>(roundings);
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(bound - slack)));
}

}  // namespace valle::scheduler::solving
