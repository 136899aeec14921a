// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/forecaster.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scheduler/units/require.hpp"

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_model_serves = 28 * 24;
constexpr Hour k_band_past = 28 * 24;
constexpr Hour k_band_every = 7;  // not a divisor of 24: all clock hours come up
constexpr Hour k_week = 168;
constexpr Hour k_fresh = 24;
constexpr Hour k_old_prices = 48;
constexpr Hour k_surprising = 18;  // hours of a day outside the bounds; some five are expected
constexpr std::chrono::days k_lately{80};
constexpr Hour k_score_every = 7;

std::size_t index(Hour hour) { return static_cast<std::size_t>(hour); }

}  // namespace

std::string_view to_text(ForecastGrade grade) {
  switch (grade) {
    case ForecastGrade::good: return "good";
    case ForecastGrade::fair: return "fair";
    case ForecastGrade::poor: return "poor";
  }
  return "poor";
}

Instant Forecaster::learnt_before(Instant issued_at) {
  return issued_at - issued_at.time_since_epoch() % std::chrono::hours{k_model_serves};
}

std::shared_ptr<ServingModel> Forecaster::train(const Timeline& timeline, Instant before) {
  auto serving = std::make_shared<ServingModel>();
  serving->before = before;
  serving->model = ShapeModel::train(timeline, timeline.hour_of(before));
  return serving;
}

const ShapeModel* Forecaster::model_at(const AsOf& known) {
  if (known.last < k_feature_history || poor_because(known)) return nullptr;
  const Instant before = learnt_before(timeline_.begin_of(known.issue));
  if (trains_ && (!serving_ || serving_->before != before)) serving_ = train(timeline_, before);
  return serving_ && serving_->model && was_no_worse_lately(known) ? &*serving_->model : nullptr;
}

bool Forecaster::was_no_worse_lately(const AsOf& known) {
  const ShapeModel& model = *serving_->model;
  // Jobs that were submitted since the model was learnt and whose hours have all been measured.
  const Hour end = known.last + 1 - k_standard_length - k_standard_slack;
  const Instant until = timeline_.begin_of(end) + std::chrono::hours{1};
  const Hour since_epoch = timeline_.origin.time_since_epoch() / std::chrono::hours{1};
  Hour issue = std::max(k_feature_history + 2, timeline_.hour_of(std::max(serving_->before, until - k_lately)));
  issue += (k_score_every - (issue + since_epoch) % k_score_every) % k_score_every;
  for (; issue <= end; issue += k_score_every) {
    const Instant at = timeline_.begin_of(issue);
    if (serving_->since.has(at)) continue;
    const auto then = as_of(timeline_, at, Knowledge::replayed);
    if (!then || then->last < k_feature_history) continue;
    serving_->since.add(timeline_, *then, model.forecast(timeline_, *then));
  }
  const Emitted held_out = model.record().over({until - k_lately, until});
  const Emitted since = serving_->since.over({until - k_lately, until});
  return held_out.trained + since.trained <= held_out.untrained + since.untrained;
}

std::vector<Backcast> Forecaster::recent(Interval issues) {
  const bool trained = serving_ && serving_->model;
  std::vector<Backcast> result;
  if (trained) {
    for (const Backcast& backcast : serving_->model->held_out()) {
      if (issues.contains(backcast.begin)) result.push_back(backcast);
    }
  }
  const Instant from = trained ? std::max(issues.begin, serving_->before) : issues.begin;
  const Hour since_epoch = timeline_.origin.time_since_epoch() / std::chrono::hours{1};
  Hour issue = std::max<Hour>(0, timeline_.hour_of(from));
  issue += (k_score_every - (issue + since_epoch) % k_score_every) % k_score_every;
  for (; timeline_.begin_of(issue) < issues.end; issue += k_score_every) {
    const auto then = as_of(timeline_, timeline_.begin_of(issue), Knowledge::replayed);
    if (!then || then->last + 1 < k_week) continue;
    result.push_back({timeline_.begin_of(issue), means(*then, k_window)});
  }
  return result;
}

std::vector<double> Forecaster::means(const AsOf& known, Hour hours) { return means_by(model_at(known), known, hours); }

std::vector<double> Forecaster::means_by(const ShapeModel* model, const AsOf& known, Hour hours) const {
  std::vector<double> values = untrained(timeline_, known, hours);
  if (model == nullptr) return values;
  const std::vector<double> window = model->forecast(timeline_, known);
  std::copy_n(window.begin(), std::min(window.size(), values.size()), values.begin());
  // Beyond the window the untrained forecast goes on from where the model ends.
  const std::vector<double> plain = untrained(timeline_, known, k_window);
  double offset = 0;
  for (Hour h = k_window - 24; h < k_window; ++h) offset += (window[index(h)] - plain[index(h)]) / 24;
  for (Hour h = k_window; h < hours; ++h) {
    const double faded = offset * std::exp(-static_cast<double>(h - k_window + 1) / 24);
    values[index(h)] = std::max(0.0, values[index(h)] + faded);
  }
  return values;
}

Band Forecaster::untrained_band(const AsOf& known, Hour hours) const {
  Band band;
  const Hour first = std::max<Hour>(known.last - k_band_past - hours, k_week + 2);
  for (Hour issue = first; issue < known.last; issue += k_band_every) {
    const auto then = as_of(timeline_, timeline_.begin_of(issue), Knowledge::replayed);
    if (then) band.add(timeline_, issue, untrained(timeline_, *then, hours), known.last);
  }
  band.settle();
  return band;
}

Band Forecaster::trained_band(const AsOf& known, Hour hours, const ShapeModel& model) const {
  Band band;
  for (const Backcast& backcast : model.held_out()) {
    band.add(timeline_, timeline_.hour_of(backcast.begin), backcast.forecast, known.last);
  }
  if (hours > k_window) {
    for (Hour issue = std::max<Hour>(known.last - k_band_past - hours, k_week + 2); issue < known.last;
         issue += k_band_every) {
      const auto then = as_of(timeline_, timeline_.begin_of(issue), Knowledge::replayed);
      if (!then) continue;
      std::vector<double> plain = untrained(timeline_, *then, hours);
      std::fill_n(plain.begin(), k_window, 0.0);  // not counted: the model's own errors are
      band.add(timeline_, issue, plain, known.last);
    }
  }
  band.settle();
  return band;
}

std::optional<std::string> Forecaster::poor_because(const AsOf& known) const {
  const Hour silence = known.issue - known.last - 1;
  if (silence > k_fresh) return "the newest value ended " + std::to_string(silence) + " hours before the issue";
  if (known.last + 1 < k_week) return "only " + std::to_string(known.last + 1) + " hours of history";
  const auto first = static_cast<std::ptrdiff_t>(known.last + 1 - k_week);
  const auto measured = timeline_.is_measured.begin() + first;
  if (std::count(measured, measured + k_week, 1) < k_week / 2) return "more than half of the last week is missing";
  const auto values = timeline_.intensity.begin() + first;
  if (std::all_of(values, values + k_week, [values](double value) { return value == *values; })) {
    return "the values of the last week never moved";
  }
  return {};
}

std::optional<Forecaster::Doubt> Forecaster::doubt(const AsOf& known, Hour hours, const ShapeModel* model,
                                                   const Band& band) const {
  const auto day_ago = as_of(timeline_, timeline_.begin_of(known.last + 1 - k_fresh), Knowledge::replayed);
  if (day_ago && day_ago->last >= k_feature_history) {
    const std::vector<double> foreseen = means_by(model, *day_ago, k_fresh);
    Hour outside = 0;
    Hour h = 0;
    for (const BandPart& part : band.parts(k_fresh)) {
      for (; h < part.until; ++h) {
        const std::size_t at = index(day_ago->issue + h);
        const double came = timeline_.intensity[at];
        const bool inside = came >= foreseen[index(h)] * part.low && came <= foreseen[index(h)] * part.high;
        outside += timeline_.is_measured[at] != 0 && !inside ? 1 : 0;
      }
    }
    if (outside >= k_surprising) {
      return Doubt{"the last day came quite differently from what was foreseen", Band{}};
    }
  }
  if (model == nullptr || !timeline_.has_prices()) return {};
  if (price_age(timeline_, known, known.issue) < k_old_prices) return {};
  return Doubt{"trained on this zone's past; its day-ahead prices have been missing for days",
               untrained_band(known, hours)};
}

Result<OwnForecast> Forecaster::forecast(Instant issued_at, Knowledge knowledge, Hour hours) {
  require(hours >= 1 && hours <= k_longest_horizon, "a forecast's horizon is 1 to 168 hours");
  const auto known = as_of(timeline_, issued_at, knowledge);
  if (!known) {
    return refuse(Errc::no_intensity_data, timeline_.zone + ": no measured value was known in the two weeks before " +
                                               format_instant(issued_at));
  }
  const ShapeModel* const model = model_at(*known);
  const std::vector<double> values = means_by(model, *known, hours);
  OwnForecast result{.begin = timeline_.begin_of(known->issue), .reason = {}, .model = {}, .hours = {}, .band = {}};
  result.model = model != nullptr ? "trained/" + format_instant(serving_->before) : "untrained";
  Band band;
  // A short forecast is judged like a long one: by a whole day.
  const Hour reach = std::max(hours, k_fresh);
  if (const auto poor = poor_because(*known)) {
    result.reason = *poor;
  } else {
    band = model != nullptr ? trained_band(*known, reach, *model) : untrained_band(*known, reach);
    result.grade = model != nullptr ? ForecastGrade::good : ForecastGrade::fair;
    result.reason = model == nullptr ? "profile of seven days and the present level; no trained model does better"
                    : timeline_.has_prices() ? "trained on this zone's past and its day-ahead prices"
                                             : "trained on this zone's past";
    if (const auto doubted = doubt(*known, reach, model, band)) {
      result.grade = result.grade == ForecastGrade::good ? ForecastGrade::fair : ForecastGrade::poor;
      result.reason = doubted->reason;
      band.widen_to(doubted->band);
    }
  }
  result.within = WithinHour{timeline_, *known};
  for (BandPart part : band.parts(hours)) {
    if (result.within.steps_an_hour() > 1) std::tie(part.low, part.high) = result.within.widened(part.low, part.high);
    for (Hour h = static_cast<Hour>(result.hours.size()); h < part.until; ++h) {
      const double mean = values[index(h)];
      result.hours.push_back({.mean = mean, .low = mean * part.low, .high = mean * part.high});
    }
    result.band.push_back(part);
  }
  return result;
}

}  // namespace valle::scheduler::forecast
