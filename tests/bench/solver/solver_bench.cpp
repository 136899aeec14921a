// SPDX-License-Identifier: Apache-2.0
// Plans problems of ten families and prints, for each, the proven gap, the jobs left out and the time.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "families.hpp"
#include "scheduler/check/check.hpp"
#include "scheduler/solve/random.hpp"
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
  bool replan = false;
};

long resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

class Stopwatch {
 public:
  [[nodiscard]] double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
  }
  [[nodiscard]] double cpu() const { return static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC; }

 private:
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

/// Every number of the forecast changes by some 3 %: the plan goes on from the one before, and one is made from
/// nothing.
bool plan_again(scheduler::Problem problem, const scheduler::Solution& before, const Options& options,
                scheduler::Parallel& parallel) {
  scheduler::solving::Random random{options.problem.seed + 7};
  for (auto& site : problem.sites) {
    for (auto& intensity : site.intensity) {
      const double factor = 1 + 0.03 * (random.unit() + random.unit() + random.unit() + random.unit() - 2) * 1.732;
      intensity = scheduler::intensity_from_grams_per_kwh(std::max(1.0, scheduler::grams_per_kwh(intensity) * factor));
    }
  }
  scheduler::Incumbent incumbent{.of_job = {}, .prices = before.prices};
  incumbent.of_job.resize(problem.jobs.size());
  for (const auto& placement : before.plan.placements) {
    incumbent.of_job[placement.job] = {placement.site, placement.mode, placement.segments};
  }
  const scheduler::SolveOptions cold{.effort = options.effort, .seed = options.problem.seed};
  scheduler::SolveOptions warm = cold;
  warm.incumbent = &incumbent;
  const auto print = [&](const char* what, const scheduler::SolveOptions& how) {
    const Stopwatch watch;
    const auto solution = scheduler::solve(problem, how, parallel);
    const double wall = watch.wall(), cpu = watch.cpu();
    const double bound = scheduler::grams(solution.lower_bound), plan = scheduler::grams(solution.plan.emissions);
    std::printf("  %-24s gap %8.4f %%  left out %5zu  %7.2f s, %6.2f s of CPU  moved %zu\n", what,
                100 * (plan / bound - 1), solution.plan.unplaced.size(), wall, cpu, solution.moves.size());
    std::fflush(stdout);
    return check(problem, claims_of(problem, solution.plan, solution.lower_bound)).empty();
  };
  const bool good = print("again, from the plan", warm);
  return print("again, from nothing", cold) && good;
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
  const Stopwatch watch;
  const auto solution = scheduler::solve(*problem, {.effort = options.effort, .seed = options.problem.seed}, parallel);
  const double seconds = watch.wall(), busy = watch.cpu();
  const auto violations = check(*problem, claims_of(*problem, solution.plan, solution.lower_bound));
  const double bound = scheduler::grams(solution.lower_bound), plan = scheduler::grams(solution.plan.emissions);
  std::printf(
      "%-11s %7zu x %4zu x %zu  gap %8.4f %%  left out %5zu (earliest start %5zu)  %7.2f s, %6.2f s of CPU  saved "
      "%5.1f %%  %4ld MB "
      " %s\n",
      family.name.data(), problem->jobs.size(), problem->slots, problem->sites.size(), 100 * (plan / bound - 1),
      solution.plan.unplaced.size(), early.unplaced.size(), seconds, busy,
      100 * (1 - plan / scheduler::grams(solution.plan.run_now)), resident_megabytes(),
      violations.empty() ? "checked" : violations[0].detail.c_str());
  if (solution.overload) std::printf("  no plan leaves out fewer than %zu\n", solution.overload->left_out_at_least);
  std::fflush(stdout);
  const bool again = !options.replan || plan_again(*problem, solution, options, parallel);
  return violations.empty() && again;
}

/// Against the exact optimum of the same problem.
bool plan_hour_jobs(const std::string& data, const Options& options, scheduler::Parallel& parallel) {
  bool good = true;
  struct Row {
    double capacity, best;  // percent saved
  };
  for (const Row row : {Row{5, 29.53}, Row{6, 42.95}, Row{8, 54.29}, Row{12, 66.78}}) {
    const auto problem = bench::hour_jobs(data, row.capacity);
    const Stopwatch watch;
    const auto solution = scheduler::solve(problem, {.effort = options.effort}, parallel);
    const double wall = watch.wall(), cpu = watch.cpu(), plan = scheduler::grams(solution.plan.emissions);
    const auto violations = check(problem, claims_of(problem, solution.plan, solution.lower_bound));
    std::printf(
        "hour jobs   %7zu x %4zu x 3, room for %2.0f: saved %6.3f %% (best %6.2f)  gap %8.4f %%  left out %zu  "
        "%7.2f s, %6.2f s of CPU  %s\n",
        problem.jobs.size(), problem.slots, row.capacity, 100 * (1 - plan / scheduler::grams(solution.plan.run_now)),
        row.best, 100 * (plan / scheduler::grams(solution.lower_bound) - 1), solution.plan.unplaced.size(), wall, cpu,
        violations.empty() ? "checked" : violations[0].detail.c_str());
    std::fflush(stdout);
    good = good && violations.empty();
  }
  return good;
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
  app.add_option("--slots-an-hour", options.problem.slots_an_hour)->capture_default_str();
  app.add_option("--sites", options.problem.sites)->check(CLI::Range(1, 9))->capture_default_str();
  app.add_option("--first-hour", options.problem.first_hour, "of the intensity files")->capture_default_str();
  app.add_option("--load", options.problem.load)->capture_default_str();
  app.add_option("--seed", options.problem.seed)->capture_default_str();
  app.add_flag("--replan", options.replan, "plan again after a change of the forecast by 3 %");
  app.add_option("--threads", options.threads)->capture_default_str();
  std::map<std::string, scheduler::Effort> efforts{{"quick", scheduler::Effort::quick},
                                                   {"normal", scheduler::Effort::normal},
                                                   {"thorough", scheduler::Effort::thorough}};
  app.add_option("--effort", options.effort)->transform(CLI::CheckedTransformer(efforts));
  bool hour_jobs = false;
  app.add_flag("--hour-jobs", hour_jobs, "jobs of an hour, against the exact optimum; needs --data")->needs("--data");
  CLI11_PARSE(app, argc, argv);
  if (!data.empty()) options.problem.data = data;
  service::runtime::WorkQueue queue{{.name = "solver", .threads = options.threads}};
  service::runtime::QueueParallel threads{queue};
  scheduler::Sequential one;
  scheduler::Parallel& parallel = options.threads > 1 ? static_cast<scheduler::Parallel&>(threads) : one;
  if (hour_jobs) return plan_hour_jobs(data, options, parallel) ? 0 : 1;
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
