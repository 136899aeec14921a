// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_problem.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "service/app/job_terms.hpp"
#include "service/app/places.hpp"

namespace valle::service::app {
namespace {

using scheduler::Amount;
using scheduler::CarbonIntensity;
using scheduler::Duration;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::ProblemLimits;

/// Every free job demands one of it; a slot of unknown intensity has none.
constexpr const char* k_known_intensity = "valle.sh/known-intensity";
constexpr Amount k_one_of_it = Amount::of_base(1'000);

Instant boundary_before(Instant instant, Duration slot) {
  const auto since = instant.time_since_epoch();
  return Instant{since - (since % slot + slot) % slot};
}

/// The site's mean intensity in each slot; an unknown one is closed, so the value that stands there is never counted.
void fill_site(PlanningGrid& grid, std::size_t index, const scheduler::IntensitySeries& series) {
  const auto means = resample(series, grid.start, grid.slot);
  auto& site = grid.sites[index];
  CarbonIntensity largest = CarbonIntensity::of_base(1);
  for (std::size_t t = 0; t < grid.slots; ++t) {
    const auto step = means.at(grid.start + grid.slot * static_cast<std::int64_t>(t));
    if (!step) continue;
    grid.known[index][t] = true;
    site.intensity[t] = step->value;
    largest = std::max(largest, step->value);
  }
  for (std::size_t t = 0; t < grid.slots; ++t) {
    if (!grid.known[index][t]) site.intensity[t] = largest;
  }
}

/// What `risk` standard deviations of an own forecast add to a mean. Eight of ten values lie within 1.2816 of them on
/// either side.
CarbonIntensity risk_of(CarbonIntensity mean, const store::ForecastBand& part, scheduler::Ratio risk) {
  constexpr std::int64_t band_in_deviations = 2'563'103;  // ppm
  const scheduler::Wide band = scheduler::Wide{mean.base()} * (part.high - part.low).base();
  const scheduler::Wide one = scheduler::k_one.base();
  return CarbonIntensity::of_base(
      scheduler::narrow(scheduler::divide_rounded(band * risk.base(), one * band_in_deviations)));
}

/// Adds the risk to the site's means, slot by slot, where they are an own forecast.
void add_risk(PlanningGrid& grid, std::size_t index, const OwnPart& own, scheduler::Ratio risk) {
  for (std::size_t t = 0; t < grid.slots; ++t) {
    const Instant begin = grid.start + grid.slot * static_cast<std::int64_t>(t);
    if (!grid.known[index][t] || own.interval.overlap({begin, begin + grid.slot}).empty()) continue;
    const auto part = std::find_if(own.ground->band.begin(), own.ground->band.end(), [&](const auto& each) {
      return !each.interval.overlap({begin, begin + grid.slot}).empty();
    });
    if (part == own.ground->band.end()) continue;
    CarbonIntensity& value = grid.sites[index].intensity[t];
    value += risk_of(value, *part, risk);
  }
}

/// Cuts what lies behind the last known slot: nothing can be planned there.
void trim(PlanningGrid& grid) {
  std::size_t known = 0;
  for (const auto& site : grid.known) {
    for (std::size_t t = known; t < site.size(); ++t) known = site[t] ? t + 1 : known;
  }
  grid.slots = known;
  for (auto& site : grid.sites) site.intensity.resize(known);
  for (auto& site : grid.known) site.resize(known);
  for (auto& site : grid.means) site.resize(known);
}

/// Takes what somebody else holds off the capacity of the slots that it lasts into.
void reserve(PlanningGrid& grid, const Reservation& reservation) {
  for (auto& site : grid.sites) {
    if (site.name != reservation.site) continue;
    for (auto& capacity : site.capacity) {
      if (capacity.resource != reservation.resource) continue;
      for (std::size_t t = 0; t < grid.slots; ++t) {
        if (grid.start + grid.slot * static_cast<std::int64_t>(t) >= reservation.until) break;
        capacity.per_slot[t] -= std::min(capacity.per_slot[t], reservation.amount);
      }
    }
  }
}

/// The job's modes with the one of its slot in front: a fixed job runs in its first.
std::vector<scheduler::Mode> modes_of(const JobTerms& terms, const std::string& first) {
  auto modes = terms.modes;
  const auto found = std::find_if(modes.begin(), modes.end(), [&](const auto& mode) { return mode.name == first; });
  if (found != modes.end()) std::rotate(modes.begin(), found, found + 1);
  return modes;
}

/// Builds the jobs of one problem.
class JobBuilder {
 public:
  JobBuilder(const PlanningSnapshot& snapshot, const PlanningGrid& grid, Hold hold)
      : snapshot_{snapshot}, grid_{grid}, hold_{hold}, masked_{!grid.all_known()} {
    for (const auto& site : grid.sites) {
      for (const auto& capacity : site.capacity) limited_.insert(capacity.resource);
    }
    for (const auto& job : snapshot.jobs) {
      if (!job.request.group) continue;
      if (job.state != JobState::waiting) started_groups_.insert(*job.request.group);
      if (job.state == JobState::waiting && !job.slot) incomplete_groups_.insert(*job.request.group);
    }
  }

  void add(std::size_t index, PlanningProblem& to) const {
    const Job& job = snapshot_.jobs[index];
    const auto terms = terms_of(job.request, snapshot_.sites, job.submitted_at, snapshot_.planning.max_wait);
    if (!terms) {
      to.not_yet.push_back({index, terms.error().detail});
      return;
    }
    scheduler::Job built{.id = job.id,
                         .earliest_start = std::max(terms->earliest_start, snapshot_.now),
                         .finish_by = terms->finish_by,
                         .modes = modes_of(*terms, job.slot ? job.slot->mode : ""),
                         .demand = demand_of(job),
                         .sites = terms->sites,
                         .home_site = terms->home_site,
                         .priority = job.request.priority.value_or(0),
                         .transfer_gb = job.request.transfer_gb.value_or(0)};
    built.fixed = fixed_start(job, built);
    if (built.fixed) {
      // A run that lies wholly outside what is planned holds nothing there, and stays as it is.
      if (!overlaps_the_grid(built)) return;
      // Where it runs may have been ruled out since.
      const std::size_t site = built.fixed->site;
      if (std::find(built.sites.begin(), built.sites.end(), site) == built.sites.end()) built.sites.push_back(site);
    } else {
      if (built.earliest_start >= grid_.end()) {
        to.not_yet.push_back({index, "nothing is known yet of the time from " +
                                         scheduler::format_instant(built.earliest_start) + " on"});
        return;
      }
      built.interruption = job.request.interruption;
      const bool together = job.request.group && !started_groups_.contains(*job.request.group);
      if (together) built.group = *job.request.group;
      if (masked_) built.demand.push_back({k_known_intensity, k_one_of_it});
    }
    to.problem.jobs.push_back(std::move(built));
    to.job_of.push_back(index);
  }

 private:
  /// Resources that no site limits need no counting.
  std::vector<scheduler::ResourceDemand> demand_of(const Job& job) const {
    std::vector<scheduler::ResourceDemand> demand;
    const auto observed = snapshot_.demands.find(job.id);
    const bool as_asked = observed == snapshot_.demands.end();
    if (as_asked && !job.request.demand) return demand;
    for (const auto& each : as_asked ? *job.request.demand : observed->second) {
      if (limited_.contains(each.resource)) demand.push_back(each);
    }
    return demand;
  }

  bool overlaps_the_grid(const scheduler::Job& job) const {
    return job.fixed->start < grid_.end() && grid_.start < job.fixed->start + job.modes.front().duration;
  }

  std::optional<std::size_t> site_named(const std::string& name) const {
    const auto found = std::find_if(grid_.sites.begin(), grid_.sites.end(),
                                    [&](const auto& site) { return lower_case(site.name) == lower_case(name); });
    if (found == grid_.sites.end()) return {};
    return static_cast<std::size_t>(found - grid_.sites.begin());
  }

  std::optional<scheduler::FixedStart> fixed_start(const Job& job, scheduler::Job& built) const {
    const bool waiting = job.state == JobState::waiting;
    if (waiting && job.request.fixed) {
      const auto site = site_named(job.request.fixed->site);
      return site ? std::optional{scheduler::FixedStart{*site, job.request.fixed->start}} : std::nullopt;
    }
    if (!job.slot || (waiting && !keeps_its_slot(job))) return {};
    const auto site = site_named(job.slot->site);
    if (!site) return {};
    const Instant start = job.started_at.value_or(job.slot->start());
    if (!waiting) built.modes.front().duration = held_for(job, start, built.modes.front().duration);
    return scheduler::FixedStart{*site, start};
  }

  bool keeps_its_slot(const Job& job) const {
    if (!job.slot->by_plan) return true;
    return hold_ == Hold::planned && !job.request.interruption &&
           !(job.request.group && incomplete_groups_.contains(*job.request.group));
  }

  /// How long a job that has left waiting holds its place, counted from `start`: a running one for its duration; one
  /// that has not begun begins now; one that should have ended needs one more slot.
  Duration held_for(const Job& job, Instant start, Duration duration) const {
    const Duration gone = std::max(Duration{0}, snapshot_.now - start);
    if (!job.started_at) return std::min(gone + duration, ProblemLimits::k_duration);
    return std::min(std::max(duration, gone + grid_.slot), ProblemLimits::k_duration);
  }

  const PlanningSnapshot& snapshot_;
  const PlanningGrid& grid_;
  Hold hold_;
  bool masked_;
  std::set<std::string> limited_;
  std::set<std::string> started_groups_;
  std::set<std::string> incomplete_groups_;
};

}  // namespace

bool PlanningGrid::all_known() const {
  return std::all_of(known.begin(), known.end(), [](const auto& site) {
    return std::all_of(site.begin(), site.end(), [](bool is_known) { return is_known; });
  });
}

PlanningGrid grid_of(const PlanningSnapshot& snapshot) {
  PlanningGrid grid;
  grid.slot = snapshot.planning.slot;
  grid.start = boundary_before(snapshot.now, grid.slot);
  grid.slots = std::min(static_cast<std::size_t>(snapshot.planning.horizon / grid.slot), ProblemLimits::k_slots);
  const std::size_t count = std::min(snapshot.sites.size(), ProblemLimits::k_sites);
  grid.known.assign(count, std::vector<bool>(grid.slots, false));
  grid.age.resize(count);
  std::vector<scheduler::Zone> zones;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& site = snapshot.sites[i];
    zones.push_back(site.zone);
    grid.sites.push_back({.name = site.name, .zone = site.zone, .pue = site.pue, .capacity = {}, .intensity = {}});
    grid.sites.back().intensity.resize(grid.slots);
  }
  const auto choice = snapshot.book->choose(
      {.zones = zones, .window = Interval{grid.start, grid.end()}, .needed = grid.slot, .now = snapshot.now});
  for (const auto& chosen : choice.zones) {
    grid.age[chosen.zone] = chosen.age;
    fill_site(grid, chosen.zone, *chosen.series);
  }
  if (const auto risk = snapshot.planning.risk; risk > scheduler::Ratio{}) {
    for (const auto& site : grid.sites) grid.means.push_back(site.intensity);
    for (const auto& chosen : choice.zones) {
      if (chosen.own) add_risk(grid, chosen.zone, *chosen.own, risk);
    }
  }
  trim(grid);
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& [resource, amount] : snapshot.sites[i].capacity) {
      grid.sites[i].capacity.push_back({resource, std::vector<Amount>(grid.slots, amount)});
    }
  }
  for (const auto& reservation : snapshot.reservations) reserve(grid, reservation);
  return grid;
}

PlanningProblem problem_of(const PlanningSnapshot& snapshot, const PlanningGrid& grid, Hold hold) {
  PlanningProblem built{
      .problem = {.start = grid.start, .slot = grid.slot, .slots = grid.slots, .sites = grid.sites, .jobs = {}},
      .job_of = {},
      .not_yet = {}};
  const JobBuilder builder{snapshot, grid, hold};
  for (std::size_t i = 0; i < snapshot.jobs.size(); ++i) builder.add(i, built);
  if (!grid.all_known()) {
    const Amount enough = k_one_of_it * static_cast<std::int64_t>(built.problem.jobs.size());
    for (std::size_t i = 0; i < grid.sites.size(); ++i) {
      scheduler::ResourceCapacity mask{k_known_intensity, std::vector<Amount>(grid.slots)};
      for (std::size_t t = 0; t < grid.slots; ++t) mask.per_slot[t] = grid.known[i][t] ? enough : Amount{};
      built.problem.sites[i].capacity.push_back(std::move(mask));
    }
  }
  return built;
}

}  // namespace valle::service::app
