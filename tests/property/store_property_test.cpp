// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "service/app/intensity_book.hpp"
#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"

namespace valle::service::store {
namespace {

using namespace scheduler;  // NOLINT: a test speaks the whole vocabulary
using Readings = std::vector<IntensityReading>;

const Instant k_begin = tests::at("2027-03-01T00:00:00Z");
const Instant k_far = tests::at("2030-01-01T00:00:00Z");
const Zone k_zone = Zone::of("FR");
const SeriesKey k_key{"esios", {k_zone, {}}};

/// A store of its own, in memory.
class Store {
 public:
  StoreReport take(Readings readings) {
    return repository_.store(k_key.source, k_zone, tests::a_harvest(std::move(readings)), k_far).value();
  }
  /// Every row with all that it says.
  std::vector<std::string> table() {
    return database_
        ->read([](SQLite::Database& connection) -> Result<std::vector<std::string>> {
          SQLite::Statement query{
              connection,
              "SELECT start || ' ' || length || ' ' || value || ' ' || estimated || ' ' || updated_at "
              "|| ' ' || coalesce(name, '') FROM reading LEFT JOIN estimation_method ON id = "
              "estimation_method ORDER BY series, start"};
          std::vector<std::string> rows;
          while (query.executeStep()) rows.push_back(query.getColumn(0).getString());
          return rows;
        })
        .value();
  }
  IntensityRepository& repository() { return repository_; }

 private:
  std::unique_ptr<Database> database_ = open_store(":memory:").value();
  IntensityRepository repository_{*database_};
};

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_{seed} {}
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  bool one_in(int many) { return below(many) == 0; }
  std::mt19937_64& engine() { return random_; }

 private:
  std::mt19937_64 random_;
};

/// Cuts a list into a few harvests.
std::vector<Readings> in_harvests(const Readings& readings, Chance& chance) {
  std::vector<Readings> harvests(1);
  for (const IntensityReading& reading : readings) {
    if (chance.one_in(4)) harvests.emplace_back();
    harvests.back().push_back(reading);
  }
  return harvests;
}

/// Several revisions of a few hours; no two of one hour have the same rank.
Readings random_revisions(Chance& chance) {
  Readings revisions;
  std::set<std::tuple<Instant, Instant, bool>> ranks;
  for (int i = 0; i < 40; ++i) {
    IntensityReading reading =
        tests::ReadingBuilder{"FR", k_begin + std::chrono::hours{chance.below(6)}, 1.0 + chance.below(90)};
    reading.updated_at = k_begin + std::chrono::hours{chance.below(8)};
    if (chance.one_in(2)) {
      reading.estimated = true;
      reading.estimation_method = chance.one_in(2) ? "TIME_SLICER_AVERAGE" : "MODE_BREAKDOWN";
    }
    if (chance.one_in(5)) reading.interval.end = reading.interval.begin + std::chrono::minutes{15};
    if (ranks.insert({reading.interval.begin, reading.updated_at, reading.estimated}).second)
      revisions.push_back(reading);
  }
  return revisions;
}

TEST(StoreProperty, any_order_of_arrival_of_revisions_gives_the_same_table) {
  for (std::uint64_t seed = 0; seed < 20 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance{seed};
    Readings revisions = random_revisions(chance);
    std::map<Instant, IntensityReading> best;
    for (const IntensityReading& reading : revisions) {
      const auto [known, fresh] = best.emplace(reading.interval.begin, reading);
      const auto rank = [](const IntensityReading& r) { return std::pair{r.updated_at, !r.estimated}; };
      if (!fresh && rank(reading) > rank(known->second)) known->second = reading;
    }
    std::vector<std::string> first;
    for (int round = 0; round < 4; ++round) {
      std::shuffle(revisions.begin(), revisions.end(), chance.engine());
      Store store;
      for (const Readings& harvest : in_harvests(revisions, chance)) store.take(harvest);
      const std::vector<std::string> table = store.table();
      if (round == 0) first = table;
      EXPECT_EQ(table, first);
      ASSERT_EQ(table.size(), best.size());
      const MeasuredRows rows = store.repository().measured(k_key, {k_begin, k_far}).value();
      std::size_t i = 0;
      for (const auto& [start, reading] : best) {
        EXPECT_EQ(rows.steps[i].value, reading.value);
        EXPECT_EQ(rows.steps[i].interval, reading.interval);
        EXPECT_EQ(rows.steps[i++].estimated, reading.estimated);
      }
    }
  }
}

TEST(StoreProperty, a_forecast_as_of_any_moment_is_the_newest_issue_by_then_whatever_the_order_of_arrival) {
  for (std::uint64_t seed = 0; seed < 20 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance{seed};
    std::map<Instant, Readings> issues;
    Readings all;
    for (int i = 0; i < 8; ++i) {
      const Instant issued = k_begin + std::chrono::hours{chance.below(12)};
      if (issues.contains(issued)) continue;
      Readings& issue = issues[issued];
      const int level = 40 + chance.below(2);  // often the same as the neighbours'
      for (int hour = chance.below(2); hour < 5; ++hour) {
        issue.push_back(
            tests::ReadingBuilder{"FR", k_begin + std::chrono::hours{hour}, 1.0 * level + hour}.issued(issued));
      }
      all.insert(all.end(), issue.begin(), issue.end());
    }
    std::shuffle(all.begin(), all.end(), chance.engine());
    Store store;
    for (const Readings& harvest : in_harvests(all, chance)) store.take(harvest);
    for (int hour = -1; hour < 14; ++hour) {
      const Instant as_of = k_begin + std::chrono::hours{hour};
      const auto known = store.repository().forecast(k_key, as_of).value();
      const auto after = issues.upper_bound(as_of);
      ASSERT_EQ(known.has_value(), after != issues.begin());
      if (!known) continue;
      const auto& [issued, rows] = *std::prev(after);
      EXPECT_EQ(known->issued_at, issued);
      ASSERT_EQ(known->steps.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(known->steps[i].value, rows[i].value);
    }
  }
}

TEST(StoreProperty, a_book_refreshed_step_by_step_equals_one_loaded_at_the_end) {
  for (std::uint64_t seed = 0; seed < 15 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance{seed};
    Store store;
    auto book = app::IntensityBook::load(store.repository(), {}).value();
    for (int arrival = 0; arrival < 12; ++arrival) {
      Readings readings;
      for (int i = chance.below(6); i >= 0; --i) {
        const Instant start = k_begin + std::chrono::minutes{15} * chance.below(60);
        tests::ReadingBuilder reading{"FR", start, 1.0 + chance.below(90)};
        reading.lasting(std::chrono::minutes{15} * (chance.one_in(4) ? 1 + chance.below(8) : 1));
        reading.updated(k_begin + std::chrono::hours{arrival});
        if (chance.one_in(3)) reading.issued(k_begin + std::chrono::hours{chance.below(12)});
        readings.push_back(reading);
      }
      book = book->refreshed(store.repository(), store.take(readings)).value();
    }
    const auto loaded = app::IntensityBook::load(store.repository(), {}).value();
    ASSERT_EQ(book->series().size(), loaded->series().size());
    for (std::size_t i = 0; i < book->series().size(); ++i) {
      EXPECT_EQ(*book->series()[i].measured, *loaded->series()[i].measured);
      EXPECT_EQ(*book->series()[i].forecast, *loaded->series()[i].forecast);
      EXPECT_EQ(*book->series()[i].combined, *loaded->series()[i].combined);
      EXPECT_EQ(book->series()[i].updated_at, loaded->series()[i].updated_at);
      EXPECT_EQ(book->series()[i].issued_at, loaded->series()[i].issued_at);
    }
  }
}

TEST(StoreProperty, retention_keeps_all_that_is_young_enough_and_nothing_else) {
  for (std::uint64_t seed = 0; seed < 10 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance{seed};
    Store store;
    Readings readings;
    for (int hour = 0; hour < 60; ++hour) {
      if (chance.one_in(4)) continue;
      tests::ReadingBuilder reading{"FR", k_begin + std::chrono::hours{hour}, 50};
      if (chance.one_in(3)) reading.issued(k_begin + std::chrono::hours{hour});
      readings.push_back(reading);
    }
    store.take(readings);
    const Instant now = k_begin + std::chrono::hours{60};
    const Retention retention{std::chrono::hours{chance.below(60)}, std::chrono::hours{chance.below(60)}};
    std::size_t rows = 0;
    std::size_t issues = 0;
    for (const IntensityReading& reading : readings) {
      const bool forecast = reading.kind == ReadingKind::forecast;
      const Duration age = now - (forecast ? reading.updated_at : reading.interval.begin);
      if (age <= (forecast ? retention.forecasts : retention.rows)) ++(forecast ? issues : rows);
    }
    std::size_t deleted = 0;
    while (const std::size_t some = store.repository().prune(now, retention, 7).value()) {
      EXPECT_LE(some, 7u);
      deleted += some;
    }
    EXPECT_EQ(deleted, readings.size() - rows - issues);
    EXPECT_EQ(store.table().size(), rows);
    EXPECT_EQ(store.repository().issues(k_key, {k_begin, k_far}, 1000).value().size(), issues);
  }
}

}  // namespace
}  // namespace valle::service::store
