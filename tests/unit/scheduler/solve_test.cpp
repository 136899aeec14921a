// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/check/check.hpp"
#include "tests/support/problems.hpp"

namespace valle::tests {
namespace {

using core::Placement;
using core::Plan;
using core::Problem;
using core::Solution;
using core::UnplacedCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Solution solved(const Problem& problem, core::SolveOptions options = {}) {
  EXPECT_TRUE(validate(problem).has_value());
  core::Sequential sequential;
  Solution solution = core::solve(problem, options, sequential);
  for (const core::Violation& violation :
       core::check(problem, core::claims_of(problem, solution.plan, solution.lower_bound))) {
    ADD_FAILURE() << to_text(violation.kind) << ": " << violation.detail;
  }
  return solution;
}

/// Where and when a job starts: {site, hours after the problem's start}.
std::pair<std::size_t, double> run_of(const Plan& plan, std::size_t job) {
  for (const Placement& placement : plan.placements) {
    if (placement.job == job)
      return {placement.site, static_cast<double>((placement.start() - hour(0)).count()) / 3600};
  }
  return {99, -1};
}

using Where = std::pair<std::size_t, double>;

TEST(Solve, decides_who_goes_where_for_all_jobs_together) {
  const Problem problem = a_problem(6)
                              .with(a_site("fr", {40, 38, 35, 36, 60, 70}).holding("gpu", 4))
                              .with(a_site("es", {150, 120, 90, 80, 110, 160}).holding("gpu", 4))
                              .with(a_job("train-a").running(2h).drawing(3000).needing("gpu", 4).done_by(6).home(1))
                              .with(a_job("train-b").running(2h).drawing(1000).needing("gpu", 3).done_by(6).home(1))
                              .with(a_job("train-c").running(2h).drawing(2000).needing("gpu", 2).done_by(4).home(0));
  const Solution solution = solved(problem);
  EXPECT_EQ(run_of(solution.plan, 0), Where(0, 2));
  EXPECT_EQ(run_of(solution.plan, 1), Where(0, 4));
  EXPECT_EQ(run_of(solution.plan, 2), Where(0, 0));
  EXPECT_EQ(core::grams(solution.plan.placements[0].emissions), 213);
  EXPECT_EQ(core::grams(solution.plan.placements[1].emissions), 130);
  EXPECT_EQ(core::grams(solution.plan.placements[2].emissions), 156);
  EXPECT_EQ(core::grams(solution.plan.emissions), 499);
  EXPECT_EQ(core::grams(solution.plan.run_now), 1236);
  EXPECT_THAT(solution.plan.unplaced, IsEmpty());
}

TEST(Solve, sets_a_job_apart_that_can_never_fit_and_lets_it_block_nobody) {
  const Problem problem = a_problem(6)
                              .with(a_site("fr", {62, 55, 41, 44, 58, 66}).holding("gpu", 8))
                              .with(a_site("de", {390, 360, 310, 300, 340, 380}).holding("gpu", 8))
                              .with(a_job("huge").running(2h).drawing(9000).needing("gpu", 16).done_by(6).home(1))
                              .with(a_job("small-1").running(2h).drawing(2000).needing("gpu", 8).done_by(6).home(1))
                              .with(a_job("small-2").running(1h).drawing(1500).needing("gpu", 8).done_by(6).home(1));
  const Solution solution = solved(problem);
  EXPECT_EQ(run_of(solution.plan, 1), Where(0, 2));
  EXPECT_EQ(run_of(solution.plan, 2), Where(0, 1));
  EXPECT_EQ(core::grams(solution.plan.emissions), 252.5);
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].job, 0U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::no_capacity);
  EXPECT_EQ(solution.plan.unplaced[0].detail, "it needs 16 gpu and no allowed site ever has more than 8");
}

TEST(Solve, plans_an_empty_problem) {
  for (const Problem& problem :
       {Problem(a_problem(0)), Problem(a_problem(5)), Problem(a_problem(2).with(a_site("fr", {1, 2})))}) {
    const Solution solution = solved(problem);
    EXPECT_THAT(solution.plan.placements, IsEmpty());
    EXPECT_EQ(solution.lower_bound, core::Emissions{});
    EXPECT_EQ(solution.stopped_by, core::StoppedBy::converged);
  }
}

TEST(Solve, names_a_window_that_is_too_short_and_the_finish_that_would_do) {
  const Solution solution =
      solved(a_problem(6).with(a_site("fr", {1, 1, 1, 1, 1, 1})).with(a_job("a").running(2h).from(1).done_by(2.5)));
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::window_too_short);
  EXPECT_EQ(solution.plan.unplaced[0].finish_by_that_works, hour(3));
  EXPECT_THAT(solution.plan.unplaced[0].detail, HasSubstr("PT2H"));
}

TEST(Solve, says_so_when_the_horizon_is_shorter_than_the_job) {
  const Solution solution = solved(a_problem(3).with(a_site("fr", {1, 1, 1})).with(a_job("a").running(4h)));
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::window_too_short);
  EXPECT_EQ(solution.plan.unplaced[0].finish_by_that_works, hour(4));
  EXPECT_THAT(solution.plan.unplaced[0].detail, HasSubstr("where the horizon ends"));
}

TEST(Solve, names_the_finish_at_which_capacity_is_free_for_a_job_alone) {
  const Solution solution = solved(a_problem(5)
                                       .with(a_site("fr", {1, 1, 1, 1, 1}).holding("gpu", {1, 1, 0, 2, 2}))
                                       .with(a_job("a").running(2h).needing("gpu", 2).done_by(3)));
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::no_capacity);
  EXPECT_EQ(solution.plan.unplaced[0].finish_by_that_works, hour(5));
}

TEST(Solve, leaves_out_the_lower_priority_where_not_all_fit_and_names_contention) {
  const Solution solution = solved(a_problem(4)
                                       .with(a_site("fr", {10, 10, 10, 10}).holding("gpu", 1))
                                       .with(a_job("low").running(2h).needing("gpu", 1).done_by(2))
                                       .with(a_job("high").running(2h).needing("gpu", 1).done_by(2).priority(5)));
  EXPECT_EQ(run_of(solution.plan, 1), Where(0, 0));
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].job, 0U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::contention);
  EXPECT_EQ(solution.plan.unplaced[0].finish_by_that_works, hour(4));
}

TEST(Solve, places_many_small_jobs_rather_than_one_large_one) {
  const Solution solution = solved(a_problem(2)
                                       .with(a_site("fr", {10, 10}).holding("gpu", 2))
                                       .with(a_job("large").running(2h).drawing(9000).needing("gpu", 2))
                                       .with(a_job("a").running(2h).needing("gpu", 1))
                                       .with(a_job("b").running(2h).needing("gpu", 1)));
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].job, 0U);
}

TEST(Solve, keeps_a_running_job_where_it_is_and_counts_what_is_left_of_it) {
  const Solution solution = solved(a_problem(4)
                                       .with(a_site("fr", {10, 20, 30, 40}).holding("gpu", 2))
                                       .with(a_job("runs").running(3h).needing("gpu", 2).fixed(0, -1.5))
                                       .with(a_job("waits").running(1h).needing("gpu", 1)));
  EXPECT_EQ(run_of(solution.plan, 0), Where(0, -1.5));
  EXPECT_EQ(core::grams(solution.plan.placements[0].emissions), 10 + 20 * 0.5);
  EXPECT_EQ(run_of(solution.plan, 1), Where(0, 2));
}

TEST(Solve, leaves_alone_a_slot_in_which_running_jobs_hold_more_than_the_capacity) {
  const Solution solution = solved(a_problem(3)
                                       .with(a_site("fr", {10, 20, 30}).holding("gpu", 1))
                                       .with(a_job("runs").running(2h).needing("gpu", 4).fixed(0, 0))
                                       .with(a_job("waits").running(1h).needing("gpu", 1)));
  EXPECT_EQ(run_of(solution.plan, 1), Where(0, 2));
}

TEST(Solve, starts_the_jobs_of_a_group_together_at_one_site) {
  const Solution solution = solved(a_problem(4)
                                       .with(a_site("fr", {10, 20, 30, 40}).holding("gpu", {1, 3, 3, 3}))
                                       .with(a_site("es", {15, 50, 50, 50}).holding("gpu", {3, 3, 3, 3}))
                                       .with(a_job("a").running(1h).needing("gpu", 2).in_group("gang"))
                                       .with(a_job("b").running(2h).needing("gpu", 1).in_group("gang").at({0, 1})));
  EXPECT_EQ(run_of(solution.plan, 0), run_of(solution.plan, 1));
  EXPECT_EQ(run_of(solution.plan, 0), Where(0, 1));  // 20 + 20 + 30 at fr against 15 + 15 + 50 at es
}

TEST(Solve, names_a_group_without_a_common_site) {
  const Solution solution = solved(a_problem(2)
                                       .with(a_site("fr", {10, 20}))
                                       .with(a_site("es", {10, 20}))
                                       .with(a_job("a").in_group("gang").at({0}))
                                       .with(a_job("b").in_group("gang").at({1})));
  ASSERT_EQ(solution.plan.unplaced.size(), 2U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::no_site);
}

TEST(Solve, chooses_the_power_cap_that_emits_least_in_time) {
  const auto modes = std::vector<core::Mode>{a_mode("fast", 3000, 1h), a_mode("capped", 1000, 2h)};
  const Problem early = a_problem(3).with(a_site("fr", {10, 10, 10})).with(a_job("a").modes(modes).done_by(1));
  EXPECT_EQ(solved(early).plan.placements[0].mode, 0U);
  const Problem late = a_problem(3).with(a_site("fr", {10, 10, 10})).with(a_job("a").modes(modes).done_by(3));
  EXPECT_EQ(solved(late).plan.placements[0].mode, 1U);
}

TEST(Solve, spreads_starts_where_a_site_limits_its_ramp) {
  const Solution solution = solved(a_problem(4)
                                       .with(a_site("fr", {10, 20, 30, 40}).ramping(1000))
                                       .with(a_job("a").running(2h))
                                       .with(a_job("b").running(2h))
                                       .with(a_job("c").running(2h)));
  std::vector<double> starts;
  for (std::size_t j = 0; j < 3; ++j) starts.push_back(run_of(solution.plan, j).second);
  std::sort(starts.begin(), starts.end());
  EXPECT_THAT(starts, ElementsAre(0, 1, 2));
}

TEST(Solve, pauses_a_job_over_the_dirty_hours) {
  const Problem problem =
      a_problem(5).with(a_site("fr", {10, 90, 20, 90, 30})).with(a_job("a").running(2h + 30min).interruptible());
  const Solution solution = solved(problem);
  const Placement& run = solution.plan.placements[0];
  EXPECT_THAT(run.segments, ElementsAre(core::Interval{hour(0), hour(1)}, core::Interval{hour(2), hour(3)},
                                        core::Interval{hour(4), hour(4.5)}));
  EXPECT_EQ(core::grams(run.emissions), 10 + 20 + 15);
  EXPECT_NEAR(core::grams(solution.lower_bound), 45, 0.01);
}

TEST(Solve, weighs_a_pause_against_what_the_restart_costs) {
  const auto problem = [](core::Interruption rule) {
    return Problem(a_problem(4).with(a_site("fr", {10, 40, 20, 90})).with(a_job("a").running(2h).interruptible(rule)));
  };
  // 10 + 20 and the ten minutes of the restart, best run at the end of the first piece at 40 g/kWh; without a pause 10 + 40
  const Solution pausing = solved(problem({.restart = 10min}));
  EXPECT_THAT(pausing.plan.placements[0].segments,
              ElementsAre(core::Interval{hour(0), hour(1) + 10min}, core::Interval{hour(2), hour(3)}));
  EXPECT_EQ(pausing.plan.placements[0].emissions, core::Emissions::of_base(36'667));
  EXPECT_EQ(solved(problem({.restart_energy = core::energy_from_kwh(1.5)})).plan.placements[0].segments.size(), 1U);
  EXPECT_EQ(solved(problem({.max_pauses = 0})).plan.placements[0].segments.size(), 1U);
  EXPECT_EQ(solved(problem({.min_run = 2h})).plan.placements[0].segments.size(), 1U);
}

TEST(Solve, pauses_a_job_around_capacity_that_it_could_not_run_through) {
  const Solution solution = solved(a_problem(5)
                                       .with(a_site("fr", {10, 10, 10, 10, 10}).holding("gpu", {1, 1, 0, 1, 1}))
                                       .with(a_job("a").running(4h).needing("gpu", 1).interruptible())
                                       .with(a_job("b").running(3h).needing("gpu", 1)));
  EXPECT_THAT(solution.plan.placements[0].segments,
              ElementsAre(core::Interval{hour(0), hour(2)}, core::Interval{hour(3), hour(5)}));
  ASSERT_EQ(solution.plan.unplaced.size(), 1U);
  EXPECT_EQ(solution.plan.unplaced[0].code, UnplacedCode::no_capacity);
}

TEST(Solve, moves_data_only_where_that_pays) {
  const auto problem = [](double gigabytes) {
    return Problem(a_problem(2)
                       .with(a_site("fr", {50, 50}).moving_for(0.01))
                       .with(a_site("es", {100, 100}))
                       .with(a_job("a").running(1h).home(1).moving(gigabytes)));
  };
  EXPECT_EQ(run_of(solved(problem(50)).plan, 0).first, 0U);
  EXPECT_EQ(core::grams(solved(problem(50)).plan.emissions), 50 + 50 * 0.01 * 50);
  EXPECT_EQ(run_of(solved(problem(150)).plan, 0).first, 1U);
}

TEST(Solve, weighs_cost_against_carbon_where_a_tonne_has_a_price) {
  const auto problem = [](double eur_per_tonne) {
    return Problem(a_problem(2)
                       .with(a_site("fr", {100, 200}).priced({90, 10}))
                       .with(a_job("a").running(1h))
                       .eur_per_tonne(eur_per_tonne));
  };
  EXPECT_EQ(run_of(solved(problem(0)).plan, 0).second, 0);    // carbon alone
  EXPECT_EQ(run_of(solved(problem(100)).plan, 0).second, 1);  // 80 EUR/MWh saved for 100 kg dearer at 0.1 EUR/kg
  EXPECT_EQ(run_of(solved(problem(1000)).plan, 0).second, 0);
}

TEST(Solve, proves_its_plan_where_capacity_does_not_bind) {
  const Solution solution = solved(a_problem(4)
                                       .with(a_site("fr", {40, 30, 20, 10}).pue(1.3))
                                       .with(a_job("a").running(90min))
                                       .with(a_job("b").running(3h)));
  EXPECT_NEAR(core::grams(solution.lower_bound), core::grams(solution.plan.emissions), 0.01);
  EXPECT_EQ(solution.stopped_by, core::StoppedBy::converged);
}

TEST(Solve, gives_each_job_its_cheapest_run_where_all_of_these_fit_and_shares_where_one_does_not) {
  for (const int gpus : {3, 2}) {
    const Problem problem = a_problem(4)
                                .with(a_site("fr", {40, 30, 20, 50}).holding("gpu", gpus))
                                .with(a_job("a").running(1h).drawing(1000).needing("gpu", 1).done_by(4))
                                .with(a_job("b").running(1h).drawing(1000).needing("gpu", 1).done_by(4))
                                .with(a_job("c").running(1h).drawing(1000).needing("gpu", 1).done_by(4));
    const Solution solution = solved(problem);
    EXPECT_EQ(solution.stopped_by, core::StoppedBy::converged);
    EXPECT_EQ(core::grams(solution.plan.emissions), gpus == 3 ? 60 : 70);
    EXPECT_NEAR(core::grams(solution.lower_bound), core::grams(solution.plan.emissions), 0.01);
  }
}

TEST(Solve, ends_with_a_whole_plan_when_it_is_stopped_at_once) {
  std::stop_source stop;
  stop.request_stop();
  ProblemBuilder builder = a_problem(24).with(a_site("fr", std::vector<double>(24, 50)).holding("gpu", 4));
  for (int j = 0; j < 50; ++j)
    builder = std::move(builder).with(a_job(std::to_string(j)).running(1h).needing("gpu", 1));
  const Problem problem = builder;
  core::Sequential sequential;
  const Solution solution = core::solve(problem, {}, sequential, stop.get_token());
  EXPECT_EQ(solution.stopped_by, core::StoppedBy::stop_token);
  EXPECT_EQ(solution.plan.placements.size(), 50U);
  EXPECT_THAT(core::check(problem, core::claims_of(problem, solution.plan, solution.lower_bound)), IsEmpty());
}

TEST(EarliestStart, goes_home_first_and_takes_the_first_room) {
  const Plan plan = core::earliest_start_plan(a_problem(3)
                                                  .with(a_site("fr", {1, 1, 1}).holding("gpu", 1))
                                                  .with(a_site("es", {9, 9, 9}).holding("gpu", 1))
                                                  .with(a_job("a").needing("gpu", 1).home(1))
                                                  .with(a_job("b").needing("gpu", 1).home(1))
                                                  .with(a_job("c").needing("gpu", 1).home(1)));
  EXPECT_EQ(run_of(plan, 0), Where(1, 0));
  EXPECT_EQ(run_of(plan, 1), Where(0, 0));
  EXPECT_EQ(run_of(plan, 2), Where(1, 1));
}

TEST(Greedy, takes_the_cheapest_room_in_order_of_submission) {
  const Plan plan = core::greedy_plan(a_problem(3)
                                          .with(a_site("fr", {30, 10, 20}).holding("gpu", 1))
                                          .with(a_job("a").needing("gpu", 1).drawing(1))
                                          .with(a_job("b").needing("gpu", 1).drawing(1000)));
  EXPECT_EQ(run_of(plan, 0), Where(0, 1));
  EXPECT_EQ(run_of(plan, 1), Where(0, 2));
}

}  // namespace
}  // namespace valle::tests
