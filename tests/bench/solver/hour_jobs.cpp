// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <fstream>
#include <string>

#include "families.hpp"

namespace valle::bench {

std::vector<double> read_curve(const std::filesystem::path& file, std::size_t first, std::size_t hours) {
  std::ifstream in{file};
  std::vector<double> curve;
  std::string line;
  for (std::size_t row = 0; std::getline(in, line) && curve.size() < hours; ++row) {
    if (row <= first) continue;  // row 0 is the header
    curve.push_back(std::atof(line.c_str() + line.find(',') + 1));
  }
  curve.resize(hours, curve.empty() ? 100 : curve.back());
  return curve;
}

scheduler::Problem hour_jobs(const std::filesystem::path& data, double capacity) {
  using namespace scheduler;
  constexpr std::array<const char*, 3> zones{"FR", "ES", "DE"};
  constexpr std::size_t k_first = 8760;  // hour of the files, which begin with 2021
  constexpr std::size_t k_hours = 90 * 24, k_wait = 24, k_an_hour = 4;
  Problem problem{.start = Instant{std::chrono::sys_days{std::chrono::year{2022} / 1 / 1}},
                  .slots = k_hours + k_wait,
                  .sites = {},
                  .jobs = {}};
  for (const char* zone : zones) {
    Site site{.name = zone, .zone = Zone::of(zone), .capacity = {}, .intensity = {}};
    site.capacity.push_back(
        {"job", std::vector<Amount>(problem.slots, Amount::of_base(std::llround(capacity * 1000)))});
    const auto curve = read_curve(data / "intensity" / (std::string{zone} + ".csv"), k_first, problem.slots);
    for (const double grams : curve) site.intensity.push_back(intensity_from_grams_per_kwh(grams));
    problem.sites.push_back(std::move(site));
  }
  for (std::size_t h = 0; h < k_hours; ++h) {
    const Instant start = problem.start + problem.slot * static_cast<std::int64_t>(h);
    for (std::size_t n = 0; n < zones.size() * k_an_hour; ++n) {
      Job job{.id = std::to_string(problem.jobs.size()),
              .earliest_start = start,
              .finish_by = start + problem.slot * static_cast<std::int64_t>(k_wait + 1),
              .modes = {},
              .demand = {},
              .sites = {0, 1, 2},
              .home_site = n / k_an_hour};
      job.modes.push_back({"", power_from_watts(1000), problem.slot});
      job.demand.push_back({"job", Amount::of_base(1000)});
      problem.jobs.push_back(std::move(job));
    }
  }
  return problem;
}

}  // namespace valle::bench
