// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/reasons.hpp"

#include <algorithm>

#include "scheduler/solve/fit.hpp"
#include "scheduler/solve/ledger.hpp"

namespace valle::scheduler::solving {
namespace {

std::string text(Instant t) { return format_instant(t); }

std::string in_units(std::int64_t thousandths) {
  std::string number = std::to_string(thousandths / 1000);
  if (const std::int64_t rest = thousandths % 1000; rest != 0) {
    std::string digits = std::to_string(1000 + rest).substr(1);
    while (digits.back() == '0') digits.pop_back();
    number += "." + digits;
  }
  return number;
}

/// A start that would do if the deadline were later.
struct LaterStart {
  std::int32_t start;
  std::uint32_t option;
};

/// The earliest start inside the horizon with room, whatever the deadline.
std::optional<LaterStart> start_without_deadline(const State& state, std::size_t task_index) {
  const Instance& instance = state.instance();
  const Task& task = instance.tasks[task_index];
  StartScratch scratch;
  std::optional<LaterStart> found;
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Option& option = instance.options_of(task)[o];
      const StartRange starts{task.first, std::max(0, option.latest_in_horizon - task.first + 1)};
      mark_full(state, instance.extents_of(option.footprint), site, starts, scratch);
      for (std::int32_t i = 0; i < starts.count; ++i) {
        if (scratch.full[static_cast<std::size_t>(i)] > 0) continue;
        if (!found || starts.first + i < found->start) found = LaterStart{starts.first + i, o};
        break;
      }
    }
  });
  return found;
}

/// The end of one member's run.
Instant end_of(const Problem& problem, const Instance& instance, const Task& task, std::size_t member,
               const LaterStart& later) {
  const std::uint32_t way = instance.ways_of(task, instance.options_of(task)[later.option])[member];
  return problem.start + problem.slot * std::int64_t{later.start} + Duration{instance.ways[way].seconds};
}

/// The resource of which no allowed site ever has enough, in words; empty if it is not a matter of one resource.
std::string short_of(const Problem& problem, const Job& job) {
  for (const ResourceDemand& demand : job.demand) {
    Amount most{};
    bool limited = true;
    for (const std::size_t site : job.sites) {
      const auto& capacities = problem.sites[site].capacity;
      const auto found = std::find_if(capacities.begin(), capacities.end(),
                                      [&](const ResourceCapacity& c) { return c.resource == demand.resource; });
      limited = limited && found != capacities.end();
      if (!limited) break;
      for (const Amount amount : found->per_slot) most = std::max(most, amount);
    }
    if (limited && most < demand.amount) {
      return "it needs " + in_units(demand.amount.base()) + " " + demand.resource +
             " and no allowed site ever has more than " + in_units(most.base());
    }
  }
  return {};
}

class Explainer {
 public:
  Explainer(const Problem& problem, const State& empty, const State& state, std::size_t task)
      : problem_{problem},
        instance_{state.instance()},
        empty_{empty},
        state_{state},
        task_{task},
        what_{instance_.tasks[task]} {}

  void run(std::vector<Unplaced>& unplaced) const {
    const auto alone = start_without_deadline(empty_, task_);
    for (std::size_t m = 0; m < what_.members; ++m) {
      const Job& job = problem_.jobs[instance_.members_of(what_)[m].job];
      unplaced.push_back(reason(job, m, alone));
      unplaced.back().job = instance_.members_of(what_)[m].job;
    }
  }

 private:
  Unplaced reason(const Job& job, std::size_t member, const std::optional<LaterStart>& alone) const {
    if (what_.sites == 0) {
      return {.job = 0,
              .code = UnplacedCode::no_site,
              .detail = "no site is allowed for all jobs of group \"" + job.group + "\"; allow one"};
    }
    // One that is too large for every site fits no window either: the cause that a longer window would not cure goes
    // first.
    if (!short_of(problem_, job).empty()) return no_capacity(job, member, alone);
    if (what_.latest < what_.first) return too_short(job, member, alone);
    StartScratch scratch;
    if (!fits_alone(empty_, task_, scratch)) return no_capacity(job, member, alone);
    return contention(member);
  }

  Unplaced too_short(const Job& job, std::size_t member, const std::optional<LaterStart>& alone) const {
    const auto quickest = std::min_element(job.modes.begin(), job.modes.end(),
                                           [](const Mode& a, const Mode& b) { return a.duration < b.duration; });
    const Instant start = problem_.start + problem_.slot * std::int64_t{what_.first};
    const Instant end = std::min(job.finish_by, horizon_of(problem_).end);
    Unplaced unplaced{.job = 0, .code = UnplacedCode::window_too_short, .detail = {}};
    unplaced.finish_by_that_works =
        alone ? end_of(problem_, instance_, what_, member, *alone) : start + quickest->duration;
    unplaced.detail = "it runs " + format_duration(quickest->duration) + " and can start at " + text(start) +
                      " at the earliest, but must be done by " + text(end) +
                      (end < job.finish_by ? ", where the horizon ends" : "") + "; done by " +
                      text(*unplaced.finish_by_that_works) + " would work";
    return unplaced;
  }

  Unplaced no_capacity(const Job& job, std::size_t member, const std::optional<LaterStart>& alone) const {
    Unplaced unplaced{.job = 0, .code = UnplacedCode::no_capacity, .detail = short_of(problem_, job)};
    if (alone) unplaced.finish_by_that_works = end_of(problem_, instance_, what_, member, *alone);
    if (!unplaced.detail.empty()) return unplaced;
    unplaced.detail = "no allowed site has room for its whole run inside its window, even with no other job";
    unplaced.detail += alone ? "; done by " + text(*unplaced.finish_by_that_works) + " would work"
                             : ", nor later in the horizon; it needs more capacity or another site";
    return unplaced;
  }

  Unplaced contention(std::size_t member) const {
    Unplaced unplaced{.job = 0,
                      .code = UnplacedCode::contention,
                      .detail = "it would fit alone, but other jobs hold the capacity in its window"};
    if (const auto later = start_without_deadline(state_, task_)) {
      unplaced.finish_by_that_works = end_of(problem_, instance_, what_, member, *later);
      unplaced.detail += "; done by " + text(*unplaced.finish_by_that_works) + " would work";
    }
    return unplaced;
  }

  const Problem& problem_;
  const Instance& instance_;
  const State& empty_;
  const State& state_;
  std::size_t task_;
  const Task& what_;
};

}  // namespace

void explain_unplaced(const Problem& problem, const State& empty, const State& state, std::size_t task,
                      std::vector<Unplaced>& unplaced) {
  Explainer{problem, empty, state, task}.run(unplaced);
}

}  // namespace valle::scheduler::solving
