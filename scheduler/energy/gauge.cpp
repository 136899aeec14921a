// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/gauge.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/energy/uncertainty.hpp"

namespace valle::scheduler {
namespace {

constexpr double k_longest_gap = 2;      // intervals
constexpr double k_refresh_seconds = 2;  // Scaphandre: a scrape sooner after another gets the old value
constexpr double k_above_limit = 1.5;    // boards overshoot their limit for moments

struct Kept {
  Samples samples;
  std::size_t dropped = 0;
};

/// Samples within the span that can be readings.
Kept kept_in(std::span<const Sample> watts, const Span& span, double limit_watts) {
  Kept kept;
  for (const Sample& sample : watts) {
    if (sample.at < span.begin || sample.at > span.end) continue;
    const bool reading =
        std::isfinite(sample.value) && sample.value >= 0 && sample.value <= k_above_limit * limit_watts;
    if (reading)
      kept.samples.push_back(sample);
    else
      ++kept.dropped;
  }
  return kept;
}

void note_dropped(Reading& reading, std::size_t dropped) {
  if (dropped > 0) reading.notes.push_back(std::to_string(dropped) + " samples dropped that can't be readings");
}

Reading begun(const GaugeTerms& terms, double interval) {
  return {.run_seconds = seconds_of(terms.ran), .scrape_seconds = interval, .gauge_only = true};
}

}  // namespace

std::optional<Reading> read_mean_power(std::span<const Sample> watts, const GaugeTerms& terms) {
  const Kept kept = kept_in(watts, terms.ran, terms.limit_watts);
  if (kept.samples.empty()) return {};
  const double spacing = median_spacing(kept.samples);
  const double interval = spacing > 0 ? spacing : terms.scrape_seconds;
  Reading reading = begun(terms, interval);
  reading.method = "power gauge, time-weighted mean over the run, whole board";
  double seconds = 0;
  double joules = 0;
  double away = 0;
  Samples curve{{kept.samples.front().at, 0}};
  const auto missing = [&](Moment from, Moment to) {
    reading.gaps.push_back({{from, to}, "no samples"});
    away += seconds_between(from, to);
  };
  for (std::size_t i = 1; i < kept.samples.size(); ++i) {
    const Sample& from = kept.samples[i - 1];
    const Sample& to = kept.samples[i];
    const double length = seconds_between(from.at, to.at);
    if (length > k_longest_gap * interval) {
      missing(from.at, to.at);
    } else {
      seconds += length;
      joules += (from.value + to.value) / 2 * length;
    }
    curve.push_back({to.at, joules});
  }
  // One interval beside the outer samples is theirs; what lies further is nobody's.
  const auto reach = milliseconds_of(interval);
  if (kept.samples.front().at - terms.ran.begin > reach) missing(terms.ran.begin, kept.samples.front().at - reach);
  if (terms.ran.end - kept.samples.back().at > reach) missing(kept.samples.back().at + reach, terms.ran.end);
  const double mean = seconds > 0 ? joules / seconds : kept.samples.front().value;
  reading.covered_seconds = std::max(0.0, reading.run_seconds - away);
  reading.joules = reading.counted_joules = mean * reading.covered_seconds;
  reading.uncertainty_joules = std::max(reading.joules - terms.idle_watts * reading.run_seconds,
                                        std::max(terms.limit_watts, mean) * reading.run_seconds - reading.joules);
  // Straight lines carry the ends at the mean power.
  curve.insert(curve.begin(), {terms.ran.begin, -mean * seconds_between(terms.ran.begin, curve.front().at)});
  curve.push_back({terms.ran.end, curve.back().value + mean * seconds_between(curve.back().at, terms.ran.end)});
  reading.curve = std::move(curve);
  note_dropped(reading, kept.dropped);
  return reading;
}

std::optional<Reading> read_held_power(std::span<const Sample> watts, const GaugeTerms& terms) {
  // A process vanishes when it ends, so that samples outside the run are a matter of clocks, not of others.
  const Kept kept =
      kept_in(watts, {terms.ran.begin, terms.ran.end + milliseconds_of(terms.scrape_seconds)}, terms.limit_watts);
  if (kept.samples.empty()) return {};
  const double spacing = median_spacing(kept.samples);
  const double interval = spacing > 0 ? spacing : terms.scrape_seconds;
  Reading reading = begun(terms, interval);
  reading.method = "power gauge, value × time since the previous scrape, tail at the last value";
  double joules = 0;
  double away = 0;
  Samples curve{{terms.ran.begin, 0}};
  Moment before = kept.samples.front().at - milliseconds_of(interval);
  for (const Sample& sample : kept.samples) {
    double length = seconds_between(before, sample.at);
    if (length > k_longest_gap * interval) {
      reading.gaps.push_back({{before, sample.at - milliseconds_of(interval)}, "no samples"});
      away += length - interval;
      length = interval;
    }
    joules += sample.value * length;
    if (sample.at > terms.ran.begin && sample.at < terms.ran.end) curve.push_back({sample.at, joules});
    before = sample.at;
  }
  const double tail = seconds_between(kept.samples.back().at, terms.ran.end);
  if (tail > k_longest_gap * interval) {
    reading.gaps.push_back({{kept.samples.back().at, terms.ran.end}, "no samples until the end"});
    away += tail;
  } else if (tail > 0) {
    joules += kept.samples.back().value * tail;
  }
  curve.push_back({terms.ran.end, std::max(joules, curve.back().value)});
  reading.joules = reading.counted_joules = joules;
  reading.covered_seconds = std::clamp(reading.run_seconds - std::max(0.0, tail), 0.0, reading.run_seconds - away);
  reading.uncertainty_joules =
      uncertainty_joules(rates_of(curve, interval / 4), {.unseen_seconds = std::max(0.0, tail) + away,
                                                         .stamp_seconds = k_refresh_seconds,
                                                         .mean_watts = joules / std::max(reading.run_seconds, 1e-3),
                                                         .limit_watts = terms.limit_watts,
                                                         .floor_watts = terms.idle_watts});
  reading.curve = std::move(curve);
  note_dropped(reading, kept.dropped);
  return reading;
}

}  // namespace valle::scheduler
