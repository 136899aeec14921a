// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/token_meter.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace valle::connectors::prometheus {

using namespace scheduler;

namespace {

constexpr double k_series_a_pod = 1;
constexpr double k_margin = 2;  // intervals around a run: names are used again

/// What one observer saw of a pod. Engines that are scraped together bear the same stamps.
struct View {
  std::set<std::string> models;
  std::map<Moment, double> totals;
};

std::string joined(const std::set<std::string>& models) {
  std::string text;
  for (const std::string& model : models) text += (text.empty() ? "" : "+") + model;
  return text;
}

/// `of_name`: series of pods of that name.
std::optional<TokenCounter> counter_of(std::span<const SeenSeries> of_name, const PodOfRun& pod, const Span& window) {
  std::map<ObserverKey, View> views;
  for (const auto& [replica, series] : of_name) {
    if (series->label("namespace") != pod.name_space) continue;
    View& view = views[observer_of(*series, replica)];
    view.models.emplace(series->label("model_name"));
    for (const Sample& sample : series->samples) {
      if (sample.at >= window.begin && sample.at <= window.end) view.totals[sample.at] += sample.value;
    }
  }
  const auto fullest = std::max_element(views.begin(), views.end(), [](const auto& a, const auto& b) {
    return a.second.totals.size() < b.second.totals.size();
  });
  if (fullest == views.end()) return {};
  TokenCounter counter{.model = joined(fullest->second.models), .totals = {}};
  for (const auto& [at, total] : fullest->second.totals) counter.totals.push_back({at, total});
  return counter;
}

}  // namespace

std::vector<std::optional<TokenCounter>> read_token_counters(Replicas& replicas, std::span<const PodItem> items,
                                                             const std::string& metric, double scrape_seconds,
                                                             const QueryPatience& patience) {
  std::vector<std::optional<TokenCounter>> counters(items.size());
  const auto margin = milliseconds_of(k_margin * scrape_seconds);
  for (std::size_t begin = 0; begin < items.size();) {
    const std::size_t count = fitting(items.subspan(begin), scrape_seconds, k_series_a_pod);
    const auto batch = items.subspan(begin, count);
    std::set<std::string> names;
    for (const PodItem& item : batch) {
      if (!item.pod->name.empty()) names.insert(item.pod->name);
    }
    const Span hull = hull_of(batch);
    if (!names.empty()) {
      const Seen seen = replicas.samples({.metric = metric,
                                          .label = "pod",
                                          .values = {names.begin(), names.end()},
                                          .window = {hull.begin - margin, hull.end + margin}},
                                         patience);
      const SeriesByLabel by_name{seen, "pod"};
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const PodOfRun& pod = *batch[i].pod;
        const Span& ran = batch[i].ran;
        counters[begin + i] = counter_of(by_name.of(pod.name), pod, {ran.begin - margin, ran.end + margin});
      }
    }
    begin += count;
  }
  return counters;
}

}  // namespace valle::connectors::prometheus
