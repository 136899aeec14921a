// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/resources.hpp"

#include <algorithm>
#include <numeric>

#include "scheduler/solve/ledger.hpp"

namespace valle::scheduler::solving {
namespace {

/// Sums of loads, capacities and residuals stay below this in absolute value.
constexpr std::int64_t k_most_granules = std::int64_t{1} << 29;

}  // namespace

ResourceTable::ResourceTable(const Problem& problem)
    : problem_{problem}, slots_{problem.slots}, cells_{problem.sites.size() * problem.slots} {
  for (const Site& site : problem.sites) {
    for (const ResourceCapacity& capacity : site.capacity) raw_of(capacity.resource);
    if (site.ramp) raw_of(k_starting_power);
  }
  for (std::size_t q = 0; q < problem.sites.size(); ++q) {
    for (const ResourceCapacity& capacity : problem.sites[q].capacity) {
      std::vector<std::int64_t>& row = raw_[index_[capacity.resource]].capacity;
      for (std::size_t t = 0; t < slots_; ++t) row[q * slots_ + t] = capacity.per_slot[t].base();
    }
  }
  for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
    if (problem.jobs[j].fixed) {
      take_fixed(j);
    } else {
      count_demand(problem.jobs[j]);
    }
  }
  limit_ramps();
}

void ResourceTable::put_into(Instance& instance) {
  instance.resources = raw_.size();
  instance.fixed = fixed_;
  instance.capacity.resize(raw_.size() * cells_);
  for (std::size_t k = 0; k < raw_.size(); ++k) put_granules(k, instance);
}

ResourceTable::Raw& ResourceTable::raw_of(std::string_view name) {
  const auto [place, is_new] = index_.try_emplace(name, raw_.size());
  if (is_new) raw_.push_back({.name = name, .capacity = std::vector<std::int64_t>(cells_, -1)});
  return raw_[place->second];
}

ResourceTable::Touched ResourceTable::touched(const Job& job) const {
  const Interval inside = horizon_of(problem_).overlap({job.fixed->start, job.fixed->start + job.modes[0].duration});
  if (inside.empty()) return {0, 0};
  const auto slot = problem_.slot.count();
  return {static_cast<std::size_t>((inside.begin - problem_.start).count() / slot),
          static_cast<std::size_t>(((inside.end - problem_.start).count() + slot - 1) / slot)};
}

void ResourceTable::take_fixed(std::size_t j) {
  const Job& job = problem_.jobs[j];
  fixed_.push_back({j, *job.fixed});
  const Touched slots = touched(job);
  for (const ResourceDemand& demand : job.demand) {
    const auto found = index_.find(demand.resource);
    if (found == index_.end()) continue;
    for (std::size_t t = slots.begin; t < slots.end; ++t) {
      std::int64_t& free = raw_[found->second].capacity[job.fixed->site * slots_ + t];
      if (free >= 0) free = std::max<std::int64_t>(0, free - demand.amount.base());
    }
  }
}

void ResourceTable::count_demand(const Job& job) {
  for (const ResourceDemand& demand : job.demand) {
    if (const auto found = index_.find(demand.resource); found != index_.end()) {
      count_demand(raw_[found->second], demand.amount.base());
    }
  }
  if (const auto ramp = index_.find(k_starting_power); ramp != index_.end()) {
    for (const Mode& mode : job.modes) count_demand(raw_[ramp->second], mode.power.base());
  }
}

void ResourceTable::count_demand(Raw& raw, std::int64_t amount) {
  raw.granule = std::gcd(raw.granule, amount);
  raw.demand = std::min(raw.demand + amount, INT64_MAX / 4);
}

void ResourceTable::limit_ramps() {
  for (std::size_t q = 0; q < problem_.sites.size(); ++q) {
    if (!problem_.sites[q].ramp) continue;
    std::vector<std::int64_t> drawn(slots_ + 1, 0);  // by fixed jobs; [0]: just before the start
    for (const Instance::FixedJob& fixed : fixed_) {
      if (fixed.at.site != q) continue;
      const Job& job = problem_.jobs[fixed.job];
      const Touched slots = touched(job);
      for (std::size_t t = slots.begin; t < slots.end; ++t) drawn[t + 1] += job.modes[0].power.base();
      const Interval run{fixed.at.start, fixed.at.start + job.modes[0].duration};
      if (run.contains(problem_.start - Duration{1})) drawn[0] += job.modes[0].power.base();
    }
    std::vector<std::int64_t>& row = raw_[index_[k_starting_power]].capacity;
    for (std::size_t t = 0; t < slots_; ++t) {
      row[q * slots_ + t] = std::max<std::int64_t>(0, problem_.sites[q].ramp->base() - (drawn[t + 1] - drawn[t]));
    }
  }
}

void ResourceTable::put_granules(std::size_t k, Instance& instance) {
  Raw& raw = raw_[k];
  raw.granule = std::max<std::int64_t>(1, raw.granule);
  while (raw.demand / raw.granule >= k_most_granules) raw.granule *= 2;
  const std::int64_t enough = raw.demand / raw.granule + 1;  // no plan can hold more
  for (std::size_t i = 0; i < cells_; ++i) {
    const std::int64_t free = raw.capacity[i] < 0 ? enough : std::min(enough, raw.capacity[i] / raw.granule);
    instance.capacity[k * cells_ + i] = static_cast<Count>(free);
  }
  instance.resource_names.emplace_back(raw.name);
  instance.granules.push_back(raw.granule);
}

Count ResourceTable::granules(std::size_t k, std::int64_t amount) const {
  return static_cast<Count>((amount + raw_[k].granule - 1) / raw_[k].granule);
}

RunLoads ResourceTable::loads_of(const Job& job, const Mode& mode, std::int64_t length) const {
  RunLoads run{.length = static_cast<std::int32_t>(length), .held = {}, .at_start = {}};
  for (const ResourceDemand& demand : job.demand) {
    if (const auto found = index_.find(demand.resource); found != index_.end() && demand.amount.base() > 0) {
      run.held.push_back({static_cast<std::uint32_t>(found->second), granules(found->second, demand.amount.base())});
    }
  }
  if (const auto ramp = index_.find(k_starting_power); ramp != index_.end()) {
    run.at_start.push_back({static_cast<std::uint32_t>(ramp->second), granules(ramp->second, mode.power.base())});
  }
  return run;
}

}  // namespace valle::scheduler::solving
