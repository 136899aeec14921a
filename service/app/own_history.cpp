// SPDX-License-Identifier: Apache-2.0
#include "service/app/own_history.hpp"

#include <algorithm>

namespace valle::service::app {

using namespace scheduler;

namespace {

using forecast::HourlyHistory;
constexpr Duration k_hour{3600};
// Prices are known a day or two beyond the last measured hour.
constexpr std::chrono::days k_prices_ahead{3};
// Longer histories teach nothing more.
constexpr std::chrono::days k_longest_history{366 * 5};

const KnownSeries* history_in(const IntensityBook& book, const Zone& zone) {
  const KnownSeries* found = nullptr;
  for (const KnownSeries& series : book.series()) {
    if (series.key.identity.zone != zone || series.measured->empty()) continue;
    if (series.key.source != k_sample_source) return &series;
    found = &series;
  }
  return found;
}

std::vector<double> hourly_prices(const PriceSeries& prices, Instant origin, Instant end) {
  std::vector<double> values(static_cast<std::size_t>((end - origin) / k_hour), forecast::k_missing);
  std::size_t known = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Instant begin = origin + k_hour * static_cast<std::int64_t>(i);
    if (const auto mean = prices.mean({begin, begin + k_hour})) {
      values[i] = eur_per_mwh(*mean);
      known = i + 1;
    }
  }
  values.resize(known);
  return values;
}

}  // namespace

Result<OwnHistory> own_history(const IntensityBook& book, const Zone& zone) {
  const KnownSeries* const series = history_in(book, zone);
  if (series == nullptr) return refuse(Errc::unknown_zone, "nothing measured is known of zone " + zone.name());
  const Interval extent = series->measured->extent();
  const Instant first = std::max(extent.begin, extent.end - k_longest_history);
  const IntensitySeries hours = resample(*series->measured, std::chrono::floor<std::chrono::hours>(first), k_hour);
  OwnHistory history{.hours = {.zone = zone.name(), .origin = {}, .intensity = {}, .price = {}},
                     .source = series->key.source,
                     .accounting = series->key.identity.accounting,
                     .attribution = series->attribution,
                     .step = std::min(k_hour, series->measured->steps().back().interval.length())};
  bool begun = false;
  for (const Step& step : hours.within({first, extent.end})) {
    if (!begun) history.hours.origin = step.interval.begin;
    begun = true;
    const auto at = static_cast<std::size_t>((step.interval.begin - history.hours.origin) / k_hour);
    history.hours.intensity.resize(at + 1, forecast::k_missing);
    history.hours.intensity[at] = grams_per_kwh(step.value);
  }
  if (!begun) return refuse(Errc::no_intensity_data, "zone " + zone.name() + " has no whole hour of measured values");
  const Instant until = std::chrono::ceil<std::chrono::hours>(extent.end) + k_prices_ahead;
  if (const PriceSeries* const prices = book.prices(zone, {history.hours.origin, until})) {
    history.hours.price = hourly_prices(*prices, history.hours.origin, until);
  }
  return history;
}

}  // namespace valle::service::app
