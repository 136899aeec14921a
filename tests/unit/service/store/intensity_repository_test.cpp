// SPDX-License-Identifier: Apache-2.0
#include "service/store/intensity_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::store {
namespace {

using namespace scheduler;  // NOLINT: a test speaks the whole vocabulary
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tests::a_harvest;
using tests::a_reading;
using tests::at;
using tests::forecast_hours;
using tests::hours;

constexpr const char* k_source = "electricity-maps";
const Interval k_always{Instant{Duration{0}}, Instant{std::chrono::hours{24 * 365 * 200}}};

SeriesKey key(std::string_view zone, Scope scope = Scope::lifecycle) {
  return {k_source, {Zone::of(zone), {scope, Basis::average, Method::consumption}}};
}

class IntensityRepositoryTest : public ::testing::Test {
 protected:
  StoreReport store(const Harvest& harvest, const char* source = k_source) {
    return repository_.store(source, Zone::of("FR"), harvest, at("2027-12-31T00:00:00Z")).value();
  }
  StoreReport store(std::vector<IntensityReading> readings) { return store(a_harvest(std::move(readings))); }

  /// Values in g/kWh.
  std::vector<double> values(const SeriesKey& series, Interval interval = k_always) {
    std::vector<double> grams;
    const MeasuredRows rows = repository_.measured(series, interval).value();
    for (const Step& step : rows.steps) {
      grams.push_back(grams_per_kwh(step.value));
    }
    return grams;
  }
  std::vector<double> forecast(const SeriesKey& series, std::string_view as_of) {
    std::vector<double> grams;
    const auto issue = repository_.forecast(series, at(as_of)).value();
    if (!issue) return grams;
    for (const Step& step : issue->steps) grams.push_back(grams_per_kwh(step.value));
    return grams;
  }
  int ask(const std::string& sql) {
    return database_
        ->read([&](SQLite::Database& connection) -> Result<int> { return connection.execAndGet(sql).getInt(); })
        .value();
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Database> database_ = open_store(folder_ / "valle.db").value();
  IntensityRepository repository_{*database_};
};

TEST_F(IntensityRepositoryTest, the_latest_revision_counts_whatever_the_order_of_arrival) {
  const auto version = [](double grams, std::string_view updated) {
    return std::vector<IntensityReading>{a_reading("ES", "2027-07-01T06:00:00Z", grams).updated(updated)};
  };
  EXPECT_EQ(store(version(212, "2027-07-01T12:05:00Z")).measured, (RowCounts{1, 0, 0, 0}));
  EXPECT_THAT(values(key("ES")), ElementsAre(212));
  EXPECT_EQ(store(version(187, "2027-07-03T09:30:00Z")).measured, (RowCounts{0, 1, 0, 0}));
  EXPECT_THAT(values(key("ES")), ElementsAre(187));
  EXPECT_EQ(store(version(205, "2027-07-02T08:00:00Z")).measured, (RowCounts{0, 0, 0, 1}));
  EXPECT_THAT(values(key("ES")), ElementsAre(187));
  EXPECT_EQ(repository_.measured(key("ES"), k_always)->updated_at, at("2027-07-03T09:30:00Z"));
}

TEST_F(IntensityRepositoryTest, the_same_row_again_changes_nothing) {
  ASSERT_EQ(store(hours("FR", "2027-07-01T00:00:00Z", {40, 41})).measured.added, 2u);
  const StoreReport again = store(hours("FR", "2027-07-01T00:00:00Z", {40, 41}));
  EXPECT_EQ(again.measured, (RowCounts{0, 0, 2, 0}));
  EXPECT_THAT(again.changes, IsEmpty());
}

TEST_F(IntensityRepositoryTest, the_same_content_said_again_later_is_unchanged_but_newer) {
  store({a_reading("FR", "2027-07-01T00:00:00Z", 40).updated("2027-07-01T02:00:00Z")});
  const StoreReport later = store({a_reading("FR", "2027-07-01T00:00:00Z", 40).updated("2027-07-01T09:00:00Z")});
  EXPECT_EQ(later.measured.unchanged, 1u);
  EXPECT_EQ(store({a_reading("FR", "2027-07-01T00:00:00Z", 44).updated("2027-07-01T05:00:00Z")}).measured.outdated, 1u);
  EXPECT_THAT(values(key("FR")), ElementsAre(40));
}

TEST_F(IntensityRepositoryTest, a_measured_value_takes_the_place_of_an_estimate_and_not_the_other_way_round) {
  std::vector<IntensityReading> first = hours("FR", "2027-08-20T00:00:00Z", {27, 26, 26, 25, 24, 26});
  for (const std::size_t i : {0u, 3u, 4u, 5u}) first[i].estimated = true;
  store(first);
  const auto estimated = [&] {
    const auto rows = repository_.measured(key("FR"), k_always).value().steps;
    return std::count_if(rows.begin(), rows.end(), [](const Step& step) { return step.estimated; });
  };
  EXPECT_EQ(estimated(), 4);
  EXPECT_EQ(store({a_reading("FR", "2027-08-20T03:00:00Z", 31).updated("2027-08-20T10:41:00Z"),
                   a_reading("FR", "2027-08-20T04:00:00Z", 29).updated("2027-08-20T11:41:00Z")})
                .measured.revised,
            2u);
  EXPECT_THAT(values(key("FR")), ElementsAre(27, 26, 26, 31, 29, 26));
  EXPECT_EQ(estimated(), 2);

  const auto estimate = [](std::string_view updated) {
    return std::vector<IntensityReading>{a_reading("FR", "2027-08-20T03:00:00Z", 99).updated(updated).estimated()};
  };
  EXPECT_EQ(store(estimate("2027-08-20T10:41:00Z")).measured.outdated, 1u);  // as old as the measured one
  EXPECT_EQ(store(estimate("2027-08-20T09:00:00Z")).measured.outdated, 1u);
  EXPECT_THAT(values(key("FR")), ElementsAre(27, 26, 26, 31, 29, 26));
  // The same stamp, now measured: takes the estimate's place.
  store({a_reading("FR", "2027-08-20T05:00:00Z", 28).updated("2027-08-20T11:00:00Z").estimated()});
  EXPECT_EQ(store({a_reading("FR", "2027-08-20T05:00:00Z", 30).updated("2027-08-20T11:00:00Z")}).measured.revised, 1u);
}

TEST_F(IntensityRepositoryTest, scopes_and_sources_are_kept_apart) {
  store({a_reading("DE", "2027-03-04T12:00:00Z", 412),
         a_reading("DE", "2027-03-04T12:00:00Z", 371).scope(Scope::direct),
         a_reading("DE", "2027-03-04T13:00:00Z", 405)});
  store(a_harvest({a_reading("DE", "2027-03-04T12:00:00Z", 300)}), "energy-charts");
  EXPECT_THAT(values(key("DE")), ElementsAre(412, 405));
  EXPECT_THAT(values(key("DE", Scope::direct)), ElementsAre(371));
  EXPECT_EQ(repository_.series().value().size(), 3u);
}

TEST_F(IntensityRepositoryTest, a_range_holds_the_rows_that_overlap_it) {
  store(hours("FR", "2027-06-08T08:00:00Z", {83, 79, 74, 70, 68, 71}));
  const auto range = [&](std::string_view from, std::string_view to) { return values(key("FR"), {at(from), at(to)}); };
  EXPECT_THAT(range("2027-06-08T10:00:00Z", "2027-06-08T12:00:00Z"), ElementsAre(74, 70));
  EXPECT_THAT(range("2027-06-08T10:30:00Z", "2027-06-08T12:00:00Z"), ElementsAre(74, 70));
  EXPECT_THAT(range("2027-06-08T08:00:00Z", "2027-06-08T09:00:00Z"), ElementsAre(83));
  EXPECT_THAT(range("2027-06-07T00:00:00Z", "2027-06-08T00:00:00Z"), IsEmpty());
}

TEST_F(IntensityRepositoryTest, a_change_names_the_time_it_covers) {
  store(hours("FR", "2027-06-08T08:00:00Z", {83, 79, 74, 70}));
  std::vector<IntensityReading> again = hours("FR", "2027-06-08T08:00:00Z", {83, 80, 74, 70, 71});
  const StoreReport report = store(again);
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].key, key("FR"));
  EXPECT_EQ(report.changes[0].measured, (Interval{at("2027-06-08T09:00:00Z"), at("2027-06-08T13:00:00Z")}));
  EXPECT_FALSE(report.changes[0].forecast);
}

TEST_F(IntensityRepositoryTest, forecasts_are_kept_by_issue_and_asked_as_of_any_moment) {
  store(forecast_hours("ES", "2027-01-09T16:00:00Z", "2027-01-09T15:10:00Z", {63, 61, 60}));
  store(forecast_hours("ES", "2027-01-09T17:00:00Z", "2027-01-09T16:10:00Z", {62, 60, 57}));
  EXPECT_THAT(forecast(key("ES"), "2027-01-09T15:09:59Z"), IsEmpty());
  EXPECT_THAT(forecast(key("ES"), "2027-01-09T15:10:00Z"), ElementsAre(63, 61, 60));
  EXPECT_THAT(forecast(key("ES"), "2027-01-09T16:09:59Z"), ElementsAre(63, 61, 60));
  EXPECT_THAT(forecast(key("ES"), "2028-01-01T00:00:00Z"), ElementsAre(62, 60, 57));
  EXPECT_THAT(repository_.issues(key("ES"), k_always, 10).value(),
              ElementsAre(at("2027-01-09T15:10:00Z"), at("2027-01-09T16:10:00Z")));
  EXPECT_THAT(repository_.issues(key("ES"), k_always, 1).value(), ElementsAre(at("2027-01-09T15:10:00Z")));
  EXPECT_THAT(values(key("ES")), IsEmpty());
}

TEST_F(IntensityRepositoryTest, an_issue_that_comes_in_parts_is_united) {
  store(forecast_hours("ES", "2027-01-09T16:00:00Z", "2027-01-09T15:10:00Z", {63, 61}));
  const StoreReport more = store(forecast_hours("ES", "2027-01-09T17:00:00Z", "2027-01-09T15:10:00Z", {61.5, 60, 58}));
  EXPECT_EQ(more.forecast, (RowCounts{2, 1, 0, 0}));
  EXPECT_THAT(forecast(key("ES"), "2027-01-09T18:00:00Z"), ElementsAre(63, 61.5, 60, 58));
  EXPECT_EQ(store(forecast_hours("ES", "2027-01-09T16:00:00Z", "2027-01-09T15:10:00Z", {63})).forecast.unchanged, 1u);
  EXPECT_EQ(ask("SELECT count(*) FROM forecast_block"), 1);  // the block that was replaced is gone
}

TEST_F(IntensityRepositoryTest, an_unchanged_reissue_shares_the_block_of_its_neighbour) {
  for (const char* issued : {"2027-01-09T10:00:00Z", "2027-01-09T12:00:00Z", "2027-01-09T11:00:00Z"}) {
    const StoreReport report = store(forecast_hours("ES", "2027-01-09T16:00:00Z", issued, {63, 61, 60}));
    EXPECT_TRUE(report.changes.at(0).forecast);
  }
  EXPECT_EQ(ask("SELECT count(*) FROM forecast_issue"), 3);
  EXPECT_EQ(ask("SELECT count(*) FROM forecast_block"), 1);
  EXPECT_EQ(repository_.forecast(key("ES"), at("2027-01-09T11:30:00Z")).value()->issued_at, at("2027-01-09T11:00:00Z"));
}

TEST_F(IntensityRepositoryTest, a_damaged_forecast_is_named) {
  store(forecast_hours("ES", "2027-01-09T16:00:00Z", "2027-01-09T15:10:00Z", {63, 61, 60}));
  ASSERT_TRUE(database_->write([](SQLite::Database& connection) -> Result<void> {
    connection.exec("UPDATE forecast_block SET steps = x'FFFF'");
    return {};
  }));
  const Error error = repository_.forecast(key("ES"), at("2027-01-10T00:00:00Z")).error();
  EXPECT_EQ(error.code, Errc::storage_failed);
  EXPECT_THAT(error.detail, ::testing::HasSubstr("is damaged"));
}

TEST_F(IntensityRepositoryTest, prices_may_be_negative_and_are_revised) {
  const auto price = [](std::string_view start, double eur, std::string_view updated) {
    return PriceReading{
        Zone::of("FR"), {at(start), at(start) + std::chrono::hours{1}}, price_from_eur_per_mwh(eur), at(updated)};
  };
  Harvest harvest;
  harvest.prices = {price("2027-05-01T10:00:00Z", -12.5, "2027-04-30T13:00:00Z"),
                    price("2027-05-01T11:00:00Z", 0, "2027-04-30T13:00:00Z")};
  EXPECT_THAT(store(harvest).price_zones, ElementsAre(Zone::of("FR")));
  harvest.prices = {price("2027-05-01T11:00:00Z", 3, "2027-04-30T15:00:00Z")};
  EXPECT_EQ(store(harvest).prices.revised, 1u);
  const auto known = repository_.prices(Zone::of("FR"), k_always).value();
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(eur_per_mwh(known[0].price.value), -12.5);
  EXPECT_EQ(eur_per_mwh(known[1].price.value), 3);
  EXPECT_THAT(repository_.price_zones().value(), ElementsAre(Zone::of("FR")));
  EXPECT_THAT(repository_.prices(Zone::of("ES"), k_always).value(), IsEmpty());
}

TEST_F(IntensityRepositoryTest, grid_forecasts_are_kept_by_issue) {
  const auto wind = [](double watts, std::string_view issued) {
    Harvest harvest;
    harvest.grid_forecasts = {{Zone::of("ES"),
                               GridQuantity::wind,
                               {at("2027-05-02T10:00:00Z"), at("2027-05-02T11:00:00Z")},
                               power_from_watts(watts),
                               at(issued)}};
    return harvest;
  };
  store(wind(5.25e9, "2027-05-01T09:00:00Z"));
  store(wind(6e9, "2027-05-01T18:00:00Z"));
  const auto as_of = [&](std::string_view moment) {
    return repository_.grid_forecast(k_source, Zone::of("ES"), GridQuantity::wind, at(moment)).value();
  };
  EXPECT_THAT(as_of("2027-05-01T08:00:00Z"), IsEmpty());
  EXPECT_EQ(as_of("2027-05-01T12:00:00Z"), wind(5.25e9, "2027-05-01T09:00:00Z").grid_forecasts);
  EXPECT_EQ(as_of("2027-05-03T00:00:00Z"), wind(6e9, "2027-05-01T18:00:00Z").grid_forecasts);
}

TEST_F(IntensityRepositoryTest, what_was_refused_is_counted_with_its_latest_example) {
  Harvest harvest;
  harvest.rejected = {{at("2027-02-05T08:00:00Z"), RejectionReason::missing, "carbonIntensity is null"},
                      {at("2027-02-05T09:00:00Z"), RejectionReason::missing, "carbonIntensity is null"},
                      {std::nullopt, RejectionReason::bad_time, "datetime is \"soon\""}};
  EXPECT_EQ(store(harvest).rejected.at(RejectionReason::missing), 2u);
  store(harvest);
  const auto counts = repository_.rejections().value();
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].reason, RejectionReason::bad_time);
  EXPECT_EQ(counts[0].count, 2);
  EXPECT_FALSE(counts[0].latest_start);
  EXPECT_EQ(counts[1].count, 4);
  EXPECT_EQ(counts[1].latest_start, at("2027-02-05T09:00:00Z"));
}

TEST_F(IntensityRepositoryTest, retention_deletes_what_is_too_old_a_little_at_a_time) {
  store(hours("FR", "2027-06-01T00:00:00Z", {1, 2, 3, 4, 5}));
  for (const char* issued : {"2027-06-01T00:00:00Z", "2027-06-01T01:00:00Z", "2027-06-01T02:00:00Z"}) {
    store(forecast_hours("FR", "2027-06-02T00:00:00Z", issued, {7}));
  }
  const Retention retention{std::chrono::hours{1}, std::chrono::hours{2}};
  const Instant now = at("2027-06-01T05:00:00Z");  // issues before 04:00 and rows before 03:00 go
  EXPECT_EQ(repository_.prune(now, retention, 2), 2u);
  EXPECT_EQ(repository_.prune(now, retention, 2), 2u);
  EXPECT_EQ(repository_.prune(now, retention, 2), 2u);
  EXPECT_EQ(repository_.prune(now, retention, 2), 0u);
  EXPECT_THAT(values(key("FR")), ElementsAre(4, 5));
  EXPECT_EQ(ask("SELECT count(*) FROM forecast_block"), 0);
}

TEST_F(IntensityRepositoryTest, a_harvest_that_does_not_fit_the_disk_is_stored_not_even_in_part) {
  ASSERT_TRUE(database_->outside_transaction([](SQLite::Database& connection) -> Result<void> {
    connection.exec("PRAGMA max_page_count = 40");
    return {};
  }));
  std::vector<IntensityReading> many;
  for (Instant hour = at("2027-01-01T00:00:00Z"); many.size() < 9'000; hour += std::chrono::hours{1}) {
    many.push_back(tests::ReadingBuilder{"FR", hour, 50});
  }
  const Result<StoreReport> report =
      repository_.store(k_source, Zone::of("FR"), a_harvest(many), at("2028-01-01T00:00:00Z"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::storage_failed);
  EXPECT_THAT(report.error().detail, ::testing::HasSubstr("is full"));
  EXPECT_THAT(values(key("FR")), IsEmpty());
  EXPECT_THAT(repository_.series().value(), IsEmpty());
}

TEST_F(IntensityRepositoryTest, a_row_that_ends_before_it_begins_refuses_the_whole_answer) {
  const auto report = repository_.store(k_source, Zone::of("FR"),
                                        a_harvest({a_reading("FR", "2027-06-01T00:00:00Z", 50),
                                                   a_reading("FR", "2027-06-01T01:00:00Z", 50).lasting(Duration{0})}),
                                        at("2028-01-01T00:00:00Z"));
  EXPECT_EQ(report.error().code, Errc::invalid_request);
  EXPECT_THAT(values(key("FR")), IsEmpty());
}

TEST_F(IntensityRepositoryTest, attribution_is_remembered) {
  ASSERT_TRUE(repository_.note_attribution("esios", "Red Eléctrica"));
  ASSERT_TRUE(repository_.note_attribution("esios", "Red Eléctrica (ESIOS)"));
  EXPECT_EQ(repository_.attributions().value().at("esios"), "Red Eléctrica (ESIOS)");
}

OwnIssue an_own_issue(std::string_view issued, const std::string& grade, double grams) {
  const Instant begin = at(issued);
  OwnIssue own{.identity = key("FR").identity,
               .issue = {begin, {}},
               .ground = {grade, "because", "untrained", {{{begin, begin + std::chrono::hours{3}}, k_one, k_one}}}};
  own.ground.band.front().low = Ratio::of_base(900'000);
  own.ground.band.front().high = Ratio::of_base(1'250'000);
  for (int hour = 0; hour < 3; ++hour) {
    const Instant from = begin + std::chrono::hours{hour};
    own.issue.steps.push_back(
        {{from, from + std::chrono::hours{1}}, intensity_from_grams_per_kwh(grams), ReadingKind::forecast, false});
  }
  return own;
}

TEST_F(IntensityRepositoryTest, own_forecasts_are_issues_that_know_what_they_rest_on) {
  const OwnIssue first = an_own_issue("2027-06-01T10:00:00Z", "fair", 50);
  const OwnIssue second = an_own_issue("2027-06-01T11:00:00Z", "good", 60);
  const auto report = repository_.store(first).value();
  ASSERT_EQ(report.changes.size(), 1U);
  EXPECT_TRUE(report.changes[0].forecast);
  ASSERT_TRUE(repository_.store(second));
  SeriesKey own = key("FR");
  own.source = k_own_source;
  EXPECT_THAT(forecast(own, "2027-06-01T10:59:59Z"), ElementsAre(50, 50, 50));
  EXPECT_THAT(forecast(own, "2027-06-01T11:00:00Z"), ElementsAre(60, 60, 60));
  EXPECT_EQ(repository_.ground(own, at("2027-06-01T10:00:00Z")).value(), first.ground);
  EXPECT_EQ(repository_.ground(own, at("2027-06-01T11:00:00Z")).value(), second.ground);
  EXPECT_FALSE(repository_.ground(own, at("2027-06-01T10:30:00Z")).value());
  EXPECT_FALSE(repository_.ground(key("FR"), at("2027-06-01T10:00:00Z")).value());
}

TEST_F(IntensityRepositoryTest, an_own_forecast_made_again_at_the_same_instant_replaces_the_first) {
  ASSERT_TRUE(repository_.store(an_own_issue("2027-06-01T10:00:00Z", "fair", 50)));
  const OwnIssue again = an_own_issue("2027-06-01T10:00:00Z", "good", 55);
  ASSERT_TRUE(repository_.store(again));
  SeriesKey own = key("FR");
  own.source = k_own_source;
  EXPECT_THAT(forecast(own, "2027-06-01T10:00:00Z"), ElementsAre(55, 55, 55));
  EXPECT_EQ(repository_.ground(own, at("2027-06-01T10:00:00Z")).value(), again.ground);
  EXPECT_EQ(ask("SELECT count(*) FROM own_forecast"), 1);
}

TEST_F(IntensityRepositoryTest, what_a_forecast_rested_on_is_pruned_with_it) {
  ASSERT_TRUE(repository_.store(an_own_issue("2027-06-01T10:00:00Z", "fair", 50)));
  ASSERT_TRUE(repository_.store(an_own_issue("2027-06-03T10:00:00Z", "good", 50)));
  const Retention retention{.forecasts = std::chrono::days{1}, .rows = std::chrono::days{10}};
  ASSERT_TRUE(repository_.prune(at("2027-06-03T12:00:00Z"), retention, 100));
  EXPECT_EQ(ask("SELECT count(*) FROM own_forecast"), 1);
  EXPECT_EQ(ask("SELECT count(*) FROM forecast_ground"), 1);
}

}  // namespace
}  // namespace valle::service::store
