// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/within_hour.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_learnt_from = 28 * 24;
constexpr std::size_t k_day = 24;
constexpr std::size_t k_enough = 3;  // days that an hour of the day must have been seen
constexpr double k_smallest = 1;     // g/kWh; of less, shares say nothing
constexpr double k_steepest = 1.5;   // means an hour; this and the next keep all steps above zero
constexpr double k_largest_departure = 0.25;
constexpr double k_tail = 0.1;

/// By what a step lies above its hour's mean on the line through the hours before and after, as a share of the mean.
double along_line(double before, double mean, double after, double position) {
  const double slope = std::clamp((after - before) / 2 / std::max(k_smallest, mean), -k_steepest, k_steepest);
  return slope * (position - 0.5);
}

double middle_of(std::size_t step, std::size_t steps) {
  return (static_cast<double>(step) + 0.5) / static_cast<double>(steps);
}

/// What the steps of a measured hour departed from the line by; nothing where steps or neighbours are missing, or the
/// steps are the parts of one hourly value.
std::optional<std::vector<double>> departures_at(const Timeline& timeline, Hour hour) {
  const auto at = static_cast<std::size_t>(hour);
  const std::size_t count = timeline.steps_an_hour;
  if (timeline.steps.size() < (at + 1) * count) return {};
  if (timeline.is_measured[at - 1] + timeline.is_measured[at] + timeline.is_measured[at + 1] != 3) return {};
  const std::span steps{timeline.steps.data() + at * count, count};
  const double mean = timeline.intensity[at];
  if (mean < k_smallest || std::any_of(steps.begin(), steps.end(), [](double value) { return std::isnan(value); })) {
    return {};
  }
  if (std::all_of(steps.begin(), steps.end(), [&](double value) { return value == steps.front(); })) return {};
  std::vector<double> departures(count);
  for (std::size_t step = 0; step < count; ++step) {
    const double line =
        along_line(timeline.intensity[at - 1], mean, timeline.intensity[at + 1], middle_of(step, count));
    departures[step] = std::clamp(steps[step] / mean - 1 - line, -k_largest_departure, k_largest_departure);
  }
  return departures;
}

double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(std::llround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// The mean departures of one hour of the day, which sum to 0; nothing but zeros where too few days were seen.
std::vector<double> mean_of(const std::vector<std::vector<double>>& days, std::size_t steps) {
  std::vector<double> mean(steps);
  if (days.size() < k_enough) return mean;
  for (const std::vector<double>& day : days) {
    std::transform(mean.begin(), mean.end(), day.begin(), mean.begin(), std::plus<>{});
  }
  const double all = std::accumulate(mean.begin(), mean.end(), 0.0) / static_cast<double>(steps);
  for (double& value : mean) value = (value - all) / static_cast<double>(days.size());
  return mean;
}

}  // namespace

WithinHour::WithinHour(const Timeline& timeline, const AsOf& known) : steps_{timeline.steps_an_hour} {
  if (steps_ == 1) return;
  const Hour since_epoch = timeline.origin.time_since_epoch() / std::chrono::hours{1};
  std::vector<double> scatter;
  for (std::size_t clock = 0; clock < k_day; ++clock) {
    std::vector<std::vector<double>> days;
    for (Hour hour = std::max<Hour>(1, known.last - k_learnt_from); hour < known.last; ++hour) {
      if (static_cast<std::size_t>((hour + since_epoch) % 24) != clock) continue;
      if (auto departures = departures_at(timeline, hour)) days.push_back(*std::move(departures));
    }
    const std::vector<double> mean = mean_of(days, steps_);
    for (const std::vector<double>& day : days) {
      for (std::size_t step = 0; step < steps_; ++step) scatter.push_back(1 + day[step] - mean[step]);
    }
    departures_.insert(departures_.end(), mean.begin(), mean.end());
  }
  if (scatter.empty()) return;
  low_ = std::min(1.0, quantile(scatter, k_tail));
  high_ = std::max(1.0, quantile(scatter, 1 - k_tail));
}

std::vector<ForecastHour> WithinHour::steps_of(const std::vector<ForecastHour>& hours, Instant begin) const {
  if (steps_ == 1) return hours;
  std::vector<ForecastHour> result;
  result.reserve(hours.size() * steps_);
  const auto first = static_cast<std::size_t>(begin.time_since_epoch() / std::chrono::hours{1} % 24);
  for (std::size_t h = 0; h < hours.size(); ++h) {
    const ForecastHour& hour = hours[h];
    // At an end the line goes on as it came.
    const double before = h > 0 ? hours[h - 1].mean : 2 * hour.mean - hours[std::min(h + 1, hours.size() - 1)].mean;
    const double after = h + 1 < hours.size() ? hours[h + 1].mean : 2 * hour.mean - before;
    for (std::size_t step = 0; step < steps_; ++step) {
      const double factor = 1 + along_line(before, hour.mean, after, middle_of(step, steps_)) +
                            departures_[(first + h) % k_day * steps_ + step];
      result.push_back({hour.mean * factor, hour.low * factor, hour.high * factor});
    }
  }
  return result;
}

std::pair<double, double> WithinHour::widened(double low, double high) const {
  // Two causes that know nothing of each other: logarithms of factors add up by their squares.
  const auto both = [](double one, double other) { return std::exp(std::hypot(std::log(one), std::log(other))); };
  return {low > 0 ? 1 / both(low, low_) : 0, both(high, high_)};
}

}  // namespace valle::scheduler::forecast
