// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_week = 168;
constexpr std::size_t k_plain_features = 38;
constexpr std::size_t k_price_features = 26;
constexpr std::array<Hour, 6> k_neighbours{-2, -1, 1, 2, 3, 6};
constexpr double k_smallest_level = 1;  // g/kWh; the divisor stays away from zero

std::size_t index(Hour hour) { return static_cast<std::size_t>(hour); }

}  // namespace

WindowFeatures::WindowFeatures(const Timeline& timeline, const AsOf& known)
    : timeline_{timeline},
      known_{known},
      level_{std::max(k_smallest_level, timeline.intensity_sums.mean(known.last, 24))},
      usual_{profile_and_residual(timeline, known, k_window)},
      profile_{profile(timeline, known, k_window)} {
  for (Hour m = 0; m < 24; ++m) {
    const Hour hour = known.last - m;
    const double residual = timeline.intensity[index(hour)] - mean_of_days(timeline.intensity, hour, 7);
    if (m == 0) residual_1_ = residual;
    if (m < 6) residual_6_ += residual / 6;
    residual_24_ += residual / 24;
  }
  if (!timeline.has_prices()) return;
  slope_ = price_slope(timeline, known);
  line_7_ = timeline.intensity_on_price.over(known.last, k_week);
  line_28_ = timeline.intensity_on_price.over(known.last, 4 * k_week);
  price_mean_ = timeline.price_sums.mean(known.last, k_week);
  const double variance = timeline.price_square_sums.mean(known.last, k_week) - price_mean_ * price_mean_;
  price_deviation_ = std::max(1.0, std::sqrt(std::max(0.0, variance)));
  for (Hour h = 0; h < k_window; ++h) {
    if (known.issue + h < timeline.size() && known.knows_price(timeline, known.issue + h)) ++known_prices_;
  }
}

std::size_t WindowFeatures::count(const Timeline& timeline) {
  return k_plain_features + (timeline.has_prices() ? k_price_features : 0);
}

void WindowFeatures::append(Hour ahead, std::vector<double>& row) const {
  append_history(ahead, row);
  append_calendar(ahead, row);
  if (timeline_.has_prices()) append_price(ahead, row);
}

void WindowFeatures::append_history(Hour ahead, std::vector<double>& row) const {
  const std::vector<double>& intensity = timeline_.intensity;
  const PrefixSums& sums = timeline_.intensity_sums;
  const Hour target = known_.issue + ahead;
  const Hour newest = target - back_to_known(known_, target);
  row.insert(row.end(), {intensity[index(known_.last)] / level_, sums.mean(known_.last, 3) / level_,
                         sums.mean(known_.last, 6) / level_, sums.mean(known_.last, k_week) / level_, level_});
  const double mean = profile_[index(ahead)];
  double squares = 0;
  for (Hour day = 0; day < 7; ++day) {
    const double value = intensity[index(newest - 24 * day)];
    row.push_back(value / level_);
    squares += (value - mean) * (value - mean);
  }
  const Hour week_back = (target - known_.last + k_week - 1) / k_week * k_week;
  const double six = sums.mean(known_.last, 6) - mean_of_days(intensity, known_.last, 7);
  const double trend = sums.mean(known_.last, 24) - sums.mean(known_.last - 24, 24);
  row.insert(row.end(), {intensity[index(target - week_back)] / level_, mean / level_, std::sqrt(squares / 7) / level_,
                         six / level_, trend / level_, usual_[index(ahead)] / level_});
  const double slow = std::exp(-static_cast<double>(ahead) / 24);
  const double fast = std::exp(-static_cast<double>(ahead) / 4);
  for (const double residual : {residual_1_ / level_, residual_6_ / level_, residual_24_ / level_}) {
    row.insert(row.end(), {residual, residual * slow, residual * fast});
  }
}

void WindowFeatures::append_calendar(Hour ahead, std::vector<double>& row) const {
  const std::size_t at = index(known_.issue + ahead);
  const double season = 2 * std::numbers::pi * timeline_.civil[at].day / 365.25;
  row.insert(row.end(), {static_cast<double>(timeline_.civil[at].weekday), static_cast<double>(timeline_.free_day[at]),
                         static_cast<double>(timeline_.holiday[at]), timeline_.free_day[at] >= 2 ? 1.0 : 0.0,
                         static_cast<double>(timeline_.near_holiday[at]), std::cos(season), std::sin(season),
                         timeline_.civil[at].weekday == 0 ? 1.0 : 0.0,
                         timeline_.free_day[index(std::max<Hour>(0, known_.last))] >= 2 ? 1.0 : 0.0,
                         timeline_.free_day[index(std::max<Hour>(0, known_.last))] == 1 ? 1.0 : 0.0,
                         timeline_.free_day[at] == 1 ? 1.0 : 0.0});
}

void WindowFeatures::append_price(Hour ahead, std::vector<double>& row) const {
  const std::vector<double>& price = timeline_.price;
  const Hour target = known_.issue + ahead;
  const auto known_price = [&](Hour hour) {
    return hour < timeline_.size() && known_.knows_price(timeline_, hour) ? price[index(hour)] : k_missing;
  };
  const double own = known_price(target);
  const double day_before = price[index(target - back_to_known(known_, target))];
  const double last_four =
      (own + known_price(target - 1) + known_price(target - 2) + known_price(target - 3)) / 4;  // NaN if one is missing
  row.insert(row.end(), {own, day_before, own - day_before, price_mean_, last_four, price[index(known_.last)]});

  const Hour age = price_age(timeline_, known_, target);
  const std::size_t at = index(target - age);
  const PriceInDay& day = timeline_.price_in_day[at];
  row.insert(row.end(), {static_cast<double>(age) / 24, price[at], day.rank, price[at] - day.mean,
                         (price[at] - day.mean) / std::max(1.0, day.deviation), day.mean - price_mean_,
                         (price[at] - price_mean_) / price_deviation_});
  for (const Hour neighbour : k_neighbours) row.push_back(known_price(target + neighbour) - price[at]);
  row.insert(row.end(), {price[at] - price[at - index(k_week)], static_cast<double>(known_prices_ - ahead)});

  const double departure = slope_.slope * PriceSlope::departure(timeline_, known_, target);
  const double sloped =
      profile_[index(ahead)] + departure + slope_.residual * std::exp(-static_cast<double>(ahead) / 24);
  row.insert(row.end(), {(line_7_.second + line_7_.first * price[at]) / level_,
                         (line_28_.second + line_28_.first * price[at]) / level_, sloped / level_, departure / level_,
                         own - price[index(known_.last)]});
}

}  // namespace valle::scheduler::forecast
