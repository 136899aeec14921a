// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace valle::scheduler {
namespace {

constexpr std::array<int, 7> k_steps{1, 5, 15, 60, 300, 900, 3600};
constexpr int k_most_slices = 96;
constexpr double k_joules_per_kwh = 3.6e6;
constexpr double k_enough_coverage = 0.95;
constexpr double k_small_uncertainty = 0.05;
constexpr double k_most_joules = 3.6e15;  // 1e9 kWh: the contract's limit of an energy

Energy energy_of_joules(double joules) {
  return energy_from_kwh(std::clamp(joules, 0.0, k_most_joules) / k_joules_per_kwh);
}

/// The curve at an instant: straight between its points, level outside.
double value_at(std::span<const Sample> curve, Moment at) {
  const auto after =
      std::upper_bound(curve.begin(), curve.end(), at, [](Moment t, const Sample& sample) { return t < sample.at; });
  if (after == curve.begin()) return curve.front().value;
  if (after == curve.end()) return curve.back().value;
  const Sample& left = *(after - 1);
  return left.value + (after->value - left.value) * seconds_between(left.at, at) / seconds_between(left.at, after->at);
}

void add_new(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
}

Samples sum_of_curves(std::span<const Sample> a, std::span<const Sample> b) {
  if (a.empty() || b.empty()) return {(a.empty() ? b : a).begin(), (a.empty() ? b : a).end()};
  Samples sum = merged(a, b);
  for (Sample& sample : sum) sample.value = value_at(a, sample.at) + value_at(b, sample.at);
  const auto same_instant = [](const Sample& x, const Sample& y) { return x.at == y.at; };
  sum.erase(std::unique(sum.begin(), sum.end(), same_instant), sum.end());
  return sum;
}

bool well_measured(const Reading& reading) {
  if (reading.gauge_only || reading.run_seconds <= 0) return false;
  return reading.covered_seconds >= k_enough_coverage * reading.run_seconds ||
         reading.uncertainty_joules <= k_small_uncertainty * reading.joules;
}

/// To whole seconds, inside the run.
std::vector<UncoveredStretch> uncovered_of(const std::vector<Gap>& gaps, const Interval& ran) {
  std::vector<UncoveredStretch> stretches;
  for (const Gap& gap : gaps) {
    const Interval whole{std::chrono::floor<Duration>(gap.span.begin), std::chrono::ceil<Duration>(gap.span.end)};
    const Interval inside = whole.overlap(ran);
    if (!inside.empty()) stretches.push_back({inside, gap.reason});
  }
  std::sort(stretches.begin(), stretches.end(), [](const UncoveredStretch& a, const UncoveredStretch& b) {
    return a.interval.begin != b.interval.begin ? a.interval.begin < b.interval.begin : a.reason < b.reason;
  });
  stretches.erase(std::unique(stretches.begin(), stretches.end()), stretches.end());
  return stretches;
}

}  // namespace

Reading sum_of(const Reading& a, const Reading& b) {
  Reading sum = a;
  sum.joules += b.joules;
  sum.counted_joules += b.counted_joules;
  sum.bridged_joules += b.bridged_joules;
  // Errors of stamps and limits are common to all readings of a run, so they are added, not their squares.
  sum.uncertainty_joules += b.uncertainty_joules;
  if (b.idle_joules) sum.idle_joules = sum.idle_joules.value_or(0) + *b.idle_joules;
  sum.run_seconds += b.run_seconds;
  sum.covered_seconds += b.covered_seconds;
  sum.scrape_seconds = std::max(a.scrape_seconds, b.scrape_seconds);
  sum.gauge_only = a.gauge_only || b.gauge_only;
  sum.allocated = a.allocated || b.allocated;
  sum.curve = sum_of_curves(a.curve, b.curve);
  sum.gaps.insert(sum.gaps.end(), b.gaps.begin(), b.gaps.end());
  if (a.method != b.method && a.method.find(b.method) == std::string::npos) sum.method += "; " + b.method;
  add_new(sum.notes, b.notes);
  return sum;
}

Duration profile_step(Duration run) {
  for (const int step : k_steps) {
    if (run <= Duration{step} * k_most_slices) return Duration{step};
  }
  return Duration{k_steps.back()};
}

std::vector<EnergySlice> profile_of(std::span<const Sample> curve, const Interval& ran, Energy energy) {
  if (ran.empty()) return {};
  const double first = curve.empty() ? 0 : value_at(curve, ran.begin);
  const double whole = curve.empty() ? 0 : value_at(curve, ran.end) - first;
  // Rounding the running total, not each slice, makes the slices sum to the whole.
  const auto used_until = [&](Instant at) {
    if (at == ran.end) return energy;
    const double share = whole > 0 ? (value_at(curve, at) - first) / whole
                                   : seconds_between(ran.begin, at) / seconds_between(ran.begin, ran.end);
    return Energy::of_base(std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(energy.base())));
  };
  std::vector<EnergySlice> profile;
  const Duration step = profile_step(ran.length());
  Energy used;
  for (Instant at = ran.begin; at < ran.end;) {
    const Instant next = std::min(ran.end, Instant{at.time_since_epoch() / step * step + step});
    const Energy until = std::max(used, used_until(next));
    profile.push_back({{at, next}, until - used});
    used = until;
    at = next;
  }
  return profile;
}

EnergyFigure figure_of(const Reading& reading, const Interval& ran, FigureOrigin origin) {
  EnergyFigure figure;
  figure.boundary = origin.boundary;
  figure.quality = well_measured(reading) ? EnergyQuality::measured : EnergyQuality::estimated;
  figure.energy = energy_of_joules(reading.joules);
  figure.uncertainty = energy_of_joules(reading.uncertainty_joules);
  if (reading.idle_joules) figure.idle = energy_of_joules(*reading.idle_joules);
  figure.bridged = energy_of_joules(reading.bridged_joules);
  const double coverage = reading.run_seconds > 0 ? reading.covered_seconds / reading.run_seconds : 0;
  figure.coverage = ratio_from_number(std::clamp(coverage, 0.0, 1.0));
  figure.complete = origin.complete;
  figure.allocated = reading.allocated;
  figure.profile = profile_of(reading.curve, ran, figure.energy);
  figure.uncovered = uncovered_of(reading.gaps, ran);
  figure.source = std::move(origin.source);
  figure.method = reading.method;
  figure.sampling = std::chrono::ceil<std::chrono::seconds>(milliseconds_of(reading.scrape_seconds));
  figure.query = std::move(origin.query);
  figure.fingerprint = std::move(origin.fingerprint);
  figure.notes = reading.notes;
  if (!origin.complete) figure.notes.push_back("the source warned that its answer may be partial");
  return figure;
}

}  // namespace valle::scheduler
