// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/solve.hpp"
#include "tests/support/random_problem.hpp"

namespace valle::tests {
namespace {

using core::Plan;
using core::Problem;
using core::Solution;

std::string violations_of(const Problem& problem, const Plan& plan, std::optional<core::Emissions> bound = {}) {
  std::string text;
  for (const core::Violation& violation : core::check(problem, core::claims_of(problem, plan, bound))) {
    text += std::string{to_text(violation.kind)} + ": " + violation.detail + "\n";
  }
  return text;
}

Solution solved(const Problem& problem, core::SolveOptions options = {.effort = core::Effort::quick}) {
  core::Sequential sequential;
  return core::solve(problem, options, sequential);
}

/// Jobs left out at each priority, the highest first.
std::vector<std::size_t> left_out(const Problem& problem, const Plan& plan) {
  std::map<int, std::size_t, std::greater<>> by_priority;
  for (const core::Job& job : problem.jobs) by_priority[job.priority] += 0;
  for (const core::Unplaced& unplaced : plan.unplaced) ++by_priority[problem.jobs[unplaced.job].priority];
  std::vector<std::size_t> counts;
  for (const auto& [priority, count] : by_priority) counts.push_back(count);
  return counts;
}

class RandomProblems : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t first_seed() const { return GetParam() * 1000; }
};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomProblems, testing::Range<std::uint64_t>(0, 8));

TEST_P(RandomProblems, are_valid) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 200; ++seed) {
    const auto valid = validate(random_problem(seed));
    ASSERT_TRUE(valid.has_value()) << "seed " << seed << ": " << valid.error().pointer << " " << valid.error().detail;
  }
}

TEST_P(RandomProblems, have_plans_that_the_verifier_accepts) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(seed);
    EXPECT_EQ(violations_of(problem, core::earliest_start_plan(problem)), "");
    EXPECT_EQ(violations_of(problem, core::greedy_plan(problem)), "");
    const Solution solution = solved(problem);
    EXPECT_EQ(violations_of(problem, solution.plan, solution.lower_bound), "");
  }
}

TEST_P(RandomProblems, never_lose_jobs_that_earliest_start_places) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(seed);
    EXPECT_LE(left_out(problem, solved(problem).plan), left_out(problem, core::earliest_start_plan(problem)));
  }
}

}  // namespace
}  // namespace valle::tests
