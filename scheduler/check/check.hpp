// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/plan.hpp"

namespace valle::scheduler {

/// What a plan claims, as far as it claims it. Totals that a plan file leaves out are not compared.
struct ClaimedPlan {
  struct Claim {
    std::string job;
    std::string site;
    std::optional<std::string> mode = {};
    std::vector<Interval> segments = {};
    std::optional<Energy> energy = {};
    std::optional<Energy> facility_energy = {};
    std::optional<Emissions> emissions = {};
  };
  std::vector<Claim> placements = {};
  std::vector<std::string> unplaced = {};
  std::optional<Emissions> emissions = {};
  std::optional<Emissions> run_now = {};
  std::optional<Emissions> lower_bound = {};
};

enum class ViolationKind {
  unknown_job,
  unknown_site,
  unknown_mode,
  placed_twice,
  not_accounted_for,
  site_not_allowed,
  before_earliest_start,
  after_finish_by,
  off_boundary,
  wrong_duration,
  beyond_horizon,
  over_capacity,
  ramp_exceeded,
  fixed_moved,
  group_split,
  too_many_pauses,
  segment_too_short,
  segments_overlap,
  wrong_energy,
  wrong_emissions,
  wrong_total,
  bound_above_plan,
};
[[nodiscard]] std::string_view to_text(ViolationKind kind);

struct Violation {
  ViolationKind kind;
  std::string detail;  ///< names job, site, slot and the numbers on both sides
  friend bool operator==(const Violation&, const Violation&) = default;
};

/// Walks a plan slot by slot, sharing no arithmetic with the solver (no prefix sums), and names every violation. An
/// empty result means: the plan is right. Emissions and energy may differ by rounding: 1 mg and 1 mWh a placement.
/// `problem` must have passed `validate`. Site names match without regard to case.
[[nodiscard]] std::vector<Violation> check(const Problem& problem, const ClaimedPlan& plan);

/// The claims of a plan of our own, by name.
[[nodiscard]] ClaimedPlan claims_of(const Problem& problem, const Plan& plan,
                                    std::optional<Emissions> lower_bound = {});

}  // namespace valle::scheduler
