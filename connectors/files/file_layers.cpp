// SPDX-License-Identifier: Apache-2.0
#include "connectors/files/file_layers.hpp"

#include <algorithm>
#include <iterator>

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::IntensityReading;
using scheduler::Interval;
using scheduler::PriceReading;
using scheduler::Result;

bool same_number(const RawNumber& a, const RawNumber& b) { return a.state == b.state && a.value == b.value; }

bool same_content(const FileRow& a, const FileRow& b) {
  return a.start == b.start && a.end == b.end && same_number(a.lifecycle, b.lifecycle) &&
         same_number(a.direct, b.direct) && same_number(a.price, b.price) && a.estimated == b.estimated;
}

/// Sorts by start and drops exact repetitions. Returns how many.
std::size_t put_in_order(std::vector<FileRow>& rows) {
  const auto earlier = [](const FileRow& a, const FileRow& b) { return a.start < b.start; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::stable_sort(rows.begin(), rows.end(), earlier);
  const auto last = std::unique(rows.begin(), rows.end(), same_content);
  const auto dropped = static_cast<std::size_t>(std::distance(last, rows.end()));
  rows.erase(last, rows.end());
  return dropped;
}

/// One hour, or the smallest distance of two starts where that is shorter.
Duration step_of(const std::vector<FileRow>& rows) {
  Duration step = std::chrono::hours{1};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Duration distance = rows[i].start - rows[i - 1].start;
    if (distance.count() > 0) step = std::min(step, distance);
  }
  return step;
}

tl::unexpected<scheduler::Error> overlap(const FileTable& table, const FileRow& first, const FileRow& second) {
  const std::string a = scheduler::format_instant(first.start);
  const std::string b = scheduler::format_instant(second.start);
  const std::string detail =
      a == b ? "two rows say different things about " + a : "the rows at " + a + " and " + b + " overlap";
  return scheduler::refuse(
      Errc::invalid_request,
      detail + " (the other is at " + table.place_prefix + std::to_string(first.place) + "): only one can be right",
      table.place_prefix + std::to_string(second.place), {{"instants", std::vector<std::string>{a, b}}});
}

/// Appends the rows of `below` to `merged` as far as `top` leaves room, and the rows of `top`.
template <class Reading>
std::vector<Reading> laid_over(std::vector<Reading> top, std::vector<Reading> below) {
  if (below.empty()) return top;
  if (top.empty()) return below;
  std::vector<Reading> free;
  auto cover = top.begin();
  for (auto& row : below) {
    const Instant end = row.interval.end;
    Instant from = row.interval.begin;
    while (cover != top.end() && cover->interval.end <= from) ++cover;
    for (auto next = cover; from < end; ++next) {
      const Instant until = next == top.end() ? end : std::min(end, std::max(from, next->interval.begin));
      if (from < until) {
        free.push_back(row);
        free.back().interval = {from, until};
      }
      if (next == top.end()) break;
      from = std::max(until, next->interval.end);
    }
  }
  std::vector<Reading> merged;
  merged.reserve(top.size() + free.size());
  std::merge(std::make_move_iterator(top.begin()), std::make_move_iterator(top.end()),
             std::make_move_iterator(free.begin()), std::make_move_iterator(free.end()), std::back_inserter(merged),
             [](const Reading& a, const Reading& b) { return a.interval.begin < b.interval.begin; });
  return merged;
}

/// Turns rows into readings of one zone.
class Admission {
 public:
  Admission(const scheduler::Zone& zone, Instant now, const Door& door, FileLayers& layers)
      : zone_{zone}, now_{now}, door_{door}, layers_{layers} {}

  void intensity(const FileRow& row, Interval interval, scheduler::Scope scope) {
    const bool lifecycle = scope == scheduler::Scope::lifecycle;
    auto value = door_.admit(zone_, row.start, lifecycle ? row.lifecycle : row.direct);
    if (!value) {
      layers_.rejected.push_back(std::move(value.error()));
      return;
    }
    const bool ended = interval.end <= now_;
    (lifecycle ? layers_.lifecycle : layers_.direct)
        .push_back({.identity = {zone_, {scope, scheduler::Basis::average, scheduler::Method::consumption}},
                    .interval = interval,
                    .value = *value,
                    .kind = ended ? scheduler::ReadingKind::measured : scheduler::ReadingKind::forecast,
                    .estimated = row.estimated,
                    .estimation_method = std::string{row.estimation_method},
                    .updated_at = now_});
  }

  void price(const FileRow& row, Interval interval) {
    if (row.price.state == RawNumber::State::null) return;  // an empty price is no statement
    auto value = admit_price(row.start, row.price);
    if (value) {
      layers_.prices.push_back({.zone = zone_, .interval = interval, .value = *value, .updated_at = now_});
    } else {
      layers_.rejected.push_back(std::move(value.error()));
    }
  }

 private:
  const scheduler::Zone& zone_;
  Instant now_;
  const Door& door_;
  FileLayers& layers_;
};

}  // namespace

Result<FileLayers> layers_of(FileTable table, const scheduler::Zone& zone, Instant now, const Door& door) {
  FileLayers layers;
  layers.duplicates = put_in_order(table.rows);
  const Duration step = step_of(table.rows);
  if (table.has_lifecycle) layers.lifecycle.reserve(table.rows.size());
  if (table.has_direct) layers.direct.reserve(table.rows.size());
  if (table.has_price) layers.prices.reserve(table.rows.size());
  Admission admission{zone, now, door, layers};
  const FileRow* before = nullptr;
  Instant known_until{};
  for (const FileRow& row : table.rows) {
    if (before != nullptr && row.start < known_until) return overlap(table, *before, row);
    const Interval interval{row.start, row.end.value_or(row.start + step)};
    before = &row;
    known_until = interval.end;
    if (table.has_lifecycle) admission.intensity(row, interval, scheduler::Scope::lifecycle);
    if (table.has_direct) admission.intensity(row, interval, scheduler::Scope::direct);
    if (table.has_price) admission.price(row, interval);
  }
  return layers;
}

FileLayers laid_over(FileLayers top, FileLayers below) {
  top.lifecycle = laid_over(std::move(top.lifecycle), std::move(below.lifecycle));
  top.direct = laid_over(std::move(top.direct), std::move(below.direct));
  top.prices = laid_over(std::move(top.prices), std::move(below.prices));
  std::move(below.rejected.begin(), below.rejected.end(), std::back_inserter(top.rejected));
  top.duplicates += below.duplicates;
  return top;
}

scheduler::Harvest harvest_of(FileLayers layers) {
  scheduler::Harvest harvest;
  harvest.intensity = std::move(layers.lifecycle);
  if (harvest.intensity.empty()) {
    harvest.intensity = std::move(layers.direct);
  } else {
    std::move(layers.direct.begin(), layers.direct.end(), std::back_inserter(harvest.intensity));
  }
  harvest.prices = std::move(layers.prices);
  harvest.rejected = std::move(layers.rejected);
  harvest.duplicates = layers.duplicates;
  return harvest;
}

}  // namespace valle::connectors
