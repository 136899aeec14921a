// SPDX-License-Identifier: Apache-2.0
#include "service/app/forecast_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "scheduler/forecast/score.hpp"
#include "service/app/known_series.hpp"

namespace valle::service::app {

using namespace scheduler;
using forecast::Backcast;
using forecast::Hour;
using forecast::Timeline;

namespace {

constexpr std::array<std::pair<Hour, Hour>, 6> k_horizons{{{0, 6}, {6, 12}, {12, 24}, {24, 36}, {36, 48}, {48, 54}}};
constexpr std::size_t k_enough_days = 14;
constexpr std::size_t k_enough_hours = 100;
constexpr double k_proven = 3;       // standard errors
constexpr double k_worth_it = 0.98;  // of the error before
constexpr Hour k_compared = 24;      // hours ahead in which it is decided who leads

/// The measured value of an hour; NaN where there is none.
double came(const Timeline& timeline, Instant hour) {
  const Hour at = timeline.hour_of(hour);
  if (at < 0 || at >= timeline.size()) return forecast::k_missing;
  const auto index = static_cast<std::size_t>(at);
  return timeline.is_measured[index] != 0 ? timeline.intensity[index] : forecast::k_missing;
}

/// Calls `take(issue, hour, forecast, measured)` for what both know within a horizon.
template <class Take>
void for_each_hour(const Timeline& timeline, const std::vector<Backcast>& issues,
                   const std::vector<std::vector<double>>& forecasts, std::pair<Hour, Hour> horizon, Take take) {
  for (std::size_t i = 0; i < issues.size(); ++i) {
    for (Hour h = horizon.first; h < horizon.second; ++h) {
      const auto at = static_cast<std::size_t>(h);
      if (at >= forecasts[i].size() || std::isnan(forecasts[i][at])) continue;
      const double measured = came(timeline, issues[i].begin + std::chrono::hours{h});
      if (!std::isnan(measured)) take(i, at, forecasts[i][at], measured);
    }
  }
}

SourceScore score_of(const std::string& source, const Timeline& timeline, const std::vector<Backcast>& issues,
                     const std::vector<std::vector<double>>& forecasts) {
  SourceScore result{.source = source};
  for (const auto& horizon : k_horizons) {
    HorizonScore score{.from = horizon.first, .to = horizon.second};
    for_each_hour(timeline, issues, forecasts, horizon, [&](std::size_t, std::size_t, double said, double measured) {
      ++score.count;
      score.error += std::abs(said - measured);
      score.bias += said - measured;
      score.percent += 100 * std::abs(said - measured) / std::max(1.0, measured);
    });
    if (score.count == 0) continue;
    const auto count = static_cast<double>(score.count);
    score.error /= count;
    score.bias /= count;
    score.percent /= count;
    result.horizons.push_back(score);
  }
  forecast::DecisionScore decisions{forecast::k_standard_length, forecast::k_standard_slack};
  constexpr auto reach = static_cast<std::size_t>(forecast::k_standard_length + forecast::k_standard_slack);
  bool any = false;
  for (std::size_t i = 0; i < issues.size(); ++i) {
    const bool whole = forecasts[i].size() >= reach &&
                       std::none_of(forecasts[i].begin(), forecasts[i].begin() + static_cast<std::ptrdiff_t>(reach),
                                    [](double value) { return std::isnan(value); });
    const Hour issue = timeline.hour_of(issues[i].begin);
    const bool said = std::any_of(forecasts[i].begin(), forecasts[i].end(), [](double v) { return !std::isnan(v); });
    result.issues += said ? 1 : 0;
    if (!whole || !decisions.countable(timeline, issue)) continue;
    decisions.add(timeline, issue, forecasts[i]);
    any = true;
  }
  if (any) result.share_percent = decisions.share_percent();
  return result;
}

/// Errors of ours and a provider's on the same hours of one horizon.
struct Pairs {
  std::vector<double> ours, theirs;
  std::map<Instant, std::pair<double, double>> by_day;  ///< sum and count of the provider's errors
};

Pairs pairs_of(const Timeline& timeline, const std::vector<Backcast>& ours, const IssuedHours& provider,
               std::pair<Hour, Hour> horizon) {
  Pairs pairs;
  for_each_hour(timeline, ours, provider.forecasts, horizon,
                [&](std::size_t issue, std::size_t hour, double said, double measured) {
                  if (hour >= ours[issue].forecast.size()) return;
                  pairs.ours.push_back(ours[issue].forecast[hour] - measured);
                  pairs.theirs.push_back(said - measured);
                  auto& [sum, count] = pairs.by_day[std::chrono::floor<std::chrono::days>(ours[issue].begin)];
                  sum += said - measured;
                  count += 1;
                });
  return pairs;
}

/// The provider's mean error where it is certain not to be chance; else 0.
double proven_bias(const Pairs& pairs) {
  const auto days = static_cast<double>(pairs.by_day.size());
  double sum = 0;
  double squares = 0;
  for (const auto& [day, errors] : pairs.by_day) {
    const double mean = errors.first / errors.second;
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / days;
  const double variance = std::max(0.0, squares / days - mean * mean) * days / std::max(1.0, days - 1);
  return std::abs(mean) > k_proven * std::sqrt(variance / days) ? mean : 0;
}

/// The mixture with the least squared error, if it is worth it.
Blend blend_of(const Pairs& pairs, std::pair<Hour, Hour> horizon) {
  Blend blend{.from = horizon.first, .to = horizon.second};
  if (pairs.ours.size() < k_enough_hours || pairs.by_day.size() < k_enough_days) return blend;
  blend.bias = proven_bias(pairs);
  double ours = 0;
  double theirs = 0;
  double both = 0;
  for (std::size_t i = 0; i < pairs.ours.size(); ++i) {
    const double their = pairs.theirs[i] - blend.bias;
    ours += pairs.ours[i] * pairs.ours[i];
    theirs += their * their;
    both += pairs.ours[i] * their;
  }
  const double spread = ours + theirs - 2 * both;
  if (spread <= 0) return blend;
  blend.weight = std::clamp((ours - both) / spread, 0.0, 1.0);
  const double w = blend.weight;
  const double mixed = w * w * theirs + (1 - w) * (1 - w) * ours + 2 * w * (1 - w) * both;
  if (mixed > k_worth_it * ours) blend.weight = 0;
  return blend;
}

/// Mean |error| over the hours that decide who leads: (ours as blended, theirs), and on how many days.
struct Comparison {
  double ours = 0, theirs = 0;
  std::size_t hours = 0;
  std::set<Instant> days;
};

void compare(Comparison& comparison, const Pairs& pairs, const Blend& blend) {
  for (std::size_t i = 0; i < pairs.ours.size(); ++i) {
    comparison.ours += std::abs(blend.weight * (pairs.theirs[i] - blend.bias) + (1 - blend.weight) * pairs.ours[i]);
    comparison.theirs += std::abs(pairs.theirs[i]);
    ++comparison.hours;
  }
  for (const auto& [day, errors] : pairs.by_day) comparison.days.insert(day);
}

}  // namespace

Result<IssuedHours> issued_hours(const store::IntensityRepository& repository, const store::SeriesKey& key,
                                 const std::vector<Instant>& issues, Hour hours) {
  IssuedHours result{key.source, {}};
  for (const Instant issue : issues) {
    std::vector<double>& values = result.forecasts.emplace_back(static_cast<std::size_t>(hours), forecast::k_missing);
    auto told = repository.forecast(key, issue);
    if (!told) return tl::unexpected{told.error()};
    // What was issued long before is not what was believed then.
    if (!*told || issue - (*told)->issued_at > std::chrono::days{2}) continue;
    const auto series = series_of(std::move((*told)->steps));
    if (!series) continue;
    for (std::size_t h = 0; h < values.size(); ++h) {
      const Instant begin = issue + std::chrono::hours{h};
      const auto integral = series->integral({begin, begin + std::chrono::hours{1}});
      if (integral) values[h] = grams_per_kwh(mean_of(*integral, std::chrono::hours{1}));
    }
  }
  return result;
}

ZoneScores score(const Timeline& timeline, const std::vector<Backcast>& ours,
                 const std::vector<IssuedHours>& providers) {
  ZoneScores scores;
  std::vector<std::vector<double>> own;
  for (const Backcast& backcast : ours) own.push_back(backcast.forecast);
  scores.sources.push_back(score_of(store::k_own_source, timeline, ours, own));
  for (const IssuedHours& provider : providers) {
    scores.sources.push_back(score_of(provider.source, timeline, ours, provider.forecasts));
    if (!scores.blended.empty() || scores.leads) continue;
    Comparison comparison;
    std::vector<Blend> blends;
    for (const auto& horizon : k_horizons) {
      const Pairs pairs = pairs_of(timeline, ours, provider, horizon);
      blends.push_back(blend_of(pairs, horizon));
      if (horizon.second <= k_compared) compare(comparison, pairs, blends.back());
    }
    if (comparison.days.size() < k_enough_days || comparison.hours < k_enough_hours) continue;
    const bool used = std::any_of(blends.begin(), blends.end(), [](const Blend& blend) { return blend.weight > 0; });
    scores.leads = comparison.ours <= k_worth_it * comparison.theirs;
    if (used) std::tie(scores.blended, scores.blends) = std::tie(provider.source, blends);
  }
  return scores;
}

void blend_in(std::vector<forecast::ForecastHour>& ours, const std::vector<double>& provider,
              const ZoneScores& scores) {
  for (std::size_t h = 0; h < std::min(ours.size(), provider.size()); ++h) {
    for (const Blend& blend : scores.blends) {
      const auto hour = static_cast<Hour>(h);
      if (hour < blend.from || hour >= blend.to || std::isnan(provider[h]) || blend.weight <= 0) continue;
      forecast::ForecastHour& value = ours[h];
      const double mean = std::max(0.0, blend.weight * (provider[h] - blend.bias) + (1 - blend.weight) * value.mean);
      const double scale = value.mean > 0 ? mean / value.mean : 1;
      value = {mean, value.low * scale, value.high * scale};
    }
  }
}

}  // namespace valle::service::app
