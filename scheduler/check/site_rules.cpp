// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduler/check/walk.hpp"

// Rules on what all runs at a site hold together: capacity and ramp.
namespace valle::scheduler::checking {
namespace {

/// One quantity of a site in one slot: what all runs hold, what of it fixed jobs hold, and one run that is not fixed.
template <class Value>
struct Held {
  Value all{};
  Value fixed{};
  const Run* movable = nullptr;

  void add(Value value, const Problem& problem, const Run& run) {
    all += value;
    if (problem.jobs[run.job].fixed) {
      fixed += value;
    } else {
      movable = &run;
    }
  }
};

Amount demand_of(const Job& job, std::string_view resource) {
  for (const ResourceDemand& demand : job.demand) {
    if (demand.resource == resource) return demand.amount;
  }
  return {};
}

std::string where(const Problem& problem, std::size_t site, std::size_t t) {
  return "site \"" + problem.sites[site].name + "\" in the slot of " + format_instant(slot_at(problem, t).begin);
}

}  // namespace

void check_capacity(const Problem& problem, const std::vector<Run>& runs, Findings& findings) {
  for (std::size_t s = 0; s < problem.sites.size(); ++s) {
    for (const ResourceCapacity& capacity : problem.sites[s].capacity) {
      std::vector<Held<Amount>> held(problem.slots);
      for (const Run& run : runs) {
        const Amount amount = demand_of(problem.jobs[run.job], capacity.resource);
        if (run.site != s || amount == Amount{}) continue;
        for (const std::size_t t : touched_slots(problem, run.segments)) held[t].add(amount, problem, run);
      }
      for (std::size_t t = 0; t < problem.slots; ++t) {
        if (held[t].all <= capacity.per_slot[t] || held[t].movable == nullptr) continue;
        findings.add(ViolationKind::over_capacity, where(problem, s, t) + ": " + in_units(held[t].all) + " " +
                                                       capacity.resource + " held of " +
                                                       in_units(capacity.per_slot[t]) + ", among others by job \"" +
                                                       problem.jobs[held[t].movable->job].id + "\"");
      }
    }
  }
}

void check_ramps(const Problem& problem, const std::vector<Run>& runs, Findings& findings) {
  for (std::size_t s = 0; s < problem.sites.size(); ++s) {
    if (!problem.sites[s].ramp) continue;
    const Power most = *problem.sites[s].ramp;
    std::vector<Held<Power>> drawn(problem.slots);
    Held<Power> before;  // what ran in the last second before the horizon
    for (const Run& run : runs) {
      if (run.site != s) continue;
      const Power power = problem.jobs[run.job].modes[run.mode].power;
      for (const std::size_t t : touched_slots(problem, run.segments)) drawn[t].add(power, problem, run);
      for (const Interval& segment : run.segments) {
        if (segment.contains(problem.start - Duration{1})) before.add(power, problem, run);
      }
    }
    for (std::size_t t = 0; t < problem.slots; ++t) {
      const Held<Power>& earlier = t == 0 ? before : drawn[t - 1];
      const Power rise = drawn[t].all - earlier.all, by_fixed = drawn[t].fixed - earlier.fixed;
      if (rise <= most || rise - by_fixed <= Power{}) continue;
      findings.add(ViolationKind::ramp_exceeded, where(problem, s, t) + ": planned power rises by " + in_watts(rise) +
                                                     "; at most " + in_watts(most) + " from slot to slot, job \"" +
                                                     problem.jobs[drawn[t].movable->job].id + "\" runs there");
    }
  }
}

}  // namespace valle::scheduler::checking
