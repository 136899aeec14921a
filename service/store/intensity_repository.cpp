// SPDX-License-Identifier: Apache-2.0
#include "service/store/intensity_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <utility>

#include "service/store/forecast_table.hpp"
#include "service/store/reading_table.hpp"
#include "service/store/series_table.hpp"

namespace valle::service::store {
namespace {

using scheduler::GridForecastReading;
using scheduler::Harvest;
using scheduler::Instant;
using scheduler::IntensityReading;
using scheduler::Interval;
using scheduler::ReadingKind;
using scheduler::Rejection;
using scheduler::Result;
using scheduler::Step;
using scheduler::Zone;

/// How many pages are given back to the disk at a time: 4 MB.
constexpr int k_pages_given_back = 1'000;
constexpr std::size_t k_longest_detail = 500;

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }
Instant instant(std::int64_t seconds) { return Instant{scheduler::Duration{seconds}}; }

std::optional<scheduler::RejectionReason> rejection_reason_from_text(const std::string& text) {
  using enum scheduler::RejectionReason;
  for (const auto reason :
       {missing, zero, implausible, not_a_number, wrong_zone, sandbox, bad_time, incomplete, unknown_unit}) {
    if (to_text(reason) == text) return reason;
  }
  return {};
}

/// What the connectors promise of a harvest, and the tables rely on.
Result<void> sound(const Harvest& harvest) {
  const auto all_sound = [](const auto& readings) {
    return std::all_of(readings.begin(), readings.end(), [](const auto& reading) { return !reading.interval.empty(); });
  };
  if (all_sound(harvest.intensity) && all_sound(harvest.prices) && all_sound(harvest.grid_forecasts)) return {};
  return scheduler::refuse(scheduler::Errc::invalid_request,
                           "a row ends before it begins; nothing of this answer is stored");
}

SeriesChange& change_of(StoreReport& report, const SeriesKey& key) {
  for (SeriesChange& change : report.changes) {
    if (change.key == key) return change;
  }
  return report.changes.emplace_back(SeriesChange{key, {}, false});
}

void store_measured(SQLite::Database& connection, const std::string& source, const Harvest& harvest,
                    StoreReport& report) {
  std::map<scheduler::SeriesIdentity, std::vector<RevisedRow>> by_identity;
  for (const IntensityReading& reading : harvest.intensity) {
    if (reading.kind != ReadingKind::measured) continue;
    by_identity[reading.identity].push_back(
        {reading.interval, reading.value.base(), reading.estimated, reading.estimation_method, reading.updated_at});
  }
  for (auto& [identity, rows] : by_identity) {
    const SeriesKey key{source, identity};
    const std::int64_t series = find_or_add_series(connection, intensity_subject(key));
    const MergeOutcome merged = merge_rows(connection, series, std::move(rows));
    report.measured += merged.counts;
    if (!merged.changed.empty()) change_of(report, key).measured = merged.changed;
  }
}

void store_forecasts(SQLite::Database& connection, const std::string& source, const Harvest& harvest,
                     StoreReport& report) {
  std::map<std::pair<scheduler::SeriesIdentity, Instant>, std::vector<ForecastStep>> by_issue;
  for (const IntensityReading& reading : harvest.intensity) {
    if (reading.kind != ReadingKind::forecast) continue;
    by_issue[{reading.identity, reading.updated_at}].push_back(
        {reading.interval, reading.value.base(), reading.estimated});
  }
  for (auto& [issue, steps] : by_issue) {
    const SeriesKey key{source, issue.first};
    const std::int64_t series = find_or_add_series(connection, intensity_subject(key));
    const RowCounts counts = store_issue(connection, series, issue.second, std::move(steps));
    report.forecast += counts;
    if (counts.added + counts.revised > 0) change_of(report, key).forecast = true;
  }
}

void store_prices(SQLite::Database& connection, const std::string& source, const Harvest& harvest,
                  StoreReport& report) {
  std::map<Zone, std::vector<RevisedRow>> by_zone;
  for (const scheduler::PriceReading& price : harvest.prices) {
    by_zone[price.zone].push_back({price.interval, price.value.base(), false, {}, price.updated_at});
  }
  for (auto& [zone, rows] : by_zone) {
    const std::int64_t series = find_or_add_series(connection, price_subject(source, zone));
    const MergeOutcome merged = merge_rows(connection, series, std::move(rows));
    report.prices += merged.counts;
    if (!merged.changed.empty()) report.price_zones.push_back(zone);
  }
}

void store_grid_forecasts(SQLite::Database& connection, const std::string& source, const Harvest& harvest,
                          StoreReport& report) {
  std::map<std::tuple<Zone, scheduler::GridQuantity, Instant>, std::vector<ForecastStep>> by_issue;
  for (const GridForecastReading& reading : harvest.grid_forecasts) {
    by_issue[{reading.zone, reading.quantity, reading.updated_at}].push_back(
        {reading.interval, reading.value.base(), false});
  }
  for (auto& [issue, steps] : by_issue) {
    const auto& [zone, quantity, issued_at] = issue;
    const std::int64_t series = find_or_add_series(connection, grid_subject(source, zone, quantity));
    report.grid_forecasts += store_issue(connection, series, issued_at, std::move(steps));
  }
}

void count_rejections(SQLite::Database& connection, const std::string& source, const Zone& zone, const Harvest& harvest,
                      Instant now, StoreReport& report) {
  std::map<scheduler::RejectionReason, const Rejection*> latest;
  for (const Rejection& rejection : harvest.rejected) {
    ++report.rejected[rejection.reason];
    latest[rejection.reason] = &rejection;
  }
  SQLite::Statement count{connection,
                          "INSERT INTO rejection (source, zone, reason, count, latest_start, latest_detail, latest_at) "
                          "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, zone, reason) DO UPDATE SET "
                          "count = count + excluded.count, latest_start = excluded.latest_start, "
                          "latest_detail = excluded.latest_detail, latest_at = excluded.latest_at"};
  for (const auto& [reason, rejection] : latest) {
    count.reset();
    count.bind(1, source);
    count.bind(2, zone.name());
    count.bind(3, std::string{to_text(reason)});
    count.bind(4, static_cast<std::int64_t>(report.rejected[reason]));
    if (rejection->start) {
      count.bind(5, seconds(*rejection->start));
    } else {
      count.bind(5);
    }
    count.bind(6, rejection->detail.substr(0, k_longest_detail));
    count.bind(7, seconds(now));
    count.exec();
  }
}

std::vector<Step> steps_of(const std::vector<ForecastStep>& stored) {
  std::vector<Step> steps;
  steps.reserve(stored.size());
  for (const ForecastStep& step : stored) {
    steps.push_back(
        {step.interval, scheduler::CarbonIntensity::of_base(step.value), ReadingKind::forecast, step.estimated});
  }
  return steps;
}

}  // namespace

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  added += other.added;
  revised += other.revised;
  unchanged += other.unchanged;
  outdated += other.outdated;
  return *this;
}

Result<StoreReport> IntensityRepository::store(const std::string& source, const Zone& asked, const Harvest& harvest,
                                               Instant now) {
  if (Result<void> fine = sound(harvest); !fine) return tl::unexpected{std::move(fine.error())};
  return database_.write([&](SQLite::Database& connection) -> Result<StoreReport> {
    StoreReport report;
    store_measured(connection, source, harvest, report);
    store_forecasts(connection, source, harvest, report);
    store_prices(connection, source, harvest, report);
    store_grid_forecasts(connection, source, harvest, report);
    count_rejections(connection, source, asked, harvest, now, report);
    return report;
  });
}

Result<StoreReport> IntensityRepository::store(const OwnIssue& own) {
  Harvest harvest;
  for (const Step& step : own.issue.steps) {
    harvest.intensity.push_back({.identity = own.identity,
                                 .interval = step.interval,
                                 .value = step.value,
                                 .kind = ReadingKind::forecast,
                                 .updated_at = own.issue.issued_at});
  }
  if (Result<void> fine = sound(harvest); !fine) return tl::unexpected{std::move(fine.error())};
  return database_.write([&](SQLite::Database& connection) -> Result<StoreReport> {
    StoreReport report;
    store_forecasts(connection, k_own_source, harvest, report);
    const SeriesKey key{k_own_source, own.identity};
    if (!own.issue.steps.empty()) {
      store_ground(connection, *find_series(connection, intensity_subject(key)), own.issue.issued_at, own.ground);
    }
    return report;
  });
}

Result<void> IntensityRepository::note_attribution(const std::string& source, const std::string& attribution) {
  return database_.write([&](SQLite::Database& connection) -> Result<void> {
    SQLite::Statement note{connection,
                           "INSERT INTO source_note (source, attribution) VALUES (?, ?) "
                           "ON CONFLICT (source) DO UPDATE SET attribution = excluded.attribution"};
    note.bind(1, source);
    note.bind(2, attribution);
    note.exec();
    return {};
  });
}

Result<std::size_t> IntensityRepository::prune(Instant now, const Retention& retention, std::size_t most_rows) {
  const Result<std::size_t> deleted = database_.write([&](SQLite::Database& connection) -> Result<std::size_t> {
    const std::size_t issues = prune_issues(connection, now - retention.forecasts, most_rows);
    if (issues > 0) prune_grounds(connection);
    return issues + prune_rows(connection, now - retention.rows, most_rows - issues);
  });
  if (!deleted || *deleted == 0) return deleted;
  const Result<void> shrunk = database_.outside_transaction([](SQLite::Database& connection) -> Result<void> {
    connection.exec("PRAGMA incremental_vacuum(" + std::to_string(k_pages_given_back) + ")");
    return {};
  });
  if (!shrunk) return tl::unexpected{shrunk.error()};
  return deleted;
}

Result<std::vector<SeriesKey>> IntensityRepository::series() const {
  return database_.read([](SQLite::Database& connection) -> Result<std::vector<SeriesKey>> {
    return known_intensity_series(connection);
  });
}

Result<MeasuredRows> IntensityRepository::measured(const SeriesKey& key, Interval interval) const {
  return database_.read([&](SQLite::Database& connection) -> Result<MeasuredRows> {
    const auto series = find_series(connection, intensity_subject(key));
    return series ? read_measured(connection, *series, interval) : MeasuredRows{};
  });
}

Result<std::optional<ForecastIssue>> IntensityRepository::forecast(const SeriesKey& key, Instant as_of) const {
  return database_.read([&](SQLite::Database& connection) -> Result<std::optional<ForecastIssue>> {
    const auto series = find_series(connection, intensity_subject(key));
    const auto issue = series ? read_issue(connection, *series, as_of) : std::nullopt;
    if (!issue) return std::nullopt;
    return ForecastIssue{issue->issued_at, steps_of(issue->steps)};
  });
}

Result<std::optional<ForecastGround>> IntensityRepository::ground(const SeriesKey& key, Instant issued_at) const {
  return database_.read([&](SQLite::Database& connection) -> Result<std::optional<ForecastGround>> {
    const auto series = find_series(connection, intensity_subject(key));
    return series ? read_ground(connection, *series, issued_at) : std::nullopt;
  });
}

Result<std::vector<Instant>> IntensityRepository::issues(const SeriesKey& key, Interval interval,
                                                         std::size_t limit) const {
  return database_.read([&](SQLite::Database& connection) -> Result<std::vector<Instant>> {
    const auto series = find_series(connection, intensity_subject(key));
    return series ? read_issue_instants(connection, *series, interval, limit) : std::vector<Instant>{};
  });
}

Result<std::vector<SourcedPrice>> IntensityRepository::prices(const Zone& zone, Interval interval) const {
  return database_.read([&](SQLite::Database& connection) -> Result<std::vector<SourcedPrice>> {
    std::vector<SourcedPrice> prices;
    for (const NumberedSource& series : price_series_of(connection, zone)) {
      for (scheduler::PriceReading& price : read_prices(connection, series.series, zone, interval)) {
        prices.push_back({series.source, std::move(price)});
      }
    }
    return prices;
  });
}

Result<std::vector<Zone>> IntensityRepository::price_zones() const {
  return database_.read(
      [](SQLite::Database& connection) -> Result<std::vector<Zone>> { return zones_with_prices(connection); });
}

Result<std::vector<GridForecastReading>> IntensityRepository::grid_forecast(const std::string& source, const Zone& zone,
                                                                            scheduler::GridQuantity quantity,
                                                                            Instant as_of) const {
  return database_.read([&](SQLite::Database& connection) -> Result<std::vector<GridForecastReading>> {
    std::vector<GridForecastReading> readings;
    const auto series = find_series(connection, grid_subject(source, zone, quantity));
    const auto issue = series ? read_issue(connection, *series, as_of) : std::nullopt;
    if (!issue) return readings;
    for (const ForecastStep& step : issue->steps) {
      readings.push_back({zone, quantity, step.interval, scheduler::Power::of_base(step.value), issue->issued_at});
    }
    return readings;
  });
}

Result<std::vector<RejectionCount>> IntensityRepository::rejections() const {
  return database_.read([](SQLite::Database& connection) -> Result<std::vector<RejectionCount>> {
    SQLite::Statement query{connection,
                            "SELECT source, zone, reason, count, latest_start, latest_detail, latest_at FROM rejection "
                            "ORDER BY source, zone, reason"};
    std::vector<RejectionCount> counts;
    while (query.executeStep()) {
      const auto zone = Zone::make(query.getColumn(1).getString());
      const auto reason = rejection_reason_from_text(query.getColumn(2).getString());
      if (!zone || !reason) continue;
      std::optional<Instant> start;
      if (!query.isColumnNull(4)) start = instant(query.getColumn(4).getInt64());
      counts.push_back({query.getColumn(0).getString(), *zone, *reason, query.getColumn(3).getInt64(), start,
                        query.getColumn(5).getString(), instant(query.getColumn(6).getInt64())});
    }
    return counts;
  });
}

Result<std::map<std::string, std::string>> IntensityRepository::attributions() const {
  return database_.read([](SQLite::Database& connection) -> Result<std::map<std::string, std::string>> {
    SQLite::Statement query{connection, "SELECT source, attribution FROM source_note"};
    std::map<std::string, std::string> notes;
    while (query.executeStep()) notes[query.getColumn(0).getString()] = query.getColumn(1).getString();
    return notes;
  });
}

}  // namespace valle::service::store
