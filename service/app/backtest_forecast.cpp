// SPDX-License-Identifier: Apache-2.0
#include "service/app/backtest_forecast.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "scheduler/forecast/forecaster.hpp"
#include "service/app/own_forecasts.hpp"
#include "service/app/own_history.hpp"

namespace valle::service::app {

using namespace scheduler;
using forecast::Forecaster;
using forecast::Hour;

namespace {

using Believed = std::vector<std::optional<CarbonIntensity>>;

/// The mean over each slot that the steps know to the last second.
Believed means_over(std::vector<Step> steps, Instant from, Duration slot, std::size_t count) {
  Believed means(count);
  const auto series = series_of(std::move(steps));
  if (!series) return means;
  for (std::size_t i = 0; i < count; ++i) {
    const Instant begin = from + slot * static_cast<std::int64_t>(i);
    if (const auto integral = series->integral({begin, begin + slot})) means[i] = mean_of(*integral, slot);
  }
  return means;
}

Hour hours_of(Duration duration) {
  const auto hours = std::chrono::ceil<std::chrono::hours>(duration).count();
  return std::clamp<Hour>(hours + 1, 1, forecast::k_longest_horizon);
}

}  // namespace

Result<SlotForecast> own_slot_forecast(const Problem& problem, const IntensityBook& book) {
  auto forecasters = std::make_shared<std::vector<Forecaster>>();
  std::vector<SeriesIdentity> identities;
  for (const Site& site : problem.sites) {
    auto history = own_history(book, site.zone);
    if (!history) return tl::unexpected{std::move(history.error())};
    identities.push_back({site.zone, history->accounting});
    forecasters->emplace_back(std::move(history->hours));
    const auto first = forecasters->back().forecast(problem.start, forecast::Knowledge::replayed, 1);
    if (!first) return tl::unexpected{first.error()};
  }
  return [forecasters, identities, slot = problem.slot](std::size_t site, Instant now, std::size_t count) {
    const Hour hours = hours_of(slot * static_cast<std::int64_t>(count));
    const auto made = (*forecasters)[site].forecast(now, forecast::Knowledge::replayed, hours);
    if (!made) return Believed(count);
    return means_over(own_issue(identities[site], now, *made).issue.steps, now, slot, count);
  };
}

Result<SlotForecast> provider_slot_forecast(const Problem& problem, const IntensityBook& book,
                                            const store::IntensityRepository& repository) {
  std::vector<store::SeriesKey> keys;
  for (const Site& site : problem.sites) {
    const auto issued = std::find_if(book.series().begin(), book.series().end(), [&](const KnownSeries& series) {
      return series.key.identity.zone == site.zone && !series.is_own() && series.issued_at.has_value();
    });
    if (issued == book.series().end()) {
      return refuse(Errc::no_intensity_data, "no provider's forecast of " + site.zone.name() + " is in the database",
                    "--forecast", {{"zones", std::vector{site.zone.name()}}});
    }
    keys.push_back(issued->key);
  }
  return [keys, &repository, slot = problem.slot](std::size_t site, Instant now, std::size_t count) {
    auto issue = repository.forecast(keys[site], now);
    if (!issue || !*issue) return Believed(count);
    return means_over(std::move((*issue)->steps), now, slot, count);
  };
}

}  // namespace valle::service::app
