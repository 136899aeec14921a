// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_decision.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/ledger.hpp"
#include "service/app/plan_outcome.hpp"
#include "service/app/plan_room.hpp"
#include "service/app/plan_waits.hpp"
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
  scheduler::Incumbent incumbent{
      .of_job = {}, .least_gain = snapshot.planning.min_gain, .now_until = snapshot.now + planned.problem.slot};
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

/// Does it begin at the first boundary from now on? Waiting on has no more to say to it.
bool starts_now(const PlanningSnapshot& snapshot, const scheduler::Problem& problem,
                const scheduler::Placement& placement) {
  return placement.start() - problem.slot < snapshot.now;
}

/// Is what all moved jobs save together at least the least gain of what those emitted that do not start now? Jobs in
/// their places may together hold more than there is by now, as those that were released and have not begun go on
/// holding theirs; they were promised them, and stay if going costs carbon.
bool moving_pays(const PlanningSnapshot& snapshot, const Candidate& moved) {
  Emissions saved{}, before{};
  std::map<std::size_t, const scheduler::Placement*> placed;
  for (const auto& placement : moved.solution.plan.placements) placed[placement.job] = &placement;
  for (const auto& move : moved.solution.moves) {
    saved += move.saved;
    const auto to = placed.find(move.job);
    if (to == placed.end() || starts_now(snapshot, moved.planned.problem, *to->second)) continue;
    before += to->second->emissions + move.saved;
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

/// What moving saves the job by present numbers.
std::optional<Emissions> saved_by(const Candidate& candidate, const scheduler::solving::Ledger& ledger,
                                  const JobSlot& from, const scheduler::Placement& placement) {
  const auto& problem = candidate.planned.problem;
  const auto horizon = scheduler::solving::horizon_of(problem);
  const auto site = std::find_if(problem.sites.begin(), problem.sites.end(),
                                 [&](const auto& each) { return each.name == from.site; });
  const bool inside = std::all_of(from.segments.begin(), from.segments.end(), [&](const auto& segment) {
    return segment.begin >= horizon.begin && segment.end <= horizon.end;
  });
  if (site == problem.sites.end() || !inside) return {};
  const auto before = ledger.placement(placement.job, static_cast<std::size_t>(site - problem.sites.begin()),
                                       mode_named(problem.jobs[placement.job], from.mode), from.segments);
  return before.emissions - placement.emissions;
}

std::string percent_text(Emissions part, Emissions whole) {
  const auto tenths = scheduler::divide_rounded(Wide{part.base()} * 1'000, std::max<std::int64_t>(1, whole.base()));
  return std::to_string(static_cast<std::int64_t>(tenths / 10)) + "." +
         std::to_string(static_cast<std::int64_t>(tenths % 10)) + " %";
}

std::string why_moved(const std::optional<Emissions>& saved, const scheduler::Placement& to, bool now) {
  if (!saved) return "nothing is known any more of its place before";
  if (*saved <= Emissions{}) return "to make room for other jobs";
  const std::string share = percent_text(*saved, *saved + to.emissions);
  return now ? "now is its best remaining start, " + share + " cleaner by the newest numbers"
             : "it is " + share + " cleaner by the newest numbers";
}

std::string place_text(const JobSlot& slot) { return slot.site + " at " + scheduler::format_instant(slot.start()); }

/// The same with jobs that start at once where waiting saves too little, if that leaves no more jobs without a place.
Candidate without_idle_waits(const PlanningSnapshot& snapshot, Candidate candidate, scheduler::Parallel& parallel,
                             std::stop_token stop) {
  const auto least = snapshot.planning.min_saving;
  if (least <= scheduler::Ratio{}) return candidate;
  const auto idle = not_worth_waiting(candidate.planned.problem, candidate.solution.plan, least);
  if (idle.empty()) return candidate;
  Candidate prompt{.planned = candidate.planned, .solution = {}};
  for (const std::size_t index : idle) {
    scheduler::Job& job = prompt.planned.problem.jobs[index];
    job.finish_by = scheduler::solving::first_start(prompt.planned.problem, job) + job.modes.front().duration;
  }
  prompt.solution = solve(prompt.planned.problem, {.effort = scheduler::Effort::quick}, parallel, std::move(stop));
  return unplaced_by_priority(candidate) < unplaced_by_priority(prompt) ? std::move(candidate) : std::move(prompt);
}

/// What was decided with the risk counted, told by the means alone. A bound of the one proves nothing of the other.
void tell_by_means(Candidate& candidate, const PlanningGrid& grid) {
  if (grid.means.empty()) return;
  auto& problem = candidate.planned.problem;
  for (std::size_t site = 0; site < problem.sites.size(); ++site) problem.sites[site].intensity = grid.means[site];
  const scheduler::solving::Ledger ledger{problem};
  std::vector<scheduler::Placement> placements;
  for (auto& placement : candidate.solution.plan.placements) {
    placements.push_back(
        ledger.placement(placement.job, placement.site, placement.mode, std::move(placement.segments)));
  }
  candidate.solution.plan = assemble(ledger, std::move(placements), std::move(candidate.solution.plan.unplaced));
  candidate.solution.lower_bound = {};
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
  const PlanningSnapshot& with_room = changed ? *changed : snapshot;
  Candidate candidate = without_idle_waits(with_room, chosen(with_room, grid, kind, parallel, stop), parallel, stop);
  tell_by_means(candidate, grid);
  if (!passes_the_verifier(candidate)) return {};
  PlanDecision decision;
  decision.prices = candidate.all_could_move ? std::make_shared<const scheduler::SlotPrices>(candidate.solution.prices)
                                             : snapshot.prices;
  const scheduler::solving::Ledger ledger{candidate.planned.problem};
  const auto results = outcomes(candidate.planned, candidate.solution.plan, snapshot.jobs.size());
  for (std::size_t i = 0; i < snapshot.jobs.size(); ++i) {
    const Job& before = snapshot.jobs[i];
    if (before.state != JobState::waiting) continue;
    Job after = job_after(before, results[i], snapshot, grid, candidate.planned.problem);
    const bool same_place = before.slot && after.slot && before.slot->site == after.slot->site &&
                            before.slot->segments == after.slot->segments;
    // Why it was moved stands beside where it is as long as it stays there.
    if (same_place && before.reason.starts_with(after.reason)) after.reason = before.reason;
    if (before.slot && after.slot && !same_place && results[i].placement != nullptr) {
      const auto& to = *results[i].placement;
      const auto saved = saved_by(candidate, ledger, *before.slot, to);
      std::string why = why_moved(saved, to, starts_now(snapshot, candidate.planned.problem, to));
      after.reason += "; moved from " + place_text(*before.slot) + ": " + why;
      decision.moves.push_back({before.id, *before.slot, *after.slot, saved, std::move(why)});
    }
    if (after == before) continue;
    decision.moved += before.slot && after.slot && !same_place ? 1 : 0;
    decision.changed.push_back(std::move(after));
  }
  decision.planned = std::move(candidate.planned);
  decision.solution = std::move(candidate.solution);
  return decision;
}

}  // namespace valle::service::app
