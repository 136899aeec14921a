// SPDX-License-Identifier: Apache-2.0
// One cycle of planning, part by part: bench_plan JOBS. Prints a table of wall and processor time.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "service/app/plan_decision.hpp"
#include "service/runtime/executors.hpp"
#include "service/store/job_repository.hpp"
#include "service/store/migrator.hpp"

namespace {

using namespace valle;
using namespace valle::service;
using std::chrono::hours;

class Stopwatch {
 public:
  void print(const char* what) const {
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - wall_;
    const double cpu = static_cast<double>(std::clock() - cpu_) * 1e3 / CLOCKS_PER_SEC;
    std::printf("%-58s %8.1f ms wall %8.1f ms cpu\n", what, wall.count(), cpu);
  }

 private:
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

const scheduler::Instant k_now =
    std::chrono::floor<std::chrono::seconds>(std::chrono::sys_days{std::chrono::year{2027} / 6 / 1});
constexpr int k_known_hours = 96;

/// Two sites with four days of hours; `cpus` at each, none: no limit.
app::PlanningSnapshot world(std::size_t jobs, std::int64_t cpus) {
  auto book = std::make_shared<const app::IntensityBook>();
  app::PlanningSnapshot snapshot;
  for (const char* name : {"FR", "ES"}) {
    const auto zone = scheduler::Zone::of(name);
    scheduler::Harvest harvest;
    for (int i = 0; i < k_known_hours; ++i) {
      const auto hour = k_now + hours{i};
      harvest.intensity.push_back(
          {{zone, {}}, {hour, hour + hours{1}}, scheduler::intensity_from_grams_per_kwh(50 + i * name[0] % 211)});
      harvest.intensity.back().kind = scheduler::ReadingKind::forecast;
      harvest.intensity.back().updated_at = k_now;
    }
    book = book->with("files", name, harvest).value();
    snapshot.sites.push_back({.name = name, .zone = zone, .region = name});
    if (cpus > 0) snapshot.sites.back().capacity["cpu"] = scheduler::Amount::of_base(cpus * 1'000);
  }
  snapshot.now = k_now;
  snapshot.book = book;
  for (std::size_t i = 0; i < jobs; ++i) {
    app::Job job;
    job.id = "f81d4fae-7dec-11d0-a765-" + std::to_string(100'000'000'000 + i);
    job.submitted_at = k_now;
    job.request.duration = hours{1 + i % 4};
    job.request.power = scheduler::power_from_watts(300);
    job.request.demand = std::vector<scheduler::ResourceDemand>{{"cpu", scheduler::Amount::of_base(1'000)}};
    job.request.sites = std::vector<std::string>{"FR", "ES"};
    job.request.finish_by = job.finish_by = k_now + hours{24 + i % 48};
    job.earliest_start = k_now;
    job.start_by = job.finish_by - *job.request.duration;
    job.object = app::ClusterObject{
        .kind = "Job", .space = "bench", .name = "job-" + std::to_string(i), .start_by = job.start_by};
    snapshot.jobs.push_back(std::move(job));
  }
  return snapshot;
}

/// The jobs with what a decision has changed.
void take_over(std::vector<app::Job>& jobs, const std::vector<app::Job>& changed) {
  auto next = changed.begin();  // in the order of the jobs
  for (auto& job : jobs) {
    if (next != changed.end() && next->id == job.id) job = *next++;
  }
}

void cycle(const char* title, std::size_t jobs, std::int64_t cpus, const std::filesystem::path& file) {
  std::printf("\n%s\n", title);
  runtime::WorkQueue queue{{.name = "solver"}};
  runtime::QueueParallel parallel{queue};
  app::PlanningSnapshot snapshot = world(jobs, cpus);
  auto database = store::open_store(file).value();
  store::JobRepository repository{*database};
  {
    std::vector<std::string> ids;
    for (const auto& job : snapshot.jobs) ids.push_back(job.id);
    std::size_t next = 0;
    const Stopwatch watch;
    if (!repository.upsert(ids, [&](const auto&, const app::Job*) { return std::optional{snapshot.jobs[next++]}; }))
      std::abort();
    watch.print("storing new jobs");
  }
  store::ActiveJobs active;
  {
    const Stopwatch watch;
    active = repository.active().value();
    watch.print("reading the jobs");
  }
  snapshot.jobs = active.jobs;
  std::vector<app::Job> changed;
  {
    const Stopwatch watch;
    const auto decision = decide(snapshot, app::PlanKind::settle, parallel);
    watch.print("deciding: the first plan");
    changed = decision.value().changed;
    snapshot.prices = decision->prices;
    std::printf("  %zu without a place\n", decision->solution.plan.unplaced.size());
  }
  {
    const Stopwatch watch;
    if (!repository.commit({.revision = active.revision, .changed = changed, .made_at = k_now})) std::abort();
    watch.print("storing the plan");
  }
  take_over(snapshot.jobs, changed);
  {
    const Stopwatch watch;
    const auto decision = decide(snapshot, app::PlanKind::settle, parallel);
    watch.print("deciding: all are settled");
    if (!decision->changed.empty()) std::printf("  %zu changed\n", decision->changed.size());
  }
  {
    const Stopwatch watch;
    const auto decision = decide(snapshot, app::PlanKind::replan, parallel);
    watch.print("deciding: a new plan beside the one in force");
    std::printf("  %zu moved\n", decision->moved);
  }
  store::JobCache parsed;
  for (const auto& [what, later] : {std::pair{"looking for jobs that are due: none", hours{-1}},
                                    std::pair{"looking for jobs that are due: all, released", hours{200}}}) {
    const Stopwatch watch;
    const auto now = k_now + later;
    const auto released =
        repository.release([&](const app::Job& job) { return due_release(job, snapshot.sites, now); }, parsed);
    watch.print(what);
    std::printf("  %zu released\n", released.value().size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t jobs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  const auto folder = std::filesystem::temp_directory_path() / ("valle-plan-bench-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::printf("%zu jobs of 1 to 4 h, windows of 1 to 3 days, two sites, hours\n", jobs);
  cycle("no limits", jobs, 0, folder / "free.db");
  // A third of the jobs' cpu hours of a day can run in it.
  cycle("limits that bind", jobs, static_cast<std::int64_t>(jobs) / 25, folder / "bound.db");
  std::filesystem::remove_all(folder);
}
