// SPDX-License-Identifier: Apache-2.0
#include "service/app/backtest.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "scheduler/check/check.hpp"
#include "scheduler/units/require.hpp"

namespace valle::service::app {

using namespace scheduler;

namespace {

/// Where and when each job started; nothing for those that found no room before their deadline.
using Decisions = std::vector<std::optional<FixedStart>>;

Decisions decisions_of(const Problem& problem, const Plan& plan) {
  Decisions decisions(problem.jobs.size());
  for (const Placement& placement : plan.placements) {
    decisions[placement.job] = FixedStart{placement.site, placement.start()};
  }
  return decisions;
}

/// Counts what was decided on what was measured. Late jobs run behind the others as soon as there is room after their
/// last chance.
PolicyOutcome live_out(Policy policy, const Problem& problem, const Decisions& decisions) {
  PolicyOutcome outcome{.policy = policy, .problem = problem, .plan = {}};
  const Instant end = problem.start + problem.slot * static_cast<std::int64_t>(problem.slots);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    Job& job = outcome.problem.jobs[i];
    if (decisions[i]) continue;
    ++outcome.late;
    job.earliest_start = std::max(job.earliest_start, job.finish_by - job.modes.front().duration);
    job.finish_by = end;
    if (policy == Policy::run_now) job.sites = {job.home_site};
  }
  Problem decided = outcome.problem;
  for (std::size_t i = 0; i < decisions.size(); ++i) decided.jobs[i].fixed = decisions[i];
  outcome.plan = earliest_start_plan(decided);
  outcome.never_placed = outcome.plan.unplaced.size();

  Duration waited{};
  for (const Placement& placement : outcome.plan.placements) {
    const Job& job = problem.jobs[placement.job];
    waited += placement.start() - job.earliest_start;
    outcome.moved += placement.site != job.home_site ? 1U : 0U;
  }
  const auto placed = static_cast<std::int64_t>(outcome.plan.placements.size());
  if (placed > 0) outcome.mean_wait = waited / placed;
  require(check(outcome.problem, claims_of(outcome.problem, outcome.plan)).empty(),
          "a backtest's plan failed the independent check");
  return outcome;
}

Plan run_now_plan(Problem problem) {
  for (Job& job : problem.jobs) job.sites = {job.home_site};
  return earliest_start_plan(problem);
}

/// The slots that the planner sees from `now` on: a prefix of the problem, believed as `foresight` says.
class View {
 public:
  View(const Problem& problem, const BacktestOptions& options) : problem_{problem}, options_{options} {
    horizon_slots_ = std::max<std::size_t>(1, static_cast<std::size_t>(options.horizon / problem.slot));
  }

  /// An empty problem over the slots [from, from + horizon), capped at the end of the data.
  [[nodiscard]] Problem from_slot(std::size_t from) const {
    const std::size_t count = std::min(horizon_slots_, problem_.slots - from);
    Problem view{.start = problem_.start + problem_.slot * static_cast<std::int64_t>(from),
                 .slot = problem_.slot,
                 .slots = count,
                 .sites = {},
                 .jobs = {},
                 .eur_per_tonne = problem_.eur_per_tonne};
    for (std::size_t site = 0; site < problem_.sites.size(); ++site) view.sites.push_back(cut(site, from, count));
    return view;
  }

 private:
  [[nodiscard]] Site cut(std::size_t index, std::size_t from, std::size_t count) const {
    const Site& site = problem_.sites[index];
    Site part = site;
    const auto slice = [from, count](auto& values) {
      if (values.empty()) return;
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
      values = {begin, begin + static_cast<std::ptrdiff_t>(count)};
    };
    for (ResourceCapacity& capacity : part.capacity) slice(capacity.per_slot);
    slice(part.price);
    slice(part.intensity);
    if (options_.foresight == Foresight::perfect) return part;
    for (std::size_t i = 0; i < count; ++i) part.intensity[i] = site.intensity[day_before(from, from + i)];
    if (options_.foresight != Foresight::told) return part;
    const auto told = options_.forecast(index, problem_.start + problem_.slot * static_cast<std::int64_t>(from), count);
    for (std::size_t i = 0; i < count; ++i) part.intensity[i] = told[i].value_or(part.intensity[i]);
    return part;
  }

  /// The newest slot that had ended when slot `now` began, a whole number of days before `slot`. In the first day of
  /// the data there is none: the first day itself stands in, which flatters nobody much and is the same for all.
  [[nodiscard]] std::size_t day_before(std::size_t now, std::size_t slot) const {
    const auto day = static_cast<std::size_t>(std::max<std::int64_t>(1, std::chrono::days{1} / problem_.slot));
    std::size_t earlier = slot;
    while (earlier >= now && earlier >= day) earlier -= day;
    return earlier;
  }

  const Problem& problem_;
  const BacktestOptions& options_;
  std::size_t horizon_slots_;
};

/// Lives through the trace slot by slot: what has arrived is planned together, what is planned for this slot starts.
class Rolling {
 public:
  Rolling(const Problem& problem, const BacktestOptions& options, Parallel& parallel)
      : problem_{problem},
        options_{options},
        parallel_{parallel},
        view_{problem, options},
        by_arrival_(problem.jobs.size()),
        started_(problem.jobs.size()) {
    std::iota(by_arrival_.begin(), by_arrival_.end(), std::size_t{0});
    std::stable_sort(by_arrival_.begin(), by_arrival_.end(), [&](std::size_t a, std::size_t b) {
      return problem.jobs[a].earliest_start < problem.jobs[b].earliest_start;
    });
  }

  Decisions run(const std::function<void(Policy, double)>& progress, std::stop_token stop) {
    for (std::size_t slot = 0; slot < problem_.slots && !stop.stop_requested(); ++slot) {
      live_through(slot);
      if (waiting_.empty() && arrived_ == by_arrival_.size()) break;
      if (progress) progress(Policy::plan, static_cast<double>(slot + 1) / static_cast<double>(problem_.slots));
    }
    return started_;
  }

 private:
  void live_through(std::size_t slot) {
    const Instant now = problem_.start + problem_.slot * static_cast<std::int64_t>(slot);
    while (arrived_ < by_arrival_.size() && problem_.jobs[by_arrival_[arrived_]].earliest_start <= now) {
      waiting_.push_back(by_arrival_[arrived_++]);
    }
    if (waiting_.empty()) return;
    Problem view = view_.from_slot(slot);
    const std::size_t running = add_running(view);
    for (const std::size_t index : waiting_) {
      view.jobs.push_back(problem_.jobs[index]);
      view.jobs.back().earliest_start = now;
    }
    for (const Placement& placement : solve(view, options_.solve, parallel_).plan.placements) {
      if (placement.job < running || placement.start() != now) continue;
      started_[waiting_[placement.job - running]] = FixedStart{placement.site, now};
    }
    std::erase_if(waiting_, [&](std::size_t job) {
      return started_[job].has_value() || latest_start(problem_.jobs[job]) <= now;
    });
  }

  /// Jobs that still hold room, as fixed jobs of the view. Returns their number.
  std::size_t add_running(Problem& view) const {
    const Instant end = view.start + view.slot * static_cast<std::int64_t>(view.slots);
    for (std::size_t i = 0; i < started_.size(); ++i) {
      const Job& job = problem_.jobs[i];
      if (!started_[i] || started_[i]->start + job.modes.front().duration <= view.start) continue;
      view.jobs.push_back(job);
      view.jobs.back().fixed = started_[i];
      view.jobs.back().finish_by = std::max(job.finish_by, end);
    }
    return view.jobs.size();
  }

  [[nodiscard]] static Instant latest_start(const Job& job) { return job.finish_by - job.modes.front().duration; }

  const Problem& problem_;
  const BacktestOptions& options_;
  Parallel& parallel_;
  View view_;
  std::vector<std::size_t> by_arrival_;  ///< jobs in order of arrival; the first `arrived_` are known
  std::size_t arrived_ = 0;
  std::vector<std::size_t> waiting_;
  Decisions started_;
};

Decisions decide(Policy policy, const Problem& problem, const BacktestOptions& options, Parallel& parallel,
                 const std::function<void(Policy, double)>& progress, std::stop_token stop) {
  switch (policy) {
    case Policy::run_now: return decisions_of(problem, run_now_plan(problem));
    case Policy::greedy: return decisions_of(problem, greedy_plan(problem));
    case Policy::plan: return Rolling{problem, options, parallel}.run(progress, stop);
    case Policy::clairvoyant: return decisions_of(problem, solve(problem, options.solve, parallel, stop).plan);
  }
  require(false, "unknown policy");
  return {};
}

}  // namespace

std::string_view to_text(Policy policy) {
  switch (policy) {
    case Policy::run_now: return "run-now";
    case Policy::greedy: return "greedy";
    case Policy::plan: return "plan";
    case Policy::clairvoyant: return "clairvoyant";
  }
  return "";
}

std::vector<PolicyOutcome> run_backtest(const Problem& problem, const BacktestOptions& options, Parallel& parallel,
                                        const std::function<void(Policy, double)>& progress, std::stop_token stop) {
  std::vector<PolicyOutcome> outcomes;
  for (const Policy policy : options.policies) {
    outcomes.push_back(live_out(policy, problem, decide(policy, problem, options, parallel, progress, stop)));
  }
  return outcomes;
}

}  // namespace valle::service::app
