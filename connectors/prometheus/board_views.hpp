// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/prometheus/metering.hpp"

namespace valle::connectors::prometheus {

/// The pod that a board's series names.
struct Workload {
  std::string_view name_space;
  std::string_view pod;
  friend bool operator==(const Workload&, const Workload&) = default;
};

/// The workload stands in `exported_*` unless the scrape honours the exporter's own labels. Without a namespace and a
/// pod a series names nobody: an empty label is not a pod without a name.
[[nodiscard]] Workload workload_of(const Series& series);

/// One board as one observer saw it.
struct BoardView {
  ObserverKey key;
  scheduler::Samples samples;                   ///< the largest over label sets at each instant
  std::map<std::string, scheduler::Span> pods;  ///< whom the labels named, NAMESPACE/NAME, and from when to when
};

/// What lies in `window`, values times `factor`, by observer; exporters of one replica that replaced each other are
/// one.
[[nodiscard]] std::vector<BoardView> views_of(std::span<const SeenSeries> entries, const scheduler::Span& window,
                                              double factor);

}  // namespace valle::connectors::prometheus
