// SPDX-License-Identifier: Apache-2.0
#include "families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "scheduler/solve/random.hpp"

namespace valle::bench {
namespace {

using namespace scheduler;
using Random = solving::Random;

constexpr std::array k_families{
    Family{"log-normal", 4, 72, Family::Work::mixed},
    Family{"ties", 4, 64, Family::Work::alike},
    Family{"few-large", 4, 96, Family::Work::few_large},
    Family{"pai-week", 4, 24, Family::Work::trace, "alibaba_pai_gaia_1k_week.csv"},
    Family{"surf-week", 4, 24, Family::Work::trace, "surf_2022_week.csv"},
    Family{"azure", 4, 24, Family::Work::trace, "azure_vm_gaia_100k.csv"},
    Family{"pai-100k", 4, 24, Family::Work::trace, "alibaba_pai_gaia_100k.csv"},
    Family{"tight", 0.5, 4, Family::Work::mixed},
    Family{"loose", 72, 168, Family::Work::mixed},
    Family{"unit", 4, 48, Family::Work::unit},
};
constexpr std::array<const char*, 9> k_zones{"FR", "ES", "DE", "BE", "GB", "NL", "NO", "US-CAL-CISO", "AU-NSW"};
constexpr std::array<double, 3> k_pue{1.25, 1.2, 1.35};

double log_uniform(Random& random, double low, double high) { return low * std::pow(high / low, random.unit()); }

double normal(Random& random) {
  const double u = random.unit(), v = random.unit();
  return std::sqrt(-2 * std::log(u + 1e-300)) * std::cos(2 * std::numbers::pi * v);
}

/// A sunny and a cloudy day after the other, an evening peak, slow weather.
std::vector<double> synthetic_curve(std::size_t zone, std::size_t hours, Random& random) {
  constexpr std::array<double, 3> base{40, 175, 390}, sun{12, 95, 150}, weather{7, 30, 75};
  std::vector<double> curve;
  double slow = normal(random), cloud = 1;
  for (std::size_t h = 0; h < hours; ++h) {
    const double clock = static_cast<double>(h % 24);
    if (h % 24 == 0) cloud = 0.35 + 0.65 * random.unit();
    slow = 0.975 * slow + 0.22 * normal(random);
    const double light = std::max(0.0, std::sin((clock - 6.5) / 13 * std::numbers::pi));
    const double evening = 0.1 * base[zone] * std::exp(-0.5 * std::pow((clock - 20) / 2, 2));
    curve.push_back(
        std::max(0.3 * base[zone], base[zone] - sun[zone] * cloud * light + evening + weather[zone] * slow));
  }
  return curve;
}

/// A job before windows and capacity are known.
struct Draft {
  double hours;
  int gpus;
  int cpus = 0;
  double watts_a_gpu = 500;
  double release = 0, slack = 0;  // hours
  unsigned sites = 7;             // bit q: sites q, q + 3, q + 6
};

unsigned some_sites(Random& random) {
  const double u = random.unit();
  if (u < 0.6) return 7;
  if (u < 0.85) return 7U & ~(1U << random.below(3));
  return 1U << random.below(3);
}

Draft mixed(Random& random) {
  constexpr std::array<int, 7> gpus{1, 2, 4, 8, 16, 32, 64};
  constexpr std::array<double, 7> up_to{.30, .45, .60, .85, .93, .98, 1.0};
  Draft draft{};
  do draft.hours = std::exp(std::log(3.0) + normal(random));
  while (draft.hours < 0.5 || draft.hours > 24);
  const double u = random.unit();
  const auto size = std::upper_bound(up_to.begin(), up_to.end(), u) - up_to.begin();
  draft.gpus = gpus[static_cast<std::size_t>(std::min<std::ptrdiff_t>(size, 6))];
  draft.cpus = draft.gpus * static_cast<int>(6 + random.below(10));
  draft.watts_a_gpu = 400 + 450 * random.unit();
  draft.sites = some_sites(random);
  return draft;
}

Draft alike(Random& random) {
  constexpr std::array<int, 5> gpus{1, 2, 4, 6, 8};
  return {.hours = static_cast<double>(1 + random.below(12)), .gpus = gpus[random.below(5)]};
}

Draft unit(Random& random) {
  return {.hours = 1,
          .gpus = 1,
          .watts_a_gpu = 200 + 600 * random.unit(),
          .sites = random.below(6) ? 7U : 1U << random.below(3)};
}

std::vector<Draft> few_large(const ProblemOptions& options, Random& random) {
  std::vector<Draft> drafts;
  const double small_work = static_cast<double>(options.jobs) * 2.5 * 4;
  const double site =
      std::max(8.0, std::ceil(small_work / 0.6 / options.load / (3.0 * static_cast<double>(options.hours))));
  for (double large_work = small_work / 0.6 * 0.4; drafts.size() < options.jobs;) {
    Draft draft{};
    if (large_work > 0) {
      draft.hours = 4 + 20 * random.unit();
      draft.gpus = std::max(1, static_cast<int>(site * (0.25 + 0.35 * random.unit())));
      draft.slack = log_uniform(random, 12, 96);
      large_work -= draft.gpus * std::ceil(draft.hours);
    } else {
      draft.hours = log_uniform(random, 0.5, 12);
      draft.gpus = static_cast<int>(1 + random.below(4));
      draft.slack = log_uniform(random, 4, 72);
    }
    draft.watts_a_gpu = 300 + 400 * random.unit();
    draft.sites = random.below(8) ? 7U : 1U << random.below(3);
    drafts.push_back(draft);
  }
  return drafts;
}

/// Jobs of a workload trace, folded onto one week, in shuffled order and repeated where it has too few.
std::vector<Draft> from_trace(const std::filesystem::path& file, const ProblemOptions& options, Random& random) {
  std::ifstream in{file};
  std::vector<Draft> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words{line};
    std::string id;
    double arrival = 0, duration = 0, gpus = 0, cpus = 0;
    if (!(words >> id >> arrival >> duration >> gpus >> cpus) || duration <= 0) continue;
    rows.push_back({.hours = std::clamp(duration / 3600, 1.0 / 60, 24.0),
                    .gpus = std::max(1, static_cast<int>(std::ceil(cpus))),
                    .release = std::fmod(arrival, 604'800) / 3600});
  }
  random.shuffle(rows);
  std::vector<Draft> drafts;
  for (std::size_t i = 0; i < options.jobs && !rows.empty(); ++i) {
    Draft draft = rows[i % rows.size()];
    draft.watts_a_gpu = 12 * (0.7 + 0.6 * random.unit());
    draft.sites = random.below(5) ? 7U : 1U << random.below(3);
    drafts.push_back(draft);
  }
  return drafts;
}

Amount amount(double number) { return Amount::of_base(static_cast<std::int64_t>(std::llround(number * 1000))); }

class Maker {
 public:
  Maker(const Family& family, const ProblemOptions& options)
      : family_{family}, options_{options}, random_{options.seed} {}

  std::optional<Problem> run() {
    if (family_.work == Family::Work::trace && !options_.data) return {};
    draft();
    if (drafts_.empty()) return {};
    problem_.start = Instant{std::chrono::sys_days{std::chrono::year{2022} / 6 / 6}};
    problem_.slots = options_.hours * options_.slots_an_hour;
    problem_.slot = Duration{3600 / static_cast<std::int64_t>(options_.slots_an_hour)};
    add_sites();
    for (std::size_t j = 0; j < drafts_.size(); ++j) add_job(drafts_[j], j);
    return std::move(problem_);
  }

 private:
  void draft() {
    using enum Family::Work;
    if (family_.work == few_large) drafts_ = bench::few_large(options_, random_);
    if (family_.work == trace) drafts_ = from_trace(*options_.data / "workloads" / family_.trace, options_, random_);
    const auto hours = static_cast<double>(options_.hours);
    while (drafts_.size() < options_.jobs && family_.work != few_large && family_.work != trace) {
      drafts_.push_back(family_.work == mixed   ? bench::mixed(random_)
                        : family_.work == alike ? bench::alike(random_)
                                                : bench::unit(random_));
    }
    for (Draft& draft : drafts_) {
      if (draft.slack == 0) draft.slack = log_uniform(random_, family_.slack_low, family_.slack_high);
      if (family_.work != trace) draft.release = random_.unit() * std::max(0.0, hours - draft.hours - draft.slack);
      gpu_hours_ += draft.gpus * std::ceil(draft.hours);
      cpu_hours_ += draft.cpus * std::ceil(draft.hours);
    }
  }

  void add_sites() {
    const bool varying = family_.work == Family::Work::mixed;  // a share of the site is taken already, more by day
    std::vector<std::vector<double>> share(options_.sites);
    double all = 0;
    for (std::size_t q = 0; q < options_.sites; ++q) {
      for (std::size_t h = 0; h < options_.hours; ++h) {
        const double busy =
            0.15 + 0.12 * std::sin((static_cast<double>(h % 24) - 9) / 12 * std::numbers::pi) + 0.05 * normal(random_);
        constexpr std::array<double, 3> size{0.25, 0.35, 0.40};
        share[q].push_back(varying ? size[q % 3] * (1 - std::clamp(busy, 0.0, 0.5)) : 1);
        all += share[q].back();
      }
    }
    largest_ = 1e9;
    for (std::size_t q = 0; q < options_.sites; ++q) {
      Site site{.name = k_zones[q],
                .zone = Zone::of(k_zones[q]),
                .pue = ratio_from_number(k_pue[q % 3]),
                .capacity = {},
                .intensity = {}};
      ResourceCapacity gpu{"gpu", {}}, cpu{"cpu", {}};
      for (const double part : share[q]) {
        const double gpus = std::max(varying ? 8.0 : 1.0, std::ceil(part / all * gpu_hours_ / options_.load));
        const double cpus = std::max(100.0, std::ceil(part / all * 1.05 * cpu_hours_ / options_.load));
        gpu.per_slot.insert(gpu.per_slot.end(), options_.slots_an_hour, amount(gpus));
        cpu.per_slot.insert(cpu.per_slot.end(), options_.slots_an_hour, amount(cpus));
        largest_ = std::min(largest_, gpus * 0.6);
        if (varying) largest_ = std::min(largest_, in_units(cpu.per_slot.back()) / 15 * 0.6);
      }
      site.capacity.push_back(std::move(gpu));
      if (cpu_hours_ > 0) site.capacity.push_back(std::move(cpu));
      const auto curve = options_.data ? read_curve(*options_.data / "intensity" / (std::string{k_zones[q]} + ".csv"),
                                                    options_.first_hour, options_.hours)
                                       : synthetic_curve(q % 3, options_.hours, random_);
      for (const double grams : curve) {
        site.intensity.insert(site.intensity.end(), options_.slots_an_hour, intensity_from_grams_per_kwh(grams));
      }
      problem_.sites.push_back(std::move(site));
    }
  }

  static double in_units(Amount amount) { return static_cast<double>(amount.base()) / 1000; }

  void add_job(Draft draft, std::size_t j) {
    while (draft.gpus > std::max(1.0, largest_)) {
      draft.gpus = (draft.gpus + 1) / 2;
      draft.cpus /= 2;
    }
    const auto hours = static_cast<double>(options_.hours), whole = std::ceil(draft.hours);
    const double release = std::min(std::floor(draft.release), hours - whole);
    const double finish = std::min(hours, std::ceil(release + draft.hours + draft.slack));
    const auto at = [&](double h) { return problem_.start + Duration{static_cast<std::int64_t>(h * 3600)}; };
    Job job{.id = std::to_string(j),
            .earliest_start = at(release),
            .finish_by = at(std::max(finish, release + whole)),
            .modes = {},
            .demand = {},
            .sites = {},
            .home_site = 0};
    job.modes.push_back(
        {"", power_from_watts(draft.watts_a_gpu * draft.gpus), Duration{std::llround(draft.hours * 3600)}});
    job.demand.push_back({"gpu", amount(draft.gpus)});
    if (draft.cpus > 0) job.demand.push_back({"cpu", amount(draft.cpus)});
    for (std::size_t q = 0; q < options_.sites; ++q) {
      if (draft.sites >> (q % 3) & 1U) job.sites.push_back(q);
    }
    job.home_site = job.sites[j % job.sites.size()];
    problem_.jobs.push_back(std::move(job));
  }

  const Family& family_;
  const ProblemOptions& options_;
  Random random_;
  Problem problem_{};
  std::vector<Draft> drafts_;
  double gpu_hours_ = 0, cpu_hours_ = 0;
  double largest_ = 0;  // GPUs of one job
};

}  // namespace

std::span<const Family> families() { return k_families; }

std::optional<Problem> make_problem(const Family& family, const ProblemOptions& options) {
  return Maker{family, options}.run();
}

}  // namespace valle::bench
