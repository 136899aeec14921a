// SPDX-License-Identifier: Apache-2.0
// Readings of simulated exporters against exact integrals. An interval is 15 s.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "scheduler/energy/board.hpp"
#include "scheduler/energy/gauge.hpp"
#include "scheduler/energy/pod_counter.hpp"
#include "tests/support/energy/exporters.hpp"

namespace valle::scheduler {
namespace {

using namespace valle::tests;

constexpr double k_interval = 15;
constexpr double k_limit = 700;
constexpr double k_idle = 50;
constexpr int k_lengths[] = {2, 5, 10, 50, 200};

/// Errors and widths of many jobs, relative to the truth.
struct Tally {
  std::vector<double> errors;
  std::vector<double> widths;
  int held = 0;

  void add(const Reading& reading, double truth) {
    errors.push_back(std::abs(reading.joules - truth) / truth);
    widths.push_back(reading.uncertainty_joules / truth);
    held += std::abs(reading.joules - truth) <= reading.uncertainty_joules + 1e-6 * truth;
  }
  [[nodiscard]] double worst() const { return *std::max_element(errors.begin(), errors.end()); }
  [[nodiscard]] double percentile(double part) const {
    std::vector<double> sorted = errors;
    std::sort(sorted.begin(), sorted.end());
    return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(part * static_cast<double>(sorted.size())))];
  }
  [[nodiscard]] double median_width() const {
    std::vector<double> sorted = widths;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  [[nodiscard]] double share_held() const { return static_cast<double>(held) / static_cast<double>(errors.size()); }
};

struct Tallies {
  std::map<int, Tally> steady;
  std::map<int, Tally> any;

  /// `VALLE_PRINT_ERRORS=1` prints what docs/PERFORMANCE.md quotes.
  void print(const char* source) const {
    if (std::getenv("VALLE_PRINT_ERRORS") == nullptr) return;
    for (const auto& [length, tally] : any) {
      std::printf("%s %d: steady worst %.2f %%, any p95 %.2f worst %.2f %%, held %.1f %%, width %.1f %%\n", source,
                  length, 100 * steady.at(length).worst(), 100 * tally.percentile(0.95), 100 * tally.worst(),
                  100 * tally.share_held(), 100 * tally.median_width());
    }
  }
};

class Energy : public ::testing::Test {
 protected:
  std::mt19937 random{20261201};
  double between(double least, double most) { return std::uniform_real_distribution<double>{least, most}(random); }

  /// `read(pod) -> optional<Reading>` for jobs of all lengths and loads.
  template <class Read>
  Tallies tallied(Read read, std::initializer_list<int> lengths = {2, 5, 10, 50, 200}) {
    using Kind = LoadCurve::Kind;
    Tallies tallies;
    for (const int length : lengths) {
      for (const Kind kind : {Kind::steady, Kind::square, Kind::ramp, Kind::step}) {
        for (int i = 0; i < 60; ++i) {
          const double seconds = length * k_interval * between(1.0, 1.1);
          const SimulatedPod pod{between(100'000, 101'000), random_curve(kind, seconds, k_interval, random)};
          const std::optional<Reading> reading = read(pod);
          if (!reading) {
            ADD_FAILURE() << "no reading of a job of " << length << " intervals";
            continue;
          }
          tallies.any[length].add(*reading, pod.load.joules());
          if (kind == Kind::steady) tallies.steady[length].add(*reading, pod.load.joules());
        }
      }
    }
    return tallies;
  }

  static Span ran(const SimulatedPod& pod) { return {moment(pod.start), moment(pod.end())}; }
  static PodQuestion question(const SimulatedPod& pod) { return {ran(pod), k_interval, k_limit}; }
  KeplerWorld world(int replicas) {
    KeplerWorld world{.interval = k_interval, .scrape_phases = {}, .refresh_phase = between(0, 5)};
    for (int r = 0; r < replicas; ++r) world.scrape_phases.push_back(between(0, k_interval));
    return world;
  }

  /// Lets boards be idle, or taken by a neighbour without a pause.
  std::optional<Reading> board_reading(const SimulatedPod& pod, double collect, bool neighbour) {
    const SimulatedPod before{pod.start - 300,
                              {.kind = LoadCurve::Kind::steady, .length = 300, .high = between(100, 600)}};
    const SimulatedPod after{pod.end(), {.kind = LoadCurve::Kind::steady, .length = 300, .high = between(100, 600)}};
    const auto joules_at = [&](double at) {
      double busy = std::clamp(at - pod.start, 0.0, pod.load.length);
      double joules = pod.joules_at(at);
      if (neighbour) {
        joules += before.joules_at(at) + after.joules_at(at);
        busy += std::clamp(at - before.start, 0.0, 300.0) + std::clamp(at - after.start, 0.0, 300.0);
      }
      return joules + k_idle * (at - busy);
    };
    const Samples samples = scrape_board(joules_at, collect, k_interval, between(0, k_interval), between(0, collect),
                                         pod.start - 300, pod.end() + 300);
    BoardQuestion asked{.ran = ran(pod), .pod = "own", .tenants = {{"own", ran(pod)}}, .facts = {k_limit, {}, k_idle}};
    if (neighbour) {
      asked.tenants.push_back({"before", ran(before)});
      asked.tenants.push_back({"after", ran(after)});
    }
    return read_board(board_points(samples, k_limit), asked);
  }

  /// After each job the board draws 40 W above idle, falling off; its idle power drifts by 5 W.
  std::optional<Reading> warm_board_reading(const SimulatedPod& pod, double fall) {
    const auto warmth = [&](double at) {
      return at > pod.end() ? 40 * fall * (1 - std::exp(-(at - pod.end()) / fall)) : 0;
    };
    const double phase = between(0, 600);
    const auto drift = [&](double at) { return -5 * 95.5 * std::cos((at + phase) / 95.5); };
    const auto joules_at = [&](double at) {
      const double busy = std::clamp(at - pod.start, 0.0, pod.load.length);
      const double beside = drift(std::min(at, pod.start)) + drift(std::max(at, pod.end()));
      return pod.joules_at(at) + k_idle * (at - busy) + warmth(at) + beside;
    };
    const Samples samples =
        scrape_board(joules_at, 1, k_interval, between(0, k_interval), between(0, 1), pod.start - 300, pod.end() + 300);
    return read_board(board_points(samples, k_limit),
                      {.ran = ran(pod), .pod = "own", .tenants = {}, .facts = {k_limit, {}, k_idle}});
  }
};

void expect_held(const Tallies& tallies, double least = 0.95) {
  for (const auto& [length, tally] : tallies.any) EXPECT_GE(tally.share_held(), least) << length << " intervals";
}

void expect_counter_aims(const Tallies& tallies) {
  EXPECT_LE(tallies.any.at(50).percentile(0.95), 0.01);
  EXPECT_LE(tallies.any.at(50).worst(), 0.03);
  EXPECT_LE(tallies.any.at(200).worst(), 0.01);
}

TEST_F(Energy, of_a_pod_by_new_kepler_and_one_replica) {
  const auto tallies = tallied(
      [&](const SimulatedPod& pod) { return read_pod_counter(scrape_kepler(pod, world(1)), question(pod), k_kepler); });
  tallies.print("kepler, one replica");
  for (const auto& [length, tally] : tallies.steady) EXPECT_LE(tally.worst(), 0.01) << length << " intervals";
  expect_counter_aims(tallies);
  expect_held(tallies);
}

TEST_F(Energy, of_a_pod_by_new_kepler_and_two_replicas) {
  const auto tallies = tallied(
      [&](const SimulatedPod& pod) { return read_pod_counter(scrape_kepler(pod, world(2)), question(pod), k_kepler); });
  tallies.print("kepler, two replicas");
  for (const auto& [length, tally] : tallies.steady) EXPECT_LE(tally.worst(), 0.01) << length << " intervals";
  expect_counter_aims(tallies);
  expect_held(tallies);
}

TEST_F(Energy, is_not_counted_twice_when_one_replicas_clock_is_ahead) {
  const auto tallies = tallied([&](const SimulatedPod& pod) {
    auto observers = scrape_kepler(pod, world(2));
    for (ZoneSamples& zone : observers[1].zones) {
      for (Samples* samples : {&zone.running, &zone.terminated}) {
        for (Sample& sample : *samples) sample.at += milliseconds_of(0.4 * k_interval);
      }
    }
    return read_pod_counter(std::move(observers), question(pod), k_kepler);
  });
  for (const auto& [length, tally] : tallies.any) EXPECT_LE(tally.worst(), length < 10 ? 0.5 : 0.2) << length;
}

TEST_F(Energy, of_a_pod_through_restarts_of_kepler) {
  const auto tallies = tallied(
      [&](const SimulatedPod& pod) {
        KeplerWorld restarting = world(1);
        restarting.restarts = {pod.start + pod.load.length * between(0.3, 0.7)};
        return read_pod_counter(scrape_kepler(pod, restarting), question(pod), k_kepler);
      },
      {10, 50, 200});
  tallies.print("kepler, restarted");
  expect_held(tallies);
}

TEST_F(Energy, of_a_pod_by_old_kepler) {
  const auto tallies = tallied(
      [&](const SimulatedPod& pod) {
        return read_pod_counter({scrape_old_kepler(pod, k_interval, between(0, k_interval), between(0, 3))},
                                question(pod), k_kepler_legacy);
      },
      {5, 10, 50, 200});
  tallies.print("kepler <= 0.9");
  for (const int length : {10, 50, 200}) EXPECT_LE(tallies.steady.at(length).worst(), 0.01) << length;
  expect_counter_aims(tallies);
  expect_held(tallies);
}

TEST_F(Energy, of_a_board_that_was_idle_beside_the_run) {
  for (const double collect : {1.0, 15.0, 30.0}) {
    const auto tallies = tallied([&](const SimulatedPod& pod) { return board_reading(pod, collect, false); });
    tallies.print(("board idle beside, collected every " + std::to_string(collect)).c_str());
    for (const auto& [length, tally] : tallies.any) EXPECT_LE(tally.worst(), 0.01) << length << ", every " << collect;
    expect_held(tallies, 1.0);
  }
}

TEST_F(Energy, of_a_board_that_stays_warm_after_a_job) {
  for (const double fall : {10.0, 45.0}) {
    const auto tallies = tallied([&](const SimulatedPod& pod) { return warm_board_reading(pod, fall); });
    tallies.print(("warm board, falls off in s " + std::to_string(fall)).c_str());
    for (const int length : {10, 50, 200}) EXPECT_LE(tallies.any.at(length).percentile(0.95), 0.02) << length;
    for (const int length : {50, 200}) EXPECT_LE(tallies.any.at(length).worst(), 0.01) << length;
    expect_held(tallies);
  }
}

TEST_F(Energy, of_a_board_that_is_taken_again_at_once) {
  for (const double collect : {1.0, 30.0}) {
    const auto tallies = tallied([&](const SimulatedPod& pod) { return board_reading(pod, collect, true); });
    tallies.print(("board with neighbours, collected every " + std::to_string(collect)).c_str());
    expect_held(tallies);
  }
}

TEST_F(Energy, of_a_process_by_scaphandre) {
  const auto tallies = tallied(
      [&](const SimulatedPod& pod) {
        return read_held_power(scrape_scaphandre(pod, k_interval, between(0, k_interval)),
                               {.ran = ran(pod), .limit_watts = k_limit});
      },
      {5, 10, 50, 200});
  tallies.print("scaphandre");
  expect_counter_aims(tallies);
  expect_held(tallies);
}

}  // namespace
}  // namespace valle::scheduler
