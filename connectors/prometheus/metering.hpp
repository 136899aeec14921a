// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/prometheus/prometheus.hpp"
#include "connectors/prometheus/replicas.hpp"
#include "scheduler/energy/reading.hpp"

/// What the readers of pods and of boards share.
namespace valle::connectors::prometheus {

/// One pod of one question.
struct PodItem {
  std::size_t question;  ///< its place in the batch
  const scheduler::PodOfRun* pod;
  scheduler::Span ran;
};

/// What was found of one pod. Without a reading it is unknown, and `outcome` says whether asking again may help.
struct ItemReading {
  std::optional<scheduler::Reading> reading = {};
  QueryOutcome outcome = QueryOutcome::empty;
  bool complete = true;
  std::string source = {};
  std::string query = {};
  std::string detail = {};
  scheduler::Fingerprint fingerprint = {};
};

inline constexpr std::size_t k_most_values = 1'000;  ///< pods or boards in one query
inline constexpr double k_most_samples = 500'000;    ///< that one query should bring

/// How many of `items`, in their order, fit in one query with `series` series each.
[[nodiscard]] std::size_t fitting(std::span<const PodItem> items, double scrape_seconds, double series);

/// From the first start to the last end.
[[nodiscard]] scheduler::Span hull_of(std::span<const PodItem> items);

/// Who scraped a series, and what was scraped. Labels that tell replicas apart behind one address; those of the
/// exporter itself change when its pod is replaced.
struct ObserverKey {
  std::string replica;
  std::string exporter;
  friend auto operator<=>(const ObserverKey&, const ObserverKey&) = default;
};
[[nodiscard]] ObserverKey observer_of(const Series& series, std::size_t replica);

/// A series and the replica that told it.
struct SeenSeries {
  std::size_t replica;
  const Series* series;
};

/// Series of an answer by the value of one of their labels: one pass over it. Borrows the answer.
class SeriesByLabel {
 public:
  SeriesByLabel(const Seen& seen, std::string_view label);
  [[nodiscard]] std::span<const SeenSeries> of(std::string_view value) const;

 private:
  std::map<std::string_view, std::vector<SeenSeries>> by_value_;
};

/// The median spacing of samples over some of the series; nothing with too few.
[[nodiscard]] std::optional<double> spacing_of(const Seen& seen);

}  // namespace valle::connectors::prometheus
