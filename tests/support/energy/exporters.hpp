// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "scheduler/energy/observer.hpp"
#include "tests/support/energy/load_curve.hpp"

/// Exporters as they behave, in seconds of a virtual clock: what a scrape at an instant finds.
namespace valle::tests {

inline scheduler::Moment moment(double seconds) {
  return scheduler::Moment{std::chrono::milliseconds{std::llround(seconds * 1000)}};
}

/// Instants from `phase` on, `interval` apart, in [from, to].
inline std::vector<double> instants(double interval, double phase, double from, double to) {
  std::vector<double> all;
  for (double k = std::ceil((from - phase) / interval); phase + k * interval <= to; ++k)
    all.push_back(phase + k * interval);
  return all;
}

/// A pod that runs from `start` with a load.
struct SimulatedPod {
  double start = 0;
  LoadCurve load;
  [[nodiscard]] double end() const { return start + load.length; }
  [[nodiscard]] double joules_at(double at) const { return load.joules_until(at - start); }
};

struct KeplerWorld {
  double interval = 15;               ///< of scrapes
  std::vector<double> scrape_phases;  ///< one a replica
  double refresh_phase = 0;
  std::vector<double> restarts = {};  ///< instants at which Kepler is back, after 15 s away
};

/// Kepler ≥ 0.10: refreshed every 5 s, and by a scrape that finds data older than 0.5 s. The last values of a pod that
/// is gone are exported once, to whoever comes first, if they reached 10 J in the package zone.
inline std::vector<scheduler::Observer> scrape_kepler(const SimulatedPod& pod, const KeplerWorld& world) {
  constexpr double package = 0.85;
  const double from = pod.start - 40;
  const double to = pod.end() + 60;
  std::set<std::pair<double, int>> events;  // -1: a refresh by itself
  for (const double at : instants(5, world.refresh_phase, from, to)) events.insert({at, -1});
  std::vector<scheduler::Observer> replicas;
  for (std::size_t r = 0; r < world.scrape_phases.size(); ++r) {
    replicas.push_back(
        {.replica = std::to_string(r), .exporter = "k", .zones = {{"package", {}, {}}, {"dram", {}, {}}}});
    for (const double at : instants(world.interval, world.scrape_phases[r], from, to))
      events.insert({at, static_cast<int>(r)});
  }
  double refreshed = from - 100;
  double base = 0;    // joules that Kepler has not seen, or has forgotten
  double known = -1;  // of the last refresh that found the pod; -1: none
  double last_words = -1;
  std::size_t restart = 0;
  bool exported = false;
  const auto refresh = [&](double at) {
    if (restart < world.restarts.size() && at >= world.restarts[restart]) {
      base = pod.joules_at(world.restarts[restart]);
      known = -1;
      ++restart;
    }
    if (exported) last_words = -1;
    exported = false;
    if (at >= pod.start && at < pod.end()) {
      known = pod.joules_at(at) - base;
    } else if (known >= 0) {
      if (known * package >= 10) last_words = known;
      known = -1;
    }
    refreshed = at;
  };
  for (const auto& [at, who] : events) {
    const bool away =
        restart < world.restarts.size() && at < world.restarts[restart] && at >= world.restarts[restart] - 15;
    if (away) continue;
    if (who < 0 || at - refreshed > 0.5) refresh(at);
    if (who < 0) continue;
    auto& zones = replicas[static_cast<std::size_t>(who)].zones;
    for (std::size_t z = 0; z < 2; ++z) {
      const double share = z == 0 ? package : 1 - package;
      if (known >= 0) zones[z].running.push_back({moment(at), known * share});
      if (last_words >= 0) zones[z].terminated.push_back({moment(at), last_words * share});
    }
    exported = true;
  }
  return replicas;
}

/// Kepler ≤ 0.9: values of the last multiple of 3 s; gone with the container.
inline scheduler::Observer scrape_old_kepler(const SimulatedPod& pod, double interval, double scrape_phase,
                                             double tick_phase) {
  scheduler::Observer seen{.replica = "0", .exporter = "k", .zones = {{"total", {}, {}}}};
  for (const double at : instants(interval, scrape_phase, pod.start - 5, pod.end() + 30)) {
    const double tick = std::floor((at - tick_phase) / 3) * 3 + tick_phase;
    if (tick >= pod.start && tick < pod.end()) seen.zones[0].running.push_back({moment(at), pod.joules_at(tick)});
  }
  return seen;
}

/// A board's counter in joules, collected every `collect` seconds, scraped every `interval`.
inline scheduler::Samples scrape_board(const std::function<double(double)>& joules_at, double collect, double interval,
                                       double scrape_phase, double collect_phase, double from, double to) {
  scheduler::Samples samples;
  for (const double at : instants(interval, scrape_phase, from, to)) {
    const double collected = std::floor((at - collect_phase) / collect) * collect + collect_phase;
    samples.push_back({moment(at), std::round(joules_at(collected) * 1000) / 1000});
  }
  return samples;
}

/// Scaphandre with one scraper: the mean power since the previous scrape, in watts, while the process lives.
inline scheduler::Samples scrape_scaphandre(const SimulatedPod& pod, double interval, double scrape_phase) {
  scheduler::Samples samples;
  for (const double at : instants(interval, scrape_phase, pod.start, pod.end())) {
    if (at < pod.end()) samples.push_back({moment(at), (pod.joules_at(at) - pod.joules_at(at - interval)) / interval});
  }
  return samples;
}

}  // namespace valle::tests
