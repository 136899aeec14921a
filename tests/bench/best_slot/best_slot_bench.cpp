// SPDX-License-Identifier: Apache-2.0
// How long the search for the best slot takes, in process and in one thread, beside the plain way. Prints one table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "scheduler/query/best_slot.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using Clock = std::chrono::steady_clock;

/// The nanoseconds that one call takes in the least disturbed of many batches.
double nanoseconds_of(const std::function<std::int64_t()>& call) {
  constexpr int k_batches = 41;
  volatile std::int64_t sink = 0;
  const auto time_of = [&](int calls) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) sink = sink + call();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  };
  int calls = 1;
  while (time_of(calls) < 2e6) calls *= 2;
  double least = time_of(calls);
  for (int i = 1; i < k_batches; ++i) least = std::min(least, time_of(calls));
  return least / calls;
}

/// Values as real grids have them: a daily wave and noise, a value a step.
std::vector<std::int64_t> profile(std::size_t steps, Duration step, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_int_distribution<std::int64_t> noise{0, 40'000};
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::int64_t second_of_day = static_cast<std::int64_t>(i) * step.count() % 86'400;
    values.push_back(60'000 + std::abs(second_of_day - 43'200) * 3 + noise(random));
  }
  return values;
}

IntensitySeries series_of(const std::vector<std::int64_t>& values, Duration step) {
  std::vector<Step> steps;
  Instant begin{};
  for (const std::int64_t value : values) {
    steps.push_back({.interval = {begin, begin + step}, .value = CarbonIntensity::of_base(value)});
    begin += step;
  }
  return IntensitySeries::of(std::move(steps));
}

/// The plain way: for each start on a step, sum the steps of the run again.
std::int64_t resummed(const std::vector<std::int64_t>& values, std::size_t run_steps) {
  std::int64_t best = INT64_MAX;
  for (std::size_t start = 0; start + run_steps <= values.size(); ++start) {
    std::int64_t sum = 0;
    for (std::size_t i = start; i < start + run_steps; ++i) sum += values[i];
    best = std::min(best, sum);
  }
  return best;
}

void print(const char* question, double nanoseconds, double aim, double plain = 0) {
  std::printf("%-58s %12.0f %12.0f %8.2f", question, nanoseconds, aim, nanoseconds / aim);
  if (plain > 0) std::printf(" %12.0f %8.1f", plain, plain / nanoseconds);
  std::printf("\n");
}

struct Zones {
  Zones(std::size_t count, std::size_t steps, Duration step) {
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(profile(steps, step, static_cast<unsigned>(i) + 1));
      series.push_back(series_of(values.back(), step));
    }
    for (std::size_t i = 0; i < count; ++i) {
      options.push_back({&series[i], Ratio::of_base(1'000'000 + 100'000 * static_cast<std::int64_t>(i))});
    }
  }
  std::vector<std::vector<std::int64_t>> values;
  std::vector<IntensitySeries> series;
  std::vector<ZoneOption> options;
};

void bench_best_start(const char* name, const Zones& zones, Interval window, Duration duration, Duration step,
                      double aim) {
  const double ours = nanoseconds_of([&] { return best_start(window, duration, zones.options)->integral.base(); });
  const auto run_steps = static_cast<std::size_t>(duration / step);
  const auto first = static_cast<std::size_t>((window.begin - Instant{}) / step);
  const auto last = static_cast<std::size_t>((window.end - Instant{}) / step);
  std::vector<std::vector<std::int64_t>> windows;
  for (const auto& values : zones.values) {
    windows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(first),
                         values.begin() + static_cast<std::ptrdiff_t>(last));
  }
  const double plain = nanoseconds_of([&] {
    std::int64_t sum = 0;
    for (const auto& values : windows) sum += resummed(values, run_steps);
    return sum;
  });
  print(name, ours, aim, plain);
}

void bench_starts() {
  const Zones week{3, 168, hours{1}};
  const Interval whole_week{Instant{}, Instant{hours{168}}};
  bench_best_start("best start, 6 h, week of hours, 3 zones", week, whole_week, hours{6}, hours{1}, 1000);
  bench_best_start("best start, 6 h 20 min, week of hours, 3 zones", week, whole_week, hours{6} + minutes{20}, hours{1},
                   1000);
  const Interval day{Instant{hours{40}}, Instant{hours{69}}};
  bench_best_start("best start, 6 h, 29 h of hours, 3 zones", week, day, hours{6}, hours{1}, 200);
  const Interval odd_day{Instant{hours{40} + minutes{23}}, Instant{hours{69} + minutes{23}}};
  bench_best_start("best start, 6 h, 29 h off the hour, 3 zones", week, odd_day, hours{6}, hours{1}, 200);
  const Zones quarters{1, 672, minutes{15}};
  bench_best_start("best start, 6 h, 672 quarters, 1 zone", quarters, whole_week, hours{6}, minutes{15}, 1000);
  const Zones month{1, 672, hours{1}};
  bench_best_start("best start, 6 h, 672 hours, 1 zone", month, {Instant{}, Instant{hours{672}}}, hours{6}, hours{1},
                   1000);
  const auto answer = [&] {
    return best_slot(
        {.window = whole_week, .duration = hours{6}, .energy = energy_from_kwh(12), .zones = week.options});
  };
  print("best slot, 3 options and the worst, week of hours, 3 zones",
        nanoseconds_of([&] { return answer().options.front().integral.base(); }), 5000);
}

void bench_interruptible() {
  const Zones quarters{1, 672, minutes{15}};
  const Zones month{1, 672, hours{1}};
  struct Case {
    const char* name;
    const Zones* zones;
    Interval window;
    Duration duration;
    Interruption interruption;
  };
  const Interval week{Instant{}, Instant{hours{168}}};
  const Interval odd_week{Instant{Duration{437}}, Instant{hours{168} - Duration{211}}};
  const Interval four_weeks{Instant{}, Instant{hours{672}}};
  const Interruption full{
      .min_run = hours{1}, .restart = minutes{5}, .restart_energy = energy_from_kwh(0.1), .max_pauses = 3};
  const Case cases[] = {
      {"interruptible, 6 h, 672 hours", &month, four_weeks, hours{6}, {}},
      {"interruptible, 6 h, 672 quarters", &quarters, week, hours{6}, {}},
      {"… window off the quarter", &quarters, odd_week, hours{6}, {}},
      {"… runs of 1 h, restart 5 min", &quarters, week, hours{6}, {.min_run = hours{1}, .restart = minutes{5}}},
      {"… runs of 1 h, restart 5 min, 0.1 kWh, ≤ 3 pauses", &quarters, week, hours{6}, full},
      {"… the same, window off the quarter", &quarters, odd_week, hours{6}, full},
      {"… 7 d in a week", &quarters, week, hours{150}, {}},
  };
  for (const Case& c : cases) {
    const SlotQuestion question{
        .window = c.window, .duration = c.duration, .energy = energy_from_kwh(12), .zones = c.zones->options};
    const auto call = [&] { return best_interruptible_slot(question, c.interruption).options.front().integral.base(); };
    print(c.name, nanoseconds_of(call), 100'000);
  }
}

}  // namespace
}  // namespace valle::scheduler

int main() {
  std::printf("%-58s %12s %12s %8s %12s %8s\n", "question", "ns", "aim ns", "of aim", "re-summed ns", "ratio");
  valle::scheduler::bench_starts();
  valle::scheduler::bench_interruptible();
}
