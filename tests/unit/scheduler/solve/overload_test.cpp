// SPDX-License-Identifier: Apache-2.0
// Where not all jobs fit, and problems that nobody would make on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/solve.hpp"
#include "tests/support/problems.hpp"

namespace valle::tests {
namespace {

using core::Problem;
using core::Solution;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Solution solved(const Problem& problem, core::SolveOptions options = {}) {
  EXPECT_TRUE(validate(problem).has_value());
  core::Sequential sequential;
  Solution solution = core::solve(problem, options, sequential);
  for (const auto& violation : core::check(problem, core::claims_of(problem, solution.plan, solution.lower_bound))) {
    ADD_FAILURE() << to_text(violation.kind) << ": " << violation.detail;
  }
  return solution;
}

ProblemBuilder with_jobs(ProblemBuilder problem, int count, const std::function<JobBuilder(std::string)>& make) {
  for (int i = 0; i < count; ++i) problem = std::move(problem).with(make("j" + std::to_string(i)));
  return problem;
}

TEST(Overload, says_how_many_no_plan_can_place_where_and_what_they_would_need) {
  const Problem problem = with_jobs(a_problem(6).with(a_site("fr", {50, 40, 30, 20, 10, 5}).holding("gpu", 1)), 5,
                                    [](std::string id) { return a_job(std::move(id)).needing("gpu", 1).done_by(3); });
  const Solution solution = solved(problem);
  EXPECT_THAT(solution.plan.unplaced, SizeIs(2));
  ASSERT_TRUE(solution.overload);
  EXPECT_EQ(solution.overload->left_out_at_least, 2U);
  EXPECT_THAT(solution.overload->full, ElementsAre(core::Overload::Full{"fr", "gpu", {hour(0), hour(3)}}));
  EXPECT_THAT(solution.overload->missing, ElementsAre(core::Overload::Missing{"gpu", 2.0}));
}

TEST(Overload, many_short_jobs_come_before_one_long_one) {
  const Problem problem =
      with_jobs(a_problem(3)
                    .with(a_site("fr", {10, 10, 10}).holding("gpu", 1))
                    .with(a_job("long").running(3h).needing("gpu", 1).drawing(1)),
                3, [](std::string id) { return a_job(std::move(id)).needing("gpu", 1).drawing(9000); });
  const Solution solution = solved(problem);
  ASSERT_THAT(solution.plan.unplaced, SizeIs(1));
  EXPECT_EQ(solution.plan.unplaced[0].job, 0U);
  ASSERT_TRUE(solution.overload);
  EXPECT_EQ(solution.overload->left_out_at_least, 1U);
}

TEST(Overload, one_of_high_priority_comes_before_many_of_low) {
  const Problem problem = with_jobs(a_problem(3)
                                        .with(a_site("fr", {10, 10, 10}).holding("gpu", 1))
                                        .with(a_job("long").running(3h).needing("gpu", 1).priority(1)),
                                    3, [](std::string id) { return a_job(std::move(id)).needing("gpu", 1); });
  const Solution solution = solved(problem);
  EXPECT_THAT(solution.plan.unplaced, SizeIs(3));
  EXPECT_EQ(solution.plan.placements[0].job, 0U);
  EXPECT_EQ(solution.overload->left_out_at_least, 1U) << "the proof is of the number alone";
}

TEST(Overload, jobs_that_fit_nowhere_count_among_those_that_must_be_left_out) {
  const Problem problem =
      with_jobs(a_problem(2).with(a_site("fr", {10, 10}).holding("gpu", 1)).with(a_job("huge").needing("gpu", 9)), 3,
                [](std::string id) { return a_job(std::move(id)).needing("gpu", 1); });
  const Solution solution = solved(problem);
  EXPECT_THAT(solution.plan.unplaced, SizeIs(2));
  EXPECT_EQ(solution.overload->left_out_at_least, 2U);
}

TEST(Overload, nothing_is_said_of_it_where_all_are_placed) {
  const Problem problem = with_jobs(a_problem(3).with(a_site("fr", {10, 20, 30}).holding("gpu", 1)), 3,
                                    [](std::string id) { return a_job(std::move(id)).needing("gpu", 1); });
  EXPECT_FALSE(solved(problem).overload);
}

TEST(Overload, nothing_is_proven_of_ramps_which_the_search_sees_stricter) {
  const Problem problem = with_jobs(a_problem(2).with(a_site("fr", {10, 10}).ramping(1000).holding("gpu", 9)), 3,
                                    [](std::string id) { return a_job(std::move(id)).needing("gpu", 1).done_by(1); });
  const Solution solution = solved(problem);
  EXPECT_THAT(solution.plan.unplaced, SizeIs(2));
  EXPECT_EQ(solution.overload->left_out_at_least, 0U);
}

TEST(FewJobs, an_optimal_plan_of_three_jobs_shows_no_gap) {
  // Two of three-hour runs can't share the two clean hours; the Lagrangian bound alone would share them in halves.
  const Problem problem = a_problem(7)
                              .with(a_site("fr", {90, 80, 10, 10, 80, 90, 95}).holding("gpu", 1))
                              .with(a_job("a").running(3h).needing("gpu", 1))
                              .with(a_job("b").running(3h).needing("gpu", 1).drawing(900))
                              .with(a_job("c").needing("gpu", 1).drawing(1100));
  const Solution solution = solved(problem);
  EXPECT_LE((solution.plan.emissions - solution.lower_bound).base(), 6) << "two milligrams a job for rounding";
  EXPECT_EQ(solution.stopped_by, core::StoppedBy::converged);
}

TEST(OddProblems, without_capacity_nobody_runs_and_each_is_told_why) {
  const Problem problem = with_jobs(a_problem(4).with(a_site("fr", {1, 1, 1, 1}).holding("gpu", 0)), 3,
                                    [](std::string id) { return a_job(std::move(id)).needing("gpu", 1); });
  const Solution solution = solved(problem);
  ASSERT_THAT(solution.plan.unplaced, SizeIs(3));
  EXPECT_EQ(solution.plan.unplaced[0].code, core::UnplacedCode::no_capacity);
  EXPECT_FALSE(solution.overload) << "they contend with nobody";
}

TEST(OddProblems, windows_without_length_and_runs_of_a_second_and_of_a_month) {
  const Problem problem = a_problem(24)
                              .with(a_site("fr", std::vector<double>(24, 40)).holding("gpu", 1))
                              .with(a_job("none").from(3).done_by(3).needing("gpu", 1))
                              .with(a_job("second").running(1s).needing("gpu", 1))
                              .with(a_job("month").running(24h * 30).needing("gpu", 1));
  const Solution solution = solved(problem);
  ASSERT_THAT(solution.plan.placements, SizeIs(1));
  EXPECT_EQ(solution.plan.placements[0].job, 1U);
  EXPECT_EQ(solution.plan.placements[0].start(), hour(0));
  for (const auto& unplaced : solution.plan.unplaced) EXPECT_EQ(unplaced.code, core::UnplacedCode::window_too_short);
}

TEST(OddProblems, a_thousand_equal_jobs_in_a_flat_world) {
  const Problem problem = with_jobs(a_problem(50).with(a_site("fr", std::vector<double>(50, 40)).holding("gpu", 20)),
                                    1000, [](std::string id) { return a_job(std::move(id)).needing("gpu", 1); });
  const Solution solution = solved(problem, {.effort = core::Effort::quick});
  EXPECT_THAT(solution.plan.unplaced, IsEmpty());
  EXPECT_LE((solution.plan.emissions - solution.lower_bound).base(), 2000);
}

TEST(OddProblems, more_equal_jobs_than_there_is_room_for) {
  const Problem problem = with_jobs(a_problem(40).with(a_site("fr", std::vector<double>(40, 40)).holding("gpu", 50)),
                                    2500, [](std::string id) { return a_job(std::move(id)).needing("gpu", 1); });
  const Solution solution = solved(problem, {.effort = core::Effort::quick});
  EXPECT_THAT(solution.plan.placements, SizeIs(2000));
  EXPECT_EQ(solution.overload->left_out_at_least, 500U);
}

TEST(OddProblems, demands_above_every_capacity_are_named_one_by_one) {
  const Problem problem = with_jobs(a_problem(8)
                                        .with(a_site("fr", std::vector<double>(8, 40)).holding("gpu", 2))
                                        .with(a_site("es", std::vector<double>(8, 90)).holding("gpu", 3)),
                                    4, [](std::string id) { return a_job(std::move(id)).needing("gpu", 4); });
  const Solution solution = solved(problem);
  ASSERT_THAT(solution.plan.unplaced, SizeIs(4));
  for (const auto& unplaced : solution.plan.unplaced) {
    EXPECT_EQ(unplaced.code, core::UnplacedCode::no_capacity);
    EXPECT_THAT(unplaced.detail, testing::HasSubstr("gpu"));
  }
}

TEST(OddProblems, one_id_twice_is_refused_and_named) {
  const Problem problem =
      a_problem(4).with(a_site("fr", {1, 2, 3, 4})).with(a_job("a")).with(a_job("b")).with(a_job("a"));
  const auto valid = validate(problem);
  ASSERT_FALSE(valid.has_value());
  EXPECT_EQ(valid.error().pointer, "/jobs/2/id");
}

TEST(OddProblems, a_pausing_job_with_a_year_to_choose_from_pauses_where_it_is_cleanest) {
  std::vector<double> grams(9000, 100);
  for (std::size_t t = 6000; t < 6400; t += 2) grams[t] = 10;
  const Problem problem = a_problem(9000)
                              .with(a_site("fr", grams).holding("gpu", 1))
                              .with(a_job("a").running(200h).needing("gpu", 1).interruptible());
  const Solution solution = solved(problem);
  EXPECT_NEAR(core::grams(solution.plan.emissions), 2000, 1) << "200 hours of 10 g";
}

TEST(OddProblems, a_month_in_a_horizon_that_holds_it) {
  std::vector<double> grams(1000, 100);
  std::fill(grams.begin() + 200, grams.begin() + 920, 50.0);
  const Problem problem =
      a_problem(1000).with(a_site("fr", grams).holding("gpu", 1)).with(a_job("a").running(24h * 30).needing("gpu", 1));
  EXPECT_EQ(solved(problem).plan.placements[0].start(), hour(200));
}

TEST(OddProblems, one_job_with_ten_thousand_starts) {
  std::vector<double> grams(10'000, 100);
  grams[7777] = 1;
  const Problem problem =
      a_problem(10'000).with(a_site("fr", grams).holding("gpu", 1)).with(a_job("a").needing("gpu", 1));
  EXPECT_EQ(solved(problem).plan.placements[0].start(), hour(7777));
}

TEST(OddProblems, capacity_that_changes_in_each_slot) {
  std::vector<double> gpus;
  for (int t = 0; t < 30; ++t) gpus.push_back(t * 7 % 5);
  const Problem problem =
      with_jobs(a_problem(30).with(a_site("fr", std::vector<double>(30, 40)).holding("gpu", gpus)), 20,
                [](std::string id) { return a_job(std::move(id)).running(90min).needing("gpu", 1); });
  EXPECT_EQ(solved(problem).plan.placements.size() + solved(problem).plan.unplaced.size(), 20U);
}

TEST(OddProblems, negative_prices_pay_for_waiting) {
  const Problem problem = a_problem(3)
                              .with(a_site("fr", {50, 50, 50}).holding("gpu", 1).priced({80, 40, -30}))
                              .with(a_job("a").needing("gpu", 1))
                              .with(a_job("b").needing("gpu", 1))
                              .eur_per_tonne(100);
  const Solution solution = solved(problem);
  std::set<core::Instant> starts;
  for (const auto& placement : solution.plan.placements) starts.insert(placement.start());
  EXPECT_EQ(starts, (std::set<core::Instant>{hour(1), hour(2)}));
}

}  // namespace
}  // namespace valle::tests
