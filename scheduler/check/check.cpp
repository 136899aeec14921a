// SPDX-License-Identifier: Apache-2.0
#include "scheduler/check/check.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "scheduler/check/walk.hpp"

namespace valle::scheduler {
namespace {

using checking::Findings;
using checking::Run;

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Turns names into indexes; what has no meaning becomes a finding and no run.
class Resolver {
 public:
  Resolver(const Problem& problem, Findings& findings) : problem_{problem}, findings_{findings} {
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) jobs_[problem.jobs[j].id] = j;
    for (std::size_t s = 0; s < problem.sites.size(); ++s) sites_[lower_case(problem.sites[s].name)] = s;
  }

  std::vector<Run> runs(const ClaimedPlan& plan) {
    std::vector<std::size_t> mentions(problem_.jobs.size(), 0);
    std::vector<Run> runs;
    for (const ClaimedPlan::Claim& claim : plan.placements) {
      const auto job = mention(claim.job, mentions);
      if (job) resolve(claim, *job, runs);
    }
    for (const std::string& id : plan.unplaced) {
      const auto job = mention(id, mentions);
      if (job && problem_.jobs[*job].fixed) {
        findings_.add(ViolationKind::fixed_moved,
                      "job \"" + id + "\" is fixed to site \"" + problem_.sites[problem_.jobs[*job].fixed->site].name +
                          "\" at " + format_instant(problem_.jobs[*job].fixed->start) + " but listed as unplaced");
      }
    }
    for (std::size_t j = 0; j < mentions.size(); ++j) {
      if (mentions[j] > 0) continue;
      findings_.add(ViolationKind::not_accounted_for,
                    "job \"" + problem_.jobs[j].id + "\" is neither placed nor listed as unplaced");
    }
    return runs;
  }

 private:
  std::optional<std::size_t> mention(const std::string& id, std::vector<std::size_t>& mentions) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) {
      findings_.add(ViolationKind::unknown_job, "the problem has no job \"" + id + "\"");
      return {};
    }
    if (++mentions[found->second] == 2) {
      findings_.add(ViolationKind::placed_twice, "job \"" + id + "\" is accounted for more than once");
    }
    return found->second;
  }

  void resolve(const ClaimedPlan::Claim& claim, std::size_t job, std::vector<Run>& runs) {
    const auto site = sites_.find(lower_case(claim.site));
    if (site == sites_.end()) {
      findings_.add(ViolationKind::unknown_site,
                    "job \"" + claim.job + "\": the problem has no site \"" + claim.site + "\"");
      return;
    }
    const auto mode = mode_of(problem_.jobs[job], claim);
    if (!mode || !segments_apart(claim)) return;
    runs.push_back({job, site->second, *mode, claim.segments, &claim});
  }

  std::optional<std::size_t> mode_of(const Job& job, const ClaimedPlan::Claim& claim) {
    if (!claim.mode && (job.modes.size() == 1 || job.modes[0].name.empty())) return 0;
    for (std::size_t m = 0; claim.mode && m < job.modes.size(); ++m) {
      if (job.modes[m].name == *claim.mode) return m;
    }
    findings_.add(ViolationKind::unknown_mode,
                  "job \"" + job.id +
                      "\": " + (claim.mode ? "it has no mode \"" + *claim.mode + "\"" : "its mode is not said") +
                      ", of " + std::to_string(job.modes.size()));
    return {};
  }

  bool segments_apart(const ClaimedPlan::Claim& claim) {
    const std::string who = "job \"" + claim.job + "\" at site \"" + claim.site + "\"";
    if (claim.segments.empty()) {
      findings_.add(ViolationKind::wrong_duration, who + " is placed without a segment");
      return false;
    }
    for (std::size_t i = 0; i < claim.segments.size(); ++i) {
      const Interval& segment = claim.segments[i];
      if (!segment.empty() && (i == 0 || claim.segments[i - 1].end < segment.begin)) continue;
      findings_.add(ViolationKind::segments_overlap,
                    who + ": the segment from " + format_instant(segment.begin) + " to " + format_instant(segment.end) +
                        (segment.empty() ? " is empty" : " does not begin after the one before has ended"));
      return false;
    }
    return true;
  }

  const Problem& problem_;
  Findings& findings_;
  std::unordered_map<std::string_view, std::size_t> jobs_;
  std::unordered_map<std::string, std::size_t> sites_;
};

}  // namespace

std::string_view to_text(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::unknown_job: return "unknown-job";
    case ViolationKind::unknown_site: return "unknown-site";
    case ViolationKind::unknown_mode: return "unknown-mode";
    case ViolationKind::placed_twice: return "placed-twice";
    case ViolationKind::not_accounted_for: return "not-accounted-for";
    case ViolationKind::site_not_allowed: return "site-not-allowed";
    case ViolationKind::before_earliest_start: return "before-earliest-start";
    case ViolationKind::after_finish_by: return "after-finish-by";
    case ViolationKind::off_boundary: return "off-boundary";
    case ViolationKind::wrong_duration: return "wrong-duration";
    case ViolationKind::beyond_horizon: return "beyond-horizon";
    case ViolationKind::over_capacity: return "over-capacity";
    case ViolationKind::ramp_exceeded: return "ramp-exceeded";
    case ViolationKind::fixed_moved: return "fixed-moved";
    case ViolationKind::group_split: return "group-split";
    case ViolationKind::too_many_pauses: return "too-many-pauses";
    case ViolationKind::segment_too_short: return "segment-too-short";
    case ViolationKind::segments_overlap: return "segments-overlap";
    case ViolationKind::wrong_energy: return "wrong-energy";
    case ViolationKind::wrong_emissions: return "wrong-emissions";
    case ViolationKind::wrong_total: return "wrong-total";
    case ViolationKind::bound_above_plan: return "bound-above-plan";
  }
  return "";
}

std::vector<Violation> check(const Problem& problem, const ClaimedPlan& plan) {
  Findings findings;
  const std::vector<Run> runs = Resolver{problem, findings}.runs(plan);
  for (const Run& run : runs) {
    checking::check_run(problem, run, findings);
    checking::check_account(problem, run, findings);
  }
  checking::check_groups(problem, runs, findings);
  checking::check_capacity(problem, runs, findings);
  checking::check_ramps(problem, runs, findings);
  checking::check_totals(problem, plan, runs, findings);
  return findings.take();
}

ClaimedPlan claims_of(const Problem& problem, const Plan& plan, std::optional<Emissions> lower_bound) {
  ClaimedPlan claims;
  claims.placements.reserve(plan.placements.size());
  for (const Placement& placement : plan.placements) {
    const Job& job = problem.jobs[placement.job];
    claims.placements.push_back({.job = job.id,
                                 .site = problem.sites[placement.site].name,
                                 .mode = job.modes[placement.mode].name,
                                 .segments = placement.segments,
                                 .energy = placement.energy,
                                 .facility_energy = placement.facility_energy,
                                 .emissions = placement.emissions});
  }
  for (const Unplaced& unplaced : plan.unplaced) claims.unplaced.push_back(problem.jobs[unplaced.job].id);
  claims.emissions = plan.emissions;
  claims.run_now = plan.run_now;
  claims.lower_bound = lower_bound;
  return claims;
}

}  // namespace valle::scheduler
