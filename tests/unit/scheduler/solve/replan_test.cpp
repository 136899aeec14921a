// SPDX-License-Identifier: Apache-2.0
// A plan that goes on from the one in force: who stays, who moves and why, who gets the earlier of two equal starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/solve.hpp"
#include "tests/support/problems.hpp"
#include "tests/support/random_problem.hpp"

namespace valle::tests {
namespace {

using core::Incumbent;
using core::Move;
using core::MoveReason;
using core::Plan;
using core::Problem;
using core::Solution;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Solution solved(const Problem& problem, core::SolveOptions options = {}) {
  core::Sequential sequential;
  Solution solution = core::solve(problem, options, sequential);
  for (const auto& violation : core::check(problem, core::claims_of(problem, solution.plan, solution.lower_bound))) {
    ADD_FAILURE() << to_text(violation.kind) << ": " << violation.detail;
  }
  return solution;
}

Solution replanned(const Problem& problem, const Incumbent& incumbent) {
  return solved(problem, {.incumbent = &incumbent});
}

/// The plan of a solution as the one in force.
Incumbent in_force(const Problem& problem, const Solution& solution) {
  Incumbent incumbent{.of_job = {}, .prices = solution.prices};
  incumbent.of_job.resize(problem.jobs.size());
  for (const auto& placement : solution.plan.placements) {
    incumbent.of_job[placement.job] = {placement.site, placement.mode, placement.segments};
  }
  return incumbent;
}

/// Hours after the start at which jobs start, by job; -1: not placed.
std::vector<double> starts(const Problem& problem, const Plan& plan) {
  std::vector<double> hours(problem.jobs.size(), -1);
  for (const auto& placement : plan.placements) {
    hours[placement.job] = static_cast<double>((placement.start() - hour(0)).count()) / 3600;
  }
  return hours;
}

core::Standing standing(double h, core::Duration duration = 1h, std::size_t site = 0) {
  return {.site = site, .mode = 0, .segments = {{hour(h), hour(h) + duration}}};
}

Problem one_gpu(const std::vector<double>& grams, std::vector<JobBuilder> jobs) {
  auto problem = a_problem(grams.size()).with(a_site("fr", grams).holding("gpu", 1));
  for (auto& job : jobs) problem = std::move(problem).with(std::move(job).needing("gpu", 1));
  return problem;
}

TEST(Replan, a_job_moves_where_that_saves_the_least_gain_to_the_milligram_and_not_below) {
  Incumbent incumbent{.of_job = {standing(1)}, .prices = {}};
  const Solution kept = replanned(one_gpu({60, 50, 49.6, 60}, {a_job("a")}), incumbent);
  EXPECT_THAT(starts(one_gpu({60, 50, 49.6, 60}, {a_job("a")}), kept.plan), ElementsAre(1));
  EXPECT_THAT(kept.moves, IsEmpty());
  const Solution moved = replanned(one_gpu({60, 50, 49.5, 60}, {a_job("a")}), incumbent);
  EXPECT_THAT(moved.moves, ElementsAre(Move{0, MoveReason::cleaner, core::Emissions::of_base(500)}));
}

TEST(Replan, a_job_makes_room_for_one_that_would_find_none) {
  const Problem problem = one_gpu({60, 50, 55, 70}, {a_job("a"), a_job("urgent").from(1).done_by(2)});
  const Solution solution = replanned(problem, {.of_job = {standing(1), std::nullopt}});
  EXPECT_THAT(starts(problem, solution.plan), ElementsAre(2, 1));
  EXPECT_THAT(solution.moves, ElementsAre(Move{0, MoveReason::makes_room, core::Emissions::of_base(-5000)}));
}

TEST(Replan, a_job_that_can_not_stay_is_placed_again_and_the_move_says_so) {
  const Problem problem = a_problem(4)
                              .with(a_site("fr", {60, 50, 40, 70}).holding("gpu", {1, 1, 0, 1}))
                              .with(a_job("a").needing("gpu", 1))
                              .with(a_job("b").needing("gpu", 1).done_by(1));
  const Solution solution = replanned(problem, {.of_job = {standing(2), standing(3)}});
  EXPECT_THAT(starts(problem, solution.plan), ElementsAre(1, 0));
  ASSERT_THAT(solution.moves, SizeIs(2));
  EXPECT_EQ(solution.moves[0].reason, MoveReason::no_longer_fits) << "the capacity is gone";
  EXPECT_EQ(solution.moves[1].reason, MoveReason::no_longer_fits) << "the window is shorter";
}

TEST(Replan, words_of_another_world_are_no_standing) {
  const Problem problem = one_gpu({60, 50}, {a_job("a")});
  for (const core::Standing& odd :
       {core::Standing{7, 0, {{hour(0), hour(1)}}}, core::Standing{0, 9, {{hour(0), hour(1)}}},
        core::Standing{0, 0, {}}, standing(0.5), standing(-1), standing(99)}) {
    EXPECT_THAT(starts(problem, replanned(problem, {.of_job = {odd}}).plan), ElementsAre(1));
  }
  EXPECT_THAT(starts(problem, replanned(problem, {}).plan), ElementsAre(1)) << "it speaks of no job at all";
}

TEST(Replan, the_same_data_move_nobody_and_never_cost_more) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed);
    const Solution first = solved(problem, {.effort = core::Effort::quick});
    const Solution again = replanned(problem, in_force(problem, first));
    EXPECT_LE(again.plan.unplaced.size(), first.plan.unplaced.size());
    if (again.plan.unplaced == first.plan.unplaced && problem.eur_per_tonne == 0) {
      EXPECT_LE(again.plan.emissions, first.plan.emissions);
    }
    core::Emissions saved{};
    for (const Move& move : again.moves) saved += move.saved;
    if (!again.moves.empty() && again.plan.unplaced == first.plan.unplaced && problem.eur_per_tonne == 0) {
      EXPECT_GT(saved, core::Emissions{});
    }
  }
}

TEST(Replan, fixed_jobs_are_not_spoken_of) {
  const Problem problem = one_gpu({60, 50}, {a_job("runs").fixed(0, 0)});
  EXPECT_THAT(replanned(problem, {.of_job = {standing(1)}}).moves, IsEmpty());
}

TEST(Prices, are_what_one_more_unit_of_capacity_saves) {
  // Both want hour 1; one must go to hour 2 and emits 20 g more.
  const Problem problem = one_gpu({100, 10, 30}, {a_job("a"), a_job("b")});
  const Solution solution = solved(problem);
  ASSERT_THAT(solution.prices.rows, SizeIs(1));
  EXPECT_EQ(solution.prices.rows[0].site, "fr");
  EXPECT_EQ(solution.prices.rows[0].resource, "gpu");
  EXPECT_NEAR(solution.prices.rows[0].grams_per_unit_hour[1], 20, 2);
  EXPECT_NEAR(solution.prices.rows[0].grams_per_unit_hour[0], 0, 2);
}

TEST(Prices, there_are_none_where_there_is_room_for_all) {
  EXPECT_THAT(solved(one_gpu({100, 10, 30}, {a_job("a")})).prices.rows, IsEmpty());
}

TEST(EqualStarts, the_earliest_is_taken_at_whatever_site) {
  const Problem problem = a_problem(4)
                              .with(a_site("fr", {90, 80, 50, 50}).holding("gpu", 1))
                              .with(a_site("es", {90, 50, 50, 50}).holding("gpu", 1))
                              .with(a_job("a").needing("gpu", 1));
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.plan.placements[0].site, 1U);
  EXPECT_EQ(solution.plan.placements[0].start(), hour(1));
}

TEST(EqualStarts, of_jobs_that_emit_nothing_each_starts_as_soon_as_there_is_room) {
  const Problem problem =
      one_gpu({90, 1, 1, 1}, {a_job("a").drawing(0.001), a_job("b").drawing(0.001), a_job("c").drawing(0.001)});
  std::vector<double> hours = starts(problem, solved(problem).plan);
  std::sort(hours.begin(), hours.end());
  EXPECT_THAT(hours, ElementsAre(0, 1, 2));
}

TEST(EqualStarts, whoever_waits_in_a_full_flat_world_waits_for_somebody) {
  std::vector<JobBuilder> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(a_job("j" + std::to_string(i)).running(2h));
  const Problem problem = one_gpu(std::vector<double>(12, 40), std::move(jobs));
  std::vector<double> hours = starts(problem, solved(problem).plan);
  std::sort(hours.begin(), hours.end());
  EXPECT_THAT(hours, ElementsAre(0, 2, 4, 6, 8));
}

}  // namespace
}  // namespace valle::tests
