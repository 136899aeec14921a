// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_outcome.hpp"

#include <algorithm>
#include <utility>

#include "service/app/job_changes.hpp"
#include "service/app/job_terms.hpp"
#include "service/app/places.hpp"
#include "service/app/plan_decision.hpp"
#include "service/app/plan_waits.hpp"

namespace valle::service::app {
namespace {

using scheduler::Instant;
using scheduler::Placement;
using scheduler::Unplaced;
using scheduler::UnplacedCode;

JobSlot slot_of(const scheduler::Problem& problem, const Placement& placement, bool by_plan) {
  const auto& site = problem.sites[placement.site];
  return {.site = site.name,
          .zone = site.zone,
          .segments = placement.segments,
          .mode = problem.jobs[placement.job].modes[placement.mode].name,
          .by_plan = by_plan,
          .energy = placement.energy,
          .facility_energy = placement.facility_energy,
          .emissions = placement.emissions};
}

bool is_all_unknown(const std::vector<bool>& site) { return std::find(site.begin(), site.end(), true) == site.end(); }

/// Is every slot of the job's window known at every site where it may run, but for sites of which nothing is known?
bool window_is_known(const PlanningGrid& grid, const scheduler::Job& job) {
  if (job.finish_by > grid.end()) return false;
  for (const auto site : job.sites) {
    if (is_all_unknown(grid.known[site])) continue;
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

/// The slot moved to another site.
JobSlot at_site(JobSlot slot, const runtime::SiteConfig& site) {
  slot.site = site.name;
  slot.zone = site.zone;
  slot.facility_energy = at_facility(*slot.energy, site.pue);
  return slot;
}

/// Starts a job at once of whose time ahead nothing is known.
Job started_blind(Job job, const PlanningSnapshot& snapshot, const BlindStart& start) {
  const JobSlot slot = at_site(unplanned_slot(job, snapshot.sites, snapshot.now), snapshot.sites[start.site]);
  job.reason = "started at once: " + start.reason;
  return released(std::move(job), slot, snapshot.now).value();
}

/// The start that the caller fixed, of which nothing is known yet.
JobSlot promised_slot(const Job& job, std::span<const runtime::SiteConfig> sites) {
  JobSlot slot = unplanned_slot(job, sites, job.request.fixed->start);
  const auto site = std::find_if(sites.begin(), sites.end(), [&](const auto& each) {
    return lower_case(each.name) == lower_case(job.request.fixed->site);
  });
  if (site == sites.end()) return slot;
  slot = at_site(std::move(slot), *site);
  slot.by_plan = true;  // the plan counts its carbon once that is known
  return slot;
}

}  // namespace

JobSlot unplanned_slot(const Job& job, std::span<const runtime::SiteConfig> sites, Instant start) {
  const auto terms = terms_of(job.request, sites, job.submitted_at, scheduler::Duration{0});
  const auto run = terms ? terms->modes.front() : scheduler::Mode{"", {}, job.finish_by - job.start_by};
  const auto energy = scheduler::energy_of(run.power, run.duration);
  // A site that is no longer configured still has its name: the caller knows what to do with it.
  if (!terms) {
    return {.site = job.request.home_site.value_or("unknown"),
            .zone = scheduler::Zone::of("UNKNOWN"),
            .segments = {{start, start + run.duration}},
            .by_plan = false};
  }
  const auto& home = sites[terms->home_site];
  return {.site = home.name,
          .zone = home.zone,
          .segments = {{start, start + run.duration}},
          .mode = run.name,
          .by_plan = false,
          .energy = energy,
          .facility_energy = at_facility(energy, home.pue)};
}

std::vector<JobOutcome> outcomes(const PlanningProblem& planned, const scheduler::Plan& plan, std::size_t jobs) {
  std::vector<JobOutcome> outcomes(jobs);
  for (const auto& placement : plan.placements) outcomes[planned.job_of[placement.job]].placement = &placement;
  for (const auto& unplaced : plan.unplaced) outcomes[planned.job_of[unplaced.job]].unplaced = &unplaced;
  for (const auto& apart : planned.not_yet) outcomes[apart.job].apart = &apart;
  return outcomes;
}

Job job_after(const Job& before, const JobOutcome& outcome, const PlanningSnapshot& snapshot, const PlanningGrid& grid,
              const scheduler::Problem& problem) {
  Job job = before;
  if (outcome.placement != nullptr) {
    const bool by_plan = !job.slot || job.slot->by_plan;
    job.slot = slot_of(problem, *outcome.placement, by_plan);
    // The reason for which a job was last moved stays as long as its place does.
    const bool stays =
        before.slot && before.slot->site == job.slot->site && before.slot->segments == job.slot->segments;
    if (by_plan && !(stays && before.reason.starts_with("planned in "))) {
      job.reason = "planned in " + job.slot->site + " from " + scheduler::format_instant(job.slot->start());
    }
  } else if (outcome.unplaced != nullptr) {
    const Unplaced& unplaced = *outcome.unplaced;
    const bool known = window_is_known(grid, problem.jobs[unplaced.job]);
    // Room may be given back, so a job that finds none goes on waiting; time is not given back.
    const bool hopeless = unplaced.code == UnplacedCode::window_too_short || unplaced.code == UnplacedCode::no_site;
    if (known && hopeless) {
      return sent_off(std::move(job), snapshot, std::string{to_text(unplaced.code)} + ": " + unplaced.detail);
    }
    const auto blind = known ? std::nullopt : start_without_forecast(snapshot, grid, problem.jobs[unplaced.job]);
    if (blind) return started_blind(std::move(job), snapshot, *blind);
    job.slot.reset();
    job.reason = waiting_reason(grid, unplaced, known);
  } else if (outcome.apart != nullptr) {
    job.slot.reset();
    job.reason = outcome.apart->reason;
  } else if (job.request.fixed && !job.slot) {
    job.slot = promised_slot(job, snapshot.sites);
    job.reason = "fixed in " + job.slot->site + " from " + scheduler::format_instant(job.slot->start()) +
                 ", a time of which nothing is known yet";
  }
  return job;
}

std::optional<Job> due_release(const Job& job, std::span<const runtime::SiteConfig> sites, Instant now) {
  if (job.slot && job.slot->start() <= now) {
    return released(job, *job.slot, now).value();
  }
  if (job.start_by > now) return {};
  Job late = job;
  if (!late.warning) late.warning = "released at its latest start without a planned slot: " + job.reason;
  late.reason = "its latest start has come";
  return released(std::move(late), unplanned_slot(job, sites, now), now).value();
}

}  // namespace valle::service::app
