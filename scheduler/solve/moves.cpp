// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/moves.hpp"

#include <algorithm>

namespace valle::scheduler::solving {
namespace {

/// What the job would emit where it stood, by today's numbers; nothing if they don't reach there.
std::optional<Emissions> emissions_before(const Problem& problem, const Ledger& ledger, std::size_t job,
                                          const Standing& standing) {
  const Interval horizon = horizon_of(problem);
  if (standing.segments.empty() || standing.site >= problem.sites.size()) return {};
  if (standing.mode >= problem.jobs[job].modes.size()) return {};
  if (standing.segments.front().begin < horizon.begin || standing.segments.back().end > horizon.end) return {};
  return ledger.placement(job, standing.site, standing.mode, standing.segments).emissions;
}

bool is_worth(Emissions saved, Emissions before, Ratio least) {
  return saved > Emissions{} && Wide{saved.base()} * k_one.base() >= Wide{before.base()} * least.base();
}

}  // namespace

std::vector<Move> moves_of(const Problem& problem, const Ledger& ledger, const Instance& instance, const Plan& plan,
                           const Incumbent& incumbent, const std::vector<bool>& forced) {
  std::vector<bool> forced_job(problem.jobs.size(), false);
  for (std::size_t t = 0; t < forced.size(); ++t) {
    for (const Member& member : instance.members_of(instance.tasks[t])) forced_job[member.job] = forced[t];
  }
  std::vector<Move> moves;
  for (const Placement& now : plan.placements) {
    if (now.job >= incumbent.of_job.size() || !incumbent.of_job[now.job] || problem.jobs[now.job].fixed) continue;
    const Standing& before = *incumbent.of_job[now.job];
    if (before.site == now.site && before.mode == now.mode && before.segments == now.segments) continue;
    Move move{.job = now.job, .reason = MoveReason::no_longer_fits};
    const auto emitted = emissions_before(problem, ledger, now.job, before);
    if (emitted) move.saved = *emitted - now.emissions;
    if (emitted && !forced_job[now.job]) {
      move.reason = is_worth(move.saved, *emitted, incumbent.least_gain) ? MoveReason::cleaner : MoveReason::makes_room;
    }
    moves.push_back(move);
  }
  return moves;
}

}  // namespace valle::scheduler::solving
