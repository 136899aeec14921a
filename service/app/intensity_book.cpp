// SPDX-License-Identifier: Apache-2.0
#include "service/app/intensity_book.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "service/app/source_rank.hpp"
#include "service/app/window_facts.hpp"

namespace valle::service::app {
namespace {

using scheduler::Instant;
using scheduler::IntensityReading;
using scheduler::Interval;
using scheduler::ReadingKind;
using scheduler::Result;
using scheduler::Scope;
using scheduler::Step;
using scheduler::Zone;
using store::SeriesKey;
using Book = std::shared_ptr<const IntensityBook>;

constexpr Interval k_all_time{Instant{scheduler::Duration{0}}, Instant{std::chrono::hours{24} * 365 * 1000}};

/// What a harvest tells of one identity: its measured rows and its newest forecast.
struct Told {
  store::MeasuredRows measured;
  std::optional<store::ForecastIssue> forecast;
};

void tell(Told& told, const IntensityReading& reading) {
  const Step step{reading.interval, reading.value, reading.kind, reading.estimated};
  if (reading.kind == ReadingKind::measured) {
    told.measured.steps.push_back(step);
    told.measured.updated_at = std::max(told.measured.updated_at, std::optional{reading.updated_at});
    return;
  }
  if (!told.forecast || told.forecast->issued_at < reading.updated_at) {
    told.forecast = store::ForecastIssue{reading.updated_at, {}};
  }
  if (told.forecast->issued_at == reading.updated_at) told.forecast->steps.push_back(step);
}

std::vector<std::shared_ptr<const scheduler::PriceSeries>> price_series(
    const Zone& zone, const std::vector<store::SourcedPrice>& prices) {
  std::map<std::string, std::vector<scheduler::PriceStep>> by_source;
  for (const store::SourcedPrice& sourced : prices) {
    by_source[sourced.source].push_back({sourced.price.interval, sourced.price.value});
  }
  std::vector<std::shared_ptr<const scheduler::PriceSeries>> series;
  for (auto& [source, steps] : by_source) {
    series.push_back(std::make_shared<const scheduler::PriceSeries>(zone, source, std::move(steps)));
  }
  return series;
}

std::string attribution_of(const std::map<std::string, std::string>& notes, const std::string& source) {
  const auto note = notes.find(source);
  return note == notes.end() ? std::string{} : note->second;
}

/// A harvest of one kind leaves what was known of the other.
void keep_untold(Told& told, const KnownSeries& old) {
  const auto steps_of = [](const scheduler::IntensitySeries& series) {
    std::vector<Step> steps;
    steps.reserve(series.step_count());
    for (const Step step : series.steps()) steps.push_back(step);
    return steps;
  };
  if (told.measured.steps.empty()) told.measured = store::MeasuredRows{steps_of(*old.measured), old.updated_at};
  if (!told.forecast && old.issued_at) told.forecast = store::ForecastIssue{*old.issued_at, steps_of(*old.forecast)};
}

}  // namespace

SourceRank rank_of(const std::string& source, std::span<const std::string> order) {
  const auto place = std::find(order.begin(), order.end(), source) - order.begin();
  return {source == k_sample_source, static_cast<std::size_t>(place), source};
}

IntensityBook::IntensityBook(std::vector<std::string> source_order) : source_order_{std::move(source_order)} {}

const KnownSeries* IntensityBook::own_of(const scheduler::SeriesIdentity& identity) const {
  const auto own = std::find_if(series_.begin(), series_.end(), [&](const KnownSeries& known) {
    return known.is_own() && known.key.identity == identity;
  });
  return own == series_.end() ? nullptr : &*own;
}

void IntensityBook::add(KnownSeries known) {
  real_ = real_ || known.key.source != k_sample_source;
  const SeriesKey key = known.key;
  const auto rank = [&](const SeriesKey& other) {
    return std::tuple{rank_of(other.source, source_order_), other.identity};
  };
  const auto at = std::partition_point(series_.begin(), series_.end(),
                                       [&](const KnownSeries& other) { return rank(other.key) < rank(key); });
  if (at != series_.end() && at->key == key) {
    *at = std::move(known);
  } else {
    series_.insert(at, std::move(known));
  }
  const KnownSeries* const own = own_of(key.identity);
  for (KnownSeries& each : series_) {
    const bool concerned = each.key == key || key.source == store::k_own_source;
    if (concerned && each.key.identity == key.identity && !each.is_own() && each.key.source != k_sample_source) {
      set_tail(each, own);
    }
  }
}

void IntensityBook::add(std::shared_ptr<const scheduler::PriceSeries> prices) {
  const auto rank = [&](const scheduler::PriceSeries& series) {
    return std::tuple{rank_of(series.source(), source_order_), series.zone()};
  };
  const auto at = std::partition_point(prices_.begin(), prices_.end(),
                                       [&](const auto& other) { return rank(*other) < rank(*prices); });
  if (at != prices_.end() && (*at)->zone() == prices->zone() && (*at)->source() == prices->source()) {
    *at = std::move(prices);
  } else {
    prices_.insert(at, std::move(prices));
  }
}

Result<Book> IntensityBook::load(const store::IntensityRepository& repository, std::vector<std::string> source_order) {
  auto book = std::make_shared<IntensityBook>(std::move(source_order));
  const auto keys = repository.series();
  if (!keys) return tl::unexpected{keys.error()};
  const auto notes = repository.attributions();
  if (!notes) return tl::unexpected{notes.error()};
  for (const SeriesKey& key : *keys) {
    auto known = load_series(repository, key, attribution_of(*notes, key.source));
    if (!known) return tl::unexpected{std::move(known.error())};
    book->add(std::move(*known));
  }
  auto rejections = repository.rejections();
  if (!rejections) return tl::unexpected{rejections.error()};
  book->rejections_ = *std::move(rejections);
  const auto zones = repository.price_zones();
  if (!zones) return tl::unexpected{zones.error()};
  for (const Zone& zone : *zones) {
    const auto prices = repository.prices(zone, k_all_time);
    if (!prices) return tl::unexpected{prices.error()};
    for (auto& series : price_series(zone, *prices)) book->add(std::move(series));
  }
  return book;
}

Result<Book> IntensityBook::refreshed(const store::IntensityRepository& repository,
                                      const store::StoreReport& report) const {
  auto book = std::make_shared<IntensityBook>(*this);
  const auto notes = repository.attributions();
  if (!notes) return tl::unexpected{notes.error()};
  auto rejections = repository.rejections();
  if (!rejections) return tl::unexpected{rejections.error()};
  book->rejections_ = *std::move(rejections);
  for (const store::SeriesChange& change : report.changes) {
    const auto before =
        std::find_if(series_.begin(), series_.end(), [&](const KnownSeries& known) { return known.key == change.key; });
    auto known = before == series_.end()
                     ? load_series(repository, change.key, attribution_of(*notes, change.key.source))
                     : refresh_series(repository, *before, change);
    if (!known) return tl::unexpected{std::move(known.error())};
    book->add(std::move(*known));
  }
  for (const Zone& zone : report.price_zones) {
    const auto prices = repository.prices(zone, k_all_time);
    if (!prices) return tl::unexpected{prices.error()};
    for (auto& series : price_series(zone, *prices)) book->add(std::move(series));
  }
  return book;
}

Result<Book> IntensityBook::reloaded(const store::IntensityRepository& repository) const {
  auto loaded = load(repository, source_order_);
  if (!loaded) return loaded;
  auto book = std::make_shared<IntensityBook>(**loaded);
  for (const KnownSeries& known : series_) {
    if (known.key.source == k_sample_source) book->add(known);
  }
  for (const auto& prices : prices_) {
    if (prices->source() == k_sample_source) book->add(prices);
  }
  return book;
}

Result<Book> IntensityBook::with(const std::string& source, const std::string& attribution,
                                 const scheduler::Harvest& harvest) const {
  auto book = std::make_shared<IntensityBook>(*this);
  std::map<scheduler::SeriesIdentity, Told> told;
  for (const IntensityReading& reading : harvest.intensity) tell(told[reading.identity], reading);
  for (auto& [identity, rows] : told) {
    const auto old = std::find_if(series_.begin(), series_.end(), [&](const KnownSeries& one) {
      return one.key == store::SeriesKey{source, identity};
    });
    if (old != series_.end()) keep_untold(rows, *old);
    auto known = known_series({source, identity}, std::move(rows.measured), std::move(rows.forecast), attribution);
    if (!known) return tl::unexpected{std::move(known.error())};
    book->add(std::move(*known));
  }
  std::map<Zone, std::vector<store::SourcedPrice>> prices;
  for (const scheduler::PriceReading& price : harvest.prices) prices[price.zone].push_back({source, price});
  for (const auto& [zone, of_zone] : prices) {
    for (auto& series : price_series(zone, of_zone)) book->add(std::move(series));
  }
  return book;
}

bool IntensityBook::usable(const std::string& source) const { return !real_ || source != k_sample_source; }

std::vector<const KnownSeries*> IntensityBook::candidates(const Zone& zone, const std::optional<Scope>& scope,
                                                          const std::optional<std::string>& source) const {
  std::vector<const KnownSeries*> found;
  for (const KnownSeries& known : series_) {
    if (known.key.identity.zone != zone || !usable(known.key.source)) continue;
    if (scope && known.key.identity.accounting.scope != *scope) continue;
    if (source ? known.key.source != *source : known.is_own()) continue;
    found.push_back(&known);
  }
  return found;
}

std::vector<Zone> IntensityBook::zones() const {
  std::set<Zone> zones;
  for (const KnownSeries& known : series_) {
    if (usable(known.key.source) && !known.combined->empty()) zones.insert(known.key.identity.zone);
  }
  return {zones.begin(), zones.end()};
}

std::optional<SourcedStep> IntensityBook::value_at(const Zone& zone, Instant t) const {
  for (const KnownSeries* known : candidates(zone, {}, {})) {
    if (const auto step = known->combined->at(t)) {
      return SourcedStep{*step, source_at(*known, t), known->key.identity.accounting};
    }
  }
  return {};
}

std::optional<SourcedStep> IntensityBook::newest_measured(const Zone& zone, Instant now, Estimates estimates) const {
  for (const KnownSeries* known : candidates(zone, {}, {})) {
    if (const auto step = newest_step(*known->measured, now, estimates)) {
      return SourcedStep{*step, known->key.source, known->key.identity.accounting};
    }
  }
  return {};
}

KnownRows IntensityBook::rows(const RowsQuestion& question) const {
  KnownRows result;
  for (const KnownSeries* known : candidates(question.zone, question.scope, question.source)) {
    const auto& series = !question.kind                            ? known->combined
                         : *question.kind == ReadingKind::measured ? known->measured
                                                                   : known->forecast;
    if (series->empty()) continue;
    if (!result.known_until) result.known_until = series->extent().end;
    const auto within = series->within(question.window);
    if (within.empty()) continue;
    result.chosen = chosen_series(*known, series, 0, question.window, question.now);
    for (const Step& step : within) result.rows.push_back(step);
    result.gaps = series->gaps(question.window);
    result.known_until = series->extent().end;
    return result;
  }
  if (!question.window.empty()) result.gaps = {question.window};
  return result;
}

std::vector<NewestValue> IntensityBook::newest(Instant now) const {
  std::map<std::tuple<Zone, SourceRank>, Instant> ends;
  for (const KnownSeries& known : series_) {
    const auto step = newest_step(*known.measured, now, Estimates::with);
    if (!step || !usable(known.key.source)) continue;
    Instant& end = ends[{known.key.identity.zone, rank_of(known.key.source, source_order_)}];
    end = std::max(end, step->interval.end);
  }
  std::vector<NewestValue> newest;
  for (const auto& [place, end] : ends) {
    newest.push_back({std::get<Zone>(place), std::get<SourceRank>(place).name, end});
  }
  return newest;
}

const scheduler::PriceSeries* IntensityBook::prices(const Zone& zone, Interval window) const {
  for (const auto& series : prices_) {
    if (series->zone() == zone && usable(series->source()) && !series->within(window).empty()) return series.get();
  }
  return nullptr;
}

std::vector<const scheduler::PriceSeries*> IntensityBook::all_prices(const Zone& zone) const {
  std::vector<const scheduler::PriceSeries*> found;
  for (const auto& series : prices_) {
    if (series->zone() == zone && usable(series->source())) found.push_back(series.get());
  }
  return found;
}

std::optional<Instant> IntensityBook::forecast_known_until(const Zone& zone) const {
  std::optional<Instant> until;
  for (const KnownSeries* known : candidates(zone, {}, {})) {
    if (!known->forecast->empty()) until = std::max(until, std::optional{known->forecast->extent().end});
  }
  return until;
}

std::optional<Instant> IntensityBook::prices_known_until(const Zone& zone) const {
  std::optional<Instant> until;
  for (const auto& series : prices_) {
    if (series->zone() != zone || !usable(series->source()) || series->steps().empty()) continue;
    until = std::max(until, std::optional{series->steps().back().interval.end});
  }
  return until;
}

}  // namespace valle::service::app
