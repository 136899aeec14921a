// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/starts.hpp"

namespace valle::scheduler::solving {

void put_costs(const Instance& instance, const Task& task, const Option& option, std::size_t site, StartRange starts,
               StartScratch& scratch) {
  scratch.fit(instance.slots);
  double* value = scratch.value.data();
  const double* sums = instance.energy.data() + site * (instance.slots + 1) + starts.first;
  const double* moving = instance.transfer.data() + site * instance.slots + starts.first;
  const std::span<const Member> members = instance.members_of(task);
  const std::span<const std::uint32_t> ways = instance.ways_of(task, option);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Way& way = instance.ways[ways[m]];
    const double whole = way.power * (1 - way.last), part = way.power * way.last;
    const double* end = sums + way.length - 1;
    const double power = way.power;
    if (m == 0) {
      for (std::int32_t i = 0; i < starts.count; ++i) value[i] = whole * end[i] + part * end[i + 1] - power * sums[i];
    } else {
      for (std::int32_t i = 0; i < starts.count; ++i) value[i] += whole * end[i] + part * end[i + 1] - power * sums[i];
    }
    if (members[m].transfer_gb > 0 && site != members[m].home) {
      for (std::int32_t i = 0; i < starts.count; ++i) value[i] += members[m].transfer_gb * moving[i];
    }
  }
}

void mark_full(const State& state, std::span<const Extent> extents, std::size_t site, StartRange starts,
               StartScratch& scratch) {
  const Instance& instance = state.instance();
  scratch.fit(instance.slots);
  std::int32_t* full = scratch.full.data();
  if (starts.count <= 0) return;  // the first window of an empty range would reach beyond the horizon
  std::fill_n(full, starts.count, 0);
  for (const Extent& extent : extents) {
    for (const Load& load : instance.loads_of(extent)) {
      const Count* free = state.free(load.resource, site) + starts.first + extent.offset;
      // `misses` counts the slots without room among the last `length` ones
      std::int32_t misses = 0;
      for (std::int32_t t = 0; t < extent.length - 1; ++t) misses += free[t] < load.amount;
      for (std::int32_t i = 0; i < starts.count; ++i) {
        misses += free[i + extent.length - 1] < load.amount;
        full[i] += misses;
        misses -= free[i] < load.amount;
      }
    }
  }
}

}  // namespace valle::scheduler::solving
