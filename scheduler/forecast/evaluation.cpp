// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scheduler/forecast/score.hpp"

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_issue_every = 3;
constexpr Hour k_band_every = 21;  // bands cost more than means; 21 comes by all clock hours that 3 does
constexpr Hour k_reach = 60;       // the longest slack and the longest job
constexpr std::array<std::pair<Hour, Hour>, 6> k_jobs{{{4, 24}, {6, 24}, {12, 24}, {4, 48}, {6, 48}, {12, 48}}};
constexpr std::array<std::pair<Hour, Hour>, 6> k_horizons{{{0, 6}, {6, 12}, {12, 24}, {24, 36}, {36, 48}, {0, 24}}};

using Forecasts = std::vector<std::vector<double>>;  // one an hour; empty where nothing was known
using Method = std::function<std::vector<double>(const AsOf&)>;

struct Hours {
  Hour begin;
  Hour end;
};

Forecasts forecasts_of(const Timeline& timeline, Hours hours, const Method& method,
                       const std::function<void(double)>& progress) {
  Forecasts result;
  for (Hour issue = hours.begin; issue < hours.end; ++issue) {
    const auto known = as_of(timeline, timeline.begin_of(issue), Knowledge::replayed);
    result.push_back(known ? method(*known) : std::vector<double>{});
    if (progress && issue % 24 == 0) {
      progress(static_cast<double>(issue - hours.begin) / static_cast<double>(hours.end - hours.begin));
    }
  }
  return result;
}

HorizonError error_of(const Timeline& timeline, Hours hours, const Forecasts& forecasts, std::pair<Hour, Hour> ahead) {
  HorizonError error{.from = ahead.first, .to = ahead.second};
  double count = 0;
  for (Hour issue = hours.begin; issue < hours.end; issue += k_issue_every) {
    const std::vector<double>& forecast = forecasts[static_cast<std::size_t>(issue - hours.begin)];
    if (forecast.empty()) continue;
    for (Hour h = ahead.first; h < ahead.second && issue + h < timeline.size(); ++h) {
      const auto at = static_cast<std::size_t>(issue + h);
      if (timeline.is_measured[at] == 0) continue;
      const double missed = std::abs(forecast[static_cast<std::size_t>(h)] - timeline.intensity[at]);
      error.absolute += missed;
      error.percent += 100 * missed / std::max(1.0, timeline.intensity[at]);
      count += 1;
    }
  }
  error.absolute /= std::max(1.0, count);
  error.percent /= std::max(1.0, count);
  return error;
}

/// When a job submitted at `issue` starts if each hour's forecast is asked whether now is best.
Hour replanned_start(Hours hours, const Forecasts& forecasts, Hour issue, const DecisionScore& job) {
  for (Hour waited = 0; waited < job.slack(); ++waited) {
    const Hour now = issue + waited;
    if (now >= hours.end) return job.slack();
    const std::vector<double>& forecast = forecasts[static_cast<std::size_t>(now - hours.begin)];
    if (forecast.empty() || job.preferred_start(forecast, job.slack() - waited) == 0) return waited;
  }
  return job.slack();
}

double cheapest_sum(std::vector<double> values, Hour count) {
  std::partial_sort(values.begin(), values.begin() + count, values.end());
  return std::accumulate(values.begin(), values.begin() + count, 0.0);
}

/// Sums over jobs that may pause, in g/kWh · h.
struct PausedSums {
  double at_once = 0;
  double emitted = 0;
  double least = 0;
};

/// What a job submitted at `issue` emits if each hour's forecast is asked whether now is among the hours that it needs.
void add_paused(PausedSums& sums, const Timeline& timeline, Hours hours, const Forecasts& forecasts, Hour issue,
                const DecisionScore& job) {
  const Hour window = job.slack() + job.length();
  const auto begin = timeline.intensity.begin() + issue;
  Hour needed = job.length();
  for (Hour waited = 0; waited < window && needed > 0; ++waited) {
    const Hour left = window - waited;
    const auto at = static_cast<std::size_t>(issue + waited - hours.begin);
    bool run = needed >= left || at >= forecasts.size() || forecasts[at].empty();
    if (!run) {
      std::vector<double> ahead{forecasts[at].begin(), forecasts[at].begin() + left};
      std::nth_element(ahead.begin(), ahead.begin() + (needed - 1), ahead.end());
      run = forecasts[at].front() <= ahead[static_cast<std::size_t>(needed - 1)];
    }
    if (!run) continue;
    sums.emitted += begin[waited];
    --needed;
  }
  sums.at_once += std::accumulate(begin, begin + job.length(), 0.0);
  sums.least += cheapest_sum({begin, begin + window}, job.length());
}

JobShare share_of(const Timeline& timeline, Hours hours, const Forecasts& forecasts, std::pair<Hour, Hour> kind) {
  DecisionScore once{kind.first, kind.second};
  DecisionScore replanned{kind.first, kind.second};
  PausedSums paused;
  for (Hour issue = hours.begin; issue + kind.second < hours.end; issue += k_issue_every) {
    const std::vector<double>& forecast = forecasts[static_cast<std::size_t>(issue - hours.begin)];
    if (forecast.empty() || !once.countable(timeline, issue)) continue;
    once.add(timeline, issue, forecast);
    replanned.add_start(timeline, issue, replanned_start(hours, forecasts, issue, replanned));
    add_paused(paused, timeline, hours, forecasts, issue, once);
  }
  const double to_save = paused.at_once - paused.least;
  return {.length = kind.first,
          .slack = kind.second,
          .once = once.share_percent(),
          .replanned = replanned.share_percent(),
          .interruptible = to_save > 0 ? 100 * (paused.at_once - paused.emitted) / to_save : 100};
}

double inside_band(Forecaster& forecaster, Hours hours) {
  const Timeline& timeline = forecaster.timeline();
  double inside = 0;
  double count = 0;
  for (Hour issue = hours.begin; issue < hours.end; issue += k_band_every) {
    const auto forecast = forecaster.forecast(timeline.begin_of(issue), Knowledge::replayed, 48);
    if (!forecast) continue;
    for (std::size_t h = 0; h < forecast->hours.size(); ++h) {
      const auto at = static_cast<std::size_t>(issue) + h;
      if (at >= timeline.is_measured.size() || timeline.is_measured[at] == 0) continue;
      const double came = timeline.intensity[at];
      inside += came >= forecast->hours[h].low && came <= forecast->hours[h].high ? 1 : 0;
      count += 1;
    }
  }
  return 100 * inside / std::max(1.0, count);
}

}  // namespace

Evaluation evaluate(Forecaster& forecaster, Interval window, const std::function<void(double)>& progress) {
  const Timeline& timeline = forecaster.timeline();
  const Hours hours{std::max<Hour>(0, timeline.hour_of(window.begin)),
                    std::min(timeline.size(), timeline.hour_of(window.end))};
  Evaluation result;
  if (hours.end <= hours.begin) return result;
  result.issues = static_cast<std::size_t>((hours.end - hours.begin + k_issue_every - 1) / k_issue_every);
  const std::pair<const char*, Method> methods[] = {
      {"own", [&](const AsOf& known) { return forecaster.means(known, k_reach); }},
      {"untrained", [&](const AsOf& known) { return untrained(timeline, known, k_reach); }},
      {"profile-level", [&](const AsOf& known) { return profile_and_level(timeline, known, k_reach); }},
      {"profile", [&](const AsOf& known) { return profile(timeline, known, k_reach); }},
      {"lag-24", [&](const AsOf& known) { return last_period(timeline, known, k_reach, 24); }},
      {"lag-168", [&](const AsOf& known) { return last_period(timeline, known, k_reach, 168); }},
  };
  for (const auto& [name, method] : methods) {
    const bool own = name == methods[0].first;
    const Forecasts forecasts = forecasts_of(timeline, hours, method, own ? progress : std::function<void(double)>{});
    MethodScore score{.method = name, .errors = {}, .shares = {}};
    for (const auto& horizon : k_horizons) score.errors.push_back(error_of(timeline, hours, forecasts, horizon));
    for (const auto& job : k_jobs) score.shares.push_back(share_of(timeline, hours, forecasts, job));
    result.methods.push_back(std::move(score));
  }
  result.inside_band_percent = inside_band(forecaster, hours);
  return result;
}

}  // namespace valle::scheduler::forecast
