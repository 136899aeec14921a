// SPDX-License-Identifier: Apache-2.0
// Questions in the contract's JSON and the one right answer to each.
#include <gtest/gtest.h>

#include "tests/support/best_slot_questions.hpp"

namespace valle::service::api {
namespace {

using namespace std::chrono_literals;
using tests::a_book;
using tests::as_forecast;
using tests::ask;
using tests::expect_like;
using tests::rows;
using tests::steps;
using tests::operator+;

std::vector<scheduler::IntensityReading> direct(std::vector<scheduler::IntensityReading> readings) {
  for (auto& reading : readings) reading.identity.accounting.scope = scheduler::Scope::direct;
  return readings;
}

TEST(BestSlotAnswer, an_absent_step_is_not_a_zero_and_no_run_reaches_into_the_hole) {
  const auto book = a_book(as_forecast(rows("FR", {{"2027-02-10T20:30:00Z", "2027-02-10T20:45:00Z", 74},
                                                   {"2027-02-10T20:45:00Z", "2027-02-10T21:00:00Z", 73},
                                                   {"2027-02-10T21:00:00Z", "2027-02-10T21:15:00Z", 71},
                                                   {"2027-02-10T21:15:00Z", "2027-02-10T21:30:00Z", 70},
                                                   {"2027-02-10T21:30:00Z", "2027-02-10T21:45:00Z", 69},
                                                   {"2027-02-10T21:45:00Z", "2027-02-10T22:00:00Z", 68},
                                                   {"2027-02-11T00:00:00Z", "2027-02-11T00:15:00Z", 66},
                                                   {"2027-02-11T00:15:00Z", "2027-02-11T00:30:00Z", 62},
                                                   {"2027-02-11T00:30:00Z", "2027-02-11T00:45:00Z", 60.5},
                                                   {"2027-02-11T00:45:00Z", "2027-02-11T01:00:00Z", 61},
                                                   {"2027-02-11T01:00:00Z", "2027-02-11T01:15:00Z", 63},
                                                   {"2027-02-11T01:15:00Z", "2027-02-11T01:30:00Z", 67}}),
                                       "2027-02-10T20:30:00Z"));
  expect_like(
      ask(*book, "2027-02-10T20:30:00Z",
          R"({"duration": "PT30M", "finishBy": "2027-02-11T01:30:00Z", "zones": ["FR"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-02-11T00:30:00Z", "end": "2027-02-11T01:00:00Z", "gramsPerKwh": 60.75}})"));
}

TEST(BestSlotAnswer, never_runs_across_a_gap) {
  const auto book = a_book(as_forecast(
      steps("ES", "2027-02-12T00:00:00Z", 1h, {150, 92, 90, -1, -1, 88, 131, 120, 118, 125}), "2027-02-12T00:00:00Z"));
  expect_like(
      ask(*book, "2027-02-12T00:00:00Z",
          R"({"duration": "PT2H", "finishBy": "2027-02-12T10:00:00Z", "zones": ["ES"]})"),
      Json::parse(
          R"({"best": {"zone": "ES", "start": "2027-02-12T01:00:00Z", "end": "2027-02-12T03:00:00Z", "gramsPerKwh": 91}})"));
}

TEST(BestSlotAnswer, ends_with_the_data_and_says_so) {
  const auto book =
      a_book(as_forecast(steps("FR", "2027-04-06T12:00:00Z", 1h, {92, 90, 95, 99, 104, 101, 96, 91, 80, 64, 52, 40}),
                         "2027-04-06T12:00:00Z"));
  expect_like(
      ask(*book, "2027-04-06T12:00:00Z",
          R"({"duration": "PT3H", "finishBy": "2027-04-07T12:00:00Z", "zones": ["FR"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-04-06T21:00:00Z", "end": "2027-04-07T00:00:00Z", "gramsPerKwh": 52}, "limitedBy": "data", "data": [{"zone": "FR", "knownUntil": "2027-04-07T00:00:00Z"}]})"));
}

TEST(BestSlotAnswer, finds_the_only_start_when_the_job_is_as_long_as_the_data) {
  const auto book = a_book(
      as_forecast(steps("DE", "2027-04-08T06:00:00Z", 1h, {310, 290, 333, 301, 287, 299}), "2027-04-08T06:00:00Z"));
  expect_like(
      ask(*book, "2027-04-08T06:00:00Z",
          R"({"duration": "PT6H", "finishBy": "2027-04-08T18:00:00Z", "zones": ["DE"]})"),
      Json::parse(
          R"({"best": {"zone": "DE", "start": "2027-04-08T06:00:00Z", "end": "2027-04-08T12:00:00Z", "gramsPerKwh": 303.3333333333}, "limitedBy": "data"})"));
}

TEST(BestSlotAnswer, refuses_a_job_that_is_longer_than_the_data) {
  const auto book = a_book(
      as_forecast(steps("DE", "2027-04-08T06:00:00Z", 1h, {310, 290, 333, 301, 287, 299}), "2027-04-08T06:00:00Z"));
  expect_like(ask(*book, "2027-04-08T06:00:00Z",
                  R"({"duration": "PT6H1M", "finishBy": "2027-04-09T06:00:00Z", "zones": ["DE"]})"),
              Json::parse(R"({"code": "no-intensity-data", "status": 503, "zones": ["DE"]})"));
}

TEST(BestSlotAnswer, refuses_a_window_behind_all_data) {
  const auto book = a_book(
      as_forecast(steps("DE", "2027-04-08T06:00:00Z", 1h, {310, 290, 333, 301, 287, 299}), "2027-04-08T06:00:00Z"));
  expect_like(
      ask(*book, "2027-04-08T06:00:00Z",
          R"({"duration": "PT1H", "earliestStart": "2027-04-08T13:00:00Z", "finishBy": "2027-04-08T20:00:00Z", "zones": ["DE"]})"),
      Json::parse(R"({"code": "no-intensity-data", "status": 503, "zones": ["DE"]})"));
}

TEST(BestSlotAnswer, names_the_smallest_finish_that_works_for_a_window_too_short) {
  const auto book =
      a_book(as_forecast(steps("FR", "2027-04-09T08:00:00Z", 1h, {55, 52, 50, 58}), "2027-04-09T08:00:00Z"));
  expect_like(
      ask(*book, "2027-04-09T08:00:00Z",
          R"({"duration": "PT2H", "finishBy": "2027-04-09T08:30:00Z", "zones": ["FR"]})"),
      Json::parse(R"({"code": "window-too-short", "status": 422, "smallestFinishBy": "2027-04-09T10:00:00Z"})"));
}

TEST(BestSlotAnswer, serves_short_jobs_in_short_windows) {
  const auto book =
      a_book(as_forecast(steps("FR", "2027-04-09T08:00:00Z", 1h, {55, 52, 50, 58}), "2027-04-09T08:00:00Z"));
  expect_like(
      ask(*book, "2027-04-09T08:00:00Z",
          R"({"duration": "PT2M", "earliestStart": "2027-04-09T08:45:00Z", "finishBy": "2027-04-09T09:15:00Z", "zones": ["FR"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-04-09T09:00:00Z", "end": "2027-04-09T09:02:00Z", "gramsPerKwh": 52}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, weighs_steps_of_any_length_by_their_overlap) {
  const auto book = a_book(as_forecast(rows("ES", {{"2027-05-03T00:00:00Z", "2027-05-03T01:00:00Z", 120},
                                                   {"2027-05-03T01:00:00Z", "2027-05-03T01:15:00Z", 60},
                                                   {"2027-05-03T01:15:00Z", "2027-05-03T01:30:00Z", 64},
                                                   {"2027-05-03T01:30:00Z", "2027-05-03T03:30:00Z", 90},
                                                   {"2027-05-03T03:30:00Z", "2027-05-03T04:00:00Z", 72},
                                                   {"2027-05-03T04:00:00Z", "2027-05-03T12:00:00Z", 100}}),
                                       "2027-05-03T00:00:00Z"));
  expect_like(
      ask(*book, "2027-05-03T00:00:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-05-03T12:00:00Z", "zones": ["ES"]})"),
      Json::parse(
          R"({"best": {"zone": "ES", "start": "2027-05-03T01:00:00Z", "end": "2027-05-03T02:00:00Z", "gramsPerKwh": 76}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, counts_the_parts_of_hours_that_a_run_covers) {
  const auto book = a_book(as_forecast(steps("DE", "2027-05-04T10:00:00Z", 1h, {420, 330}), "2027-05-04T10:20:00Z"));
  expect_like(
      ask(*book, "2027-05-04T10:20:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-05-04T11:20:00Z", "zones": ["DE"], "energyKwh": 2.5})"),
      Json::parse(
          R"({"best": {"zone": "DE", "start": "2027-05-04T10:20:00Z", "end": "2027-05-04T11:20:00Z", "gramsPerKwh": 390, "energyKwh": 2.5, "carbonGrams": 975}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, compares_instants_not_clock_faces) {
  const auto book = a_book(as_forecast(
      steps("ES", "2027-07-15T00:00:00Z", 1h, {130, 125, 118, 112, 109, 107, 60, 58, 95}), "2027-07-15T00:00:00Z"));
  expect_like(
      ask(*book, "2027-07-15T00:00:00Z",
          R"({"duration": "PT2H", "finishBy": "2027-07-15T08:00:00+02:00", "zones": ["ES"]})"),
      Json::parse(
          R"({"best": {"zone": "ES", "start": "2027-07-15T04:00:00Z", "end": "2027-07-15T06:00:00Z", "gramsPerKwh": 108}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, takes_the_earliest_of_equal_slots) {
  const auto book = a_book(
      as_forecast(steps("FR", "2027-07-16T00:00:00Z", 1h, {50, 41, 41, 50, 41, 41, 50}), "2027-07-16T00:00:00Z"));
  expect_like(
      ask(*book, "2027-07-16T00:00:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-07-16T07:00:00Z", "zones": ["FR"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-07-16T01:00:00Z", "end": "2027-07-16T02:00:00Z", "gramsPerKwh": 41}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, lets_time_decide_a_tie_before_the_order_of_zones) {
  const auto book = a_book(as_forecast(steps("ES", "2027-07-16T00:00:00Z", 1h, {90, 70, 66, 66, 90}) +
                                           steps("FR", "2027-07-16T00:00:00Z", 1h, {90, 66, 70, 90, 90}),
                                       "2027-07-16T00:00:00Z"));
  expect_like(
      ask(*book, "2027-07-16T00:00:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-07-16T05:00:00Z", "zones": ["ES", "FR"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-07-16T01:00:00Z", "end": "2027-07-16T02:00:00Z", "gramsPerKwh": 66}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, lets_the_order_asked_decide_a_tie_at_one_start) {
  const auto book = a_book(as_forecast(steps("ES", "2027-07-16T00:00:00Z", 1h, {90, 70, 66, 66, 90}) +
                                           steps("FR", "2027-07-16T00:00:00Z", 1h, {90, 70, 66, 90, 90}),
                                       "2027-07-16T00:00:00Z"));
  expect_like(
      ask(*book, "2027-07-16T00:00:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-07-16T05:00:00Z", "zones": ["FR", "ES"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-07-16T02:00:00Z", "end": "2027-07-16T03:00:00Z", "gramsPerKwh": 66}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, places_a_job_that_is_shorter_than_a_step) {
  const auto book =
      a_book(as_forecast(steps("DE", "2027-08-02T02:00:00Z", 30min, {255, 248, 261, 250}), "2027-08-02T02:00:00Z"));
  expect_like(
      ask(*book, "2027-08-02T02:00:00Z",
          R"({"duration": "PT10M", "finishBy": "2027-08-02T04:00:00Z", "zones": ["DE"]})"),
      Json::parse(
          R"({"best": {"zone": "DE", "start": "2027-08-02T02:30:00Z", "end": "2027-08-02T02:40:00Z", "gramsPerKwh": 248}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, has_a_mean_within_the_values_it_covers) {
  const auto book = a_book(as_forecast(steps("FR", "2027-08-03T00:00:00Z", 30min, {21, 24}), "2027-08-03T00:10:00Z"));
  expect_like(
      ask(*book, "2027-08-03T00:10:00Z",
          R"({"duration": "PT30M", "finishBy": "2027-08-03T00:40:00Z", "zones": ["FR"]})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-08-03T00:10:00Z", "end": "2027-08-03T00:40:00Z", "gramsPerKwh": 22}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, keeps_both_ends_of_the_window) {
  const auto book =
      a_book(as_forecast(steps("ES", "2027-09-06T14:00:00Z", 1h,
                               {96, 33, 30, 31, 55, 57, 66, 70, 72, 69, 64, 62, 60, 57, 40, 35, 38, 50, 88, 90}),
                         "2027-09-06T14:00:00Z"));
  expect_like(
      ask(*book, "2027-09-06T14:00:00Z",
          R"({"duration": "PT3H", "earliestStart": "2027-09-06T18:00:00Z", "finishBy": "2027-09-07T06:00:00Z", "zones": ["ES"]})"),
      Json::parse(
          R"({"best": {"zone": "ES", "start": "2027-09-07T03:00:00Z", "end": "2027-09-07T06:00:00Z", "gramsPerKwh": 44}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, saves_exactly_nothing_where_all_hours_are_equal) {
  const auto book = a_book(
      as_forecast(steps("FR", "2027-09-08T00:00:00Z", 1h, {47, 47, 47, 47, 47, 47, 47, 47}), "2027-09-08T00:00:00Z"));
  expect_like(
      ask(*book, "2027-09-08T00:00:00Z",
          R"({"duration": "PT2H", "finishBy": "2027-09-08T08:00:00Z", "zones": ["FR"], "energyKwh": 3})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-09-08T00:00:00Z", "end": "2027-09-08T02:00:00Z", "gramsPerKwh": 47, "energyKwh": 3, "carbonGrams": 141, "savedGrams": 0, "savedPercent": 0.0}, "limitedBy": null, "worst": {"gramsPerKwh": 47}})"));
}

TEST(BestSlotAnswer, takes_the_mean_of_the_whole_run_not_the_value_at_its_start) {
  const auto book = a_book(
      as_forecast(steps("DE", "2027-09-10T00:00:00Z", 1h, {100, 95, 90, 88, 86, 84, 30, 240, 260, 250, 245, 230, 110}),
                  "2027-09-10T00:00:00Z"));
  expect_like(
      ask(*book, "2027-09-10T00:00:00Z",
          R"({"duration": "PT5H", "finishBy": "2027-09-10T13:00:00Z", "zones": ["DE"]})"),
      Json::parse(
          R"({"best": {"zone": "DE", "start": "2027-09-10T02:00:00Z", "end": "2027-09-10T07:00:00Z", "gramsPerKwh": 75.6}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, uses_a_clean_stretch_that_has_begun) {
  const auto book = a_book(as_forecast(
      steps("ES", "2027-02-03T20:00:00Z", 1h, {140, 71,  71,  150, 142, 142, 142, 142, 142, 142, 142, 142,
                                               142, 142, 142, 142, 142, 142, 142, 142, 142, 142, 71,  70.5}),
      "2027-02-03T21:36:00Z"));
  expect_like(
      ask(*book, "2027-02-03T21:36:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-02-04T18:00:00Z", "zones": ["ES"]})"),
      Json::parse(
          R"({"best": {"zone": "ES", "start": "2027-02-03T21:36:00Z", "end": "2027-02-03T22:36:00Z", "gramsPerKwh": 71}, "limitedBy": null})"));
}

TEST(BestSlotAnswer, never_compares_two_scopes) {
  const auto book = a_book(as_forecast(steps("FR", "2027-03-04T10:00:00Z", 1h, {58, 49, 52}) +
                                           direct(steps("ES", "2027-03-04T10:00:00Z", 1h, {44, 38, 41})),
                                       "2027-03-04T10:00:00Z"));
  expect_like(
      ask(*book, "2027-03-04T10:00:00Z",
          R"({"duration": "PT1H", "finishBy": "2027-03-04T13:00:00Z", "zones": ["ES", "FR"], "homeZone": "FR"})"),
      Json::parse(
          R"({"best": {"zone": "FR", "start": "2027-03-04T11:00:00Z", "end": "2027-03-04T12:00:00Z", "gramsPerKwh": 49}, "zonesLeftOut": [{"zone": "ES"}]})"));
}

}  // namespace
}  // namespace valle::service::api
