// SPDX-License-Identifier: Apache-2.0
#include "service/api/intensity_routes.hpp"

#include <utility>

#include "service/api/answer.hpp"
#include "service/api/intensity_codec.hpp"
#include "service/api/intensity_question.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::api {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::Result;

/// Above this a list of quarter-hours may hold an io thread for more than a millisecond.
constexpr scheduler::Duration k_long_range = std::chrono::days{8};

app::ForecastScores scores_of(const IntensityServices& services) {
  return services.scores ? *services.scores() : app::ForecastScores{};
}

Result<std::string> rows(const IntensityServices& services, const app::RowsQuestion& question) {
  const auto book = services.book.get();
  return services.places.require_known(question.zone, *book, "/zone").map([&] {
    return rows_json(question, book->rows(question));
  });
}

Result<std::string> prices(const IntensityServices& services, const PriceQuestion& question) {
  const auto book = services.book.get();
  return services.places.require_known(question.zone, *book, "/zone").map([&] {
    return prices_json(question.zone, question.window, book->prices(question.zone, question.window));
  });
}

bool asked_for(const store::SeriesKey& key, const ForecastQuestion& question) {
  return key.identity.zone == question.zone && (!question.scope || key.identity.accounting.scope == *question.scope) &&
         (!question.source || app::lower_case(key.source) == app::lower_case(*question.source));
}

/// The newest forecast of one series that was issued by `as_of`. Numbers that are only in the book (files, the sample)
/// have one issue: the present one.
Result<std::optional<IssuedForecast>> issue_as_of(const app::KnownSeries& series,
                                                  const store::IntensityRepository& repository, Instant as_of) {
  auto issue = repository.forecast(series.key, as_of);
  if (!issue) return tl::unexpected{std::move(issue.error())};
  if (*issue) {
    IssuedForecast forecast{series.key, (*issue)->issued_at, std::move((*issue)->steps)};
    auto ground = repository.ground(series.key, *forecast.issued_at);
    if (!ground) return tl::unexpected{std::move(ground.error())};
    forecast.ground = *std::move(ground);
    return forecast;
  }
  if (series.forecast->empty() || (series.issued_at && *series.issued_at > as_of)) return std::nullopt;
  IssuedForecast forecast{series.key, series.issued_at, {}};
  for (const auto step : series.forecast->steps()) forecast.steps.push_back(step);
  return forecast;
}

/// Of the first source in the order that had one which reached beyond `as_of`; else of the first that had any.
Result<IssuedForecast> forecast_as_of(const app::IntensityBook& book, store::Database& database,
                                      const ForecastQuestion& question, Instant as_of) {
  const store::IntensityRepository repository{database};
  std::optional<IssuedForecast> over;
  for (const auto& series : book.series()) {
    if (!asked_for(series.key, question)) continue;
    auto issue = issue_as_of(series, repository, as_of);
    if (!issue) return tl::unexpected{std::move(issue.error())};
    if (!*issue) continue;
    if ((*issue)->steps.back().interval.end > as_of) return **std::move(issue);
    if (!over) over = *std::move(issue);
  }
  if (over) return *std::move(over);
  const auto at = scheduler::format_instant(as_of);
  return scheduler::refuse(Errc::no_intensity_data,
                           "no forecast for " + question.zone.name() + " had been issued by " + at, "",
                           {{"zones", std::vector{question.zone.name()}}, {"from", at}, {"to", at}});
}

void answer_forecast(const IntensityServices& services, const http::Request& request, const http::Respond& respond) {
  auto question = read_forecast_question(request.query);
  if (!question) return respond(answer(tl::unexpected{std::move(question.error())}));
  const auto book = services.book.get();
  if (auto known = services.places.require_known(question->zone, *book, "/zone"); !known) {
    return respond(answer(tl::unexpected{std::move(known.error())}));
  }
  const Instant as_of = question->issued_at.value_or(services.clock.now());
  const bool taken =
      services.store.read([book, as_of, respond, question = *std::move(question)](store::Database& database) {
        respond(answer(forecast_as_of(*book, database, question, as_of).map([as_of](const IssuedForecast& forecast) {
          return forecast_json(forecast, as_of);
        })));
      });
  if (!taken) respond(busy());
}

}  // namespace

void add_intensity_routes(http::Router& router, const IntensityServices& services) {
  router.add("GET", "/v1/zones", [services](const http::Request& request, const http::Respond& respond) {
    respond(answer(no_parameters(request).map(
        [&] { return zones_json(*services.book.get(), services.places, services.clock.now(), scores_of(services)); })));
  });
  router.add("GET", "/v1/intensity", [services](const http::Request& request, const http::Respond& respond) {
    auto question = read_rows_question(request.query, services.clock.now());
    if (!question) return respond(answer(tl::unexpected{std::move(question.error())}));
    if (question->window.length() <= k_long_range) return respond(answer(rows(services, *question)));
    answer_from(services.long_questions, respond,
                [services, question = *std::move(question)] { return answer(rows(services, question)); });
  });
  router.add("GET", "/v1/prices", [services](const http::Request& request, const http::Respond& respond) {
    auto question = read_price_question(request.query, services.clock.now());
    if (!question) return respond(answer(tl::unexpected{std::move(question.error())}));
    if (question->window.length() <= k_long_range) return respond(answer(prices(services, *question)));
    answer_from(services.long_questions, respond,
                [services, question = *std::move(question)] { return answer(prices(services, question)); });
  });
  router.add("GET", "/v1/forecast", [services](const http::Request& request, const http::Respond& respond) {
    answer_forecast(services, request, respond);
  });
}

}  // namespace valle::service::api
