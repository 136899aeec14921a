// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/outcome.hpp"

#include <algorithm>

#include "scheduler/solve/fit.hpp"
#include "scheduler/solve/reasons.hpp"

namespace valle::scheduler::solving {
namespace {

std::vector<Interval> segments_of(const Problem& problem, const Task& task, const Fit& fit, const Way& way) {
  const Instant start = problem.start + problem.slot * std::int64_t{fit.spot.start};
  if (task.interruptible < 0) return {{start, start + Duration{way.seconds}}};
  std::vector<Interval> segments;
  for (const Piece& piece : fit.pattern.pieces) {
    const Instant begin = start + problem.slot * std::int64_t{piece.offset};
    segments.push_back({begin, begin + Duration{piece.seconds}});
  }
  return segments;
}

/// Calls visit(placement) for each member.
template <class Visit>
void each_placement(const Problem& problem, const Ledger& ledger, const Instance& instance, std::size_t task,
                    const Fit& fit, Visit visit) {
  const Task& what = instance.tasks[task];
  const std::span<const Member> members = instance.members_of(what);
  const std::span<const std::uint32_t> ways = instance.ways_of(what, instance.options_of(what)[fit.spot.option]);
  for (std::size_t m = 0; m < members.size(); ++m) {
    visit(ledger.placement(members[m].job, static_cast<std::size_t>(fit.spot.site), ways[m] - members[m].first_way,
                           segments_of(problem, what, fit, instance.ways[ways[m]])));
  }
}

std::vector<Placement> placements_of(const Problem& problem, const Ledger& ledger, const State& state) {
  std::vector<Placement> placements;
  placements.reserve(problem.jobs.size());
  for (const Instance::FixedJob& fixed : state.instance().fixed) {
    const Duration duration = problem.jobs[fixed.job].modes[0].duration;
    placements.push_back(ledger.placement(fixed.job, fixed.at.site, 0, {{fixed.at.start, fixed.at.start + duration}}));
  }
  for (std::size_t task = 0; task < state.instance().tasks.size(); ++task) {
    if (!state.spot(task).placed()) continue;
    each_placement(problem, ledger, state.instance(), task, fit_in(state, task),
                   [&](Placement placement) { placements.push_back(std::move(placement)); });
  }
  return placements;
}

}  // namespace

Plan plan_of(const Problem& problem, const Ledger& ledger, const State& state) {
  const State empty{state.instance()};
  std::vector<Unplaced> unplaced;
  for (std::size_t task = 0; task < state.instance().tasks.size(); ++task) {
    if (!state.spot(task).placed()) explain_unplaced(problem, empty, state, task, unplaced);
  }
  return assemble(ledger, placements_of(problem, ledger, state), std::move(unplaced));
}

Wide objective_of(const Problem& problem, const Ledger& ledger, const Instance& instance, std::size_t task,
                  const Fit& fit) {
  Wide sum = 0;
  each_placement(problem, ledger, instance, task, fit,
                 [&](const Placement& placement) { sum += ledger.objective(placement); });
  return sum;
}

Emissions emissions_of_fit(const Problem& problem, const Ledger& ledger, const Instance& instance, std::size_t task,
                           const Fit& fit) {
  Emissions sum{};
  each_placement(problem, ledger, instance, task, fit, [&](const Placement& placement) { sum += placement.emissions; });
  return sum;
}

Rank rank_of(const Problem& problem, const Ledger& ledger, const State& state) {
  const Instance& instance = state.instance();
  Rank rank;
  for (std::size_t task = 0; task < instance.tasks.size(); ++task) {
    if (state.spot(task).placed()) continue;
    const auto level = static_cast<std::size_t>(instance.tasks[task].level);
    if (rank.left_out.size() <= level) rank.left_out.resize(level + 1, 0);
    rank.left_out[level] += instance.tasks[task].members;
  }
  std::reverse(rank.left_out.begin(), rank.left_out.end());
  for (const Placement& placement : placements_of(problem, ledger, state))
    rank.objective += ledger.objective(placement);
  return rank;
}

std::vector<bool> hopeless_tasks(const Instance& instance) {
  const State empty{instance};
  StartScratch scratch;
  std::vector<bool> hopeless(instance.tasks.size());
  for (std::size_t task = 0; task < hopeless.size(); ++task) hopeless[task] = !fits_alone(empty, task, scratch);
  return hopeless;
}

}  // namespace valle::scheduler::solving
