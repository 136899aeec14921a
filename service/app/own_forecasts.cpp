// SPDX-License-Identifier: Apache-2.0
#include "service/app/own_forecasts.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "connectors/files/files.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::app {

using namespace scheduler;
using forecast::Forecaster;
using forecast::Hour;
namespace log = runtime::log;

namespace {

/// Forecasts for the hour that comes are made so long before it, for the plans of that hour.
constexpr Duration k_before_the_hour{90};
constexpr double k_smallest = 1;  // g/kWh: what the door lets in

bool tells_the_future(const KnownSeries& series, Instant now) {
  return series.key.source == connectors::k_files_source && !series.forecast->empty() &&
         series.forecast->extent().end > now;
}

/// How much there is to learn from, in steps.
std::size_t measured_before(const IntensityBook& book, const SeriesIdentity& identity, Instant before) {
  std::size_t steps = 0;
  for (const KnownSeries& series : book.series()) {
    if (series.key.identity == identity) steps += series.measured->within({Instant{}, before}).size();
  }
  return steps;
}

/// Has the archive of a model's time grown enough to train it again?
bool worth_learning(std::size_t steps, std::size_t learnt) { return steps > learnt + learnt / 20 + 48; }

}  // namespace

store::OwnIssue own_issue(const SeriesIdentity& identity, Instant issued_at, const forecast::OwnForecast& forecast) {
  store::OwnIssue own{.identity = identity,
                      .issue = {issued_at, {}},
                      .ground = {std::string{to_text(forecast.grade)}, forecast.reason, forecast.model, {}}};
  const Duration length = Duration{std::chrono::hours{1}} / static_cast<int>(forecast.within.steps_an_hour());
  Instant begin = forecast.begin;
  for (const forecast::ForecastHour& step : forecast.within.steps_of(forecast.hours, forecast.begin)) {
    own.issue.steps.push_back({{begin, begin + length},
                               intensity_from_grams_per_kwh(std::max(k_smallest, step.mean)),
                               ReadingKind::forecast,
                               false});
    begin += length;
  }
  begin = forecast.begin;
  for (const forecast::BandPart& part : forecast.band) {
    const Instant end = forecast.begin + std::chrono::hours{part.until};
    own.ground.band.push_back({{begin, end}, ratio_from_number(part.low), ratio_from_number(part.high)});
    begin = end;
  }
  return own;
}

void OwnForecasts::start() {
  look();
  look_before_next_hour();
}

void OwnForecasts::look_before_next_hour() {
  const Instant soon = services_.clock.now() + k_before_the_hour;
  const Instant next = std::chrono::floor<std::chrono::hours>(soon) + std::chrono::hours{1} - k_before_the_hour;
  services_.timers.at(next, [this] {
    look();
    look_before_next_hour();
  });
}

void OwnForecasts::look() {
  {
    const std::scoped_lock lock{mutex_};
    look_again_ = true;
    if (std::exchange(working_, true)) return;
  }
  if (services_.solver.post([this] { work(); })) return;
  const std::scoped_lock lock{mutex_};
  working_ = false;
}

/// One piece of work, then room for others' work on the queue before the next piece.
void OwnForecasts::work() {
  bool more = false;
  try {
    more = forecast_next() || train_next() || score_next();
  } catch (const std::exception& thrown) {
    log::error("forecast_failed", {{"what", thrown.what()}});
  }
  if (!more && std::exchange(made_some_, false)) {
    (void)services_.store.write([this](store::Database&) {
      if (services_.on_new) services_.on_new();
    });
  }
  {
    const std::scoped_lock lock{mutex_};
    if (!more && !std::exchange(look_again_, false)) {
      working_ = false;
      return;
    }
  }
  if (services_.solver.post([this] { work(); })) return;
  const std::scoped_lock lock{mutex_};
  working_ = false;
}

std::map<OwnForecasts::Key, OwnForecasts::Basis> OwnForecasts::due(const IntensityBook& book) const {
  const Instant now = services_.clock.now();
  std::map<Key, Basis> found;
  std::vector<Key> left_alone;
  for (const KnownSeries& series : book.series()) {
    if (series.key.source == k_sample_source || series.measured->empty()) continue;
    if (tells_the_future(series, now)) left_alone.push_back(series.key.identity);
    Basis& basis = found[series.key.identity];
    basis.measured_ends.push_back(series.measured->extent().end);
    basis.revisions.push_back(std::max(series.updated_at, series.issued_at));
  }
  for (const Key& key : left_alone) found.erase(key);
  for (auto& [key, basis] : found) {
    basis.hour = std::chrono::floor<std::chrono::hours>(now + k_before_the_hour);
    for (const PriceSeries* const prices : book.all_prices(key.zone)) {
      if (!prices->steps().empty()) basis.price_ends.push_back(prices->steps().back().interval.end);
    }
  }
  std::erase_if(found, [this](const auto& each) {
    const auto zone = zones_.find(each.first);
    return zone != zones_.end() && zone->second.made_from == each.second;
  });
  return found;
}

bool OwnForecasts::forecast_next() {
  const auto book = services_.book.get();
  const auto waiting = due(*book);
  if (waiting.empty()) return false;
  const auto& [key, basis] = *waiting.begin();
  zones_[key].made_from = basis;  // whatever comes of it: a failure is not repeated until something has changed
  forecast(key, *book);
  return true;
}

std::optional<OwnHistory> OwnForecasts::history_of(const Key& key, const IntensityBook& book) const {
  const Instant before = Forecaster::learnt_before(services_.clock.now());
  auto history = own_history(book, key, before - std::chrono::hours{Forecaster::k_useful_history});
  if (!history || history->hours.intensity.size() < k_least_history_hours) return {};
  return *std::move(history);
}

void OwnForecasts::forecast(const Key& key, const IntensityBook& book) {
  const Instant now = services_.clock.now();
  auto history = history_of(key, book);
  if (!history) return;
  Forecaster forecaster{std::move(history->hours), zones_[key].model};
  auto made = forecaster.forecast(now, forecast::Knowledge::arrived, forecast::k_longest_horizon);
  if (!made) return log::debug("no_forecast", {{"zone", key.zone.name()}, {"detail", made.error().detail}});
  const auto scores = this->scores();
  const auto scored = scores->find(key);
  if (const auto provider = blended_hours(key, book, made->begin); !provider.empty()) {
    blend_in(made->hours, provider, scored->second);
    made->model += "+" + scored->second.blended;
    made->reason += ", blended with the forecast of " + scored->second.blended + ", which has proven to add to it";
  }
  auto issue = own_issue(key, now, *made);
  issue.ground.leads = scored != scores->end() && scored->second.leads;
  const bool posted = services_.store.write([this, own = std::move(issue)](store::Database& database) {
    const auto taken = ingest(database).take(own);
    if (!taken)
      log::error("forecast_not_stored", {{"zone", own.identity.zone.name()}, {"detail", taken.error().detail}});
  });
  made_some_ = made_some_ || posted;
  log::debug("forecast_made", {{"zone", key.zone.name()}, {"grade", to_text(made->grade)}, {"model", made->model}});
}

bool OwnForecasts::train_next() {
  const Instant before = Forecaster::learnt_before(services_.clock.now());
  const auto book = services_.book.get();
  for (auto& [key, zone] : zones_) {
    if (services_.solver.stop_token().stop_requested()) return false;
    const std::size_t steps = measured_before(*book, key, before);
    const bool learnt = zone.model && zone.model->before == before;
    if (learnt && !worth_learning(steps, zone.learnt_steps)) continue;
    auto history = history_of(key, *book);
    if (!history) continue;
    zone.model = Forecaster::train(forecast::Timeline{std::move(history->hours)}, before);
    zone.learnt_steps = steps;
    if (zone.model->model) {
      zone.made_from.reset();  // forecast it anew
      log::info("forecast_model_trained", {{"zone", key.zone.name()}, {"before", before}, {"steps", steps}});
    }
    return true;
  }
  return false;
}

bool OwnForecasts::score_next() {
  const Instant day = std::chrono::floor<std::chrono::days>(services_.clock.now());
  const auto book = services_.book.get();
  for (auto& [key, zone] : zones_) {
    if (zone.scored == day || services_.solver.stop_token().stop_requested()) continue;
    zone.scored = day;
    score(key, *book);
    return true;
  }
  return false;
}

void OwnForecasts::score(const Key& key, const IntensityBook& book) {
  auto history = history_of(key, book);
  if (!history) return;
  const Instant now = services_.clock.now();
  Forecaster forecaster{std::move(history->hours), zones_[key].model};
  const auto ours = forecaster.recent({now - k_scored, now});
  std::vector<Instant> issues;
  for (const forecast::Backcast& backcast : ours) issues.push_back(backcast.begin);
  std::vector<IssuedHours> providers;
  for (const KnownSeries& series : book.series()) {
    const bool provider = !series.is_own() && series.issued_at && series.key.source != connectors::k_files_source &&
                          series.key.source != k_sample_source;
    if (!provider || series.key.identity != key) continue;
    auto issued = services_.store.read_now([&](store::Database& database) {
      return issued_hours(store::IntensityRepository{database}, series.key, issues, forecast::k_window);
    });
    if (!issued) return log::warning("forecast_not_scored", {{"detail", issued.error().detail}});
    providers.push_back(*std::move(issued));
  }
  auto scored = app::score(forecaster.timeline(), ours, providers);
  const std::scoped_lock lock{mutex_};
  auto scores = std::make_shared<ForecastScores>(*scores_);
  (*scores)[key] = std::move(scored);
  scores_ = std::move(scores);
}

std::shared_ptr<const ForecastScores> OwnForecasts::scores() const {
  const std::scoped_lock lock{mutex_};
  return scores_;
}

std::vector<double> OwnForecasts::blended_hours(const Key& key, const IntensityBook& book, Instant begin) const {
  const auto scores = this->scores();
  const auto scored = scores->find(key);
  if (scored == scores->end() || scored->second.blended.empty()) return {};
  for (const KnownSeries& series : book.series()) {
    if (series.key.identity != key || series.key.source != scored->second.blended || !series.issued_at) continue;
    if (services_.clock.now() - *series.issued_at > k_stale_after) return {};
    std::vector<double> hours(static_cast<std::size_t>(forecast::k_window), forecast::k_missing);
    for (std::size_t h = 0; h < hours.size(); ++h) {
      const Instant from = begin + std::chrono::hours{h};
      const auto integral = series.forecast->integral({from, from + std::chrono::hours{1}});
      if (integral) hours[h] = grams_per_kwh(mean_of(*integral, std::chrono::hours{1}));
    }
    return hours;
  }
  return {};
}

Ingest& OwnForecasts::ingest(store::Database& database) {
  if (!ingest_) {
    repository_.emplace(database);
    ingest_.emplace(*repository_, services_.book);
  }
  return *ingest_;
}

}  // namespace valle::service::app
