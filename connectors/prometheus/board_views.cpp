// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/board_views.hpp"

#include <algorithm>

#include "scheduler/energy/board_points.hpp"

namespace valle::connectors::prometheus {

using namespace scheduler;

namespace {

void name_pod(std::map<std::string, Span>& pods, const std::string& pod, const Span& span) {
  const auto [known, added] = pods.try_emplace(pod, span);
  if (added) return;
  known->second.begin = std::min(known->second.begin, span.begin);
  known->second.end = std::max(known->second.end, span.end);
}

Samples cut(const Samples& samples, const Span& window, double factor) {
  Samples inside;
  for (const Sample& sample : samples) {
    if (sample.at >= window.begin && sample.at <= window.end) inside.push_back({sample.at, sample.value * factor});
  }
  return inside;
}

/// The view joins another of the same replica whose exporter it replaced, or which replaced it.
void add_view(std::vector<BoardView>& views, BoardView view) {
  const auto apart = std::find_if(views.begin(), views.end(), [&](const BoardView& other) {
    return other.key.replica == view.key.replica &&
           (other.samples.back().at < view.samples.front().at || view.samples.back().at < other.samples.front().at);
  });
  if (apart == views.end()) {
    views.push_back(std::move(view));
    return;
  }
  apart->samples = merged(apart->samples, view.samples);
  for (const auto& [pod, span] : view.pods) name_pod(apart->pods, pod, span);
}

}  // namespace

Workload workload_of(const Series& series) {
  const Workload exported{series.label("exported_namespace"), series.label("exported_pod")};
  const Workload own{series.label("namespace"), series.label("pod")};
  const Workload& workload = exported.pod.empty() ? own : exported;
  if (workload.pod.empty() || workload.name_space.empty()) return {};
  return workload;
}

std::vector<BoardView> views_of(std::span<const SeenSeries> entries, const Span& window, double factor) {
  struct Part {
    std::vector<Samples> series;
    std::map<std::string, Span> pods;
  };
  std::map<ObserverKey, Part> parts;
  for (const auto& [replica, series] : entries) {
    Samples inside = cut(series->samples, window, factor);
    if (inside.empty()) continue;
    Part& part = parts[observer_of(*series, replica)];
    if (const Workload workload = workload_of(*series); !workload.pod.empty()) {
      name_pod(part.pods, std::string{workload.name_space} + "/" + std::string{workload.pod},
               {inside.front().at, inside.back().at});
    }
    part.series.push_back(std::move(inside));
  }
  std::vector<BoardView> views;
  for (auto& [key, part] : parts) {
    add_view(views, {key, largest_at_each_instant(part.series), std::move(part.pods)});
  }
  return views;
}

}  // namespace valle::connectors::prometheus
