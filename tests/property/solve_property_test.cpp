// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <thread>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/solve.hpp"
#include "tests/support/brute_force.hpp"
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

/// Threads that come and go, in another order each time.
class Threads final : public core::Parallel {
 public:
  explicit Threads(std::size_t width) : width_{width} {}
  [[nodiscard]] std::size_t width() const override { return width_; }
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work) override {
    if (count == 1) return work(0);
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(width_, count); ++i) {
      threads.emplace_back([&] {
        for (std::size_t n = next++; n < count; n = next++) work(count - 1 - n);
      });
    }
  }

 private:
  std::size_t width_;
};

class RandomProblems : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Calls check(seed) for some seeds of this part.
  static void each(std::uint64_t count, const std::function<void(std::uint64_t)>& check) {
    for (std::uint64_t seed = GetParam() * 1000; seed < GetParam() * 1000 + count; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      check(seed);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomProblems, testing::Range<std::uint64_t>(0, 8));

TEST_P(RandomProblems, are_valid) {
  each(200, [](std::uint64_t seed) {
    const auto valid = validate(random_problem(seed));
    ASSERT_TRUE(valid.has_value()) << valid.error().pointer << " " << valid.error().detail;
  });
}

TEST_P(RandomProblems, have_plans_that_the_verifier_accepts) {
  each(60, [](std::uint64_t seed) {
    const Problem problem = random_problem(seed);
    EXPECT_EQ(violations_of(problem, core::earliest_start_plan(problem)), "");
    EXPECT_EQ(violations_of(problem, core::greedy_plan(problem)), "");
    const Solution solution = solved(problem);
    EXPECT_EQ(violations_of(problem, solution.plan, solution.lower_bound), "");
    EXPECT_GE(solution.lower_bound, core::Emissions{});
  });
}

TEST_P(RandomProblems, never_lose_jobs_that_earliest_start_places) {
  each(60, [](std::uint64_t seed) {
    const Problem problem = random_problem(seed);
    EXPECT_LE(left_out(problem, solved(problem).plan), left_out(problem, core::earliest_start_plan(problem)));
  });
}

TEST_P(RandomProblems, have_bounds_below_and_plans_near_the_best_of_all_plans) {
  int optimal = 0, problems = 0;
  each(40, [&](std::uint64_t seed) {
    const Problem problem = random_problem(
        seed, {.most_jobs = 4, .most_slots = 6, .most_sites = 2, .interruptible = false, .prices = false});
    const Solution solution = solved(problem);
    BruteForce all{problem};
    const BruteForce::Best best = all.best();
    const auto ours = left_out(problem, solution.plan);
    EXPECT_GE(ours, best.left_out);
    std::vector<bool> placed(problem.jobs.size(), false);
    for (const core::Placement& placement : solution.plan.placements) placed[placement.job] = true;
    const double same_jobs = all.best(placed).grams, rounding = 0.001 * static_cast<double>(problem.jobs.size());
    EXPECT_LE(core::grams(solution.lower_bound), same_jobs + rounding);
    EXPECT_GE(core::grams(solution.plan.emissions), same_jobs - rounding);
    ++problems;
    if (ours == best.left_out && core::grams(solution.plan.emissions) <= best.grams + rounding) ++optimal;
  });
  EXPECT_GE(optimal, problems * 9 / 10);
}

TEST_P(RandomProblems, cost_the_same_in_any_order_of_their_jobs_when_capacity_does_not_bind) {
  each(20, [](std::uint64_t seed) {
    Problem problem = random_problem(seed, {.ramps = false});
    for (core::Site& site : problem.sites) site.capacity.clear();
    const Solution first = solved(problem);
    std::reverse(problem.jobs.begin(), problem.jobs.end());
    EXPECT_EQ(solved(problem).plan.emissions, first.plan.emissions);
  });
}

TEST_P(RandomProblems, move_with_the_clock) {
  each(20, [](std::uint64_t seed) {
    const Problem problem = random_problem(seed);
    Problem later = problem;
    const core::Duration shift{std::chrono::days{200} + std::chrono::seconds{1234}};
    later.start += shift;
    for (core::Job& job : later.jobs) {
      job.earliest_start += shift;
      job.finish_by += shift;
      if (job.fixed) job.fixed->start += shift;
    }
    Plan expected = solved(problem).plan;
    const Plan plan = solved(later).plan;
    for (core::Placement& placement : expected.placements) {
      for (core::Interval& segment : placement.segments) segment = {segment.begin + shift, segment.end + shift};
    }
    EXPECT_EQ(plan.placements, expected.placements);
    EXPECT_EQ(plan.emissions, expected.emissions);
  });
}

TEST_P(RandomProblems, emit_twice_as_much_on_a_grid_twice_as_dirty) {
  each(20, [](std::uint64_t seed) {
    const Problem problem = random_problem(seed, {.prices = false});
    Problem dirtier = problem;
    for (core::Site& site : dirtier.sites) {
      for (core::CarbonIntensity& intensity : site.intensity) intensity = intensity * 2;
    }
    const Solution once = solved(problem), twice = solved(dirtier);
    // a factor of two is exact in floating point, so that the search goes the same way
    ASSERT_EQ(twice.plan.placements.size(), once.plan.placements.size());
    for (std::size_t i = 0; i < once.plan.placements.size(); ++i) {
      EXPECT_EQ(twice.plan.placements[i].segments, once.plan.placements[i].segments);
      EXPECT_EQ(twice.plan.placements[i].site, once.plan.placements[i].site);
    }
  });
}

TEST_P(RandomProblems, are_bounded_no_higher_with_more_capacity) {
  each(20, [](std::uint64_t seed) {
    const Problem problem = random_problem(seed, {.fixed = false, .ramps = false, .priorities = false});
    Problem wider = problem;
    for (core::Site& site : wider.sites) {
      for (core::ResourceCapacity& capacity : site.capacity) {
        for (core::Amount& amount : capacity.per_slot) amount += core::Amount::of_base(3000);
      }
    }
    const Solution tight = solved(problem), wide = solved(wider);
    if (!tight.plan.unplaced.empty() || !wide.plan.unplaced.empty()) return;  // the bounds speak of different jobs
    EXPECT_LE(wide.lower_bound, tight.plan.emissions);
    EXPECT_LE(core::grams(wide.lower_bound), core::grams(tight.lower_bound) * 1.02 + 0.1);  // neither is the exact dual
  });
}

TEST(ManyJobs, have_one_plan_for_any_number_of_threads) {
  Problem problem = random_problem(0, {.most_jobs = 1});
  for (std::uint64_t seed = 1; problem.slots < 20 || problem.sites.size() < 2; ++seed) {
    problem = random_problem(seed, {.most_jobs = 1, .fixed = false});
  }
  RandomProblem{11, {.fixed = false}}.add_jobs(problem, 5200);
  for (core::Site& site : problem.sites) {
    for (core::ResourceCapacity& capacity : site.capacity) {
      for (core::Amount& amount : capacity.per_slot) amount = amount * 300;
    }
  }
  ASSERT_TRUE(validate(problem).has_value());
  const Solution one = solved(problem);
  EXPECT_EQ(violations_of(problem, one.plan, one.lower_bound), "");
  for (const std::size_t width : {2U, 4U}) {
    Threads threads{width};
    EXPECT_EQ(core::solve(problem, {.effort = core::Effort::quick}, threads), one) << width;
  }
}

TEST_P(RandomProblems, have_whole_plans_when_stopped_at_any_moment) {
  each(10, [](std::uint64_t seed) {
    const Problem problem = random_problem(seed, {.most_jobs = 100, .most_slots = 48});
    std::stop_source stop;
    /// Asks the solver to stop after so many parallel steps.
    class Stopper final : public core::Parallel {
     public:
      Stopper(std::stop_source& source, std::size_t after) : source_{source}, left_{after} {}
      [[nodiscard]] std::size_t width() const override { return 1; }
      void for_each(std::size_t count, const std::function<void(std::size_t)>& work) override {
        if (left_-- == 0) source_.request_stop();
        for (std::size_t i = 0; i < count; ++i) work(i);
      }

     private:
      std::stop_source& source_;
      std::size_t left_;
    } stopper{stop, seed % 200};
    const Solution solution = core::solve(problem, {}, stopper, stop.get_token());
    EXPECT_TRUE(!stop.stop_requested() || solution.stopped_by == core::StoppedBy::stop_token);
    EXPECT_EQ(violations_of(problem, solution.plan, solution.lower_bound), "");
    EXPECT_LE(left_out(problem, solution.plan), left_out(problem, core::earliest_start_plan(problem)));
  });
}

}  // namespace
}  // namespace valle::tests
