// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_outcome.hpp"

#include <algorithm>
#include <utility>

#include "service/app/job_changes.hpp"
#include "service/app/job_terms.hpp"
#include "service/app/plan_decision.hpp"

namespace valle::service::app {
namespace {

using scheduler::Instant;
using scheduler::Placement;
using scheduler::Unplaced;
using scheduler::UnplacedCode;

JobSlot slot_of(const PlanningProblem& planned, const Placement& placement) {
  const auto& site = planned.problem.sites[placement.site];
  return {.site = site.name,
          .zone = site.zone,
          .segments = placement.segments,
          .mode = planned.problem.jobs[placement.job].modes[placement.mode].name,
          .energy = placement.energy,
          .facility_energy = placement.facility_energy,
          .emissions = placement.emissions};
}

/// Is every slot of the job's window known at every site where it may run?
bool window_is_known(const PlanningGrid& grid, const scheduler::Job& job) {
  if (job.finish_by > grid.end()) return false;
  for (const auto site : job.sites) {
    for (std::size_t t = 0; t < grid.slots; ++t) {
      const Instant begin = grid.start + grid.slot * static_cast<std::int64_t>(t);
      if (begin + grid.slot > job.earliest_start && begin < job.finish_by && !grid.known[site][t]) return false;
    }
  }
  return true;
}

/// Why a job without a slot goes on waiting.
std::string waiting_reason(const PlanningGrid& grid, const Unplaced& unplaced, bool known) {
  if (known) return "waiting for room: " + unplaced.detail;
  return "waiting for data: intensity is known until " + scheduler::format_instant(grid.end()) +
         ", and nothing known so far has room for it";
}

/// Sends a job off without a plan: at once where its earliest start has come.
Job sent_off(Job job, const PlanningSnapshot& snapshot, std::string warning) {
  const Instant start = std::max(snapshot.now, job.earliest_start);
  const JobSlot slot = unplanned_slot(job, snapshot.sites, start);
  job.warning = std::move(warning);
  job.reason = "released at its earliest start: it can't meet its deadline by waiting";
  if (start > snapshot.now) {
    job.slot = slot;
    return job;
  }
  return released(std::move(job), slot, snapshot.now).value();
}

}  // namespace

JobSlot unplanned_slot(const Job& job, std::span<const runtime::SiteConfig> sites, Instant start) {
  const auto terms = terms_of(job.request, sites, job.submitted_at, scheduler::Duration{0});
  const auto run = terms ? terms->modes.front() : scheduler::Mode{"", {}, job.finish_by - job.start_by};
  const auto energy = scheduler::energy_of(run.power, run.duration);
  // A site that is no longer configured still has its name: the caller knows what to do with it.
  if (!terms) {
    return {job.request.home_site.value_or("unknown"), scheduler::Zone::of("UNKNOWN"), {{start, start + run.duration}}};
  }
  const auto& home = sites[terms->home_site];
  return {.site = home.name,
          .zone = home.zone,
          .segments = {{start, start + run.duration}},
          .mode = run.name,
          .energy = energy,
          .facility_energy = at_facility(energy, home.pue)};
}

Job job_after(const PlanningSnapshot& snapshot, const PlanningGrid& grid, const PlanningProblem& planned,
              const scheduler::Solution& solution, std::size_t index) {
  Job job = snapshot.jobs[index];
  for (const auto& placement : solution.plan.placements) {
    if (planned.job_of[placement.job] != index) continue;
    job.slot = slot_of(planned, placement);
    job.reason = "planned in " + job.slot->site + " from " + scheduler::format_instant(job.slot->start());
    return job;
  }
  for (const auto& unplaced : solution.plan.unplaced) {
    if (planned.job_of[unplaced.job] != index) continue;
    const bool known = window_is_known(grid, planned.problem.jobs[unplaced.job]);
    if (known && unplaced.code != UnplacedCode::contention) {
      return sent_off(std::move(job), snapshot, std::string{to_text(unplaced.code)} + ": " + unplaced.detail);
    }
    job.slot.reset();
    job.reason = waiting_reason(grid, unplaced, known);
    return job;
  }
  for (const auto& apart : planned.not_yet) {
    if (apart.job == index) {
      job.slot.reset();
      job.reason = apart.reason;
    }
  }
  return job;
}

std::optional<Job> due_release(const Job& job, std::span<const runtime::SiteConfig> sites, Instant now) {
  if (job.slot && job.slot->start() <= now) {
    return released(job, *job.slot, now).value();
  }
  if (job.start_by > now) return {};
  Job late = job;
  late.warning = "released at its latest start without a planned slot: " + job.reason;
  late.reason = "its latest start has come";
  return released(std::move(late), unplanned_slot(job, sites, now), now).value();
}

}  // namespace valle::service::app
