// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace valle::scheduler::forecast {
namespace {

constexpr std::size_t k_day = 24;
constexpr Hour k_week = 168;
constexpr double k_spike = 1.5;
constexpr int k_prices_out_at = 13;  // local hour of the market

/// Each gap repeats the day before; before the first value there is `start`.
void fill_from_the_day_before(std::vector<double>& values, double start) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) continue;
    values[i] = i >= k_day ? values[i - k_day] : (i > 0 ? values[i - 1] : start);
  }
}

/// A single hour far above all of the week before is mostly an artefact of its source, and must not move the whole day:
/// it counts as half as much again as the week's most. Where a new level has come, the next hour shows it.
void cut_spikes(std::vector<double>& values) {
  const std::vector<double> raw = values;
  for (std::size_t i = k_week; i < values.size(); ++i) {
    if (raw[i] <= k_spike * raw[i - 1]) continue;
    const auto end = raw.begin() + static_cast<std::ptrdiff_t>(i);
    values[i] = std::min(values[i], k_spike * *std::max_element(end - k_week, end));
  }
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::multiplies<>{});
  return result;
}

/// What each hour differs by from the mean of its clock hour in the seven days before; 0 in the first week.
std::vector<double> anomalies(const std::vector<double>& values) {
  std::vector<double> result(values.size());
  for (std::size_t i = k_week; i < values.size(); ++i) {
    double sum = 0;
    for (std::size_t day = 1; day <= 7; ++day) sum += values[i - k_day * day];
    result[i] = values[i] - sum / 7;
  }
  return result;
}

PriceInDay price_in_day(std::span<const double> day, double price) {
  const auto count = static_cast<double>(day.size());
  PriceInDay result;
  result.mean = std::accumulate(day.begin(), day.end(), 0.0) / count;
  double squares = 0;
  double below = 0;
  double equal = 0;
  for (const double other : day) {
    squares += (other - result.mean) * (other - result.mean);
    below += other < price ? 1 : 0;
    equal += other == price ? 1 : 0;
  }
  result.deviation = std::sqrt(squares / std::max(1.0, count - 1));
  result.rank = (below + (equal + 1) / 2) / count;
  return result;
}

}  // namespace

PrefixSums::PrefixSums(const std::vector<double>& values) : sums_(values.size() + 1) {
  std::partial_sum(values.begin(), values.end(), sums_.begin() + 1);
}

RollingLine::RollingLine(const std::vector<double>& x, const std::vector<double>& y)
    : x_{x}, y_{y}, xy_{product(x, y)}, xx_{product(x, x)} {}

std::pair<double, double> RollingLine::over(Hour last, Hour width) const {
  const double x = x_.mean(last, width);
  const double y = y_.mean(last, width);
  const double variance = xx_.mean(last, width) - x * x;
  const double slope = (xy_.mean(last, width) - x * y) / std::max(variance, 1e-3);
  return {slope, y - slope * x};
}

Timeline::Timeline(HourlyHistory history)
    : zone{std::move(history.zone)},
      origin{history.origin},
      intensity{std::move(history.intensity)},
      price{std::move(history.price)},
      steps_an_hour{history.steps_an_hour},
      steps{std::move(history.steps)} {
  const std::size_t hours = std::max(intensity.size(), price.size());
  const bool priced = std::any_of(price.begin(), price.end(), [](double value) { return !std::isnan(value); });
  if (!priced) price.clear();
  intensity.resize(hours, k_missing);
  is_measured.resize(hours);
  std::transform(intensity.begin(), intensity.end(), is_measured.begin(),
                 [](double v) { return std::isnan(v) ? 0 : 1; });
  fill_from_the_day_before(intensity, 0);
  cut_spikes(intensity);
  intensity_sums = PrefixSums{intensity};

  const std::size_t all = hours + static_cast<std::size_t>(k_longest_silence + k_longest_horizon) + 2 * k_day;
  const CivilRule rule = civil_rule_of(zone);
  for (std::size_t i = 0; i < all; ++i) {
    const Instant t = begin_of(static_cast<Hour>(i));
    civil.push_back(civil_hour(t, rule));
    market_day.push_back(civil_hour(t, k_market_rule).day);
    const bool same_day = i > 0 && civil[i].day == civil[i - 1].day;
    const std::int32_t day = civil[i].day;
    holiday.push_back(same_day ? holiday.back() : is_holiday(day, zone) ? 1 : 0);
    near_holiday.push_back(same_day ? near_holiday.back()
                                    : static_cast<std::uint8_t>((is_holiday(day + 1, zone) ? 1 : 0) +
                                                                (is_holiday(day - 1, zone) ? 2 : 0)));
    const int weekday = civil[i].weekday;
    free_day.push_back(static_cast<std::uint8_t>((holiday[i] != 0 || weekday == 6 ? 2 : 0) + (weekday == 5 ? 1 : 0)));
  }
  price_day_complete.resize(all);
  if (!priced) return;

  price.resize(hours, k_missing);
  std::vector<std::uint8_t> known(hours);
  std::transform(price.begin(), price.end(), known.begin(), [](double v) { return std::isnan(v) ? 0 : 1; });
  fill_from_the_day_before(price, 0);
  price_sums = PrefixSums{price};
  price_square_sums = PrefixSums{product(price, price)};
  intensity_on_price = RollingLine{price, intensity};
  anomaly_on_price = RollingLine{anomalies(price), anomalies(intensity)};
  price_in_day.resize(hours);
  for (std::size_t first = 0; first < hours;) {
    std::size_t end = first;
    while (end < hours && market_day[end] == market_day[first]) ++end;
    const std::span day{price.data() + first, end - first};
    // A market day has 23, 24 or 25 hours; the next hour's own day tells whether the last one is here.
    const bool whole = market_day[end] != market_day[first];
    const bool complete =
        whole && std::all_of(known.begin() + static_cast<std::ptrdiff_t>(first),
                             known.begin() + static_cast<std::ptrdiff_t>(end), [](std::uint8_t k) { return k != 0; });
    for (std::size_t i = first; i < end; ++i) {
      price_in_day[i] = forecast::price_in_day(day, price[i]);
      price_day_complete[i] = complete ? 1 : 0;
    }
    first = end;
  }
}

std::optional<AsOf> as_of(const Timeline& timeline, Instant issued_at, Knowledge knowledge) {
  AsOf result{.issue = timeline.hour_of(issued_at)};
  const Hour delay = knowledge == Knowledge::replayed ? 2 : 1;
  if (result.issue < delay || result.issue > timeline.size() + k_longest_silence) return {};
  result.last = std::min(result.issue - delay, timeline.size() - 1);
  while (result.last >= 0 && timeline.is_measured[static_cast<std::size_t>(result.last)] == 0) --result.last;
  if (result.last < 0 || result.issue - result.last > k_longest_silence) return {};
  const CivilHour market = civil_hour(issued_at, k_market_rule);
  result.price_day = knowledge == Knowledge::replayed ? market.day + (market.hour >= k_prices_out_at ? 1 : 0)
                                                      : std::numeric_limits<std::int32_t>::max();
  return result;
}

}  // namespace valle::scheduler::forecast
