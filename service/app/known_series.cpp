// SPDX-License-Identifier: Apache-2.0
#include "service/app/known_series.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "connectors/files/files.hpp"

namespace valle::service::app {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::IntensitySeries;
using scheduler::Interval;
using scheduler::Result;
using scheduler::Step;
using store::SeriesChange;
using store::SeriesKey;

constexpr Interval k_all_time{Instant{Duration{0}}, Instant{std::chrono::hours{24} * 365 * 1000}};

bool begins_earlier(const Step& a, const Step& b) { return a.interval.begin < b.interval.begin; }

bool overlap_free(const std::vector<Step>& steps) {
  return std::adjacent_find(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
           return a.interval.end > b.interval.begin;
         }) == steps.end();
}

/// Equally long steps, ascending, each cut where the next one begins.
void cut_at_the_next(std::vector<Step>& steps) {
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    steps[i].interval.end = std::min(steps[i].interval.end, steps[i + 1].interval.begin);
  }
}

Result<IntensitySeries> finest_first(const std::vector<Step>& steps) {
  std::map<Duration, std::vector<Step>> by_length;
  for (const Step& step : steps) by_length[step.interval.length()].push_back(step);
  std::vector<IntensitySeries> layers;
  for (auto& [length, layer] : by_length) {
    cut_at_the_next(layer);
    auto series = IntensitySeries::make(std::move(layer));
    if (!series) return series;
    layers.push_back(std::move(*series));
  }
  std::vector<const IntensitySeries*> pointers;
  for (const IntensitySeries& layer : layers) pointers.push_back(&layer);
  return overlay(pointers);
}

/// `told` shares `measured` or `forecast` where the other has nothing to add.
void combine(KnownSeries& known) {
  if (known.forecast->empty()) {
    known.told = known.measured;
  } else if (known.measured->empty()) {
    known.told = known.forecast;
  } else {
    const IntensitySeries* const layers[] = {known.measured.get(), known.forecast.get()};
    known.told = std::make_shared<const IntensitySeries>(overlay(layers));
  }
  known.combined = known.told;
  known.tail.reset();
}

Result<void> read_ground(const store::IntensityRepository& repository, KnownSeries& known) {
  if (!known.is_own() || !known.issued_at) return {};
  auto ground = repository.ground(known.key, *known.issued_at);
  if (!ground) return tl::unexpected{std::move(ground.error())};
  known.ground = std::make_shared<const store::ForecastGround>(std::move(*ground).value_or(store::ForecastGround{}));
  return {};
}

Result<void> read_forecast(const store::IntensityRepository& repository, KnownSeries& known) {
  auto issue = repository.forecast(known.key, k_all_time.end);
  if (!issue) return tl::unexpected{std::move(issue.error())};
  auto series = series_of(*issue ? std::move((*issue)->steps) : std::vector<Step>{});
  if (!series) return tl::unexpected{std::move(series.error())};
  known.forecast = std::make_shared<const IntensitySeries>(std::move(*series));
  known.issued_at = *issue ? std::optional{(*issue)->issued_at} : std::nullopt;
  return read_ground(repository, known);
}

/// `steps` with those inside `window` replaced by `rows`; nothing where steps of different lengths meet.
std::optional<std::vector<Step>> spliced(const IntensitySeries& series, Interval window, std::vector<Step> rows) {
  std::vector<Step> result;
  result.reserve(series.step_count() + rows.size());
  for (const Step& step : series.steps()) {
    if (step.interval.end <= window.begin) result.push_back(step);
  }
  result.insert(result.end(), rows.begin(), rows.end());
  for (const Step& step : series.steps()) {
    if (step.interval.begin >= window.end) result.push_back(step);
  }
  if (!overlap_free(result) || !std::is_sorted(result.begin(), result.end(), begins_earlier)) return {};
  return result;
}

Result<void> read_measured(const store::IntensityRepository& repository, KnownSeries& known, Interval window) {
  auto rows = repository.measured(known.key, window);
  if (!rows) return tl::unexpected{std::move(rows.error())};
  auto steps = spliced(*known.measured, window, std::move(rows->steps));
  if (!steps) {
    rows = repository.measured(known.key, k_all_time);
    if (!rows) return tl::unexpected{std::move(rows.error())};
    steps = std::move(rows->steps);
  }
  auto series = series_of(std::move(*steps));
  if (!series) return tl::unexpected{std::move(series.error())};
  known.measured = std::make_shared<const IntensitySeries>(std::move(*series));
  known.updated_at = std::max(known.updated_at, rows->updated_at);
  return {};
}

}  // namespace

void set_tail(KnownSeries& known, const KnownSeries* own) {
  known.combined = known.told;
  known.tail.reset();
  if (own == nullptr || own->forecast->empty() || !own->issued_at || !own->ground) return;
  const bool own_future = !known.forecast->empty() && known.forecast->extent().end > *own->issued_at;
  if (known.key.source == connectors::k_files_source && own_future) return;
  const bool leads = own->ground->leads && known.key.source != connectors::k_files_source;
  const IntensitySeries& before = leads ? *known.measured : *known.told;
  const Interval extent = own->forecast->extent();
  const Instant from = before.empty() ? extent.begin : std::max(extent.begin, before.extent().end);
  std::vector<Step> steps;
  for (Step step : own->forecast->within({from, extent.end})) {
    step.interval.begin = std::max(step.interval.begin, from);
    steps.push_back(step);
  }
  if (steps.empty()) return;
  const IntensitySeries tail = IntensitySeries::of(std::move(steps));
  const IntensitySeries* const layers[] = {&before, &tail, known.told.get()};
  known.combined = std::make_shared<const IntensitySeries>(overlay(layers));
  known.tail = OwnTail{{from, extent.end}, *own->issued_at, own->ground};
}

Result<IntensitySeries> series_of(std::vector<Step> steps) {
  if (!std::is_sorted(steps.begin(), steps.end(), begins_earlier)) {
    std::sort(steps.begin(), steps.end(), begins_earlier);
  }
  return overlap_free(steps) ? IntensitySeries::make(std::move(steps)) : finest_first(steps);
}

Result<KnownSeries> known_series(const SeriesKey& key, store::MeasuredRows measured,
                                 std::optional<store::ForecastIssue> forecast, std::string attribution) {
  auto measured_series = series_of(std::move(measured.steps));
  if (!measured_series) return tl::unexpected{std::move(measured_series.error())};
  auto forecast_series = series_of(forecast ? std::move(forecast->steps) : std::vector<Step>{});
  if (!forecast_series) return tl::unexpected{std::move(forecast_series.error())};
  KnownSeries known{key,
                    std::make_shared<const IntensitySeries>(std::move(*measured_series)),
                    std::make_shared<const IntensitySeries>(std::move(*forecast_series)),
                    {},
                    {},
                    forecast ? std::optional{forecast->issued_at} : std::nullopt,
                    measured.updated_at,
                    std::move(attribution)};
  combine(known);
  return known;
}

Result<KnownSeries> load_series(const store::IntensityRepository& repository, const SeriesKey& key,
                                std::string attribution) {
  auto measured = repository.measured(key, k_all_time);
  if (!measured) return tl::unexpected{std::move(measured.error())};
  auto forecast = repository.forecast(key, k_all_time.end);
  if (!forecast) return tl::unexpected{std::move(forecast.error())};
  auto known = known_series(key, std::move(*measured), std::move(*forecast), std::move(attribution));
  if (!known) return known;
  if (auto done = read_ground(repository, *known); !done) return tl::unexpected{std::move(done.error())};
  return known;
}

Result<KnownSeries> refresh_series(const store::IntensityRepository& repository, const KnownSeries& before,
                                   const SeriesChange& change) {
  KnownSeries known = before;
  if (!change.measured.empty()) {
    if (auto done = read_measured(repository, known, change.measured); !done) return tl::unexpected{done.error()};
  }
  if (change.forecast) {
    if (auto done = read_forecast(repository, known); !done) return tl::unexpected{done.error()};
  }
  combine(known);
  return known;
}

}  // namespace valle::service::app
