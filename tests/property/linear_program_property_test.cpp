// SPDX-License-Identifier: Apache-2.0
// Rigid jobs as a linear program over all their starts. Its optimum is the best bound that prices of slots can prove,
// and with whole numbers it is the best plan: ours must lie on the right side of the first, and meet the second.
#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "scheduler/solve/random.hpp"
#include "scheduler/solve/solve.hpp"
#include "tests/support/random_problem.hpp"

namespace valle::tests {
namespace {

using core::Problem;

/// One start of one job, with what it emits and holds, worked out from the model's words.
struct Start {
  std::size_t job, site, first, last;  // slots touched: [first, last)
  double grams;
};

std::vector<Start> starts_of(const Problem& problem, std::size_t j) {
  const core::Job& job = problem.jobs[j];
  const double slot = static_cast<double>(problem.slot.count());
  const double length = static_cast<double>(job.modes[0].duration.count());
  std::vector<Start> starts;
  for (const std::size_t s : job.sites) {
    const core::Site& site = problem.sites[s];
    for (std::size_t t = 0; t < problem.slots; ++t) {
      const core::Instant begin = problem.start + problem.slot * static_cast<std::int64_t>(t);
      const core::Instant end = begin + job.modes[0].duration;
      const core::Instant horizon = problem.start + problem.slot * static_cast<std::int64_t>(problem.slots);
      if (begin < job.earliest_start || end > job.finish_by || end > horizon) continue;
      Start start{j, s, t, t, 0};
      for (double left = length; left > 0; left -= slot, ++start.last) {
        start.grams += core::watts(job.modes[0].power) / 1000 * std::min(left, slot) / 3600 * core::number(site.pue) *
                       core::grams_per_kwh(site.intensity[start.last]);
      }
      if (s != job.home_site) {
        start.grams += job.transfer_gb * core::kwh(site.energy_per_gb) * core::grams_per_kwh(site.intensity[t]);
      }
      starts.push_back(start);
    }
  }
  return starts;
}

/// min cost · x, least ≤ A x ≤ most, 0 ≤ x ≤ 1; A by columns.
struct Program {
  std::vector<CoinBigIndex> begins{0};
  std::vector<int> index;
  std::vector<double> value, cost, least, most;

  [[nodiscard]] int columns() const { return static_cast<int>(cost.size()); }
  [[nodiscard]] int rows() const { return static_cast<int>(least.size()); }
  int add_row(double at_least, double at_most) {
    least.push_back(at_least);
    most.push_back(at_most);
    return rows() - 1;
  }
};

std::optional<double> by_clp(const Program& program) {
  const std::vector<double> zero(program.cost.size(), 0), one(program.cost.size(), 1);
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> model{Clp_newModel(), Clp_deleteModel};
  Clp_setLogLevel(model.get(), 0);
  Clp_loadProblem(model.get(), program.columns(), program.rows(), program.begins.data(), program.index.data(),
                  program.value.data(), zero.data(), one.data(), program.cost.data(), program.least.data(),
                  program.most.data());
  Clp_dual(model.get(), 0);
  if (Clp_status(model.get()) != 0) return std::nullopt;
  return Clp_objectiveValue(model.get());
}

std::optional<double> by_cbc(const Program& program) {
  const std::vector<double> zero(program.cost.size(), 0), one(program.cost.size(), 1);
  const std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> model{Cbc_newModel(), Cbc_deleteModel};
  Cbc_loadProblem(model.get(), program.columns(), program.rows(), program.begins.data(), program.index.data(),
                  program.value.data(), zero.data(), one.data(), program.cost.data(), program.least.data(),
                  program.most.data());
  for (int column = 0; column < program.columns(); ++column) Cbc_setInteger(model.get(), column);
  for (const auto& [name, setting] : {std::pair{"log", "0"}, {"ratioGap", "0"}, {"allowableGap", "0"}}) {
    Cbc_setParameter(model.get(), name, setting);
  }
  Cbc_solve(model.get());
  if (!Cbc_isProvenOptimal(model.get())) return std::nullopt;
  return Cbc_getObjValue(model.get());
}

/// Each job once, no slot over its capacity. Nothing if not all jobs can be placed.
std::optional<double> optimum(const Problem& problem, bool whole) {
  Program program;
  for (std::size_t j = 0; j < problem.jobs.size(); ++j) program.add_row(1, 1);
  std::map<std::tuple<std::size_t, std::string, std::size_t>, int> row_of;  // (site, resource, slot)
  for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
    for (const Start& start : starts_of(problem, j)) {
      bool fits = true;
      std::vector<std::pair<int, double>> column{{static_cast<int>(j), 1}};
      for (const auto& demand : problem.jobs[j].demand) {
        const auto& capacities = problem.sites[start.site].capacity;
        const auto capacity = std::find_if(capacities.begin(), capacities.end(),
                                           [&](const auto& each) { return each.resource == demand.resource; });
        if (capacity == capacities.end()) continue;  // not counted there
        for (std::size_t t = start.first; t < start.last; ++t) {
          const auto room = static_cast<double>(capacity->per_slot[t].base());
          fits = fits && demand.amount <= capacity->per_slot[t];
          const auto [row, added] = row_of.try_emplace({start.site, demand.resource, t}, program.rows());
          if (added) program.add_row(0, room);
          column.emplace_back(row->second, static_cast<double>(demand.amount.base()));
        }
      }
      if (!fits) continue;
      std::sort(column.begin(), column.end());
      for (const auto& [row, coefficient] : column) {
        program.index.push_back(row);
        program.value.push_back(coefficient);
      }
      program.begins.push_back(static_cast<CoinBigIndex>(program.index.size()));
      program.cost.push_back(start.grams);
    }
  }
  return whole ? by_cbc(program) : by_clp(program);
}

core::Solution solved(const Problem& problem) {
  core::Sequential sequential;
  return core::solve(problem, {}, sequential);
}

class LinearPrograms : public testing::TestWithParam<std::uint64_t> {
 protected:
  static Problem rigid(std::uint64_t seed) {
    return RandomProblem{seed,
                         {.most_jobs = 14,
                          .fixed = false,
                          .groups = false,
                          .modes = false,
                          .interruptible = false,
                          .ramps = false,
                          .prices = false}}
        .draw();
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, LinearPrograms, testing::Range<std::uint64_t>(0, 6));

/// Jobs of some minutes to six hours that leave room for half as many again, on two sites over two days.
Problem many_rigid(std::uint64_t seed) {
  core::solving::Random random{seed};
  constexpr std::size_t k_hours = 48;
  auto problem = a_problem(k_hours);
  for (const char* name : {"a", "b"}) {
    std::vector<double> grams, units;
    for (std::size_t t = 0; t < k_hours; ++t) {
      grams.push_back(static_cast<double>(20 + random.below(300)));
      units.push_back(static_cast<double>(14 + random.below(8)));
    }
    problem = std::move(problem).with(
        a_site(name, grams).pue(1 + 0.1 * static_cast<double>(random.below(5))).holding("gpu", units));
  }
  for (std::size_t j = 0; j < 130; ++j) {
    const auto from = static_cast<double>(random.below(k_hours - 30));
    problem = std::move(problem).with(a_job("j" + std::to_string(j))
                                          .drawing(200 + static_cast<double>(random.below(2000)))
                                          .running(core::Duration{600 + 60 * static_cast<int>(random.below(350))})
                                          .needing("gpu", 1 + static_cast<double>(random.below(4)))
                                          .from(from)
                                          .done_by(from + 12 + static_cast<double>(random.below(18))));
  }
  return problem;
}

TEST_P(LinearPrograms, no_bound_is_above_the_relaxation_and_no_plan_below_it) {
  const Problem problem = many_rigid(GetParam());
  const auto solution = solved(problem);
  ASSERT_TRUE(solution.plan.unplaced.empty());
  const auto relaxed = optimum(problem, false);
  ASSERT_TRUE(relaxed);
  const double rounding = 1e-3 * static_cast<double>(problem.jobs.size());
  EXPECT_GE(core::grams(solution.plan.emissions), *relaxed - rounding);
  EXPECT_LE(core::grams(solution.lower_bound), *relaxed + rounding);
  EXPECT_GE(core::grams(solution.lower_bound), 0.999 * *relaxed) << "the prices prove nearly all that prices can";
}

TEST_P(LinearPrograms, few_jobs_are_planned_as_well_as_in_whole_numbers) {
  int compared = 0;
  for (std::uint64_t seed = GetParam() * 100; seed < GetParam() * 100 + 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = rigid(seed);
    const auto solution = solved(problem);
    const auto best = optimum(problem, true);
    EXPECT_EQ(best.has_value(), solution.plan.unplaced.empty());
    if (!best || !solution.plan.unplaced.empty()) continue;
    ++compared;
    const double rounding = 1e-3 * static_cast<double>(problem.jobs.size());
    EXPECT_NEAR(core::grams(solution.plan.emissions), *best, rounding);
    EXPECT_LE(core::grams(solution.lower_bound), *best + rounding);
  }
  EXPECT_GT(compared, 3);
}

}  // namespace
}  // namespace valle::tests
