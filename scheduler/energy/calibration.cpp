// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/calibration.hpp"

#include <algorithm>

#include "scheduler/account/apportion.hpp"

namespace valle::scheduler {
namespace {

constexpr Duration k_shortest_window{60};
constexpr std::int64_t k_smallest_factor = 500'000;
constexpr std::int64_t k_largest_factor = 3'000'000;
constexpr std::string_view k_note = "calibrated against a wattmeter";

Ratio ratio(Wide numerator, Wide denominator) {
  return Ratio::of_base(narrow(divide_rounded(numerator * k_one.base(), denominator)));
}

/// `1.18` of 1,180,000 ppm; two decimals.
std::string two_decimals(Ratio number, std::int64_t unit) {
  const auto hundredths = static_cast<std::int64_t>(divide_rounded(Wide{number.base()} * 100, unit));
  const auto cents = hundredths % 100;
  return std::to_string(hundredths / 100) + (cents < 10 ? ".0" : ".") + std::to_string(cents);
}

}  // namespace

std::optional<Energy> metered_energy(std::span<const WattSample> samples, Interval window) {
  if (window.empty()) return {};
  const auto first = std::upper_bound(samples.begin(), samples.end(), window.begin,
                                      [](Instant at, const WattSample& sample) { return at < sample.at; });
  Wide sum = 0;
  std::int64_t count = 0;
  std::int64_t seconds = 0;
  std::optional<Instant> last_second;
  for (auto sample = first; sample != samples.end() && sample->at < window.end; ++sample) {
    if (sample->power <= Power{}) continue;
    sum += sample->power.base();
    ++count;
    const auto second = std::chrono::floor<std::chrono::seconds>(sample->at);
    if (last_second != second) ++seconds;
    last_second = second;
  }
  // The first and the last second may hold none strictly inside.
  if (count == 0 || (seconds + 1) * 10 < window.length().count() * 9) return {};
  return Energy::of_base(narrow(divide_rounded(sum * window.length().count(), Wide{count} * 3600)));
}

Result<Calibration> calibrate(std::span<const CalibrationWindow> windows, std::string node_type, std::string source,
                              EnergyBoundary boundary, std::string meter) {
  if (windows.size() < k_fewest_calibration_windows) {
    return refuse(Errc::invalid_request, "a calibration needs three windows of steady load or more");
  }
  Wide of_source = 0;
  Wide of_meter = 0;
  Instant made{};
  for (const auto& each : windows) {
    if (each.window.length() < k_shortest_window) {
      return refuse(Errc::invalid_request, "a window is shorter than a minute");
    }
    if (each.source <= Energy{} || each.wattmeter <= Energy{}) {
      return refuse(Errc::invalid_request,
                    "in the window from " + format_instant(each.window.begin) + " one of the two shows nothing");
    }
    of_source += each.source.base();
    of_meter += each.wattmeter.base();
    made = std::max(made, each.window.end);
  }
  const Ratio factor = ratio(of_meter, of_source);
  if (factor.base() < k_smallest_factor || factor.base() > k_largest_factor) {
    return refuse(Errc::invalid_request, "the wattmeter shows " + two_decimals(factor, k_one.base()) +
                                             " times what the source does: another machine, or another unit");
  }
  Ratio residual;
  for (const auto& each : windows) {
    const Wide corrected = at_facility(each.source, factor).base();
    const Wide apart = corrected - each.wattmeter.base();
    residual = std::max(residual, ratio(apart < 0 ? -apart : apart, each.wattmeter.base()));
  }
  return Calibration{.node_type = std::move(node_type),
                     .source = std::move(source),
                     .boundary = boundary,
                     .factor = factor,
                     .residual = residual,
                     .windows = windows.size(),
                     .made = made,
                     .meter = std::move(meter)};
}

EnergyFigure calibrated(EnergyFigure figure, const Calibration& calibration) {
  const bool already =
      std::any_of(figure.notes.begin(), figure.notes.end(), [](const auto& note) { return note.starts_with(k_note); });
  if (already || figure.quality == EnergyQuality::unknown || figure.source != calibration.source ||
      figure.boundary != calibration.boundary) {
    return figure;
  }
  const auto scaled = [&calibration](Energy energy) { return at_facility(energy, calibration.factor); };
  figure.energy = scaled(figure.energy);
  figure.uncertainty = scaled(figure.uncertainty) + at_facility(figure.energy, calibration.residual);
  figure.bridged = scaled(figure.bridged);
  if (figure.idle) figure.idle = scaled(*figure.idle);
  std::vector<Wide> weights;
  for (const auto& slice : figure.profile) weights.push_back(slice.energy.base());
  const auto parts = apportioned(figure.energy.base(), weights);  // so that they sum to the energy
  for (std::size_t i = 0; i < parts.size(); ++i) figure.profile[i].energy = Energy::of_base(parts[i]);
  figure.notes.push_back(std::string{k_note} + ": × " + two_decimals(calibration.factor, k_one.base()) + " ± " +
                         two_decimals(calibration.residual, k_one.base() / 100) + " %, " + calibration.node_type +
                         ", " + calibration.meter + ", " + format_instant(calibration.made));
  return figure;
}

}  // namespace valle::scheduler
