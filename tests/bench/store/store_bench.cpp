// SPDX-License-Identifier: Apache-2.0
// Times the way of two years of hourly rows: files → store → book. Usage: bench_store [FOLDER_OF_CSV]; without a folder
// the rows are invented. Prints a table.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "connectors/files/files.hpp"
#include "service/app/ingest.hpp"
#include "service/store/migrator.hpp"

namespace {

using namespace valle;
using namespace valle::service;
using Clock = std::chrono::steady_clock;

/// Wall and processor time since it was made: on a busy machine the second tells more.
class Stopwatch {
 public:
  void print(const char* what, const char* target) const {
    const double wall = std::chrono::duration<double, std::milli>(Clock::now() - wall_).count();
    const double cpu = (static_cast<double>(std::clock()) - static_cast<double>(cpu_)) * 1e3 / CLOCKS_PER_SEC;
    std::printf("%-52s %8.1f ms wall %8.1f ms cpu  %s\n", what, wall, cpu, target);
  }

 private:
  Clock::time_point wall_ = Clock::now();
  std::clock_t cpu_ = std::clock();
};

/// Current resident memory in MB.
double resident_mb() {
  std::ifstream in{"/proc/self/statm"};
  long pages = 0;
  in >> pages >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

void row(const char* what, double value, const char* unit, const char* target) {
  std::printf("%-52s %8.1f %-3s                       %s\n", what, value, unit, target);
}

scheduler::Harvest invented(const scheduler::Zone& zone, scheduler::Instant now) {
  constexpr int rows = 17'520;
  scheduler::Harvest harvest;
  scheduler::Instant hour = now - std::chrono::hours{rows};
  for (int i = 0; i < rows; ++i, hour += std::chrono::hours{1}) {
    const double grams = 150 + 100 * std::sin(i / 24.0 * 6.283) + i % 17;
    harvest.intensity.push_back(
        {{zone, {}}, {hour, hour + std::chrono::hours{1}}, scheduler::intensity_from_grams_per_kwh(grams)});
    harvest.intensity.back().updated_at = now;
  }
  return harvest;
}

/// Every hour's forecast of three days, as a provider would issue it over 400 days.
std::size_t forecasts_of_a_zone(store::IntensityRepository& repository, const scheduler::Zone& zone,
                                scheduler::Instant now) {
  std::size_t issues = 0;
  for (int age = 400 * 24; age > 0; age -= 24) {
    scheduler::Harvest harvest;
    for (int k = 0; k < 24; ++k) {
      const scheduler::Instant issued = now - std::chrono::hours{age - k};
      for (int i = 0; i < 73; ++i) {
        const scheduler::Instant hour = std::chrono::floor<std::chrono::hours>(issued) + std::chrono::hours{i};
        const double grams = 150 + 100 * std::sin(i / 24.0 * 6.283) + (age + k) % 23;
        harvest.intensity.push_back(
            {{zone, {}}, {hour, hour + std::chrono::hours{1}}, scheduler::intensity_from_grams_per_kwh(grams)});
        harvest.intensity.back().kind = scheduler::ReadingKind::forecast;
        harvest.intensity.back().updated_at = issued;
      }
      ++issues;
    }
    if (!repository.store("bench", zone, harvest, now)) std::abort();
  }
  return issues;
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / ("valle-bench-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "valle.db";
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::sys_days{std::chrono::year{2027} / 6 / 1});
  {
    auto database = store::open_store(file).value();
    store::IntensityRepository repository{*database};
    app::CurrentBook book{std::make_shared<app::IntensityBook>()};
    app::Ingest ingest{repository, book};
    const Stopwatch all;
    std::size_t rows = 0;
    if (argc > 1) {
      const std::filesystem::path given{argv[1]};
      const std::vector<std::filesystem::path> paths{given / "FR.csv", given / "ES.csv", given / "DE.csv"};
      const auto zones = connectors::read_intensity_files(paths, now).value();
      all.print("  reading three files", "");
      for (const auto& zone : zones) {
        if (!ingest.take("files", "", zone.zone, zone.harvest, now)) return 1;
        rows += zone.harvest.intensity.size() + zone.harvest.prices.size();
      }
    } else {
      for (const char* zone : {"FR", "ES", "DE"}) {
        if (!ingest.take("files", "", scheduler::Zone::of(zone), invented(scheduler::Zone::of(zone), now), now))
          return 1;
        rows += 17'520;
      }
    }
    all.print("read, store and publish three zones, all in all", "< 1000");
    std::printf("  %zu rows\n", rows);
    for (const char* zone : {"NO", "BE", "NL", "GB", "AT", "IT"}) {
      if (!ingest.take("files", "", scheduler::Zone::of(zone), invented(scheduler::Zone::of(zone), now), now)) return 1;
    }
    const Stopwatch hour;
    scheduler::Harvest next;
    next.intensity.push_back({{scheduler::Zone::of("NO"), {}},
                              {now, now + std::chrono::hours{1}},
                              scheduler::intensity_from_grams_per_kwh(50)});
    if (!ingest.take("files", "", scheduler::Zone::of("NO"), next, now)) return 1;
    hour.print("one new hour into store and book", "");
  }
  row("database of two years, nine zones", static_cast<double>(std::filesystem::file_size(file)) / 1e6, "MB", "");
  {
    const double before = resident_mb();
    const Stopwatch start;
    auto database = store::open_store(file).value();
    const auto book = app::IntensityBook::load(store::IntensityRepository{*database}, {}).value();
    start.print("open the database and load two years, nine zones", "< 150");
    row("resident memory before", before, "MB", "");
    row("resident memory after", resident_mb(), "MB", "< 60");
  }
  {
    auto database = store::open_store(folder / "forecasts.db").value();
    store::IntensityRepository repository{*database};
    const std::size_t issues = forecasts_of_a_zone(repository, scheduler::Zone::of("FR"), now);
    const double bytes = static_cast<double>(std::filesystem::file_size(folder / "forecasts.db"));
    std::printf("%zu hourly issues of 73 rows\n", issues);
    row("400 days of forecasts of one zone", bytes / 1e6, "MB", "");
  }
  std::filesystem::remove_all(folder);
}
