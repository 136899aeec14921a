// SPDX-License-Identifier: Apache-2.0
#include "service/app/slot_means.hpp"

#include <algorithm>

#include "scheduler/units/require.hpp"

namespace valle::service::app {

using namespace scheduler;

namespace {

tl::unexpected<Error> no_data(const Zone& zone, Interval missing) {
  return refuse(
      Errc::no_intensity_data,
      zone.name() + " is not known from " + format_instant(missing.begin) + " to " + format_instant(missing.end), {},
      {{"zones", std::vector<std::string>{zone.name()}},
       {"from", format_instant(missing.begin)},
       {"to", format_instant(missing.end)}});
}

}  // namespace

Result<std::vector<std::shared_ptr<const IntensitySeries>>> complete_series(std::span<const Zone> zones,
                                                                            Interval window, const IntensityBook& book,
                                                                            Instant now) {
  const Choice choice = book.choose({.zones = zones, .window = window, .needed = window.length(), .now = now});
  std::vector<std::shared_ptr<const IntensitySeries>> series(zones.size());
  for (const ChosenSeries& chosen : choice.zones) series[chosen.zone] = chosen.series;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i]) continue;
    const KnownRows rows = book.rows({.zone = zones[i], .window = window, .now = now});
    return no_data(zones[i], rows.gaps.empty() ? window : rows.gaps.front());
  }
  return series;
}

std::vector<CarbonIntensity> slot_means(const IntensitySeries& series, Interval window, Duration slot) {
  std::vector<CarbonIntensity> means;
  means.reserve(static_cast<std::size_t>(window.length() / slot));
  for (Instant begin = window.begin; begin < window.end; begin += slot) {
    const auto integral = series.integral({begin, begin + slot});
    require(integral.has_value(), "the window of slot means is known");
    means.push_back(mean_of(*integral, slot));
  }
  return means;
}

Result<std::vector<CarbonIntensity>> slot_means(const Zone& zone, std::span<const Zone> together, Interval window,
                                                Duration slot, const IntensityBook& book, Instant now) {
  if (window.empty()) return std::vector<CarbonIntensity>{};
  const auto series = complete_series(together, window, book, now);
  if (!series) return tl::unexpected{series.error()};
  const auto at = std::find(together.begin(), together.end(), zone);
  require(at != together.end(), "the zone is one of those used together");
  return slot_means(*(*series)[static_cast<std::size_t>(at - together.begin())], window, slot);
}

}  // namespace valle::service::app
