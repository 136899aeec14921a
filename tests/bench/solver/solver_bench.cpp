// SPDX-License-Identifier: Apache-2.0
// Plans problems of ten families and prints, for each, the proven gap, the jobs left out and the time.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "families.hpp"
#include "scheduler/check/check.hpp"
#include "scheduler/solve/solve.hpp"
#include "service/runtime/executors.hpp"

namespace {

using namespace valle;

struct Options {
  bench::ProblemOptions problem;
  std::vector<std::string> families;
  std::vector<std::size_t> jobs{300, 1000, 10'000};
  std::size_t threads = 1;
  scheduler::Effort effort = scheduler::Effort::normal;
};

long resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// False if the verifier finds anything.
bool plan_one(const bench::Family& family, const Options& options, scheduler::Parallel& parallel) {
  const auto problem = bench::make_problem(family, options.problem);
  if (!problem) return true;
  if (const auto valid = validate(*problem); !valid) {
    std::printf("%-11s invalid: %s %s\n", family.name.data(), valid.error().pointer.c_str(),
                valid.error().detail.c_str());
    return false;
  }
  const auto early = scheduler::earliest_start_plan(*problem);
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t busy_before = std::clock();
  const auto solution = scheduler::solve(*problem, {.effort = options.effort, .seed = options.problem.seed}, parallel);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const double busy = static_cast<double>(std::clock() - busy_before) / CLOCKS_PER_SEC;
  const auto violations = check(*problem, claims_of(*problem, solution.plan, solution.lower_bound));
  const double bound = scheduler::grams(solution.lower_bound), plan = scheduler::grams(solution.plan.emissions);
  std::printf(
      "%-11s %7zu  gap %8.4f %%  left out %5zu (earliest start %5zu)  %7.2f s, %6.2f s of CPU  saved %5.1f %%  %4ld MB "
      " %s\n",
      family.name.data(), problem->jobs.size(), 100 * (plan / bound - 1), solution.plan.unplaced.size(),
      early.unplaced.size(), seconds.count(), busy, 100 * (1 - plan / scheduler::grams(solution.plan.run_now)),
      resident_megabytes(), violations.empty() ? "checked" : violations[0].detail.c_str());
  std::fflush(stdout);
  return violations.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string data;
  CLI::App app{"Plans problems of ten families; prints gap, jobs left out and time."};
  app.add_option("--data", data, "folder with intensity/ and workloads/; without it curves are synthetic");
  app.add_option("--family", options.families, "only these");
  app.add_option("--jobs", options.jobs, "numbers of jobs")->capture_default_str();
  app.add_option("--hours", options.problem.hours)->capture_default_str();
  app.add_option("--first-hour", options.problem.first_hour, "of the intensity files")->capture_default_str();
  app.add_option("--load", options.problem.load)->capture_default_str();
  app.add_option("--seed", options.problem.seed)->capture_default_str();
  app.add_option("--threads", options.threads)->capture_default_str();
  std::map<std::string, scheduler::Effort> efforts{{"quick", scheduler::Effort::quick},
                                                   {"normal", scheduler::Effort::normal},
                                                   {"thorough", scheduler::Effort::thorough}};
  app.add_option("--effort", options.effort)->transform(CLI::CheckedTransformer(efforts));
  CLI11_PARSE(app, argc, argv);
  if (!data.empty()) options.problem.data = data;
  service::runtime::WorkQueue queue{{.name = "solver", .threads = options.threads}};
  service::runtime::QueueParallel threads{queue};
  scheduler::Sequential one;
  scheduler::Parallel& parallel = options.threads > 1 ? static_cast<scheduler::Parallel&>(threads) : one;
  bool good = true;
  for (const std::size_t jobs : options.jobs) {
    options.problem.jobs = jobs;
    for (const bench::Family& family : bench::families()) {
      const bool wanted = options.families.empty() || std::find(options.families.begin(), options.families.end(),
                                                                family.name) != options.families.end();
      if (wanted) good = plan_one(family, options, parallel) && good;
    }
  }
  return good ? 0 : 1;
}
