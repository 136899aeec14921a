// SPDX-License-Identifier: Apache-2.0
#include "service/app/job_explanation.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/solve/solve.hpp"

namespace valle::service::app {
namespace {

using scheduler::Amount;
using scheduler::Duration;
using scheduler::Emissions;
using scheduler::Instant;
using scheduler::Interval;

constexpr std::size_t k_options = 3;

/// A start on the grid, with what it emits and what stands in its way.
struct Start {
  std::size_t site;
  Interval interval;
  Emissions emissions;
  std::optional<Explanation::Blocked> blocked;
};

/// The job alone against the others, who keep their slots.
class Lookout {
 public:
  Lookout(const PlanningGrid& grid, const scheduler::Problem& others, const scheduler::Job& job)
      : grid_{grid}, others_{others}, job_{job}, mode_{job.modes.front()} {}

  std::vector<Start> starts() const {
    std::vector<Start> found;
    for (const auto site : job_.sites) {
      for (std::size_t t = 0; t < grid_.slots; ++t) {
        const Instant begin = grid_.start + grid_.slot * static_cast<std::int64_t>(t);
        const Interval run{begin, begin + mode_.duration};
        if (begin < job_.earliest_start || run.end > std::min(job_.finish_by, grid_.end()) || !is_known(site, run)) {
          continue;
        }
        found.push_back({site, run, emissions(site, run), blocked(site, run)});
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const Start& a, const Start& b) {
      return std::pair{a.emissions, a.interval.begin} < std::pair{b.emissions, b.interval.begin};
    });
    return found;
  }

 private:
  std::size_t first_slot(const Interval& run) const {
    return static_cast<std::size_t>(std::max(Duration{0}, run.begin - grid_.start) / grid_.slot);
  }
  /// One past the last slot that the run touches.
  std::size_t end_slot(const Interval& run) const {
    const auto touched = (run.end - grid_.start + grid_.slot - Duration{1}) / grid_.slot;
    return std::min(grid_.slots, static_cast<std::size_t>(std::max<std::int64_t>(0, touched)));
  }
  Interval slot(std::size_t t) const {
    const Instant begin = grid_.start + grid_.slot * static_cast<std::int64_t>(t);
    return {begin, begin + grid_.slot};
  }

  bool is_known(std::size_t site, const Interval& run) const {
    for (auto t = first_slot(run); t < end_slot(run); ++t) {
      if (!grid_.known[site][t]) return false;
    }
    return true;
  }

  Emissions emissions(std::size_t site, const Interval& run) const {
    scheduler::IntensitySeconds integral{};
    for (auto t = first_slot(run); t < end_slot(run); ++t) {
      integral += integral_of(grid_.sites[site].intensity[t], slot(t).overlap(run).length());
    }
    return emissions_of(mode_.power, grid_.sites[site].pue, integral);
  }

  static Amount demand_for(const scheduler::Job& job, const std::string& resource) {
    for (const auto& demand : job.demand) {
      if (demand.resource == resource) return demand.amount;
    }
    return {};
  }

  /// The first resource and slot of the run without room.
  std::optional<Explanation::Blocked> blocked(std::size_t site, const Interval& run) const {
    for (const auto& capacity : grid_.sites[site].capacity) {
      const Amount wanted = demand_for(job_, capacity.resource);
      if (wanted == Amount{}) continue;
      for (auto t = first_slot(run); t < end_slot(run); ++t) {
        Explanation::Blocked holders{grid_.sites[site].name, run.begin, capacity.resource, {}};
        Amount held{};
        for (const auto& other : others_.jobs) {
          const Amount amount = demand_for(other, capacity.resource);
          if (other.id == job_.id || !other.fixed || other.fixed->site != site || amount == Amount{}) continue;
          const Interval its{other.fixed->start, other.fixed->start + other.modes.front().duration};
          if (its.overlap(slot(t)).empty()) continue;
          held += amount;
          holders.jobs.push_back(other.id);
        }
        if (held + wanted > capacity.per_slot[t]) return holders;
      }
    }
    return {};
  }

  const PlanningGrid& grid_;
  const scheduler::Problem& others_;
  const scheduler::Job& job_;
  const scheduler::Mode& mode_;
};

/// The job as it would be planned if it had no slot.
std::optional<scheduler::Job> free_job(const PlanningSnapshot& snapshot, const PlanningGrid& grid, const Job& job) {
  PlanningSnapshot alone = snapshot;
  alone.jobs = {job};
  alone.jobs.front().slot.reset();
  auto planned = problem_of(alone, grid, Hold::none);
  if (planned.problem.jobs.empty()) return {};
  return std::move(planned.problem.jobs.front());
}

}  // namespace

Explanation explain(const PlanningSnapshot& snapshot, const Job& job) {
  Explanation explanation{.job = job, .options = {}, .blocked_by = {}, .data_age = {}};
  const PlanningGrid grid = grid_of(snapshot);
  if (job.state != JobState::waiting) return explanation;
  const auto wanted = free_job(snapshot, grid, job);
  if (!wanted) return explanation;
  for (const auto site : wanted->sites) {
    explanation.data_age = std::max(explanation.data_age, grid.age[site]);
  }
  const auto others = problem_of(snapshot, grid, Hold::planned);
  for (auto& start : Lookout{grid, others.problem, *wanted}.starts()) {
    if (!start.blocked && explanation.options.size() < k_options) {
      explanation.options.push_back({grid.sites[start.site].name, start.interval, start.emissions});
    }
    const bool better = !job.slot || !job.slot->emissions || start.emissions < *job.slot->emissions;
    if (start.blocked && better && explanation.blocked_by.size() < k_most_blocked) {
      explanation.blocked_by.push_back(*std::move(start.blocked));
    }
  }
  return explanation;
}

}  // namespace valle::service::app
