// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "scheduler/check/walk.hpp"

// Rules on one run alone, and on the runs of a group: where, when, how long, in which pieces.
namespace valle::scheduler::checking {
namespace {

std::string text(Instant t) { return format_instant(t); }
std::string text(Duration d) { return format_duration(d); }

void check_site(const Problem& problem, const Run& run, Findings& findings) {
  const Job& job = problem.jobs[run.job];
  if (std::find(job.sites.begin(), job.sites.end(), run.site) != job.sites.end()) return;
  findings.add(ViolationKind::site_not_allowed, job_at_site(problem, run) + " at " + text(run.segments.front().begin) +
                                                    ": not one of its " + std::to_string(job.sites.size()) +
                                                    " allowed sites");
}

void check_window(const Problem& problem, const Run& run, Findings& findings) {
  const Job& job = problem.jobs[run.job];
  const Instant start = run.segments.front().begin, end = run.segments.back().end;
  const std::string who = job_at_site(problem, run);
  if (start < job.earliest_start) {
    findings.add(ViolationKind::before_earliest_start,
                 who + " starts at " + text(start) + ", before its earliest start " + text(job.earliest_start));
  }
  if (end > job.finish_by) {
    findings.add(ViolationKind::after_finish_by,
                 who + " ends at " + text(end) + ", after its finish-by " + text(job.finish_by));
  }
  const Interval all = horizon(problem);
  if (start < all.begin || end > all.end) {
    findings.add(ViolationKind::beyond_horizon, who + " runs from " + text(start) + " to " + text(end) +
                                                    ", outside the horizon " + text(all.begin) + " to " +
                                                    text(all.end));
  }
}

void check_boundaries(const Problem& problem, const Run& run, Findings& findings) {
  const std::string who = job_at_site(problem, run), slot = text(problem.slot);
  int ends_inside = 0;
  for (const Interval& segment : run.segments) {
    if (!on_boundary(problem, segment.begin)) {
      findings.add(ViolationKind::off_boundary, who + " starts at " + text(segment.begin) +
                                                    ", not a multiple of the slot " + slot + " from " +
                                                    text(problem.start));
    }
    const bool at_edge = segment.end == problem.jobs[run.job].finish_by;
    if (!on_boundary(problem, segment.end) && !at_edge && ++ends_inside > 1) {
      findings.add(ViolationKind::off_boundary,
                   who + " ends a second segment inside a slot of " + slot + ", at " + text(segment.end) + "; one may");
    }
  }
}

void check_duration(const Problem& problem, const Run& run, Findings& findings) {
  const Job& job = problem.jobs[run.job];
  Duration planned{0};
  for (const Interval& segment : run.segments) planned += segment.length();
  Duration needed = job.modes[run.mode].duration;
  if (job.interruption) needed += job.interruption->restart * static_cast<std::int64_t>(run.segments.size() - 1);
  if (planned == needed) return;
  findings.add(ViolationKind::wrong_duration, job_at_site(problem, run) + " from " + text(run.segments.front().begin) +
                                                  " runs " + text(planned) + "; it needs " + text(needed));
}

void check_pauses(const Problem& problem, const Run& run, Findings& findings) {
  const Job& job = problem.jobs[run.job];
  const std::size_t pauses = run.segments.size() - 1;
  if (pauses == 0) return;
  const std::string who = job_at_site(problem, run);
  const int most = job.interruption && !job.fixed ? job.interruption->max_pauses.value_or(ProblemLimits::k_pauses) : 0;
  if (pauses > static_cast<std::size_t>(most)) {
    findings.add(ViolationKind::too_many_pauses, who + " from " + text(run.segments.front().begin) + " pauses " +
                                                     std::to_string(pauses) + " times; at most " +
                                                     std::to_string(most));
  }
  if (!job.interruption) return;
  // a job shorter than the shortest segment runs through; a resumed segment gets on after the restart
  const Duration shortest = std::min(job.interruption->min_run, job.modes[run.mode].duration);
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Duration least = std::max(shortest, i == 0 ? Duration{1} : job.interruption->restart + Duration{1});
    if (run.segments[i].length() >= least) continue;
    findings.add(ViolationKind::segment_too_short, who + " has a segment of " + text(run.segments[i].length()) +
                                                       " at " + text(run.segments[i].begin) + "; the shortest is " +
                                                       text(least));
  }
}

void check_fixed(const Problem& problem, const Run& run, Findings& findings) {
  const FixedStart& fixed = *problem.jobs[run.job].fixed;
  const Instant start = run.segments.front().begin;
  if (run.site == fixed.site && start == fixed.start && run.mode == 0) return;
  findings.add(ViolationKind::fixed_moved, job_at_site(problem, run) + " starts at " + text(start) +
                                               "; it is fixed to site \"" + problem.sites[fixed.site].name + "\" at " +
                                               text(fixed.start) + " in its first mode");
}

}  // namespace

void check_run(const Problem& problem, const Run& run, Findings& findings) {
  if (problem.jobs[run.job].fixed) {
    check_fixed(problem, run, findings);
  } else {
    check_site(problem, run, findings);
    check_window(problem, run, findings);
    check_boundaries(problem, run, findings);
  }
  check_pauses(problem, run, findings);
  check_duration(problem, run, findings);
}

void check_groups(const Problem& problem, const std::vector<Run>& runs, Findings& findings) {
  std::map<std::string_view, const Run*> first;  // of each group
  std::map<std::string_view, std::size_t> placed;
  for (const Run& run : runs) {
    const std::string& group = problem.jobs[run.job].group;
    if (group.empty()) continue;
    ++placed[group];
    const Run& leader = *first.try_emplace(group, &run).first->second;
    if (leader.site == run.site && leader.segments.front().begin == run.segments.front().begin) continue;
    findings.add(ViolationKind::group_split, job_at_site(problem, run) + " starts at " +
                                                 text(run.segments.front().begin) + " but " +
                                                 job_at_site(problem, leader) + " of its group \"" + group + "\" at " +
                                                 text(leader.segments.front().begin));
  }
  std::map<std::string_view, std::size_t> members;
  for (const Job& job : problem.jobs) members[job.group] += 1;
  for (const auto& [group, count] : placed) {
    if (count >= members[group]) continue;
    findings.add(ViolationKind::group_split, "of group \"" + std::string{group} + "\" " + std::to_string(count) +
                                                 " jobs are placed, of " + std::to_string(members[group]) +
                                                 ": a group runs as a whole");
  }
}

}  // namespace valle::scheduler::checking
