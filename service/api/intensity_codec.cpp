// SPDX-License-Identifier: Apache-2.0
#include "service/api/intensity_codec.hpp"

#include <algorithm>
#include <cmath>

#include "service/api/json_writer.hpp"
#include "service/api/zone_data.hpp"

namespace valle::service::api {
namespace {

using app::IntensityBook;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::Zone;

void write_step(JsonWriter& json, const scheduler::Step& step, const std::string& source) {
  json.begin_object()
      .member("start", step.interval.begin)
      .member("end", step.interval.end)
      .member("gramsPerKwh", step.value)
      .member("kind", to_text(step.kind))
      .member("source", source)
      .member("estimated", step.estimated)
      .end_object();
}

void write_value(JsonWriter& json, std::string_view name, const std::optional<app::SourcedStep>& value) {
  json.key(name);
  if (value) {
    write_step(json, value->step, value->source);
  } else {
    json.null();
  }
}

void write_gaps(JsonWriter& json, const std::vector<Interval>& gaps) {
  json.key("gaps").begin_array();
  for (const auto& gap : gaps) json.begin_object().member("from", gap.begin).member("to", gap.end).end_object();
  json.end_array();
}

std::string_view grade_of(const IssuedForecast& forecast, Instant as_of) {
  if (forecast.key.source == app::k_sample_source) return to_text(app::Grade::sample);
  if (forecast.issued_at && as_of - *forecast.issued_at > app::k_stale_after) return to_text(app::Grade::stale);
  return forecast.ground ? std::string_view{forecast.ground->grade} : to_text(app::Grade::good);
}

scheduler::CarbonIntensity scaled(scheduler::CarbonIntensity value, scheduler::Ratio factor) {
  return scheduler::CarbonIntensity::of_base(scheduler::narrow(
      scheduler::divide_rounded(scheduler::Wide{value.base()} * factor.base(), scheduler::k_one.base())));
}

/// Eight of ten values are expected between the bounds.
void write_bounds(JsonWriter& json, const scheduler::Step& step, const std::vector<store::ForecastBand>& band) {
  for (const store::ForecastBand& part : band) {
    if (step.interval.begin < part.interval.begin || step.interval.begin >= part.interval.end) continue;
    json.member("lowGramsPerKwh", scaled(step.value, part.low))
        .member("highGramsPerKwh", scaled(step.value, part.high));
  }
}

std::optional<Instant> end_of(const scheduler::IntensitySeries& series) {
  return series.empty() ? std::nullopt : std::optional{series.extent().end};
}

void write_source(JsonWriter& json, const app::KnownSeries& series, Instant now) {
  json.begin_object().member("source", series.key.source);
  write_accounting(json, series.key.identity.accounting);
  json.optional_member("measuredUntil", end_of(*series.measured))
      .optional_member("updatedAt", series.updated_at)
      .optional_member("forecastIssuedAt", series.issued_at)
      .optional_member("knownUntil", end_of(*series.combined));
  const auto newest = std::max(series.updated_at, series.issued_at);
  const auto age =
      newest ? std::optional{std::int64_t{std::max(scheduler::Duration{0}, now - *newest).count()}} : std::nullopt;
  json.optional_member("ageSeconds", age).member("attribution", series.attribution);
  if (series.ground) {
    json.member("grade", series.ground->grade)
        .member("reason", series.ground->reason)
        .member("model", series.ground->model);
  }
  json.end_object();
}

/// What was refused at the door, by source and reason, with the latest example.
void write_rejected(JsonWriter& json, const Zone& zone, const IntensityBook& book) {
  json.key("rejected").begin_array();
  for (const auto& rejected : book.rejections()) {
    if (rejected.zone != zone) continue;
    json.begin_object()
        .member("source", rejected.source)
        .member("reason", to_text(rejected.reason))
        .member("count", rejected.count)
        .optional_member("latestStart", rejected.latest_start)
        .member("latestDetail", rejected.latest_detail)
        .member("latestAt", rejected.latest_at)
        .end_object();
  }
  json.end_array();
}

app::Percent percent(double value) { return app::Percent::of_base(std::llround(value * 10'000)); }

void write_score(JsonWriter& json, const app::SourceScore& score) {
  json.begin_object()
      .member("source", score.source)
      .member("issues", static_cast<std::int64_t>(score.issues))
      .optional_member("sharePercent",
                       score.share_percent ? std::optional{percent(*score.share_percent)} : std::nullopt)
      .key("horizons")
      .begin_array();
  for (const app::HorizonScore& horizon : score.horizons) {
    json.begin_object()
        .member("fromHours", horizon.from)
        .member("toHours", horizon.to)
        .member("hours", static_cast<std::int64_t>(horizon.count))
        .member("errorGramsPerKwh", scheduler::intensity_from_grams_per_kwh(horizon.error))
        .member("errorPercent", percent(horizon.percent))
        .member("biasGramsPerKwh", scheduler::intensity_from_grams_per_kwh(horizon.bias))
        .end_object();
  }
  json.end_array().end_object();
}

/// How good forecasts have been in the last four weeks, ours and the providers'.
void write_scores(JsonWriter& json, const Zone& zone, const app::ForecastScores& scores) {
  json.key("forecastScores").begin_array();
  for (const auto& [identity, of_zone] : scores) {
    if (identity.zone != zone) continue;
    json.begin_object();
    write_accounting(json, identity.accounting);
    json.optional_member("blended", of_zone.blended.empty() ? std::nullopt : std::optional{of_zone.blended})
        .member("leads", of_zone.leads)
        .key("sources")
        .begin_array();
    for (const app::SourceScore& score : of_zone.sources) write_score(json, score);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_zone(JsonWriter& json, const Zone& zone, const IntensityBook& book,
                const std::vector<runtime::SiteConfig>& sites, Instant now, const app::ForecastScores& scores) {
  json.begin_object().member("zone", zone.name()).key("sites").begin_array();
  for (const auto& site : sites) {
    if (site.zone == zone) json.begin_object().member("name", site.name).member("pue", site.pue).end_object();
  }
  json.end_array();
  write_value(json, "now", book.value_at(zone, now));
  write_value(json, "newestMeasured", book.newest_measured(zone, now, app::Estimates::without));
  json.key("sources").begin_array();
  for (const auto& series : book.series()) {
    if (series.key.identity.zone == zone) write_source(json, series, now);
  }
  json.end_array();
  write_scores(json, zone, scores);
  write_rejected(json, zone, book);
  json.end_object();
}

}  // namespace

std::string zones_json(const IntensityBook& book, const app::Places& places, Instant now,
                       const app::ForecastScores& scores) {
  const auto sites = places.sites(book);
  JsonWriter json;
  json.begin_object().key("zones").begin_array();
  for (const auto& zone : places.zones(book)) write_zone(json, zone, book, sites, now, scores);
  json.end_array().end_object();
  return json.take();
}

std::string rows_json(const app::RowsQuestion& question, const app::KnownRows& known) {
  JsonWriter json;
  json.begin_object().member("zone", question.zone.name());
  const std::string source = known.chosen ? known.chosen->source : "";
  if (known.chosen) {
    json.member("source", source);
    write_accounting(json, known.chosen->accounting);
    json.optional_member("issuedAt", known.chosen->issued_at)
        .member("grade", to_text(known.chosen->grade))
        .member("attribution", known.chosen->attribution);
  }
  json.key("rows").begin_array();
  for (const auto& step : known.rows) {
    const bool own = known.chosen->own && !known.chosen->own->interval.overlap(step.interval).empty();
    write_step(json, step, own ? store::k_own_source : source);
  }
  json.end_array();
  write_gaps(json, known.gaps);
  json.optional_member("knownUntil", known.known_until).end_object();
  return json.take();
}

std::string prices_json(const Zone& zone, Interval window, const scheduler::PriceSeries* prices) {
  JsonWriter json;
  json.begin_object().member("zone", zone.name()).key("rows").begin_array();
  std::vector<Interval> gaps;
  Instant known = window.begin;
  if (prices != nullptr) {
    for (const auto& step : prices->within(window)) {
      if (step.interval.begin > known) gaps.push_back({known, step.interval.begin});
      known = step.interval.end;
      json.begin_object()
          .member("start", step.interval.begin)
          .member("end", step.interval.end)
          .member("eurPerMwh", step.value)
          .member("source", prices->source())
          .end_object();
    }
  }
  json.end_array();
  if (known < window.end) gaps.push_back({known, window.end});
  write_gaps(json, gaps);
  const bool any = prices != nullptr && !prices->steps().empty();
  json.optional_member("knownUntil", any ? std::optional{prices->steps().back().interval.end} : std::nullopt)
      .end_object();
  return json.take();
}

std::string forecast_json(const IssuedForecast& forecast, Instant as_of) {
  JsonWriter json;
  json.begin_object()
      .member("zone", forecast.key.identity.zone.name())
      .optional_member("issuedAt", forecast.issued_at)
      .member("source", forecast.key.source)
      .member("grade", grade_of(forecast, as_of));
  const auto& ground = forecast.ground;
  json.optional_member("reason", ground ? std::optional{ground->reason} : std::nullopt)
      .optional_member("model", ground ? std::optional{ground->model} : std::nullopt);
  write_accounting(json, forecast.key.identity.accounting);
  json.key("rows").begin_array();
  for (const auto& step : forecast.steps) {
    json.begin_object()
        .member("start", step.interval.begin)
        .member("end", step.interval.end)
        .member("gramsPerKwh", step.value);
    if (forecast.ground) write_bounds(json, step, forecast.ground->band);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace valle::service::api
