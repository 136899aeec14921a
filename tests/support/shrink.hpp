// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>

#include "tests/support/problems.hpp"

namespace valle::tests {

/// The smallest part of a problem that still fails: jobs are taken out one after the other, then sites that nobody
/// needs, as long as `fails(problem)` stays true.
template <class Fails>
core::Problem shrunk(core::Problem problem, const Fails& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t j = problem.jobs.size(); j-- > 0;) {
      core::Problem fewer = problem;
      fewer.jobs.erase(fewer.jobs.begin() + static_cast<std::ptrdiff_t>(j));
      if (!fails(fewer)) continue;
      problem = std::move(fewer);
      smaller = true;
    }
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
      core::Problem plainer = problem;
      core::Job& job = plainer.jobs[j];
      if (job.group.empty() && !job.interruption && job.priority == 0 && job.modes.size() == 1) continue;
      job.group.clear();
      job.interruption.reset();
      job.priority = 0;
      job.modes.resize(1);
      if (!fails(plainer)) continue;
      problem = std::move(plainer);
      smaller = true;
    }
  }
  return problem;
}

/// A problem in a few lines, for whoever has to look at it.
inline std::string described(const core::Problem& problem) {
  std::ostringstream out;
  const auto hours = [&](core::Instant at) {
    return static_cast<double>((at - problem.start).count()) / static_cast<double>(problem.slot.count());
  };
  for (const core::Site& site : problem.sites) {
    out << site.name << " pue " << core::number(site.pue) << " g/kWh";
    for (const core::CarbonIntensity intensity : site.intensity) out << ' ' << core::grams_per_kwh(intensity);
    for (const core::ResourceCapacity& capacity : site.capacity) {
      out << "; " << capacity.resource;
      for (const core::Amount amount : capacity.per_slot) out << ' ' << static_cast<double>(amount.base()) / 1000;
    }
    out << '\n';
  }
  for (const core::Job& job : problem.jobs) {
    out << job.id << " slots " << hours(job.earliest_start) << " to " << hours(job.finish_by);
    for (const core::Mode& mode : job.modes)
      out << ", " << core::watts(mode.power) << " W " << mode.duration.count() << " s";
    for (const core::ResourceDemand& demand : job.demand) {
      out << ", " << demand.resource << ' ' << static_cast<double>(demand.amount.base()) / 1000;
    }
    out << (job.fixed ? ", fixed" : "") << (job.interruption ? ", pauses" : "") << (job.group.empty() ? "" : ", group ")
        << job.group << ", sites";
    for (const std::size_t site : job.sites) out << ' ' << site;
    out << '\n';
  }
  return out.str();
}

}  // namespace valle::tests
