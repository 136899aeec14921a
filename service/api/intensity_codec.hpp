// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/series/intensity_series.hpp"
#include "service/app/forecast_scores.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/places.hpp"

namespace valle::service::api {

/// `{"zones":[{zone, sites, now, newestMeasured, sources:[…], forecastScores:[…], rejected:[…]}]}`: what is known, from
/// where, how old, and how good forecasts have been.
[[nodiscard]] std::string zones_json(const app::IntensityBook& book, const app::Places& places, scheduler::Instant now,
                                     const app::ForecastScores& scores = {});

/// `{zone, rows:[{start,end,gramsPerKwh,kind,source,estimated}], gaps, knownUntil, …}`
[[nodiscard]] std::string rows_json(const app::RowsQuestion& question, const app::KnownRows& known);

/// `{zone, rows:[{start,end,eurPerMwh}], gaps, knownUntil, source}`; `prices` may be null.
[[nodiscard]] std::string prices_json(const scheduler::Zone& zone, scheduler::Interval window,
                                      const scheduler::PriceSeries* prices);

/// A forecast as it was issued.
struct IssuedForecast {
  store::SeriesKey key;
  std::optional<scheduler::Instant> issued_at;
  std::vector<scheduler::Step> steps;
  std::optional<store::ForecastGround> ground = {};  ///< of own ones
};
/// `{zone, issuedAt, source, grade, rows:[{start,end,gramsPerKwh}]}`; `as_of` tells whether it was stale then. An own
/// forecast has `reason` and `model` too, and bounds in its rows.
[[nodiscard]] std::string forecast_json(const IssuedForecast& forecast, scheduler::Instant as_of);

}  // namespace valle::service::api
