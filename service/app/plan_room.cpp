// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_room.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace valle::service::app {
namespace {

using scheduler::Instant;

/// What is left of each limited resource, by site and slot.
class Room {
 public:
  explicit Room(const scheduler::Problem& problem) : problem_{problem}, left_(problem.sites.size()) {
    for (std::size_t i = 0; i < problem.sites.size(); ++i) {
      for (const auto& capacity : problem.sites[i].capacity) {
        auto& left = left_[i][capacity.resource];
        for (const auto& amount : capacity.per_slot) left.push_back(amount.base());
      }
    }
  }

  /// Whether the job, where it is fixed, finds room.
  [[nodiscard]] bool has(const scheduler::Job& job) {
    bool enough = true;
    visit(job, [&](std::int64_t left, std::int64_t amount) {
      enough = enough && amount <= left;
      return left;
    });
    return enough;
  }
  void take(const scheduler::Job& job) {
    visit(job, [](std::int64_t left, std::int64_t amount) { return left - amount; });
  }

 private:
  template <class Change>
  void visit(const scheduler::Job& job, Change change) {
    const auto slots = static_cast<std::int64_t>(problem_.slots);
    const auto first = (job.fixed->start - problem_.start) / problem_.slot;
    const auto end = job.fixed->start + job.modes.front().duration - problem_.start;
    const auto last = (end + problem_.slot - scheduler::Duration{1}) / problem_.slot;
    for (const auto& each : job.demand) {
      const auto found = left_[job.fixed->site].find(each.resource);
      if (found == left_[job.fixed->site].end()) continue;
      for (auto t = std::clamp<std::int64_t>(first, 0, slots); t < std::clamp<std::int64_t>(last, 0, slots); ++t) {
        auto& left = found->second[static_cast<std::size_t>(t)];
        left = change(left, each.amount.base());
      }
    }
  }

  const scheduler::Problem& problem_;
  std::vector<std::map<std::string, std::vector<std::int64_t>>> left_;
};

}  // namespace

std::vector<std::size_t> without_room(const PlanningSnapshot& snapshot, const PlanningGrid& grid) {
  std::vector<std::size_t> lost;
  const bool limited =
      std::any_of(grid.sites.begin(), grid.sites.end(), [](const auto& site) { return !site.capacity.empty(); });
  if (!limited) return lost;
  const auto planned = problem_of(snapshot, grid, Hold::planned);
  Room room{planned.problem};
  const auto& jobs = planned.problem.jobs;
  const auto may_lose = [&](std::size_t j) {
    const Job& job = snapshot.jobs[planned.job_of[j]];
    return job.state == JobState::waiting && !job.request.fixed && job.slot && job.slot->by_plan;
  };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].fixed || may_lose(j)) continue;
    // As long as it was planned: one that is late, or of which nobody says that it runs, drives nobody out.
    scheduler::Job as_planned = jobs[j];
    if (const auto& slot = snapshot.jobs[planned.job_of[j]].slot) {
      as_planned.modes.front().duration = slot->end() - slot->start();
    }
    room.take(as_planned);
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].fixed || !may_lose(j)) continue;
    if (room.has(jobs[j])) {
      room.take(jobs[j]);
    } else {
      lost.push_back(planned.job_of[j]);
    }
  }
  return lost;
}

}  // namespace valle::service::app
