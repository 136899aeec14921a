// SPDX-License-Identifier: Apache-2.0
#include "scheduler/check/walk.hpp"

// Rules on energy and carbon: of each run, and of the plan.
namespace valle::scheduler::checking {
namespace {

/// Equal but for one base unit of rounding in each of `roundings` numbers.
template <class Value>
bool agree(Value claimed, Value walked, std::size_t roundings = 1) {
  const std::int64_t difference = (claimed - walked).base();
  const auto most = static_cast<std::int64_t>(roundings);
  return -most <= difference && difference <= most;
}

}  // namespace

void check_account(const Problem& problem, const Run& run, Findings& findings) {
  const Account walked = account_of(problem, run);
  const ClaimedPlan::Claim& claim = *run.claim;
  const std::string who = job_at_site(problem, run) + " from " + format_instant(run.segments.front().begin);
  if (claim.energy && !agree(*claim.energy, walked.energy)) {
    findings.add(ViolationKind::wrong_energy,
                 who + " claims " + in_kwh(*claim.energy) + "; it uses " + in_kwh(walked.energy));
  }
  if (claim.facility_energy && !agree(*claim.facility_energy, walked.facility_energy)) {
    findings.add(ViolationKind::wrong_energy, who + " claims " + in_kwh(*claim.facility_energy) +
                                                  " with PUE; it uses " + in_kwh(walked.facility_energy));
  }
  if (claim.emissions && !agree(*claim.emissions, walked.emissions)) {
    findings.add(ViolationKind::wrong_emissions,
                 who + " claims " + in_grams(*claim.emissions) + "; it emits " + in_grams(walked.emissions));
  }
}

void check_totals(const Problem& problem, const ClaimedPlan& plan, const std::vector<Run>& runs, Findings& findings) {
  Emissions emissions{}, run_now{};
  for (const Run& run : runs) {
    emissions += account_of(problem, run).emissions;
    run_now += run_now_of(problem, run);
  }
  if (plan.emissions && !agree(*plan.emissions, emissions, runs.size())) {
    findings.add(ViolationKind::wrong_total,
                 "the plan claims " + in_grams(*plan.emissions) + " in all; its runs emit " + in_grams(emissions));
  }
  if (plan.run_now && !agree(*plan.run_now, run_now, runs.size())) {
    findings.add(ViolationKind::wrong_total, "the plan claims " + in_grams(*plan.run_now) +
                                                 " for running everything at once at home; that emits " +
                                                 in_grams(run_now));
  }
  if (!plan.lower_bound) return;
  const Emissions reached = plan.emissions.value_or(emissions);
  if (*plan.lower_bound > reached) {
    findings.add(ViolationKind::bound_above_plan,
                 "the lower bound " + in_grams(*plan.lower_bound) + " lies above the plan's own " + in_grams(reached));
  }
}

}  // namespace valle::scheduler::checking
