// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "scheduler/energy/observer.hpp"
#include "scheduler/energy/reading.hpp"

namespace valle::scheduler {

/// How an exporter of pods' counters behaves.
struct PodCounterTraits {
  double value_age_seconds = 0;  ///< mean age of a value at its scrape
  double oldest_seconds = 0.5;   ///< with even rates the age is read off the first value, if it is below this
  double stamp_seconds = 0.6;    ///< σ: error of the stamps of the run's ends
  double refresh_seconds = 5;    ///< what a `terminated` sample may lack at most
  bool between_samples = false;  ///< with even rates, trust the rate between samples more than the ends
};

/// Kepler from 0.10 on: refreshed every 5 s and by a scrape, the last value exported once as `terminated`.
inline constexpr PodCounterTraits k_kepler{};
/// Kepler up to 0.9: values of up to 3 s ago, at the same age in every scrape; vanishes with the container.
inline constexpr PodCounterTraits k_kepler_legacy{
    .value_age_seconds = 1.5, .oldest_seconds = 0, .stamp_seconds = 3, .refresh_seconds = 0, .between_samples = true};

struct PodQuestion {
  Span ran;                    ///< by the ledger's clock
  double scrape_seconds = 15;  ///< T
  double limit_watts = 1000;   ///< what the node can draw
};

/// Energy of one pod from counters that are born at zero. For each observer alone, zones summed: from 0 over all
/// samples, after a drop the new value; the larger of the observers; or the total while it ran and the tail to the
/// ledger's end at the last rate, whichever is more. What restarts lost is bridged at the mean rate. A tail is carried
/// over at most two intervals, and not at all where the samples lie where the ledger says that nothing ran ("clocks
/// disagree"). Nothing if no observer has a sample.
[[nodiscard]] std::optional<Reading> read_pod_counter(std::vector<Observer> observers, const PodQuestion& question,
                                                      const PodCounterTraits& traits);

/// The same for a pod without a sample: no energy, and all that the node can draw as uncertainty. For attempts of
/// several pods, of whom some were seen.
[[nodiscard]] Reading unseen_pod(const PodQuestion& question);

}  // namespace valle::scheduler
