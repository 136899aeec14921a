// SPDX-License-Identifier: Apache-2.0
#include "scheduler/check/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problems.hpp"

namespace valle::tests {
namespace {

using core::ClaimedPlan;
using core::Interval;
using core::Problem;
using core::ViolationKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Interval hours(double from, double to) { return {hour(from), hour(to)}; }

ClaimedPlan::Claim a_run(std::string job, std::string site, std::vector<Interval> segments) {
  return {.job = std::move(job), .site = std::move(site), .mode = {}, .segments = std::move(segments)};
}

std::vector<ViolationKind> kinds(const Problem& problem, const ClaimedPlan& plan) {
  EXPECT_TRUE(validate(problem).has_value());
  std::vector<ViolationKind> found;
  for (const core::Violation& violation : core::check(problem, plan)) found.push_back(violation.kind);
  return found;
}

std::string first_detail(const Problem& problem, const ClaimedPlan& plan) {
  const auto violations = core::check(problem, plan);
  return violations.empty() ? "" : violations[0].detail;
}

/// Two sites of six hours; fr holds 4 GPUs.
ProblemBuilder two_sites() {
  return a_problem(6)
      .with(a_site("fr", {10, 20, 30, 40, 50, 60}).pue(1.5).holding("gpu", 4))
      .with(a_site("es", {90, 90, 90, 90, 90, 90}));
}
/// `two_sites` with one job of 1 kW for two hours.
Problem one_job() { return two_sites().with(a_job("a").running(2h).needing("gpu", 3).at({0}).from(1).done_by(5)); }

TEST(Check, accepts_a_right_plan_with_right_numbers) {
  ClaimedPlan plan{.placements = {a_run("a", "FR", {hours(1, 3)})}};
  plan.placements[0].mode = "";
  plan.placements[0].energy = core::energy_from_kwh(2);
  plan.placements[0].facility_energy = core::energy_from_kwh(3);
  plan.placements[0].emissions = core::Emissions::of_base(75'000);  // 1.5 · (20 + 30)
  plan.emissions = core::Emissions::of_base(75'000);
  plan.run_now = core::Emissions::of_base(75'000);
  plan.lower_bound = core::Emissions::of_base(75'000);
  EXPECT_THAT(core::check(one_job(), plan), IsEmpty());
}

TEST(Check, accepts_a_plan_that_claims_no_numbers) {
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "fr", {hours(2, 4)})}}), IsEmpty());
  EXPECT_THAT(kinds(one_job(), {.placements = {}, .unplaced = {"a"}}), IsEmpty());
}

TEST(Check, names_jobs_sites_and_modes_that_do_not_exist) {
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("b", "fr", {hours(1, 3)})}, .unplaced = {"a"}}),
              ElementsAre(ViolationKind::unknown_job));
  EXPECT_THAT(kinds(one_job(), {.placements = {}, .unplaced = {"a", "c"}}), ElementsAre(ViolationKind::unknown_job));
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "pt", {hours(1, 3)})}}),
              ElementsAre(ViolationKind::unknown_site));
  ClaimedPlan plan{.placements = {a_run("a", "fr", {hours(1, 3)})}};
  plan.placements[0].mode = "turbo";
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::unknown_mode));
}

TEST(Check, asks_for_the_mode_where_there_are_several) {
  const Problem problem = two_sites().with(a_job("a").modes({a_mode("fast", 2000, 1h), a_mode("slow", 900, 2h)}));
  ClaimedPlan plan{.placements = {a_run("a", "fr", {hours(1, 3)})}};
  EXPECT_THAT(kinds(problem, plan), ElementsAre(ViolationKind::unknown_mode));
  plan.placements[0].mode = "slow";
  EXPECT_THAT(kinds(problem, plan), IsEmpty());
  plan.placements[0].mode = "fast";
  EXPECT_THAT(kinds(problem, plan), ElementsAre(ViolationKind::wrong_duration));
}

TEST(Check, wants_each_job_accounted_for_exactly_once) {
  EXPECT_THAT(kinds(one_job(), {}), ElementsAre(ViolationKind::not_accounted_for));
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "fr", {hours(1, 3)})}, .unplaced = {"a"}}),
              ElementsAre(ViolationKind::placed_twice));
}

TEST(Check, holds_a_job_to_its_sites_and_its_window) {
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "es", {hours(1, 3)})}}),
              ElementsAre(ViolationKind::site_not_allowed));
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "fr", {hours(0, 2)})}}),
              ElementsAre(ViolationKind::before_earliest_start));
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "fr", {hours(4, 6)})}}),
              ElementsAre(ViolationKind::after_finish_by));
  EXPECT_EQ(first_detail(one_job(), {.placements = {a_run("a", "fr", {hours(4, 6)})}}),
            "job \"a\" at site \"fr\" ends at 2027-10-11T06:00:00Z, after its finish-by 2027-10-11T05:00:00Z");
}

TEST(Check, keeps_runs_inside_the_horizon_and_on_boundaries) {
  const Problem problem = two_sites().with(a_job("a").running(2h));
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", {hours(5, 7)})}}),
              ElementsAre(ViolationKind::beyond_horizon));
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", {hours(0.5, 2.5)})}}),
              ElementsAre(ViolationKind::off_boundary));
}

TEST(Check, compares_the_length_of_a_run_to_the_second) {
  const ClaimedPlan plan{.placements = {a_run("a", "fr", {{hour(1), hour(3) - 1s}})}};
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::wrong_duration));
  EXPECT_THAT(first_detail(one_job(), plan), HasSubstr("runs PT1H59M59S; it needs PT2H"));
  EXPECT_THAT(kinds(one_job(), {.placements = {a_run("a", "fr", {})}}), ElementsAre(ViolationKind::wrong_duration));
}

TEST(Check, counts_what_is_held_in_every_touched_slot) {
  const Problem problem =
      two_sites().with(a_job("a").running(90min).needing("gpu", 3)).with(a_job("b").running(1h).needing("gpu", 2));
  const ClaimedPlan plan{.placements = {a_run("a", "fr", {hours(1, 2.5)}), a_run("b", "fr", {hours(2, 3)})}};
  EXPECT_THAT(kinds(problem, plan), ElementsAre(ViolationKind::over_capacity));
  EXPECT_EQ(first_detail(problem, plan),
            "site \"fr\" in the slot of 2027-10-11T02:00:00Z: 5 gpu held of 4, among others by job \"b\"");
}

TEST(Check, forgives_running_jobs_that_hold_more_than_there_is_but_lets_none_join_them) {
  const Problem problem = two_sites()
                              .with(a_job("runs").running(2h).needing("gpu", 6).fixed(0, -1))
                              .with(a_job("a").running(1h).needing("gpu", 1));
  const auto run = a_run("runs", "fr", {hours(-1, 1)});
  EXPECT_THAT(kinds(problem, {.placements = {run, a_run("a", "fr", {hours(1, 2)})}}), IsEmpty());
  EXPECT_THAT(kinds(problem, {.placements = {run, a_run("a", "fr", {hours(0, 1)})}}),
              ElementsAre(ViolationKind::over_capacity));
}

TEST(Check, watches_how_fast_planned_power_rises) {
  const Problem problem = a_problem(4)
                              .with(a_site("fr", {10, 10, 10, 10}).ramping(1500))
                              .with(a_job("a").running(1h))
                              .with(a_job("b").running(1h))
                              .with(a_job("c").running(1h));
  const auto plan = [](double a, double b, double c) {
    return ClaimedPlan{.placements = {a_run("a", "fr", {hours(a, a + 1)}), a_run("b", "fr", {hours(b, b + 1)}),
                                      a_run("c", "fr", {hours(c, c + 1)})}};
  };
  EXPECT_THAT(kinds(problem, plan(0, 1, 1)), IsEmpty());  // one ends where two start
  EXPECT_THAT(kinds(problem, plan(0, 2, 2)), ElementsAre(ViolationKind::ramp_exceeded));
  EXPECT_THAT(kinds(problem, plan(0, 0, 1)), ElementsAre(ViolationKind::ramp_exceeded));
  EXPECT_THAT(first_detail(problem, plan(0, 2, 2)), HasSubstr("rises by 2000 W; at most 1500 W"));
}

TEST(Check, sees_that_fixed_jobs_stay) {
  const Problem problem = two_sites().with(a_job("a").running(2h).fixed(0, 1.5));
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", {hours(1.5, 3.5)})}}), IsEmpty());
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", {hours(2, 4)})}}),
              ElementsAre(ViolationKind::fixed_moved));
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "es", {hours(1.5, 3.5)})}}),
              ElementsAre(ViolationKind::fixed_moved));
  EXPECT_THAT(kinds(problem, {.placements = {}, .unplaced = {"a"}}), ElementsAre(ViolationKind::fixed_moved));
}

TEST(Check, keeps_groups_together) {
  const Problem problem = two_sites().with(a_job("a").in_group("g")).with(a_job("b").running(2h).in_group("g"));
  const auto plan = [](std::string site, double start) {
    return ClaimedPlan{
        .placements = {a_run("a", "fr", {hours(1, 2)}), a_run("b", std::move(site), {hours(start, start + 2)})}};
  };
  EXPECT_THAT(kinds(problem, plan("fr", 1)), IsEmpty());
  EXPECT_THAT(kinds(problem, plan("fr", 2)), ElementsAre(ViolationKind::group_split));
  EXPECT_THAT(kinds(problem, plan("es", 1)), ElementsAre(ViolationKind::group_split));
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", {hours(1, 2)})}, .unplaced = {"b"}}),
              ElementsAre(ViolationKind::group_split));
}

TEST(Check, knows_the_rule_of_pauses) {
  const core::Interruption rule{
      .min_run = 1h, .restart = 600s, .restart_energy = core::energy_from_kwh(0.5), .max_pauses = 1};
  const Problem problem = two_sites().with(a_job("a").running(2h).interruptible(rule));
  const auto plan = [](std::vector<Interval> segments) {
    return ClaimedPlan{.placements = {a_run("a", "fr", std::move(segments))}};
  };
  EXPECT_THAT(kinds(problem, plan({hours(0, 2)})), IsEmpty());
  const Interval resumed{hour(3), hour(4) + 600s};
  EXPECT_THAT(kinds(problem, plan({hours(0, 1), resumed})), IsEmpty());
  EXPECT_THAT(kinds(problem, plan({hours(0, 1), hours(3, 4)})), ElementsAre(ViolationKind::wrong_duration));
  EXPECT_THAT(kinds(problem, plan({hours(0, 1), {hour(2), hour(3) - 600s}, {hour(4), hour(4) + 1800s}})),
              ElementsAre(ViolationKind::off_boundary, ViolationKind::too_many_pauses, ViolationKind::segment_too_short,
                          ViolationKind::segment_too_short));
  EXPECT_THAT(kinds(problem, plan({hours(0, 2), {hour(3), hour(3) + 600s}})),  // resumes and gets nowhere
              ElementsAre(ViolationKind::segment_too_short));
  ClaimedPlan with_numbers = plan({hours(0, 1), resumed});
  with_numbers.placements[0].energy = core::energy_from_kwh(1 + 1 + 1.0 / 6 + 0.5);
  // 1.5 · (10 + 40 + 50 / 6 + 0.5 · 40)
  with_numbers.placements[0].emissions = core::Emissions::of_base(117'500);
  EXPECT_THAT(kinds(problem, with_numbers), IsEmpty());
}

TEST(Check, lets_only_interruptible_jobs_pause) {
  const Problem problem = two_sites().with(a_job("a").running(2h));
  EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", {hours(0, 1), hours(3, 4)})}}),
              ElementsAre(ViolationKind::too_many_pauses));
}

TEST(Check, wants_segments_apart_and_in_order) {
  const Problem problem = two_sites().with(a_job("a").running(2h).interruptible());
  for (const auto& segments : {std::vector{hours(0, 1), hours(1, 2)}, std::vector{hours(3, 4), hours(0, 1)},
                               std::vector{hours(0, 2), hours(1, 3)}, std::vector{hours(2, 1)}}) {
    EXPECT_THAT(kinds(problem, {.placements = {a_run("a", "fr", segments)}}),
                ElementsAre(ViolationKind::segments_overlap));
  }
}

TEST(Check, recomputes_energy_and_emissions_of_every_run) {
  ClaimedPlan plan{.placements = {a_run("a", "fr", {hours(1, 3)})}};
  plan.placements[0].energy = core::Energy::of_base(2'000'001);  // a rounding apart
  EXPECT_THAT(kinds(one_job(), plan), IsEmpty());
  plan.placements[0].energy = core::energy_from_kwh(3);
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::wrong_energy));
  plan.placements[0].energy.reset();
  plan.placements[0].facility_energy = core::energy_from_kwh(2);
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::wrong_energy));
  plan.placements[0].facility_energy.reset();
  plan.placements[0].emissions = core::Emissions::of_base(74'998);
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::wrong_emissions));
  EXPECT_THAT(first_detail(one_job(), plan), HasSubstr("claims 74.998 g; it emits 75 g"));
}

TEST(Check, adds_the_network_to_what_moves) {
  const Problem problem =
      two_sites().with(a_site("de", {100, 200, 300, 400, 500, 600}).moving_for(0.02)).with(a_job("a").moving(10));
  ClaimedPlan plan{.placements = {a_run("a", "de", {hours(2, 3)})}};
  plan.placements[0].emissions = core::Emissions::of_base(300'000 + 60'000);
  plan.placements[0].facility_energy = core::energy_from_kwh(1);
  EXPECT_THAT(kinds(problem, plan), IsEmpty());
}

TEST(Check, adds_up_the_totals) {
  ClaimedPlan plan{.placements = {a_run("a", "fr", {hours(2, 4)})}};  // 105 g; at once 75 g
  plan.emissions = core::Emissions::of_base(105'001);
  plan.run_now = core::Emissions::of_base(75'000);
  EXPECT_THAT(kinds(one_job(), plan), IsEmpty());
  plan.emissions = core::Emissions::of_base(104'000);
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::wrong_total));
  plan.emissions = core::Emissions::of_base(105'000);
  plan.run_now = core::Emissions::of_base(105'000);
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::wrong_total));
}

TEST(Check, refuses_a_bound_above_the_plan) {
  ClaimedPlan plan{.placements = {a_run("a", "fr", {hours(1, 3)})}};
  plan.lower_bound = core::Emissions::of_base(75'001);
  EXPECT_THAT(kinds(one_job(), plan), ElementsAre(ViolationKind::bound_above_plan));
  plan.lower_bound = core::Emissions::of_base(75'000);
  EXPECT_THAT(kinds(one_job(), plan), IsEmpty());
}

TEST(Check, has_a_word_for_every_kind) {
  for (int kind = 0; kind <= static_cast<int>(ViolationKind::bound_above_plan); ++kind) {
    EXPECT_NE(to_text(static_cast<ViolationKind>(kind)), "");
  }
}

}  // namespace
}  // namespace valle::tests
