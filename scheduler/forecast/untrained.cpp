// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/untrained.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_residual_hours = 6;
constexpr double k_fading_hours = 24;
constexpr double k_old_departure = 0.4;  // what is left of the last known day's departure beyond the known prices

std::size_t index(Hour hour) { return static_cast<std::size_t>(hour); }

double fading(Hour ahead) { return std::exp(-static_cast<double>(ahead) / k_fading_hours); }

/// Mean over the last six known hours of what `value` gives for each.
template <class Value>
double mean_of_newest(const AsOf& known, Hour days, Value value) {
  const Hour hours = std::min(k_residual_hours, known.last + 1 - 24 * (days - 1));
  double sum = 0;
  for (Hour m = 0; m < hours; ++m) sum += value(known.last - m);
  return hours > 0 ? sum / static_cast<double>(hours) : 0;
}

void add_fading(std::vector<double>& values, double residual) {
  for (std::size_t h = 0; h < values.size(); ++h) {
    values[h] = std::max(0.0, values[h] + residual * fading(static_cast<Hour>(h)));
  }
}

}  // namespace

Hour profile_days(const AsOf& known) { return std::min<Hour>(7, (known.last + 1) / 24); }

std::vector<double> last_period(const Timeline& timeline, const AsOf& known, Hour hours, Hour period) {
  std::vector<double> values(index(hours));
  for (Hour h = 0; h < hours; ++h) {
    const Hour target = known.issue + h;
    Hour from = target - (target - known.last + period - 1) / period * period;
    from = std::clamp<Hour>(from, 0, known.last);
    values[index(h)] = timeline.intensity[index(from)];
  }
  return values;
}

std::vector<double> profile(const Timeline& timeline, const AsOf& known, Hour hours) {
  const Hour days = profile_days(known);
  if (days == 0) return std::vector<double>(index(hours), timeline.intensity_sums.mean(known.last, known.last + 1));
  std::vector<double> values(index(hours));
  for (Hour h = 0; h < hours; ++h) {
    const Hour target = known.issue + h;
    values[index(h)] =
        h >= 24 ? values[index(h - 24)] : mean_of_days(timeline.intensity, target - back_to_known(known, target), days);
  }
  return values;
}

std::vector<double> profile_and_level(const Timeline& timeline, const AsOf& known, Hour hours) {
  std::vector<double> values = profile(timeline, known, hours);
  const Hour days = profile_days(known);
  if (days == 0) return values;
  add_fading(values, timeline.intensity_sums.mean(known.last, std::min(k_residual_hours, known.last + 1)) -
                         mean_of_days(timeline.intensity, known.last, days));
  return values;
}

std::vector<double> profile_and_residual(const Timeline& timeline, const AsOf& known, Hour hours) {
  std::vector<double> values = profile(timeline, known, hours);
  const Hour days = profile_days(known);
  if (days == 0) return values;
  add_fading(values, mean_of_newest(known, days, [&](Hour hour) {
               return timeline.intensity[index(hour)] - mean_of_days(timeline.intensity, hour, days);
             }));
  return values;
}

Hour price_age(const Timeline& timeline, const AsOf& known, Hour hour) {
  for (Hour age = 0; age < 72; age += 24) {
    if (hour - age < timeline.size() && known.knows_price(timeline, hour - age)) return age;
  }
  return std::max<Hour>(72, back_to_known(known, hour));
}

double PriceSlope::departure(const Timeline& timeline, const AsOf& known, Hour hour) {
  const Hour age = price_age(timeline, known, hour);
  const double usual = mean_of_days(timeline.price, hour - back_to_known(known, hour), 7);
  return (timeline.price[index(hour - age)] - usual) * (age == 0 ? 1 : k_old_departure);
}

PriceSlope price_slope(const Timeline& timeline, const AsOf& known) {
  PriceSlope result;
  result.slope = timeline.anomaly_on_price.over(known.last, 28 * 24).first;
  result.residual = mean_of_newest(known, 7, [&](Hour hour) {
    const double intensity = timeline.intensity[index(hour)] - mean_of_days(timeline.intensity, hour, 7);
    const double price = timeline.price[index(hour)] - mean_of_days(timeline.price, hour, 7);
    return intensity - result.slope * price;
  });
  return result;
}

std::vector<double> untrained(const Timeline& timeline, const AsOf& known, Hour hours) {
  std::vector<double> values = profile_and_residual(timeline, known, hours);
  if (!timeline.has_prices() || known.last < k_slope_history) return values;
  const PriceSlope price = price_slope(timeline, known);
  std::vector<double> priced = profile(timeline, known, hours);
  for (Hour h = 0; h < hours; ++h) {
    priced[index(h)] += price.slope * PriceSlope::departure(timeline, known, known.issue + h);
  }
  add_fading(priced, price.residual);
  for (std::size_t h = 0; h < values.size(); ++h) values[h] = (values[h] + priced[h]) / 2;
  return values;
}

}  // namespace valle::scheduler::forecast
