// SPDX-License-Identifier: Apache-2.0
#include "service/app/trace_problem.hpp"

#include <algorithm>
#include <optional>

#include "service/app/places.hpp"
#include "service/app/slot_means.hpp"

namespace valle::service::app {

using namespace scheduler;

namespace {

Power power_of(const connectors::TraceJob& job, bool trace_has_gpus, Power per_unit) {
  if (job.power) return *job.power;
  const Amount units = trace_has_gpus ? job.gpus : job.cpus;
  const Power unit = trace_has_gpus && job.gpus == Amount{} ? k_power_per_core : per_unit;
  const Amount count = trace_has_gpus && job.gpus == Amount{} ? job.cpus : units;
  return Power::of_base(std::max<std::int64_t>(1, narrow(divide_rounded(Wide{unit.base()} * count.base(), 1000))));
}

Job job_of(const connectors::TraceJob& traced, const TraceSetting& setting, bool gpus) {
  Job job{.id = traced.id,
          .earliest_start = traced.submitted_at,
          .finish_by = traced.finish_by.value_or(traced.submitted_at + traced.duration + setting.slack),
          .modes = {},
          .demand = {},
          .sites = {},
          .home_site = 0};
  job.modes.push_back(
      {.name = "", .power = power_of(traced, gpus, setting.power_per_unit), .duration = traced.duration});
  if (traced.gpus > Amount{}) job.demand.push_back({"gpu", traced.gpus});
  if (traced.cpus > Amount{}) job.demand.push_back({"cpu", traced.cpus});
  for (std::size_t i = 0; i < setting.zones.size(); ++i) {
    job.sites.push_back(i);
    if (setting.zones[i] == setting.home) job.home_site = i;
  }
  return job;
}

std::size_t slots_until(Instant from, Instant to, Duration slot) {
  return to <= from ? 0 : static_cast<std::size_t>((to - from + slot - Duration{1}) / slot);
}

std::vector<std::string> idle_capacity(const Problem& problem) {
  std::vector<std::string> idle;
  for (const ResourceCapacity& capacity : problem.sites.front().capacity) {
    const bool asked = std::any_of(problem.jobs.begin(), problem.jobs.end(), [&](const Job& job) {
      return std::any_of(job.demand.begin(), job.demand.end(),
                         [&](const ResourceDemand& demand) { return demand.resource == capacity.resource; });
    });
    if (!asked) idle.push_back(capacity.resource);
  }
  return idle;
}

}  // namespace

Result<TraceProblem> problem_of_trace(const connectors::Trace& trace, const TraceSetting& setting,
                                      const IntensityBook& book) {
  TraceProblem result;
  result.gpus = std::any_of(trace.jobs.begin(), trace.jobs.end(), [](const auto& job) { return job.gpus > Amount{}; });
  Problem& problem = result.problem;
  problem.start = setting.start;
  problem.slot = setting.slot;
  Instant last = setting.start + setting.slot;
  for (const connectors::TraceJob& traced : trace.jobs) {
    if (traced.submitted_at < setting.start) {
      return refuse(Errc::invalid_request, "job " + traced.id + " was submitted before --start", "--start");
    }
    problem.jobs.push_back(job_of(traced, setting, result.gpus));
    last = std::max(last, problem.jobs.back().finish_by);
  }
  const std::size_t needed = slots_until(setting.start, last, setting.slot);
  const Interval planned{setting.start, setting.start + setting.slot * static_cast<std::int64_t>(needed)};
  const auto series = complete_series(setting.zones, planned, book, setting.now);
  if (!series) return tl::unexpected{series.error()};

  // Late jobs run behind the last deadline, as far as every zone is known.
  Instant end = last + k_time_for_late_jobs;
  for (const auto& one : *series) {
    const auto gaps = one->gaps({setting.start, end});
    if (!gaps.empty()) end = gaps.front().begin;
  }
  problem.slots = std::max(needed, static_cast<std::size_t>((end - setting.start) / setting.slot));
  const Interval whole{problem.start, problem.start + problem.slot * static_cast<std::int64_t>(problem.slots)};
  for (std::size_t i = 0; i < setting.zones.size(); ++i) {
    Site site{.name = lower_case(setting.zones[i].name()),
              .zone = setting.zones[i],
              .capacity = {},
              .intensity = slot_means(*(*series)[i], whole, problem.slot),
              .ramp = {},
              .price = {}};
    for (const auto& [resource, amount] : setting.capacity) {
      site.capacity.push_back({resource, std::vector<Amount>(problem.slots, amount)});
    }
    problem.sites.push_back(std::move(site));
  }
  result.idle_capacity = idle_capacity(problem);
  const auto valid = validate(problem);
  if (!valid) return tl::unexpected{valid.error()};
  return result;
}

}  // namespace valle::service::app
