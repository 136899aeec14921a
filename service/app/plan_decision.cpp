// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_decision.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "scheduler/check/check.hpp"
#include "service/app/plan_outcome.hpp"
#include "service/app/plan_room.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::app {
namespace {

using scheduler::Emissions;
using scheduler::Solution;
using scheduler::Wide;

struct Candidate {
  PlanningProblem planned;
  Solution solution;
};

/// The job that a refusal points to: `/jobs/7/powerWatts`.
std::optional<std::size_t> job_of_pointer(std::string_view pointer, std::size_t jobs) {
  constexpr std::string_view k_prefix = "/jobs/";
  if (!pointer.starts_with(k_prefix)) return {};
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(pointer.data() + k_prefix.size(), pointer.data() + pointer.size(), index);
  return failure == std::errc{} && index < jobs ? std::optional{index} : std::nullopt;
}

/// Jobs were checked when they came. One that can't be planned all the same must not keep the others from it; a refusal
/// of the whole (too many resources, say) leaves nothing to plan.
void leave_out_refused(PlanningProblem& planned) {
  auto& jobs = planned.problem.jobs;
  while (true) {
    const auto valid = validate(planned.problem);
    if (valid) return;
    const auto& error = valid.error();
    const auto index = job_of_pointer(error.pointer, jobs.size());
    runtime::log::error("problem_refused",
                        {{"job", index ? jobs[*index].id : ""}, {"detail", error.detail}, {"pointer", error.pointer}});
    if (!index) {
      jobs.clear();
      planned.job_of.clear();
      return;
    }
    planned.not_yet.push_back({planned.job_of[*index], "it can't be planned: " + error.detail});
    jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(*index));
    planned.job_of.erase(planned.job_of.begin() + static_cast<std::ptrdiff_t>(*index));
  }
}

Candidate solved(const PlanningSnapshot& snapshot, const PlanningGrid& grid, Hold hold,
                 const std::vector<std::size_t>& held, scheduler::Parallel& parallel, std::stop_token stop) {
  // With most jobs in their places there is little to search.
  const auto effort = hold == Hold::planned ? scheduler::Effort::quick : scheduler::Effort::normal;
  Candidate candidate{problem_of(snapshot, grid, hold, held), {}};
  leave_out_refused(candidate.planned);
  candidate.solution = solve(candidate.planned.problem, {.effort = effort}, parallel, std::move(stop));
  return candidate;
}

/// How many jobs of each priority found no place, the highest priority first: what is compared before carbon.
std::map<int, std::size_t, std::greater<>> unplaced_by_priority(const Candidate& candidate) {
  std::map<int, std::size_t, std::greater<>> counts;
  for (const auto& job : candidate.planned.problem.jobs) counts[job.priority] += 0;
  for (const auto& unplaced : candidate.solution.plan.unplaced) {
    ++counts[candidate.planned.problem.jobs[unplaced.job].priority];
  }
  return counts;
}

std::vector<JobOutcome> outcomes_of(const Candidate& candidate, const PlanningSnapshot& snapshot) {
  return outcomes(candidate.planned, candidate.solution.plan, snapshot.jobs.size());
}

/// Placed by both, and not at the same place and time.
bool is_moved(const JobOutcome& before, const JobOutcome& after) {
  return before.placement != nullptr && after.placement != nullptr &&
         (before.placement->site != after.placement->site || before.placement->segments != after.placement->segments);
}

/// Is `gain` at least the configured share of `before`?
bool worth_it(Emissions gain, Emissions before, scheduler::Ratio least) {
  return gain > Emissions{} && Wide{gain.base()} * scheduler::k_one.base() >= Wide{before.base()} * least.base();
}

/// Jobs that another plan moves although it saves them less than the least gain.
std::vector<std::size_t> small_moves(const PlanningSnapshot& snapshot, const Candidate& keep, const Candidate& free) {
  std::vector<std::size_t> small;
  const auto before = outcomes_of(keep, snapshot);
  const auto after = outcomes_of(free, snapshot);
  for (std::size_t i = 0; i < snapshot.jobs.size(); ++i) {
    if (!snapshot.jobs[i].slot || !is_moved(before[i], after[i])) continue;
    const Emissions gain = before[i].placement->emissions - after[i].placement->emissions;
    const bool loses_for_others = gain < Emissions{};
    if (!loses_for_others && !worth_it(gain, before[i].placement->emissions, snapshot.planning.min_gain))
      small.push_back(i);
  }
  return small;
}

/// Does moving pay: is what all moved jobs save together at least the least gain of what they emit?
bool moving_pays(const PlanningSnapshot& snapshot, const Candidate& keep, const Candidate& moved) {
  const auto before = outcomes_of(keep, snapshot);
  const auto after = outcomes_of(moved, snapshot);
  Emissions gain{};
  Emissions base{};
  for (std::size_t i = 0; i < snapshot.jobs.size(); ++i) {
    if (!is_moved(before[i], after[i])) continue;
    gain += before[i].placement->emissions - after[i].placement->emissions;
    base += before[i].placement->emissions;
  }
  return worth_it(gain, base, snapshot.planning.min_gain);
}

Candidate chosen(const PlanningSnapshot& snapshot, const PlanningGrid& grid, PlanKind kind,
                 scheduler::Parallel& parallel, const std::stop_token& stop) {
  Candidate keep = solved(snapshot, grid, Hold::planned, {}, parallel, stop);
  const bool anything_to_move = std::any_of(snapshot.jobs.begin(), snapshot.jobs.end(), [](const Job& job) {
    return job.state == JobState::waiting && job.slot && !job.request.fixed;
  });
  const bool all_placed = keep.solution.plan.unplaced.empty();
  if (!anything_to_move || (kind == PlanKind::settle && all_placed)) return keep;

  Candidate free = solved(snapshot, grid, Hold::none, {}, parallel, stop);
  const auto unplaced_kept = unplaced_by_priority(keep);
  const auto unplaced_free = unplaced_by_priority(free);
  if (unplaced_free < unplaced_kept) return free;
  if (unplaced_kept < unplaced_free || kind == PlanKind::settle) return keep;

  if (const auto small = small_moves(snapshot, keep, free); !small.empty()) {
    Candidate settled = solved(snapshot, grid, Hold::none, small, parallel, stop);
    if (unplaced_by_priority(settled) == unplaced_kept) free = std::move(settled);
  }
  return moving_pays(snapshot, keep, free) ? std::move(free) : std::move(keep);
}

/// The snapshot without the slots of jobs that have no room there any more; nothing if all have.
std::optional<PlanningSnapshot> relieved(const PlanningSnapshot& snapshot, const PlanningGrid& grid) {
  const auto lost = without_room(snapshot, grid);
  if (lost.empty()) return {};
  PlanningSnapshot without = snapshot;
  for (const std::size_t job : lost) without.jobs[job].slot.reset();
  return without;
}

bool passes_the_verifier(const Candidate& candidate) {
  const auto& problem = candidate.planned.problem;
  const auto violations = check(problem, claims_of(problem, candidate.solution.plan, candidate.solution.lower_bound));
  for (const auto& violation : violations) {
    runtime::log::error("plan_refused", {{"violation", to_text(violation.kind)}, {"detail", violation.detail}});
  }
  return violations.empty();
}

}  // namespace

std::optional<PlanDecision> decide(const PlanningSnapshot& snapshot, PlanKind kind, scheduler::Parallel& parallel,
                                   std::stop_token stop) {
  const PlanningGrid grid = grid_of(snapshot);
  const auto changed = relieved(snapshot, grid);
  Candidate candidate = chosen(changed ? *changed : snapshot, grid, kind, parallel, stop);
  if (!passes_the_verifier(candidate)) return {};
  PlanDecision decision{
      .planned = std::move(candidate.planned), .solution = std::move(candidate.solution), .changed = {}};
  const auto results = outcomes(decision.planned, decision.solution.plan, snapshot.jobs.size());
  for (std::size_t i = 0; i < snapshot.jobs.size(); ++i) {
    const Job& before = snapshot.jobs[i];
    if (before.state != JobState::waiting) continue;
    Job after = job_after(before, results[i], snapshot, grid, decision.planned.problem);
    if (after == before) continue;
    const bool moved = before.slot && after.slot &&
                       (before.slot->site != after.slot->site || before.slot->segments != after.slot->segments);
    decision.moved += moved ? 1 : 0;
    decision.changed.push_back(std::move(after));
  }
  return decision;
}

}  // namespace valle::service::app
