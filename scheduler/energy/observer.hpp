// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/energy/sample.hpp"

namespace valle::scheduler {

/// One zone of a pod's counter (package, dram), as one observer saw it: the states of the pod kept apart, for the end
/// of a pod is the last sample while it *ran*.
struct ZoneSamples {
  std::string zone;
  Samples running;
  Samples terminated = {};
  friend bool operator==(const ZoneSamples&, const ZoneSamples&) = default;
};

/// One pod as one observer saw it: one scraper of one exporter, with one clock. Two Prometheus replicas are two
/// observers, and so are two exporters on one node. Their samples are never put into one order: with clocks 0.4
/// intervals apart each would look like a restart of the other (energy 5 to 100 times too high).
struct Observer {
  std::string replica;   ///< who scraped; observers of different replicas are never joined
  std::string exporter;  ///< what was scraped; changes when an exporter is replaced
  std::vector<ZoneSamples> zones;

  [[nodiscard]] bool empty() const;
  [[nodiscard]] Moment first() const;  ///< of any state; not when empty
  [[nodiscard]] Moment last() const;
  friend bool operator==(const Observer&, const Observer&) = default;
};

/// Joins what one replica saw of one exporter after another: exporters whose samples do not overlap in time are one
/// observer (an exporter that was replaced), those that do are two (a node exported twice). Ordered by first sample.
[[nodiscard]] std::vector<Observer> joined(std::vector<Observer> observers);

}  // namespace valle::scheduler
