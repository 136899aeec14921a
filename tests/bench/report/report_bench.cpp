// SPDX-License-Identifier: Apache-2.0
// Times a weekly report over many rows: runs → ledger → JSON and CSV. Usage: bench_report [ROWS]. Prints a table.
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "scheduler/account/posted.hpp"
#include "service/report/document.hpp"
#include "service/store/intensity_repository.hpp"
#include "service/store/migrator.hpp"
#include "service/store/run_repository.hpp"

namespace {

using namespace valle;
using namespace valle::service;
using namespace valle::scheduler;
using Clock = std::chrono::steady_clock;

/// Wall and processor time since it was made: on a busy machine the second tells more.
class Stopwatch {
 public:
  void print(const char* what, const char* target) const {
    const double wall = std::chrono::duration<double>(Clock::now() - wall_).count();
    const double cpu = (static_cast<double>(std::clock()) - static_cast<double>(cpu_)) / CLOCKS_PER_SEC;
    std::printf("%-40s %7.2f s wall %7.2f s cpu  %s\n", what, wall, cpu, target);
  }

 private:
  Clock::time_point wall_ = Clock::now();
  std::clock_t cpu_ = std::clock();
};

double most_resident_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

const Instant k_monday = parse_instant("2027-06-14T00:00:00Z").value();

/// Three zones, two weeks of hours.
std::shared_ptr<const app::IntensityBook> a_book() {
  Harvest harvest;
  const char* zones[] = {"ES", "FR", "DE"};
  for (std::size_t zone = 0; zone < 3; ++zone) {
    for (int i = -168; i < 168; ++i) {
      const Instant hour = k_monday + std::chrono::hours{i};
      const double grams = 60 + 120 * static_cast<double>(zone) + 40 * std::sin(i / 24.0 * 6.283);
      harvest.intensity.push_back(
          {{Zone::of(zones[zone]), {}}, {hour, hour + std::chrono::hours{1}}, intensity_from_grams_per_kwh(grams)});
      harvest.intensity.back().updated_at = hour + std::chrono::hours{2};
    }
  }
  return app::IntensityBook{}.with("files", "made up", harvest).value();
}

Run a_run(std::size_t number) {
  const char* sites[] = {"es", "fr", "de"};
  const auto seconds = [](std::size_t count) { return Duration{static_cast<std::int64_t>(count)}; };
  Run run;
  run.id = run.name = "run-" + std::to_string(number);
  run.owner = "team-" + std::to_string(number % 40);
  run.submitted = k_monday + seconds(number * 7919 % 400'000);
  run.home_site = sites[number % 3];
  run.start_by = run.submitted + std::chrono::hours{24};
  Attempt attempt;
  attempt.site = sites[number / 3 % 3];
  attempt.pue = k_one;
  attempt.ran.begin = run.submitted + seconds(number * 104'729 % 86'400);
  attempt.ran.end = attempt.ran.begin + seconds(60 + number * 31 % 30'000);
  attempt.outcome = AttemptOutcome::finished;
  attempt.figures = {posted_figure(Energy::of_base(static_cast<std::int64_t>(1000 + number * 13 % 5'000'000)))};
  run.finished = attempt.ran.end;
  run.attempts = {attempt};
  return run;
}

void fill(store::Database& database, std::size_t rows) {
  store::RunRepository ledger{database};
  std::vector<Run> batch;
  for (std::size_t i = 0; i < rows; ++i) {
    batch.push_back(a_run(i));
    if (batch.size() == 10'000 || i + 1 == rows) {
      (void)ledger.post(batch).value();
      batch.clear();
    }
  }
}

void measure(store::Database& database, const app::IntensityBook& book, report::Format format, const char* target) {
  runtime::Config config;
  const auto sites = config.sites_or_one_per(book.zones());
  const Stopwatch watch;
  report::DocumentQuestion question;
  question.week = report::parse_week("2027-W24").value();
  question.format = format;
  auto draft = report::Drafting::draft(
                   database, question,
                   {.config = config.report, .book = book, .sites = sites, .now = k_monday + std::chrono::days{14}})
                   .value();
  if (!draft.keep(database)) std::abort();
  report::Document document = std::move(draft).finished();
  std::FILE* out = std::fopen("/dev/null", "wb");
  const std::uint64_t size = document.size();
  for (std::string piece; document.next(piece);) std::fwrite(piece.data(), 1, piece.size(), out);
  std::fclose(out);
  const std::string what =
      "report as " + std::string{report::to_text(format)} + ", " + std::to_string(size / 1'000'000) + " MB";
  watch.print(what.c_str(), target);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const auto folder = std::filesystem::temp_directory_path() / "valle-bench-report";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto database = store::open_store(folder / "valle.db").value();
  const auto book = a_book();
  std::printf("%zu rows\n", rows);
  {
    const Stopwatch watch;
    fill(*database, rows);
    watch.print("posted in batches of 10,000", "");
  }
  measure(*database, *book, report::Format::json, "aim < 5 s");
  measure(*database, *book, report::Format::csv, "");
  measure(*database, *book, report::Format::markdown, "");
  std::printf("%-40s %7.1f MB               aim < 300 MB\n", "most memory", most_resident_mb());
  std::filesystem::remove_all(folder);
}
