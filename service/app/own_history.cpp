// SPDX-License-Identifier: Apache-2.0
#include "service/app/own_history.hpp"

#include <algorithm>
#include <cmath>

namespace valle::service::app {

using namespace scheduler;

namespace {

using forecast::HourlyHistory;
constexpr Duration k_hour{3600};
// Each issue is kept, so that shorter steps would fill the disk; of those the hour's value is told.
constexpr Duration k_shortest_step{300};
// Prices are known a day or two beyond the last measured hour.
constexpr std::chrono::days k_prices_ahead{3};
// Longer histories teach nothing more.
constexpr std::chrono::days k_longest_history{366 * 5};

/// Series with measured rows that pass `wanted`, ranked; those of the sample only where nothing else is there.
template <class Wanted>
std::vector<const KnownSeries*> measured_in(const IntensityBook& book, Wanted wanted) {
  std::vector<const KnownSeries*> found;
  for (const KnownSeries& series : book.series()) {
    if (series.measured->empty() || !wanted(series.key.identity)) continue;
    if (series.key.source == k_sample_source && !found.empty()) continue;
    found.push_back(&series);
  }
  return found;
}

/// Means of `width` from `origin` on; of several layers the first that knows one counts.
std::vector<double> intensity_by(Duration width, const std::vector<const KnownSeries*>& layers, Instant origin) {
  std::vector<double> values;
  for (const KnownSeries* const layer : layers) {
    const IntensitySeries means = resample(*layer->measured, origin, width);
    for (const Step& step : means.within({origin, layer->measured->extent().end})) {
      const auto at = static_cast<std::size_t>((step.interval.begin - origin) / width);
      if (values.size() <= at) values.resize(at + 1, forecast::k_missing);
      if (std::isnan(values[at])) values[at] = grams_per_kwh(step.value);
    }
  }
  return values;
}

std::vector<double> hourly_prices(const std::vector<const PriceSeries*>& layers, Instant origin, Instant end) {
  std::vector<double> values;
  for (Instant begin = origin; begin < end && !layers.empty(); begin += k_hour) {
    for (const PriceSeries* const prices : layers) {
      const auto mean = prices->mean({begin, begin + k_hour});
      if (!mean) continue;
      values.resize(static_cast<std::size_t>((begin - origin) / k_hour), forecast::k_missing);
      values.push_back(eur_per_mwh(*mean));
      break;
    }
  }
  return values;
}

}  // namespace

Result<OwnHistory> own_history(const IntensityBook& book, const SeriesIdentity& identity, Instant since) {
  const auto layers = measured_in(book, [&](const SeriesIdentity& other) { return other == identity; });
  const auto no_data = [&] {
    return refuse(Errc::no_intensity_data, "zone " + identity.zone.name() + " has no whole hour of measured values");
  };
  if (layers.empty()) return no_data();
  Instant first = layers.front()->measured->extent().begin;
  Instant end{};
  for (const KnownSeries* const layer : layers) {
    first = std::min(first, layer->measured->extent().begin);
    end = std::max(end, layer->measured->extent().end);
  }
  const KnownSeries& front = *layers.front();
  OwnHistory history{.hours = {.zone = identity.zone.name(), .origin = {}, .intensity = {}, .price = {}},
                     .source = front.key.source,
                     .accounting = identity.accounting,
                     .attribution = front.attribution,
                     .step = std::min(k_hour, front.measured->steps().back().interval.length())};
  Instant origin = std::chrono::ceil<std::chrono::hours>(std::max(first, since));
  std::vector<double>& intensity = history.hours.intensity;
  intensity = intensity_by(k_hour, layers, origin);
  const auto begun = std::find_if(intensity.begin(), intensity.end(), [](double value) { return !std::isnan(value); });
  if (begun == intensity.end()) return no_data();
  origin += k_hour * (begun - intensity.begin());
  intensity.erase(intensity.begin(), begun);
  history.hours.origin = origin;
  if (history.step < k_hour && history.step >= k_shortest_step && k_hour % history.step == Duration{0}) {
    history.hours.steps_an_hour = static_cast<std::size_t>(k_hour / history.step);
    history.hours.steps = intensity_by(history.step, layers, origin);
  }
  const Instant until = std::chrono::ceil<std::chrono::hours>(end) + k_prices_ahead;
  history.hours.price = hourly_prices(book.all_prices(identity.zone), origin, until);
  return history;
}

Result<OwnHistory> own_history(const IntensityBook& book, const Zone& zone) {
  const auto series = measured_in(book, [&](const SeriesIdentity& identity) { return identity.zone == zone; });
  if (series.empty()) return refuse(Errc::unknown_zone, "nothing measured is known of zone " + zone.name());
  const KnownSeries& front = *series.front();
  return own_history(book, front.key.identity, front.measured->extent().end - k_longest_history);
}

}  // namespace valle::service::app
