// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/metering.hpp"

#include <algorithm>
#include <array>

namespace valle::connectors::prometheus {
namespace {

constexpr std::array<std::string_view, 6> k_replica_labels{
    "replica", "prometheus_replica", "__replica__", "prometheus", "monitor", "cluster"};
constexpr std::array<std::string_view, 2> k_exporter_labels{"job", "instance"};
constexpr std::size_t k_enough_series = 64;

template <class Labels>
std::string values_of(const Series& series, const Labels& labels) {
  std::string values;
  for (const std::string_view label : labels) values += std::string{series.label(label)} + "\n";
  return values;
}

}  // namespace

std::size_t fitting(std::span<const PodItem> items, double scrape_seconds, double series) {
  double samples = 0;
  std::size_t count = 0;
  for (const PodItem& item : items) {
    samples += series * (scheduler::seconds_of(item.ran) / scrape_seconds + 4);
    if (count > 0 && (count == k_most_values || samples > k_most_samples)) break;
    ++count;
  }
  return count;
}

scheduler::Span hull_of(std::span<const PodItem> items) {
  scheduler::Span hull = items.front().ran;
  for (const PodItem& item : items) {
    hull.begin = std::min(hull.begin, item.ran.begin);
    hull.end = std::max(hull.end, item.ran.end);
  }
  return hull;
}

ObserverKey observer_of(const Series& series, std::size_t replica) {
  return {std::to_string(replica) + "\n" + values_of(series, k_replica_labels), values_of(series, k_exporter_labels)};
}

SeriesByLabel::SeriesByLabel(const Seen& seen, std::string_view label) {
  for (std::size_t replica = 0; replica < seen.replicas.size(); ++replica) {
    for (const Series& series : seen.replicas[replica]) by_value_[series.label(label)].push_back({replica, &series});
  }
}

std::span<const SeenSeries> SeriesByLabel::of(std::string_view value) const {
  const auto found = by_value_.find(value);
  if (found == by_value_.end()) return {};
  return found->second;
}

std::optional<double> spacing_of(const Seen& seen) {
  std::vector<double> spacings;
  for (const auto& replica : seen.replicas) {
    for (const Series& series : replica) {
      if (spacings.size() == k_enough_series) break;
      if (series.samples.size() >= 3) spacings.push_back(scheduler::median_spacing(series.samples));
    }
  }
  if (spacings.empty()) return {};
  const auto middle = spacings.begin() + static_cast<std::ptrdiff_t>(spacings.size() / 2);
  std::nth_element(spacings.begin(), middle, spacings.end());
  if (*middle <= 0) return {};
  return *middle;
}

}  // namespace valle::connectors::prometheus
