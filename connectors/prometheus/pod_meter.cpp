// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/pod_meter.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "connectors/prometheus/metrics.hpp"
#include "connectors/prometheus/queries.hpp"
#include "scheduler/energy/gauge.hpp"
#include "scheduler/energy/pod_counter.hpp"

namespace valle::connectors::prometheus {

using namespace scheduler;

namespace {

/// A series by UID exists only while its pod lives, so the window may be wide: wide enough to notice clocks that are
/// five minutes apart.
constexpr std::chrono::minutes k_clock_margin{10};
constexpr double k_name_margin = 2;  // intervals: names are used again
constexpr double k_watts_in_microwatt = 1e-6;
constexpr double k_thousandth = 1e-3;

}  // namespace

/// How the series of one exporter are found and told apart.
struct PodMeter::Kind {
  enum class Form { kepler, legacy, scaphandre };
  Form form;
  bool Capabilities::*there;
  std::string_view source;
  std::string_view metric;
  std::string_view pod_label;
  std::string_view namespace_label;  // empty: the pod's label is its UID
  double series_a_pod;

  [[nodiscard]] bool by_uid() const { return namespace_label.empty(); }
  [[nodiscard]] std::string value_of(const PodOfRun& pod) const { return by_uid() ? pod.uid : pod.name; }
  [[nodiscard]] bool names(const Series& series, const PodOfRun& pod) const {
    return series.label(pod_label) == value_of(pod) && (by_uid() || series.label(namespace_label) == pod.name_space);
  }
};

/// In the order of trust.
const PodMeter::Kind PodMeter::k_kinds[] = {
    {Kind::Form::kepler, &Capabilities::kepler, k_kepler_source, k_kepler_pod_joules, "pod_id", "", 2},
    {Kind::Form::legacy, &Capabilities::kepler_legacy, k_kepler_source, k_kepler_container_joules, "pod_name",
     "container_namespace", 2},
    {Kind::Form::scaphandre, &Capabilities::scaphandre, k_scaphandre_source, k_scaphandre_power, "kubernetes_pod_name",
     "kubernetes_pod_namespace", 4},
};

std::vector<ItemReading> PodMeter::read(std::span<const PodItem> items, const Capabilities& found,
                                        const QueryPatience& patience) {
  std::vector<ItemReading> answers(items.size());
  for (const Kind& kind : k_kinds) {
    if (found.*kind.there) read_kind(kind, items, answers, patience);
  }
  return answers;
}

void PodMeter::read_kind(const Kind& kind, std::span<const PodItem> items, std::vector<ItemReading>& answers,
                         const QueryPatience& patience) {
  std::vector<PodItem> open;
  std::vector<ItemReading*> slots;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (answers[i].reading || kind.value_of(*items[i].pod).empty()) continue;
    open.push_back(items[i]);
    slots.push_back(&answers[i]);
  }
  for (std::size_t begin = 0; begin < open.size();) {
    const std::span rest = std::span{open}.subspan(begin);
    const std::size_t count = fitting(rest, scrape_seconds(), kind.series_a_pod);
    read_batch(kind, rest.first(count), std::span{slots}.subspan(begin, count), patience);
    begin += count;
  }
}

void PodMeter::read_batch(const Kind& kind, std::span<const PodItem> items, std::span<ItemReading*> answers,
                          const QueryPatience& patience) {
  const Span hull = hull_of(items);
  const auto margin =
      kind.by_uid() ? std::chrono::milliseconds{k_clock_margin} : milliseconds_of(k_name_margin * scrape_seconds());
  std::set<std::string> values;
  for (const PodItem& item : items) values.insert(kind.value_of(*item.pod));
  Wanted wanted{.metric = std::string{kind.metric},
                .label = std::string{kind.pod_label},
                .values = {values.begin(), values.end()},
                .window = {hull.begin - margin, hull.end + margin}};
  if (kind.form == Kind::Form::kepler) wanted.matchers.push_back(is_one_of("zone", terms_.domains));
  const Seen seen = replicas_.samples(wanted, patience);
  if (const auto spacing = spacing_of(seen)) scrape_seconds_ = spacing;
  if (kind.form == Kind::Form::legacy && seen.outcome == QueryOutcome::data && !legacy_unit_)
    legacy_unit_ = joules_in_unit_of_legacy(hull.end, patience);
  for (std::size_t i = 0; i < items.size(); ++i) {
    ItemReading& answer = *answers[i];
    const Span& ran = items[i].ran;
    if (answer.outcome == QueryOutcome::empty) answer.outcome = seen.outcome;
    answer.detail = seen.detail;
    answer.complete = seen.complete;
    const std::string own[] = {kind.value_of(*items[i].pod)};
    answer.query = wanted.text(own, {ran.begin - margin, ran.end + margin});
  }
  if (seen.outcome != QueryOutcome::data) return;
  if (kind.form == Kind::Form::scaphandre)
    fill_gauges(kind, items, answers, seen);
  else
    fill_counters(kind, items, answers, seen);
}

namespace {

/// What lies within the item's own window; batches ask for more.
Samples cut(const Samples& samples, const Span& window, double factor) {
  Samples inside;
  for (const Sample& sample : samples) {
    if (sample.at >= window.begin && sample.at <= window.end) inside.push_back({sample.at, sample.value * factor});
  }
  return inside;
}

Observer& observer_in(std::vector<Observer>& observers, const ObserverKey& key) {
  for (Observer& observer : observers) {
    if (observer.replica == key.replica && observer.exporter == key.exporter) return observer;
  }
  return observers.emplace_back(Observer{key.replica, key.exporter, {}});
}

ZoneSamples& zone_in(Observer& observer, std::string name) {
  for (ZoneSamples& zone : observer.zones) {
    if (zone.zone == name) return zone;
  }
  return observer.zones.emplace_back(ZoneSamples{std::move(name), {}, {}});
}

}  // namespace

void PodMeter::fill_counters(const Kind& kind, std::span<const PodItem> items, std::span<ItemReading*> answers,
                             const Seen& seen) {
  const bool legacy = kind.form == Kind::Form::legacy;
  const double factor = legacy ? legacy_unit_.value_or(1) : 1;
  const auto margin =
      kind.by_uid() ? std::chrono::milliseconds{k_clock_margin} : milliseconds_of(k_name_margin * scrape_seconds());
  const SeriesByLabel by_pod{seen, kind.pod_label};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const PodItem& item = items[i];
    ItemReading& answer = *answers[i];
    std::vector<Observer> observers;
    std::vector<Observer> idle;
    for (const auto& [replica, series] : by_pod.of(kind.value_of(*item.pod))) {
      if (!kind.names(*series, *item.pod)) continue;
      Samples samples = cut(series->samples, {item.ran.begin - margin, item.ran.end + margin}, factor);
      answer.fingerprint.add(samples);
      const bool idle_mode = legacy && series->label("mode") == "idle";
      Observer& observer = observer_in(idle_mode ? idle : observers, observer_of(*series, replica));
      const std::string part{legacy ? std::string{series->label("container_name")} + "/" +
                                          std::string{series->label("container_id")}
                                    : std::string{series->label("zone")}};
      ZoneSamples& zone = zone_in(observer, part);
      Samples& into = series->label("state") == "terminated" ? zone.terminated : zone.running;
      into = merged(into, samples);
    }
    const PodQuestion question{item.ran, scrape_seconds(), terms_.node_limit_watts};
    const PodCounterTraits& traits = legacy ? k_kepler_legacy : k_kepler;
    answer.reading = read_pod_counter(std::move(observers), question, traits);
    answer.source = kind.source;
    if (!answer.reading) continue;
    if (!legacy) {
      std::string domains;
      for (const std::string& domain : terms_.domains) domains += (domains.empty() ? "" : " + ") + domain;
      answer.reading->method += " (" + domains + ")";
    } else if (const auto beside = read_pod_counter(std::move(idle), question, traits)) {
      answer.reading->idle_joules = beside->counted_joules;
      answer.reading->notes.push_back("idle as Kepler shares it among containers (mode=idle), beside the energy");
    }
  }
}

void PodMeter::fill_gauges(const Kind& kind, std::span<const PodItem> items, std::span<ItemReading*> answers,
                           const Seen& seen) {
  const SeriesByLabel by_pod{seen, kind.pod_label};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const PodItem& item = items[i];
    ItemReading& answer = *answers[i];
    std::map<ObserverKey, std::map<Moment, double>> watts;  // processes of a pod summed at each scrape
    for (const auto& [replica, series] : by_pod.of(kind.value_of(*item.pod))) {
      if (!kind.names(*series, *item.pod)) continue;
      answer.fingerprint.add(series->samples);
      auto& at = watts[observer_of(*series, replica)];
      for (const Sample& sample : series->samples) at[sample.at] += sample.value * k_watts_in_microwatt;
    }
    answer.source = kind.source;
    for (const auto& [key, sums] : watts) {
      Samples samples;
      for (const auto& [at, sum] : sums) samples.push_back({at, sum});
      auto reading = read_held_power(samples, {item.ran, scrape_seconds(), terms_.node_limit_watts, 0});
      if (reading && (!answer.reading || reading->joules > answer.reading->joules)) answer.reading = std::move(reading);
    }
  }
}

/// Kepler before 0.7.4 wrote its total in millijoules under a name that says joules; its components were right.
double PodMeter::joules_in_unit_of_legacy(Moment at, const QueryPatience& patience) {
  const QueryAnswer ratio = replicas_.first_answer(
      "sum(last_over_time(kepler_container_joules_total{mode=\"dynamic\"}[10m])) / "
      "sum(last_over_time({__name__=~\"kepler_container_(package|dram|other|gpu)_joules_total\",mode=\"dynamic\"}[10m])"
      ")",
      at, patience);
  if (ratio.outcome != QueryOutcome::data || ratio.series.front().samples.empty()) return 1;
  const double value = ratio.series.front().samples.front().value;
  return value > 100 && value < 10'000 ? k_thousandth : 1;
}

}  // namespace valle::connectors::prometheus
