// SPDX-License-Identifier: Apache-2.0
#include "service/app/intensity_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::app {
namespace {

using namespace scheduler;  // NOLINT: a test speaks the whole vocabulary
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::a_harvest;
using tests::a_reading;
using tests::at;
using tests::forecast_hours;
using tests::hours;
using Book = std::shared_ptr<const IntensityBook>;

constexpr const char* k_em = "electricity-maps";
constexpr const char* k_ec = "energy-charts";

std::vector<IntensityReading> operator+(std::vector<IntensityReading> a, const std::vector<IntensityReading>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<IntensityReading> by(Method method, std::vector<IntensityReading> readings) {
  for (IntensityReading& reading : readings) reading.identity.accounting.method = method;
  return readings;
}

Book empty_book() { return std::make_shared<IntensityBook>(std::vector<std::string>{k_em, k_ec, "files"}); }

Book with(const Book& book, const std::string& source, std::vector<IntensityReading> readings) {
  return book->with(source, "by " + source, a_harvest(std::move(readings))).value();
}

Interval between(std::string_view from, std::string_view to) { return {at(from), at(to)}; }

std::vector<double> grams_of(const std::vector<Step>& steps) {
  std::vector<double> grams;
  for (const Step& step : steps) grams.push_back(grams_per_kwh(step.value));
  return grams;
}

std::vector<Zone> zones(std::initializer_list<const char*> names) {
  std::vector<Zone> result;
  for (const char* name : names) result.push_back(Zone::of(name));
  return result;
}

/// A question about the day of 9 January 2027, asked at its 06:30.
Choice choose(const Book& book, const std::vector<Zone>& asked, Duration needed = std::chrono::hours{2}) {
  return book->choose(
      {asked, between("2027-01-09T06:00:00Z", "2027-01-09T12:00:00Z"), needed, at("2027-01-09T06:30:00Z")});
}

TEST(IntensityBook, the_value_in_force_stamps_the_start_of_its_hour) {
  const Book book = with(empty_book(), k_em, hours("FR", "2027-05-31T10:00:00Z", {40, 70, 90}));
  const auto value = [&](std::string_view t) -> std::optional<double> {
    const auto known = book->value_at(Zone::of("FR"), at(t));
    return known ? std::optional{grams_per_kwh(known->step.value)} : std::nullopt;
  };
  EXPECT_EQ(value("2027-05-31T10:00:00Z"), 40);
  EXPECT_EQ(value("2027-05-31T10:59:59Z"), 40);
  EXPECT_EQ(value("2027-05-31T11:00:00Z"), 70);
  EXPECT_EQ(value("2027-05-31T13:00:00Z"), std::nullopt);
}

TEST(IntensityBook, the_newest_value_says_that_it_is_an_estimate_and_measured_ones_can_be_asked_alone) {
  std::vector<IntensityReading> readings = hours("DE", "2027-08-19T08:00:00Z", {355, 348, 341, 329});
  readings[2].estimated = readings[3].estimated = true;
  const Book book = with(empty_book(), k_em, readings);
  const Instant now = at("2027-08-19T11:20:00Z");
  const auto current = book->value_at(Zone::of("DE"), now).value();
  EXPECT_EQ(current.step.interval.begin, at("2027-08-19T11:00:00Z"));
  EXPECT_TRUE(current.step.estimated);
  const auto measured = book->newest_measured(Zone::of("DE"), now, Estimates::without).value();
  EXPECT_EQ(measured.step.interval.begin, at("2027-08-19T09:00:00Z"));
  EXPECT_EQ(measured.step.value, intensity_from_grams_per_kwh(348));
  EXPECT_EQ(book->newest_measured(Zone::of("DE"), now, Estimates::with)->step.interval.begin,
            at("2027-08-19T11:00:00Z"));
  EXPECT_EQ(book->newest_measured(Zone::of("DE"), at("2027-08-19T07:00:00Z"), Estimates::with), std::nullopt);
}

TEST(IntensityBook, rows_of_a_range_are_half_open) {
  const Book book = with(empty_book(), k_em, hours("FR", "2027-06-08T08:00:00Z", {83, 79, 74, 70, 68, 71}));
  const auto range = [&](std::string_view from, std::string_view to) {
    return grams_of(book->rows({Zone::of("FR"), between(from, to), at("2027-06-09T00:00:00Z")}).rows);
  };
  EXPECT_THAT(range("2027-06-08T10:00:00Z", "2027-06-08T12:00:00Z"), ElementsAre(74, 70));
  EXPECT_THAT(range("2027-06-08T10:30:00Z", "2027-06-08T12:00:00Z"), ElementsAre(74, 70));
  EXPECT_THAT(range("2027-06-08T08:00:00Z", "2027-06-08T09:00:00Z"), ElementsAre(83));
}

TEST(IntensityBook, a_day_without_data_is_one_gap_and_not_the_newest_value) {
  const Book book = with(empty_book(), k_em, hours("ES", "2027-06-09T00:00:00Z", {140, 138, 135, 131}));
  const Interval day = between("2027-06-07T00:00:00Z", "2027-06-08T00:00:00Z");
  for (const char* zone : {"ES", "FR"}) {
    const KnownRows known = book->rows({Zone::of(zone), day, at("2027-06-09T04:10:00Z")});
    EXPECT_THAT(known.rows, IsEmpty());
    EXPECT_THAT(known.gaps, ElementsAre(day));
    EXPECT_FALSE(known.chosen);
  }
}

TEST(IntensityBook, a_hole_is_stated_with_its_bounds) {
  const Book book = with(empty_book(), k_em, hours("ES", "2027-01-09T00:00:00Z", {88, 85, -1, -1, -1, 92, 90}));
  const KnownRows known =
      book->rows({Zone::of("ES"), between("2027-01-09T00:00:00Z", "2027-01-09T07:00:00Z"), at("2027-01-09T08:00:00Z")});
  EXPECT_THAT(grams_of(known.rows), ElementsAre(88, 85, 92, 90));
  EXPECT_THAT(known.gaps, ElementsAre(between("2027-01-09T02:00:00Z", "2027-01-09T05:00:00Z")));
}

TEST(IntensityBook, the_horizon_ends_where_the_last_value_ends) {
  const Book book =
      with(empty_book(), k_em, forecast_hours("ES", "2027-01-09T16:00:00Z", "2027-01-09T15:10:00Z", {63, 61, 60, 58}));
  const KnownRows known =
      book->rows({Zone::of("ES"), between("2027-01-09T16:00:00Z", "2027-01-10T00:00:00Z"), at("2027-01-09T15:30:00Z")});
  EXPECT_THAT(grams_of(known.rows), ElementsAre(63, 61, 60, 58));
  EXPECT_EQ(known.known_until, at("2027-01-09T20:00:00Z"));
  EXPECT_THAT(known.gaps, ElementsAre(between("2027-01-09T20:00:00Z", "2027-01-10T00:00:00Z")));
}

TEST(IntensityBook, measured_wins_over_forecast_and_both_can_be_asked_alone) {
  const Book book = with(empty_book(), k_em,
                         hours("FR", "2027-01-09T06:00:00Z", {50, 51}) +
                             forecast_hours("FR", "2027-01-09T07:00:00Z", "2027-01-09T06:10:00Z", {99, 60, 61}));
  RowsQuestion question{Zone::of("FR"), between("2027-01-09T06:00:00Z", "2027-01-09T10:00:00Z"),
                        at("2027-01-09T08:10:00Z")};
  EXPECT_THAT(grams_of(book->rows(question).rows), ElementsAre(50, 51, 60, 61));
  question.kind = ReadingKind::measured;
  EXPECT_THAT(grams_of(book->rows(question).rows), ElementsAre(50, 51));
  EXPECT_THAT(book->rows(question).gaps, ElementsAre(between("2027-01-09T08:00:00Z", "2027-01-09T10:00:00Z")));
  question.kind = ReadingKind::forecast;
  EXPECT_THAT(grams_of(book->rows(question).rows), ElementsAre(99, 60, 61));
}

TEST(IntensityBook, scopes_are_two_series) {
  const Book book = with(empty_book(), k_em,
                         {a_reading("DE", "2027-03-04T12:00:00Z", 412), a_reading("DE", "2027-03-04T13:00:00Z", 405),
                          a_reading("DE", "2027-03-04T12:00:00Z", 371).scope(Scope::direct)});
  RowsQuestion question{Zone::of("DE"), between("2027-03-04T12:00:00Z", "2027-03-04T14:00:00Z"),
                        at("2027-03-05T00:00:00Z")};
  question.scope = Scope::lifecycle;
  EXPECT_THAT(grams_of(book->rows(question).rows), ElementsAre(412, 405));
  question.scope = Scope::direct;
  EXPECT_THAT(grams_of(book->rows(question).rows), ElementsAre(371));
  EXPECT_THAT(book->rows(question).gaps, ElementsAre(between("2027-03-04T13:00:00Z", "2027-03-04T14:00:00Z")));
}

TEST(IntensityBook, a_source_that_changes_its_step_is_told_by_the_finer_one) {
  std::vector<IntensityReading> readings = hours("FR", "2027-01-09T06:00:00Z", {50, 51});
  readings.push_back(a_reading("FR", "2027-01-09T06:15:00Z", 40).lasting(std::chrono::minutes{15}));
  const Book book = with(empty_book(), k_ec, readings);
  const KnownRows known =
      book->rows({Zone::of("FR"), between("2027-01-09T06:00:00Z", "2027-01-09T08:00:00Z"), at("2027-01-09T09:00:00Z")});
  EXPECT_THAT(grams_of(known.rows), ElementsAre(50, 40, 50, 51));
  EXPECT_EQ(known.rows[1].interval, between("2027-01-09T06:15:00Z", "2027-01-09T06:30:00Z"));
}

TEST(Choice, one_identity_serves_all_zones_that_of_the_first_source_that_covers_most) {
  Book book = with(empty_book(), k_em, hours("FR", "2027-01-09T06:00:00Z", {50, 50, 50}));
  book = with(book, k_ec,
              by(Method::production, hours("FR", "2027-01-09T06:00:00Z", {30, 30, 30}) +
                                         hours("DE", "2027-01-09T06:00:00Z", {300, 300, 300})));
  const Choice choice = choose(book, zones({"FR", "DE"}));
  EXPECT_EQ(choice.accounting->method, Method::production);
  ASSERT_EQ(choice.zones.size(), 2u);
  EXPECT_EQ(choice.zones[0].source, k_ec);
  EXPECT_EQ(choice.zones[1].source, k_ec);
  EXPECT_EQ(choice.zones[0].attribution, "by energy-charts");
  // For France alone the first source of the order serves.
  EXPECT_EQ(choose(book, zones({"FR"})).zones.at(0).source, k_em);
}

TEST(Choice, zones_that_cannot_be_had_that_way_are_left_out_with_the_reason) {
  Book book = with(empty_book(), k_em,
                   hours("FR", "2027-01-09T06:00:00Z", {50, 50, 50}) +
                       hours("ES", "2027-01-09T06:00:00Z", {90, 90, 90}) + hours("PT", "2027-01-09T06:00:00Z", {80}));
  book = with(book, k_ec, by(Method::production, hours("DE", "2027-01-09T06:00:00Z", {300, 300, 300})));
  const Choice choice = choose(book, zones({"DE", "FR", "ES", "PT", "IT"}));
  EXPECT_EQ(choice.accounting->method, Method::consumption);
  ASSERT_EQ(choice.left_out.size(), 3u);
  EXPECT_EQ(choice.left_out[0].zone, 0u);
  EXPECT_THAT(choice.left_out[0].reason, HasSubstr("energy-charts has DE as lifecycle, average, production only"));
  EXPECT_EQ(choice.left_out[1].zone, 3u);
  EXPECT_THAT(choice.left_out[1].reason, HasSubstr("no source knows PT for PT2H in a row"));
  EXPECT_THAT(choice.left_out[1].reason, HasSubstr("until 2027-01-09T07:00:00Z"));
  EXPECT_EQ(choice.left_out[2].reason, "no source has data of IT");
}

TEST(Choice, another_source_of_the_same_identity_fills_in_for_a_zone) {
  Book book = with(empty_book(), k_em,
                   hours("FR", "2027-01-09T06:00:00Z", {50, 50, 50}) + hours("ES", "2027-01-09T06:00:00Z", {90}));
  book = with(book, "files", hours("ES", "2027-01-09T06:00:00Z", {91, 92, 93}));
  const Choice choice = choose(book, zones({"FR", "ES"}));
  ASSERT_EQ(choice.zones.size(), 2u);
  EXPECT_EQ(choice.zones[0].source, k_em);
  EXPECT_EQ(choice.zones[1].source, "files");
}

TEST(Choice, a_hole_is_no_cover) {
  const Book book = with(empty_book(), k_em, hours("FR", "2027-01-09T06:00:00Z", {50, 50, -1, 50, 50}));
  EXPECT_EQ(choose(book, zones({"FR"}), std::chrono::hours{2}).zones.size(), 1u);
  EXPECT_EQ(choose(book, zones({"FR"}), Duration{7201}).zones.size(), 0u);
  EXPECT_FALSE(choose(book, zones({"FR"}), Duration{7201}).accounting);
}

TEST(Choice, nothing_known_leaves_every_zone_out) {
  const Choice choice = choose(empty_book(), zones({"FR", "ES"}));
  EXPECT_FALSE(choice.accounting);
  EXPECT_EQ(choice.left_out.size(), 2u);
}

TEST(Choice, the_sample_is_never_used_beside_real_data) {
  const Book sample =
      with(empty_book(), "sample",
           hours("FR", "2027-01-09T06:00:00Z", {50, 50, 50}) + hours("ES", "2027-01-09T06:00:00Z", {90, 90, 90}));
  const Choice alone = choose(sample, zones({"FR", "ES"}));
  ASSERT_EQ(alone.zones.size(), 2u);
  EXPECT_EQ(alone.zones[0].source, "sample");
  EXPECT_EQ(alone.zones[0].grade, Grade::sample);

  const Book real = with(sample, k_em, hours("FR", "2027-01-09T06:00:00Z", {40, 40, 40}));
  const Choice choice = choose(real, zones({"FR", "ES"}));
  ASSERT_EQ(choice.zones.size(), 1u);
  EXPECT_EQ(choice.zones[0].source, k_em);
  EXPECT_EQ(choice.left_out.at(0).reason, "no source has data of ES");
  EXPECT_THAT(real->zones(), ElementsAre(Zone::of("FR")));
  EXPECT_EQ(real->value_at(Zone::of("ES"), at("2027-01-09T06:00:00Z")), std::nullopt);
}

TEST(Choice, says_what_the_numbers_in_the_window_are) {
  std::vector<IntensityReading> measured = hours("FR", "2027-01-09T05:00:00Z", {50, 51});
  for (IntensityReading& reading : measured) reading.updated_at = at("2027-01-09T06:20:00Z");
  measured[1].estimated = true;
  const std::vector<IntensityReading> ahead =
      forecast_hours("FR", "2027-01-09T06:00:00Z", "2027-01-09T06:10:00Z", {99, 60, 61});

  const ChosenSeries mixed = choose(with(empty_book(), k_em, measured + ahead), zones({"FR"})).zones.at(0);
  EXPECT_EQ(mixed.kind, WindowKind::mixed);
  EXPECT_EQ(mixed.issued_at, at("2027-01-09T06:10:00Z"));
  EXPECT_EQ(mixed.age, Duration{20 * 60});
  EXPECT_EQ(mixed.known_until, at("2027-01-09T09:00:00Z"));
  EXPECT_EQ(mixed.estimated, Ratio::of_base(333'333));  // one hour of three
  EXPECT_EQ(mixed.grade, Grade::estimated);

  const ChosenSeries forecast = choose(with(empty_book(), k_em, ahead), zones({"FR"})).zones.at(0);
  EXPECT_EQ(forecast.kind, WindowKind::forecast);
  EXPECT_EQ(forecast.grade, Grade::good);
  EXPECT_EQ(forecast.estimated, Ratio{});

  const ChosenSeries past =
      choose(with(empty_book(), k_em, measured), zones({"FR"}), std::chrono::hours{1}).zones.at(0);
  EXPECT_EQ(past.kind, WindowKind::measured);
  EXPECT_EQ(past.issued_at, at("2027-01-09T06:20:00Z"));
}

TEST(Choice, old_numbers_are_stale_for_the_future_and_not_for_the_past) {
  const Book book =
      with(empty_book(), k_em, forecast_hours("FR", "2027-01-09T06:00:00Z", "2027-01-09T00:00:00Z", {50, 50, 50}));
  const auto grade = [&](std::string_view now) {
    const std::vector<Zone> france = zones({"FR"});
    return book->choose({france, between("2027-01-09T06:00:00Z", "2027-01-09T09:00:00Z"), Duration{60}, at(now)})
        .zones.at(0)
        .grade;
  };
  EXPECT_EQ(grade("2027-01-09T06:00:00Z"), Grade::good);
  EXPECT_EQ(grade("2027-01-09T06:00:01Z"), Grade::stale);
  EXPECT_EQ(grade("2027-01-09T09:00:00Z"), Grade::good);  // the window lies in the past
}

TEST(IntensityBook, the_age_of_a_dead_source_is_still_told) {
  Book book =
      with(empty_book(), k_em, hours("FR", "2027-12-01T09:00:00Z", {52}) + hours("ES", "2027-12-01T03:00:00Z", {120}));
  book = with(book, k_em,
              forecast_hours("FR", "2027-12-01T09:00:00Z", "2027-12-01T08:10:00Z", {51, 50}) +
                  hours("FR", "2027-12-01T09:00:00Z", {52}));
  const Instant now = at("2027-12-01T09:30:00Z");
  EXPECT_TRUE(book->value_at(Zone::of("FR"), now));
  EXPECT_FALSE(book->value_at(Zone::of("ES"), now));
  const auto newest = book->newest(now);
  ASSERT_EQ(newest.size(), 2u);
  EXPECT_EQ(newest[0].zone, Zone::of("ES"));
  EXPECT_GE(now - newest[0].measured_end, Duration{19'800});
  EXPECT_EQ(newest[1].measured_end, at("2027-12-01T10:00:00Z"));
}

TEST(IntensityBook, prices_are_those_of_the_first_source_that_has_any) {
  Harvest harvest;
  const auto price = [&](std::string_view start, double eur) {
    harvest.prices.push_back(
        {Zone::of("FR"), {at(start), at(start) + std::chrono::hours{1}}, price_from_eur_per_mwh(eur), {}});
  };
  price("2027-01-09T06:00:00Z", 40);
  price("2027-01-09T07:00:00Z", -20);
  const Book book = empty_book()->with(k_ec, "", harvest).value();
  const Interval window = between("2027-01-09T06:30:00Z", "2027-01-09T07:30:00Z");
  const PriceSeries* prices = book->prices(Zone::of("FR"), window);
  ASSERT_NE(prices, nullptr);
  EXPECT_EQ(prices->mean(window), price_from_eur_per_mwh(10));
  EXPECT_EQ(prices->mean(between("2027-01-09T07:30:00Z", "2027-01-09T08:30:00Z")), std::nullopt);
  EXPECT_EQ(book->prices(Zone::of("FR"), between("2027-01-10T00:00:00Z", "2027-01-11T00:00:00Z")), nullptr);
  EXPECT_EQ(book->prices(Zone::of("ES"), window), nullptr);
}

class StoredBookTest : public ::testing::Test {
 protected:
  store::StoreReport store(const std::string& source, const Harvest& harvest) {
    return repository_.store(source, Zone::of("FR"), harvest, at("2027-12-31T00:00:00Z")).value();
  }
  Book loaded() { return IntensityBook::load(repository_, {k_em, k_ec}).value(); }

  tests::TemporaryFolder folder_;
  std::unique_ptr<store::Database> database_ = store::open_store(folder_ / "valle.db").value();
  store::IntensityRepository repository_{*database_};
};

void expect_same(const Book& a, const Book& b) {
  ASSERT_EQ(a->series().size(), b->series().size());
  for (std::size_t i = 0; i < a->series().size(); ++i) {
    const KnownSeries& left = a->series()[i];
    const KnownSeries& right = b->series()[i];
    EXPECT_EQ(left.key, right.key);
    EXPECT_EQ(*left.measured, *right.measured);
    EXPECT_EQ(*left.forecast, *right.forecast);
    EXPECT_EQ(*left.combined, *right.combined);
    EXPECT_EQ(left.issued_at, right.issued_at);
    EXPECT_EQ(left.updated_at, right.updated_at);
    EXPECT_EQ(left.attribution, right.attribution);
  }
}

TEST_F(StoredBookTest, a_refreshed_book_equals_a_newly_loaded_one) {
  ASSERT_TRUE(repository_.note_attribution(k_em, "Electricity Maps"));
  Book book = loaded();
  EXPECT_TRUE(book->empty());
  const std::vector<std::vector<IntensityReading>> arrivals = {
      hours("FR", "2027-01-09T00:00:00Z", {50, 51, 52, 53}),
      hours("FR", "2027-01-09T04:00:00Z", {54}),
      {a_reading("FR", "2027-01-09T01:00:00Z", 61).updated("2027-01-10T00:00:00Z")},
      hours("FR", "2027-01-08T20:00:00Z", {48, -1, 49}),
      forecast_hours("FR", "2027-01-09T04:00:00Z", "2027-01-09T03:10:00Z", {70, 71, 72}),
      {a_reading("FR", "2027-01-09T02:30:00Z", 44).lasting(std::chrono::minutes{15})},
      {a_reading("FR", "2027-01-09T02:00:00Z", 45).updated("2027-01-10T00:00:00Z")},
      {a_reading("FR", "2027-01-09T00:00:00Z", 33).lasting(std::chrono::hours{3}).updated("2027-01-11T00:00:00Z")},
      hours("DE", "2027-01-09T00:00:00Z", {400}),
  };
  for (const auto& readings : arrivals) {
    book = book->refreshed(repository_, store(k_em, a_harvest(readings))).value();
    expect_same(book, loaded());
  }
  EXPECT_EQ(book->series()[0].attribution, "Electricity Maps");
}

TEST_F(StoredBookTest, a_new_hour_leaves_the_series_of_other_zones_as_they_are) {
  store(k_em, a_harvest(hours("FR", "2027-01-09T00:00:00Z", {50}) + hours("DE", "2027-01-09T00:00:00Z", {400})));
  const Book before = loaded();
  const Book after =
      before->refreshed(repository_, store(k_em, a_harvest(hours("FR", "2027-01-09T01:00:00Z", {51})))).value();
  EXPECT_EQ(before->series()[0].measured, after->series()[0].measured);  // DE: the same object
  EXPECT_NE(before->series()[1].measured, after->series()[1].measured);
  EXPECT_EQ(before->series()[1].measured->step_count(), 1u);  // the old snapshot stays what it was
}

TEST_F(StoredBookTest, prices_are_loaded_and_refreshed) {
  Harvest harvest;
  harvest.prices = {
      {Zone::of("FR"), between("2027-01-09T00:00:00Z", "2027-01-09T01:00:00Z"), price_from_eur_per_mwh(40), {}}};
  const Book first = loaded()->refreshed(repository_, store(k_ec, harvest)).value();
  const Interval hour = harvest.prices[0].interval;
  EXPECT_EQ(first->prices(Zone::of("FR"), hour)->mean(hour), price_from_eur_per_mwh(40));
  EXPECT_EQ(loaded()->prices(Zone::of("FR"), hour)->mean(hour), price_from_eur_per_mwh(40));
}

/// A store with a book, as the service has them.
class OwnForecastInTheBook : public ::testing::Test {
 protected:
  OwnForecastInTheBook() { book_ = IntensityBook::load(repository_, {k_em, k_ec, "files"}).value(); }

  void told(const std::string& source, std::vector<IntensityReading> readings) {
    take(repository_.store(source, Zone::of("FR"), a_harvest(std::move(readings)), at("2027-01-09T05:00:00Z")).value());
  }
  /// 40 g/kWh from 06:00 on for a day. Issued then; one that leads a minute later, as the next issue.
  void forecast(bool leads = false) {
    const Instant begin = at("2027-01-09T06:00:00Z");
    store::OwnIssue own{.identity = {Zone::of("FR"), {}},
                        .issue = {begin + std::chrono::minutes{leads ? 1 : 0}, {}},
                        .ground = {"fair", "because", "untrained", {}, leads}};
    for (int hour = 0; hour < 24; ++hour) {
      const Instant from = begin + std::chrono::hours{hour};
      own.issue.steps.push_back(
          {{from, from + std::chrono::hours{1}}, intensity_from_grams_per_kwh(40), ReadingKind::forecast, false});
    }
    take(repository_.store(own).value());
  }
  std::vector<double> rows(std::string_view from, std::string_view to, std::optional<std::string> source = {}) {
    return grams_of(book_
                        ->rows({.zone = Zone::of("FR"),
                                .window = between(from, to),
                                .now = at("2027-01-09T06:30:00Z"),
                                .source = std::move(source)})
                        .rows);
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<store::Database> database_ = store::open_store(folder_ / "valle.db").value();
  store::IntensityRepository repository_{*database_};
  Book book_;

 private:
  void take(const store::StoreReport& report) { book_ = book_->refreshed(repository_, report).value(); }
};

TEST_F(OwnForecastInTheBook, goes_on_where_a_source_ends_and_fills_no_gap) {
  told(k_em, hours("FR", "2027-01-09T03:00:00Z", {70, 71}) +
                 forecast_hours("FR", "2027-01-09T07:00:00Z", "2027-01-09T06:00:00Z", {60, -1, 61}));
  forecast();
  EXPECT_THAT(rows("2027-01-09T03:00:00Z", "2027-01-09T12:00:00Z"), ElementsAre(70, 71, 60, 61, 40, 40));
  const auto choice = choose(book_, zones({"FR"}));
  ASSERT_EQ(choice.zones.size(), 1U);
  const ChosenSeries& chosen = choice.zones[0];
  EXPECT_EQ(chosen.source, k_em);
  EXPECT_EQ(chosen.grade, Grade::fair);
  ASSERT_TRUE(chosen.own);
  EXPECT_EQ(chosen.own->interval.begin, at("2027-01-09T10:00:00Z"));
  EXPECT_EQ(book_->value_at(Zone::of("FR"), at("2027-01-09T09:30:00Z"))->source, k_em);
  EXPECT_EQ(book_->value_at(Zone::of("FR"), at("2027-01-09T10:30:00Z"))->source, "valle");
}

TEST_F(OwnForecastInTheBook, comes_first_of_forecasts_only_where_it_leads) {
  told(k_em, hours("FR", "2027-01-09T05:00:00Z", {70}) +
                 forecast_hours("FR", "2027-01-09T06:00:00Z", "2027-01-09T06:00:00Z", {60, 60}));
  forecast();
  EXPECT_THAT(rows("2027-01-09T05:00:00Z", "2027-01-09T09:00:00Z"), ElementsAre(70, 60, 60, 40));
  forecast(true);
  EXPECT_THAT(rows("2027-01-09T05:00:00Z", "2027-01-09T09:00:00Z"), ElementsAre(70, 40, 40, 40));
}

TEST_F(OwnForecastInTheBook, never_touches_a_file_that_tells_of_the_time_ahead) {
  told("files", hours("FR", "2027-01-09T05:00:00Z", {70}) +
                    forecast_hours("FR", "2027-01-09T06:00:00Z", "2027-01-09T05:00:00Z", {60}));
  forecast(true);
  EXPECT_THAT(rows("2027-01-09T05:00:00Z", "2027-01-09T12:00:00Z"), ElementsAre(70, 60));
  EXPECT_THAT(rows("2027-01-09T05:00:00Z", "2027-01-09T08:00:00Z", "valle"), ElementsAre(40, 40));
}

TEST_F(OwnForecastInTheBook, does_not_count_as_what_a_provider_has_told) {
  told(k_em, hours("FR", "2027-01-09T03:00:00Z", {70, 71}));
  forecast();
  EXPECT_FALSE(book_->forecast_known_until(Zone::of("FR")));
  ASSERT_EQ(book_->newest(at("2027-01-09T06:30:00Z")).size(), 1U);
  const auto loaded = IntensityBook::load(repository_, {k_em}).value();
  EXPECT_EQ(loaded->series().size(), 2U);
  EXPECT_TRUE(loaded->series()[0].tail) << "a book that is read anew knows it too";
}

}  // namespace
}  // namespace valle::service::app
