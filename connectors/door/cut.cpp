// SPDX-License-Identifier: Apache-2.0
#include "connectors/door/cut.hpp"

#include <algorithm>
#include <tuple>

namespace valle::connectors {
namespace {

using scheduler::GridForecastReading;
using scheduler::IntensityReading;
using scheduler::PriceReading;
using scheduler::Signal;

auto key(const IntensityReading& row) { return std::tie(row.identity, row.kind, row.interval.begin); }
auto key(const PriceReading& row) { return std::tie(row.zone, row.interval.begin); }
auto key(const GridForecastReading& row) { return std::tie(row.zone, row.quantity, row.interval.begin); }

template <class Reading>
std::size_t put_in_order(std::vector<Reading>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Reading& a, const Reading& b) {
    return key(a) != key(b) ? key(a) < key(b) : a.updated_at < b.updated_at;
  });
  std::size_t duplicates = 0;
  std::vector<Reading> kept;
  kept.reserve(rows.size());
  for (auto& row : rows) {
    if (kept.empty() || key(kept.back()) != key(row)) {
      kept.push_back(std::move(row));
      continue;
    }
    if (kept.back() == row) ++duplicates;
    kept.back() = std::move(row);
  }
  rows = std::move(kept);
  return duplicates;
}

template <class Reading, class Wanted>
void keep(std::vector<Reading>& rows, Wanted wanted) {
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const Reading& row) { return !wanted(row); }), rows.end());
}

}  // namespace

void put_in_order(scheduler::Harvest& harvest) {
  harvest.duplicates += put_in_order(harvest.intensity);
  harvest.duplicates += put_in_order(harvest.prices);
  harvest.duplicates += put_in_order(harvest.grid_forecasts);
}

scheduler::SourceAnswer answer_from(scheduler::Harvest harvest, const scheduler::SourceRequest& request) {
  const auto inside = [&](const auto& row) { return !row.interval.overlap(request.wanted).empty(); };
  const auto kind =
      request.signal == Signal::forecast ? scheduler::ReadingKind::forecast : scheduler::ReadingKind::measured;
  const bool intensity = request.signal == Signal::measured || request.signal == Signal::forecast;
  const bool anything = !harvest.intensity.empty() || !harvest.prices.empty() || !harvest.grid_forecasts.empty();
  keep(harvest.intensity, [&](const auto& row) { return intensity && row.kind == kind && inside(row); });
  keep(harvest.prices, [&](const auto& row) { return request.signal == Signal::price && inside(row); });
  keep(harvest.grid_forecasts, [&](const auto& row) { return request.signal == Signal::grid_forecast && inside(row); });
  const bool left = !harvest.intensity.empty() || !harvest.prices.empty() || !harvest.grid_forecasts.empty();
  scheduler::SourceAnswer answer{.outcome = left ? scheduler::Outcome::data : scheduler::Outcome::no_data,
                                 .harvest = std::move(harvest)};
  if (!left) {
    answer.detail = answer.harvest.rejected.empty() || anything
                        ? "no " + std::string{to_text(request.signal)} + " rows for this time"
                        : "without usable data: " + std::to_string(answer.harvest.rejected.size()) +
                              " rows were refused, the first as " +
                              std::string{to_text(answer.harvest.rejected.front().reason)};
  }
  return answer;
}

}  // namespace valle::connectors
