// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_decision.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "scheduler/check/check.hpp"
#include "service/app/plan_outcome.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::app {
namespace {

using scheduler::Emissions;
using scheduler::Solution;
using scheduler::Wide;

struct Candidate {
  PlanningProblem planned;
  Solution solution;
  bool all_could_move = false;
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

/// Jobs that have a slot keep it; the others take what is left. With most jobs in their places there is little to
/// search.
Candidate settled(const PlanningSnapshot& snapshot, const PlanningGrid& grid, scheduler::Parallel& parallel,
                  std::stop_token stop) {
  Candidate candidate{.planned = problem_of(snapshot, grid, Hold::planned), .solution = {}};
  leave_out_refused(candidate.planned);
  candidate.solution =
      solve(candidate.planned.problem, {.effort = scheduler::Effort::quick}, parallel, std::move(stop));
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

std::size_t mode_named(const scheduler::Job& job, const std::string& name) {
  const auto found =
      std::find_if(job.modes.begin(), job.modes.end(), [&](const auto& mode) { return mode.name == name; });
  return found == job.modes.end() ? 0 : static_cast<std::size_t>(found - job.modes.begin());
}

/// Where the plan in force has the jobs of a problem.
scheduler::Incumbent incumbent_of(const PlanningSnapshot& snapshot, const PlanningProblem& planned) {
  scheduler::Incumbent incumbent{.of_job = {}, .least_gain = snapshot.planning.min_gain};
  if (snapshot.prices) incumbent.prices = *snapshot.prices;
  const auto& sites = planned.problem.sites;
  for (std::size_t j = 0; j < planned.problem.jobs.size(); ++j) {
    const auto& slot = snapshot.jobs[planned.job_of[j]].slot;
    auto& standing = incumbent.of_job.emplace_back();
    if (!slot || !slot->by_plan) continue;
    const auto site =
        std::find_if(sites.begin(), sites.end(), [&](const auto& each) { return each.name == slot->site; });
    if (site == sites.end()) continue;
    standing = {.site = static_cast<std::size_t>(site - sites.begin()),
                .mode = mode_named(planned.problem.jobs[j], slot->mode),
                .segments = slot->segments};
  }
  return incumbent;
}

/// A plan that goes on from the one in force.
Candidate replanned(const PlanningSnapshot& snapshot, const PlanningGrid& grid, scheduler::Parallel& parallel,
                    std::stop_token stop) {
  Candidate candidate{.planned = problem_of(snapshot, grid, Hold::none), .solution = {}, .all_could_move = true};
  leave_out_refused(candidate.planned);
  const auto incumbent = incumbent_of(snapshot, candidate.planned);
  candidate.solution = solve(candidate.planned.problem, {.incumbent = &incumbent}, parallel, std::move(stop));
  return candidate;
}

/// Is what all moved jobs save together at least the least gain of what they emitted? Jobs in their places may together
/// hold more than there is by now, as those that were released and have not begun go on holding theirs; they were
/// promised them, and stay if going costs carbon.
bool moving_pays(const PlanningSnapshot& snapshot, const Candidate& moved) {
  Emissions saved{}, before{};
  std::map<std::size_t, Emissions> now;
  for (const auto& placement : moved.solution.plan.placements) now[placement.job] = placement.emissions;
  for (const auto& move : moved.solution.moves) {
    saved += move.saved;
    before += now[move.job] + move.saved;
  }
  const auto least = snapshot.planning.min_gain;
  return saved > Emissions{} && Wide{saved.base()} * scheduler::k_one.base() >= Wide{before.base()} * least.base();
}

Candidate chosen(const PlanningSnapshot& snapshot, const PlanningGrid& grid, PlanKind kind,
                 scheduler::Parallel& parallel, const std::stop_token& stop) {
  const bool anything_to_move = std::any_of(snapshot.jobs.begin(), snapshot.jobs.end(), [](const Job& job) {
    return job.state == JobState::waiting && job.slot && !job.request.fixed;
  });
  Candidate keep = settled(snapshot, grid, parallel, stop);
  keep.all_could_move = !anything_to_move;
  if (!anything_to_move || (kind == PlanKind::settle && keep.solution.plan.unplaced.empty())) return keep;
  Candidate moved = replanned(snapshot, grid, parallel, stop);
  const auto out_kept = unplaced_by_priority(keep), out_moved = unplaced_by_priority(moved);
  const bool take =
      out_moved < out_kept || (kind == PlanKind::replan && out_moved == out_kept && moving_pays(snapshot, moved));
  return take ? std::move(moved) : std::move(keep);
}

/// Why a job was moved, to be read after where it is.
std::string in_words(const scheduler::Move& move) {
  switch (move.reason) {
    case scheduler::MoveReason::cleaner:
      return "; moved, as that saves " + std::to_string(move.saved.base() / 1'000) + " g";
    case scheduler::MoveReason::makes_room: return "; moved to make room for others";
    case scheduler::MoveReason::no_longer_fits: return "; moved, as it could not stay where it was";
  }
  return "";
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
  Candidate candidate = chosen(snapshot, grid, kind, parallel, stop);
  if (!passes_the_verifier(candidate)) return {};
  auto prices = candidate.all_could_move ? std::make_shared<const scheduler::SlotPrices>(candidate.solution.prices)
                                         : snapshot.prices;
  PlanDecision decision{
      .planned = std::move(candidate.planned), .solution = std::move(candidate.solution), .changed = {}};
  decision.prices = std::move(prices);
  std::map<std::size_t, const scheduler::Move*> moves;  // by the snapshot's job
  for (const auto& move : decision.solution.moves) moves[decision.planned.job_of[move.job]] = &move;
  const auto results = outcomes(decision.planned, decision.solution.plan, snapshot.jobs.size());
  for (std::size_t i = 0; i < snapshot.jobs.size(); ++i) {
    const Job& before = snapshot.jobs[i];
    if (before.state != JobState::waiting) continue;
    Job after = job_after(before, results[i], snapshot, grid, decision.planned.problem);
    if (after == before) continue;
    const bool moved = before.slot && after.slot &&
                       (before.slot->site != after.slot->site || before.slot->segments != after.slot->segments);
    decision.moved += moved ? 1 : 0;
    if (const auto move = moves.find(i); moved && move != moves.end()) after.reason += in_words(*move->second);
    decision.changed.push_back(std::move(after));
  }
  return decision;
}

}  // namespace valle::service::app
