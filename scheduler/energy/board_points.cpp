// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/board_points.hpp"

#include <algorithm>

namespace valle::scheduler {

Samples largest_at_each_instant(std::span<const Samples> series) {
  Samples all;
  for (const Samples& samples : series) all = merged(all, samples);
  Samples largest;
  for (const Sample& sample : all) {
    // Ascending by value at one stamp; NaN compares with nothing and may stand anywhere.
    if (!largest.empty() && largest.back().at == sample.at) {
      if (!(sample.value < largest.back().value)) largest.back() = sample;
    } else {
      largest.push_back(sample);
    }
  }
  return largest;
}

BoardPoints board_points(std::span<const Sample> joules, double limit_watts) {
  BoardPoints points;
  CounterReading reading = read_counter(joules, {.kind = CounterKind::device, .limit_watts = limit_watts});
  points.scrape_seconds = median_spacing(reading.totals);  // a sample that is none makes no collector slow
  points.dropped = reading.dropped;
  points.restarts = std::move(reading.restarts);
  std::size_t next_restart = 0;
  for (const Sample& total : reading.totals) {
    const bool restarted = next_restart < points.restarts.size() && points.restarts[next_restart].after.at == total.at;
    if (restarted) ++next_restart;
    if (points.totals.empty() || restarted || total.value > points.totals.back().value) points.totals.push_back(total);
  }
  points.spacing_seconds = median_spacing(points.totals);
  return points;
}

std::optional<double> idle_watts_of(const BoardPoints& points, std::span<const Tenant> tenants) {
  const auto margin = milliseconds_of(points.spacing_seconds);
  std::optional<double> idle;
  for (std::size_t i = 1; i < points.totals.size(); ++i) {
    const Sample& from = points.totals[i - 1];
    const Sample& to = points.totals[i];
    const Span span{from.at, to.at};
    const auto touches = [&](const Tenant& tenant) {
      return overlap(span, {tenant.ran.begin - margin, tenant.ran.end + margin});
    };
    const auto holds = [&](const Restart& restart) { return restart.after.at == to.at; };
    if (std::any_of(tenants.begin(), tenants.end(), touches)) continue;
    if (std::any_of(points.restarts.begin(), points.restarts.end(), holds)) continue;
    const double watts = (to.value - from.value) / seconds_of(span);
    if (!idle || watts < *idle) idle = watts;
  }
  return idle;
}

}  // namespace valle::scheduler
