// SPDX-License-Identifier: Apache-2.0
#include "service/app/fetch_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/readings.hpp"

namespace valle::service::app {
namespace {

using namespace scheduler;  // NOLINT: a test speaks the whole vocabulary
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::a_harvest;
using tests::at;
using tests::hours;

const std::vector<Zone> k_france{Zone::of("FR")};

/// Asks the schedule again and again, as the service does.
class FetchScheduleTest : public ::testing::Test {
 protected:
  std::vector<Fetch> due(std::string_view now) { return due_fetches(k_france, *book_, history_, at(now)); }
  std::vector<Signal> signals(std::string_view now) {
    std::vector<Signal> signals;
    for (const Fetch& fetch : due(now)) signals.push_back(fetch.what.signal);
    return signals;
  }
  void asked(Signal signal, std::string_view now, bool served) {
    FetchTimes& times = history_[{k_france[0], signal}];
    times.attempt = at(now);
    if (served) times.success = at(now);
  }
  void all_asked(std::string_view now, bool served) {
    for (const Signal signal : {Signal::measured, Signal::forecast, Signal::price, Signal::grid_forecast}) {
      asked(signal, now, served);
    }
  }
  void knows(std::string_view from, std::initializer_list<double> grams) {
    book_ = book_->with("esios", "", a_harvest(hours("FR", from, grams))).value();
  }
  void knows_prices_until(std::string_view end) {
    Harvest harvest;
    harvest.prices = {{k_france[0], {at(end) - std::chrono::hours{24}, at(end)}, price_from_eur_per_mwh(40), {}}};
    book_ = book_->with("esios", "", harvest).value();
  }

  std::shared_ptr<const IntensityBook> book_ = std::make_shared<IntensityBook>();
  FetchHistory history_;
};

TEST_F(FetchScheduleTest, once_a_day_ten_days_are_asked_again_for_what_was_revised) {
  EXPECT_EQ(due("2027-01-12T03:12:00Z")[0].wanted, (Interval{at("2027-01-02T03:00:00Z"), at("2027-01-12T04:00:00Z")}));
  EXPECT_EQ(due("2027-01-12T04:12:00Z")[0].wanted, (Interval{at("2027-01-11T04:00:00Z"), at("2027-01-12T05:00:00Z")}));
}

TEST_F(FetchScheduleTest, at_the_start_everything_is_asked_with_a_day_of_history) {
  const std::vector<Fetch> fetches = due("2027-01-09T06:30:00Z");
  ASSERT_EQ(fetches.size(), 4u);
  EXPECT_EQ(fetches[0].what.signal, Signal::measured);
  EXPECT_EQ(fetches[0].wanted, (Interval{at("2027-01-08T06:00:00Z"), at("2027-01-09T07:00:00Z")}));
  EXPECT_EQ(fetches[1].what.signal, Signal::forecast);
  EXPECT_EQ(fetches[1].wanted, (Interval{at("2027-01-09T06:00:00Z"), at("2027-01-16T06:00:00Z")}));
  EXPECT_EQ(fetches[2].what.signal, Signal::price);
}

TEST_F(FetchScheduleTest, measured_rows_of_every_zone_come_before_anything_else) {
  const std::vector<Zone> zones{Zone::of("FR"), Zone::of("ES")};
  const auto fetches = due_fetches(zones, *book_, {}, at("2027-01-09T06:30:00Z"));
  ASSERT_EQ(fetches.size(), 8u);
  EXPECT_EQ(fetches[0].what, (ZoneSignal{zones[0], Signal::measured}));
  EXPECT_EQ(fetches[1].what, (ZoneSignal{zones[1], Signal::measured}));
}

TEST_F(FetchScheduleTest, then_once_an_hour_a_little_past_it) {
  all_asked("2027-01-09T06:30:00Z", true);
  knows_prices_until("2027-01-09T23:00:00Z");
  EXPECT_THAT(due("2027-01-09T07:09:59Z"), IsEmpty());
  EXPECT_THAT(signals("2027-01-09T07:10:00Z"), ElementsAre(Signal::measured, Signal::forecast));
  all_asked("2027-01-09T07:10:00Z", true);
  EXPECT_THAT(due("2027-01-09T07:59:00Z"), IsEmpty());
  EXPECT_THAT(signals("2027-01-09T08:10:00Z"), ElementsAre(Signal::measured, Signal::forecast));
}

TEST_F(FetchScheduleTest, forecasts_of_the_grid_are_asked_four_times_a_day) {
  all_asked("2027-01-09T06:30:00Z", true);
  EXPECT_THAT(signals("2027-01-09T12:09:59Z"), Not(Contains(Signal::grid_forecast)));
  EXPECT_THAT(signals("2027-01-09T12:10:00Z"), Contains(Signal::grid_forecast));
}

TEST_F(FetchScheduleTest, what_brought_nothing_is_asked_again_soon) {
  all_asked("2027-01-09T07:10:00Z", true);
  asked(Signal::measured, "2027-01-09T08:10:00Z", false);
  asked(Signal::forecast, "2027-01-09T08:10:00Z", true);
  EXPECT_THAT(signals("2027-01-09T08:14:59Z"), Not(Contains(Signal::measured)));
  EXPECT_THAT(signals("2027-01-09T08:15:00Z"), Contains(Signal::measured));
  EXPECT_THAT(signals("2027-01-09T08:15:00Z"), Not(Contains(Signal::forecast)));
}

TEST_F(FetchScheduleTest, after_an_outage_what_is_missing_is_asked_at_once) {
  knows("2027-01-05T00:00:00Z", {50, 51});
  EXPECT_EQ(due("2027-01-09T06:30:00Z")[0].wanted.begin, at("2027-01-05T02:00:00Z"));
  EXPECT_EQ(due("2027-02-20T06:30:00Z")[0].wanted.begin, at("2027-02-10T06:00:00Z"));  // at most ten days
}

TEST_F(FetchScheduleTest, a_forecast_that_reaches_far_is_asked_to_its_end) {
  book_ = book_
              ->with("files", "",
                     a_harvest({tests::a_reading("FR", "2027-03-01T00:00:00Z", 50).issued("2027-01-09T06:00:00Z")}))
              .value();
  EXPECT_EQ(due("2027-01-09T06:30:00Z")[1].wanted, (Interval{at("2027-01-09T06:00:00Z"), at("2027-03-01T01:00:00Z")}));
}

TEST_F(FetchScheduleTest, tomorrows_prices_are_asked_in_the_afternoon_until_they_are_there) {
  all_asked("2027-01-09T08:10:00Z", true);
  knows_prices_until("2027-01-09T23:00:00Z");
  EXPECT_THAT(signals("2027-01-09T11:59:00Z"), Not(Contains(Signal::price)));
  EXPECT_THAT(signals("2027-01-09T12:00:00Z"), Contains(Signal::price));
  asked(Signal::price, "2027-01-09T12:00:00Z", true);  // but not tomorrow's
  EXPECT_THAT(signals("2027-01-09T12:29:00Z"), Not(Contains(Signal::price)));
  EXPECT_THAT(signals("2027-01-09T12:30:00Z"), Contains(Signal::price));
  knows_prices_until("2027-01-10T23:00:00Z");
  EXPECT_THAT(signals("2027-01-09T13:00:00Z"), Not(Contains(Signal::price)));
  EXPECT_THAT(signals("2027-01-10T11:00:00Z"), Not(Contains(Signal::price)));
  EXPECT_THAT(signals("2027-01-10T12:00:00Z"), Contains(Signal::price));
}

TEST_F(FetchScheduleTest, the_next_look_is_the_hour_or_the_next_retry) {
  EXPECT_EQ(next_look(at("2027-01-09T07:10:00Z")), at("2027-01-09T07:15:00Z"));
  EXPECT_EQ(next_look(at("2027-01-09T08:08:00Z")), at("2027-01-09T08:10:00Z"));
}

}  // namespace
}  // namespace valle::service::app
