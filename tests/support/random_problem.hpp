// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "tests/support/problems.hpp"

namespace valle::tests {

/// What a random problem may contain.
struct Ingredients {
  std::size_t most_jobs = 12;
  std::size_t most_slots = 24;
  std::size_t most_sites = 3;
  bool fixed = true, groups = true, modes = true, interruptible = true, ramps = true, transfers = true, prices = true,
       priorities = true, odd_times = true;
};

/// A valid problem drawn from a seed, with tight and loose capacity, short and long windows, one to three resources.
class RandomProblem {
 public:
  RandomProblem(std::uint64_t seed, Ingredients may) : random_{seed}, may_{may} {}

  core::Problem draw() {
    problem_ = {.start = k_monday, .slots = 3 + below(may_.most_slots - 2), .sites = {}, .jobs = {}};
    problem_.slot = may_.odd_times && chance(3) ? core::Duration{900} : core::Duration{3600};
    if (may_.prices && chance(5)) problem_.eur_per_tonne = 20 + static_cast<double>(below(200));
    const std::size_t sites = 1 + below(may_.most_sites);
    for (std::size_t s = 0; s < sites; ++s) problem_.sites.push_back(site("s" + std::to_string(s)));
    const std::size_t jobs = 1 + below(may_.most_jobs);
    for (std::size_t j = 0; j < jobs; ++j) add_job("j" + std::to_string(j));
    return problem_;
  }

  /// So many jobs more, with ids of their own.
  void add_jobs(core::Problem& problem, std::size_t count) {
    std::swap(problem_, problem);
    for (std::size_t j = 0; j < count; ++j) add_job("more" + std::to_string(j));
    std::swap(problem_, problem);
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  core::Amount amount(std::size_t thousandths) { return core::Amount::of_base(static_cast<std::int64_t>(thousandths)); }

  core::Site site(std::string name) {
    core::Site site{.name = std::move(name), .zone = core::Zone::of("ES"), .capacity = {}, .intensity = {}};
    site.pue = core::Ratio::of_base(1'000'000 + 10'000 * static_cast<std::int64_t>(below(50)));
    const bool flat = chance(8);
    for (std::size_t t = 0; t < problem_.slots; ++t) {
      site.intensity.push_back(
          core::CarbonIntensity::of_base(flat ? 50'000 : 20'000 + static_cast<std::int64_t>(below(400'000))));
      if (problem_.eur_per_tonne > 0)
        site.price.push_back(core::price_from_eur_per_mwh(static_cast<double>(below(200)) - 20));
    }
    for (const char* resource : {"gpu", "cpu"}) {
      if (chance(4)) continue;
      core::ResourceCapacity capacity{resource, {}};
      const std::size_t most = 1000 * (1 + below(8));
      const bool constant = chance(2);
      for (std::size_t t = 0; t < problem_.slots; ++t)
        capacity.per_slot.push_back(amount(constant ? most : below(most + 1)));
      site.capacity.push_back(std::move(capacity));
    }
    if (may_.ramps && chance(4)) site.ramp = core::power_from_watts(500.0 * static_cast<double>(1 + below(8)));
    if (may_.transfers && chance(2)) site.energy_per_gb = core::energy_from_kwh(0.01 * static_cast<double>(below(10)));
    return site;
  }

  core::Duration duration() {
    const auto slot = problem_.slot.count();
    const auto whole = slot * static_cast<std::int64_t>(1 + below(std::min<std::size_t>(6, problem_.slots)));
    return core::Duration{
        may_.odd_times && chance(2) ? whole - static_cast<std::int64_t>(below(static_cast<std::size_t>(slot))) : whole};
  }

  void add_job(std::string id) {
    core::Job job{.id = std::move(id),
                  .earliest_start = {},
                  .finish_by = {},
                  .modes = {},
                  .demand = {},
                  .sites = {},
                  .home_site = 0};
    const auto slot = problem_.slot.count();
    const auto horizon = slot * static_cast<std::int64_t>(problem_.slots);
    const std::size_t modes = may_.modes && chance(4) ? 2 + below(2) : 1;
    for (std::size_t m = 0; m < modes; ++m) {
      job.modes.push_back({modes == 1 ? "" : "m" + std::to_string(m),
                           core::power_from_watts(100.0 * static_cast<double>(1 + below(30))), duration()});
    }
    std::int64_t begin = slot * static_cast<std::int64_t>(below(problem_.slots));
    if (may_.odd_times && chance(3)) begin -= static_cast<std::int64_t>(below(static_cast<std::size_t>(slot)));
    const std::int64_t slack = chance(3) ? slot * static_cast<std::int64_t>(below(3))
                                         : static_cast<std::int64_t>(below(static_cast<std::size_t>(horizon)));
    begin = std::max<std::int64_t>(-slot, std::min(begin, horizon - job.modes[0].duration.count()));
    job.earliest_start = problem_.start + core::Duration{begin};
    job.finish_by = job.earliest_start + job.modes[0].duration + core::Duration{slack};
    for (const char* resource : {"gpu", "cpu", "disk"}) {
      if (!chance(3))
        job.demand.push_back({resource, amount(chance(4) ? 500 * (1 + below(10)) : 1000 * (1 + below(3)))});
    }
    for (std::size_t s = 0; s < problem_.sites.size(); ++s) {
      if (!chance(3)) job.sites.push_back(s);
    }
    if (job.sites.empty()) job.sites.push_back(below(problem_.sites.size()));
    job.home_site = below(problem_.sites.size());
    if (may_.priorities && chance(2)) job.priority = static_cast<int>(below(3)) - 1;
    if (may_.transfers && chance(3)) job.transfer_gb = static_cast<double>(below(1000)) / 10;
    if (may_.fixed && chance(8)) {
      // From a second before its end is the problem's start to a second before the problem's end.
      const std::int64_t before = std::min(2 * slot, job.modes[0].duration.count() - 1);
      const auto start = static_cast<std::int64_t>(below(static_cast<std::size_t>(horizon + before))) - before;
      job.fixed = core::FixedStart{job.sites[below(job.sites.size())], problem_.start + core::Duration{start}};
    } else if (may_.groups && chance(5)) {
      job.group = "g" + std::to_string(below(3));
    } else if (may_.interruptible && chance(4)) {
      core::Interruption rule;
      if (chance(2)) rule.min_run = problem_.slot * static_cast<std::int64_t>(1 + below(2));
      if (chance(2)) rule.restart = core::Duration{60 * static_cast<std::int64_t>(below(15))};
      if (chance(2)) rule.restart_energy = core::energy_from_kwh(0.01 * static_cast<double>(below(20)));
      if (chance(2)) rule.max_pauses = static_cast<int>(below(4));
      job.interruption = rule;
    }
    problem_.jobs.push_back(std::move(job));
  }

  std::mt19937_64 random_;
  Ingredients may_;
  core::Problem problem_{};
};

[[nodiscard]] inline core::Problem random_problem(std::uint64_t seed, Ingredients may = {}) {
  return RandomProblem{seed, may}.draw();
}

}  // namespace valle::tests
