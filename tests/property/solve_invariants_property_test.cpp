// SPDX-License-Identifier: Apache-2.0
// What holds for every plan and bound, on random problems. A failing one is shrunk before it is shown.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/solve.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/shrink.hpp"

namespace valle::tests {
namespace {

using core::Problem;
using core::Solution;

Solution solved(const Problem& problem, const core::Incumbent* incumbent = nullptr) {
  core::Sequential sequential;
  return core::solve(problem, {.effort = core::Effort::quick, .incumbent = incumbent}, sequential);
}

core::Incumbent incumbent_of(const Problem& problem, const Solution& solution) {
  core::Incumbent incumbent{.of_job = {}, .prices = solution.prices};
  incumbent.of_job.resize(problem.jobs.size());
  for (const core::Placement& placement : solution.plan.placements) {
    incumbent.of_job[placement.job] = core::Standing{placement.site, placement.mode, placement.segments};
  }
  return incumbent;
}

std::vector<bool> placed_jobs(const Problem& problem, const Solution& solution) {
  std::vector<bool> placed(problem.jobs.size(), false);
  for (const core::Placement& placement : solution.plan.placements) placed[placement.job] = true;
  return placed;
}

/// Milligrams by which roundings of that many jobs may differ.
core::Emissions rounding(const Problem& problem) {
  return core::Emissions::of_base(2 * static_cast<std::int64_t>(problem.jobs.size()));
}

class Invariants : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// `broken` says what is wrong with a problem, or nothing. All problems of this part must have nothing wrong.
  static void hold_for(std::uint64_t count, Ingredients may,
                       const std::function<std::optional<std::string>(const Problem&)>& broken) {
    for (std::uint64_t seed = GetParam() * 1000; seed < GetParam() * 1000 + count; ++seed) {
      const Problem problem = random_problem(seed + 500'000, may);
      if (!broken(problem)) continue;
      const Problem least = shrunk(problem, [&](const Problem& part) { return broken(part).has_value(); });
      FAIL() << "seed " << seed << ": " << *broken(least) << '\n' << described(least);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Invariants, testing::Range<std::uint64_t>(0, 4));

std::string grams_text(core::Emissions emissions) { return std::to_string(core::grams(emissions)) + " g"; }

TEST_P(Invariants, each_job_has_one_placement_or_one_reason) {
  hold_for(40, {}, [](const Problem& problem) -> std::optional<std::string> {
    const Solution solution = solved(problem);
    std::vector<int> named(problem.jobs.size(), 0);
    for (const auto& placement : solution.plan.placements) ++named[placement.job];
    for (const auto& unplaced : solution.plan.unplaced) {
      ++named[unplaced.job];
      if (unplaced.detail.empty()) return "no reason";
    }
    for (const int times : named) {
      if (times != 1) return "a job is named " + std::to_string(times) + " times";
    }
    return {};
  });
}

TEST_P(Invariants, carbon_summed_by_slots_is_that_summed_by_jobs) {
  hold_for(40, {.transfers = false}, [](const Problem& problem) -> std::optional<std::string> {
    const Solution solution = solved(problem);
    double by_slots = 0;
    for (std::size_t s = 0; s < problem.sites.size(); ++s) {
      for (std::size_t t = 0; t < problem.slots; ++t) {
        const core::Interval slot{problem.start + problem.slot * static_cast<std::int64_t>(t),
                                  problem.start + problem.slot * static_cast<std::int64_t>(t + 1)};
        double kwh = 0;
        for (const core::Placement& placement : solution.plan.placements) {
          if (placement.site != s) continue;
          const core::Job& job = problem.jobs[placement.job];
          for (std::size_t i = 0; i < placement.segments.size(); ++i) {
            const auto seconds = slot.overlap(placement.segments[i]).length().count();
            kwh += core::watts(job.modes[placement.mode].power) * static_cast<double>(seconds) / 3.6e6;
            if (i > 0 && slot.contains(placement.segments[i].begin)) kwh += core::kwh(job.interruption->restart_energy);
          }
        }
        by_slots += kwh * core::number(problem.sites[s].pue) * core::grams_per_kwh(problem.sites[s].intensity[t]);
      }
    }
    const double by_jobs = core::grams(solution.plan.emissions);
    if (std::fabs(by_slots - by_jobs) <= 1e-9 * by_jobs + 0.002 * static_cast<double>(problem.jobs.size())) return {};
    return std::to_string(by_slots) + " g by slots, " + std::to_string(by_jobs) + " g by jobs";
  });
}

TEST_P(Invariants, any_prices_that_are_not_negative_prove_a_bound) {
  const Ingredients small{.most_jobs = 4,
                          .most_slots = 6,
                          .most_sites = 2,
                          .fixed = false,
                          .interruptible = false,
                          .ramps = false,
                          .prices = false};
  hold_for(30, small, [](const Problem& problem) -> std::optional<std::string> {
    using namespace core::solving;
    const Instance instance{problem, Objective::carbon};
    BruteForce all{problem};
    const auto best = all.best(std::vector<bool>(problem.jobs.size(), true));
    if (!all.found()) return {};  // no plan places all of them
    TaskList tasks;
    for (std::uint32_t t = 0; t < instance.tasks.size(); ++t) tasks.push_back(t);
    core::Sequential sequential;
    Dual dual{instance, tasks, LeavingOut::never, sequential};
    std::mt19937_64 random{problem.jobs.size()};
    for (int draw = 0; draw < 30; ++draw) {
      Prices prices{instance};
      const double most = std::exp2(static_cast<double>(random() % 24));
      for (double& price : prices.of_cell) {
        if (random() % 2 == 0) price = most * static_cast<double>(random() % 1000) / 1000;
      }
      const double bound = dual.evaluate(prices) / 1000;
      if (bound > best.grams + 1e-6 * (1 + best.grams)) {
        return "bound " + std::to_string(bound) + " g above the optimum of " + std::to_string(best.grams) + " g";
      }
    }
    return {};
  });
}

/// The bound of what is easier, against the plan of what is harder, if both place the same jobs.
std::optional<std::string> bounded(const Problem& harder, const Problem& easier) {
  const Solution plan = solved(harder), bound = solved(easier);
  if (placed_jobs(harder, plan) != placed_jobs(easier, bound)) return {};
  if (bound.lower_bound <= plan.plan.emissions) return {};
  return "bound " + grams_text(bound.lower_bound) + " of the easier, plan " + grams_text(plan.plan.emissions) +
         " of the harder";
}

TEST_P(Invariants, a_later_finish_never_lifts_the_bound_above_what_was_possible) {
  hold_for(25, {}, [](const Problem& problem) {
    Problem later = problem;
    for (core::Job& job : later.jobs) {
      if (!job.fixed) job.finish_by += 3 * problem.slot;
    }
    return bounded(problem, later);
  });
}

TEST_P(Invariants, another_site_never_lifts_the_bound_above_what_was_possible) {
  hold_for(25, {.transfers = false}, [](const Problem& problem) {
    Problem wider = problem;
    wider.sites.push_back(wider.sites[0]);
    wider.sites.back().name = "new";
    for (core::Job& job : wider.jobs) {
      if (!job.fixed) job.sites.push_back(wider.sites.size() - 1);
    }
    return bounded(problem, wider);
  });
}

TEST_P(Invariants, on_one_site_a_constant_more_intensity_costs_the_energy_times_it) {
  const Ingredients one_site{
      .most_sites = 1, .modes = false, .interruptible = false, .transfers = false, .prices = false};
  hold_for(25, one_site, [](const Problem& problem) -> std::optional<std::string> {
    Problem dirtier = problem;
    for (core::CarbonIntensity& intensity : dirtier.sites[0].intensity) {
      intensity += core::CarbonIntensity::of_base(100'000);
    }
    const Solution before = solved(problem), after = solved(dirtier);
    if (placed_jobs(problem, before) != placed_jobs(dirtier, after)) return {};
    core::Emissions more{};  // what is within the horizon emits: of jobs that run already, the rest
    for (const core::Placement& placement : before.plan.placements) {
      more += core::Emissions::of_base(std::llround(core::kwh(placement.facility_energy) * 100'000));
    }
    const bool low = after.plan.emissions + rounding(problem) < before.lower_bound + more;
    const bool high = before.plan.emissions + more + rounding(problem) < after.lower_bound;
    if (!low && !high) return {};
    return "plan " + grams_text(after.plan.emissions) + " against bound " + grams_text(before.lower_bound) + " + " +
           grams_text(more);
  });
}

TEST_P(Invariants, a_new_plan_of_the_same_data_moves_nobody) {
  hold_for(25, {}, [](const Problem& problem) -> std::optional<std::string> {
    const Solution first = solved(problem);
    const core::Incumbent incumbent = incumbent_of(problem, first);
    const Solution again = solved(problem, &incumbent);
    if (again.plan.unplaced.size() > first.plan.unplaced.size()) return "a job lost its place";
    if (again.plan.unplaced.size() == first.plan.unplaced.size() && problem.eur_per_tonne == 0 &&
        placed_jobs(problem, again) == placed_jobs(problem, first) &&
        again.plan.emissions > first.plan.emissions + rounding(problem)) {
      return "from " + grams_text(first.plan.emissions) + " to " + grams_text(again.plan.emissions);
    }
    return {};
  });
}

TEST_P(Invariants, running_jobs_never_move_and_cleaner_ones_gain_enough) {
  hold_for(25, {.prices = false}, [](const Problem& problem) -> std::optional<std::string> {
    const core::Incumbent incumbent = incumbent_of(problem, solved(problem));
    Problem changed = problem;
    std::mt19937_64 random{7};
    for (core::Site& site : changed.sites) {
      for (core::CarbonIntensity& intensity : site.intensity) {
        intensity =
            core::CarbonIntensity::of_base(intensity.base() * static_cast<std::int64_t>(90 + random() % 21) / 100);
      }
    }
    const Solution again = solved(changed, &incumbent);
    std::map<std::size_t, const core::Placement*> now;
    for (const core::Placement& placement : again.plan.placements) now[placement.job] = &placement;
    std::map<std::size_t, const core::Move*> moves;
    for (const core::Move& move : again.moves) moves[move.job] = &move;
    for (std::size_t j = 0; j < changed.jobs.size(); ++j) {
      const auto& before = incumbent.of_job[j];
      if (!before || now.count(j) == 0) continue;
      const bool moved = now[j]->site != before->site || now[j]->segments != before->segments;
      if (moved && changed.jobs[j].fixed) return "a running job moved";
      if (moved != (moves.count(j) > 0) && !changed.jobs[j].fixed && now[j]->mode == before->mode) {
        return std::string{moved ? "a move is not told" : "a move is told that nobody made"};
      }
      if (moves.count(j) > 0 && moves[j]->reason == core::MoveReason::cleaner && moves[j]->saved <= core::Emissions{}) {
        return "a cleaner place saves nothing";
      }
    }
    return {};
  });
}

}  // namespace
}  // namespace valle::tests
