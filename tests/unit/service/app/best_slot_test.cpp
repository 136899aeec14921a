// SPDX-License-Identifier: Apache-2.0
#include "service/app/best_slot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/best_slot_questions.hpp"

namespace valle::service::app {
namespace {

using namespace std::chrono_literals;
using api::Json;
using ::testing::HasSubstr;
using tests::a_book;
using tests::as_forecast;
using tests::ask;
using tests::at;
using tests::expect_like;
using tests::hours;
using tests::operator+;

constexpr std::string_view k_now = "2027-06-09T06:00:00Z";

/// A day in which the night is clean in FR and never in ES.
auto a_summer_day() {
  return a_book(as_forecast(
      hours("FR", "2027-06-09T06:00:00Z",
            {50, 48, 46, 45, 44, 43, 42, 41, 41, 42, 44, 46, 48, 50, 47, 44, 40, 33, 32.5, 32, 31.87, 32, 33.5, 40}) +
          hours("ES", "2027-06-09T06:00:00Z", {190, 186, 184, 183, 182.34, 182, 180, 178, 175, 172, 170, 171,
                                               180, 190, 200, 205, 210,    205, 200, 195, 192, 190, 188, 186}) +
          hours("DE", "2027-06-09T06:00:00Z", {400, 390, 380, 370, 360, 350, 340, 330, 320, 310, 300, 310,
                                               350, 380, 400, 410, 420, 430, 420, 410, 400, 390, 400, 410}),
      "2027-06-09T05:49:20Z"));
}

TEST(BestSlot, gives_the_answer_of_the_contract_to_the_digit) {
  const Json answer = ask(*a_summer_day(), k_now,
                          R"({"duration":"6h","earliestStart":"2027-06-09T06:00:00Z","finishBy":"2027-06-10T06:00:00Z",
                              "zones":["FR","ES","DE"],"homeZone":"ES","energyKwh":12})");
  // FR from 23:00: (33 + 32.5 + 32 + 31.87 + 32 + 33.5) / 6 = 32.478…, ES from 06:00: 1107.34 / 6 = 184.556…; 2 kWh an
  // hour.
  expect_like(answer, Json::parse(R"({
      "best":{"zone":"FR","site":"fr","start":"2027-06-09T23:00:00Z","end":"2027-06-10T05:00:00Z","gramsPerKwh":32.478,
              "energyKwh":12.0,"facilityKwh":12.0,"carbonGrams":389.740,"savedGrams":1824.940,"savedPercent":82.4020},
      "runNow":{"zone":"ES","start":"2027-06-09T06:00:00Z","gramsPerKwh":184.557,"carbonGrams":2214.680},
      "worst":{"zone":"DE"},"zonesLeftOut":[],"limitedBy":null,"notes":[],
      "reason":"FR at 23:00Z: 32 g/kWh against 185 g/kWh now in ES"})"));
  EXPECT_EQ(answer["options"].size(), 3U);
  EXPECT_EQ(answer["options"][0], answer["best"]);
  EXPECT_NEAR(answer["best"]["savedPercent"].get<double>(), 82.4020, 0.00005);
  ASSERT_EQ(answer["data"].size(), 3U);
  expect_like(answer["data"][0],
              Json::parse(R"({"zone":"FR","source":"files","kind":"forecast","issuedAt":"2027-06-09T05:49:20Z",
                              "ageSeconds":640,"knownUntil":"2027-06-10T06:00:00Z","estimatedPercent":0.0,
                              "scope":"lifecycle","basis":"average","method":"consumption"})"));
}

TEST(BestSlot, assumes_one_kilowatt_hour_and_says_so) {
  const Json answer = ask(*a_summer_day(), k_now, R"({"duration":"1h","zones":["FR"]})");
  EXPECT_EQ(answer["best"]["energyKwh"], 1.0);
  ASSERT_EQ(answer["notes"].size(), 1U);
  EXPECT_THAT(answer["notes"][0].get<std::string>(), HasSubstr("1 kWh"));
}

TEST(BestSlot, turns_power_into_energy) {
  const Json answer = ask(*a_summer_day(), k_now, R"({"duration":"PT30M","powerWatts":3000,"zones":["FR"]})");
  EXPECT_EQ(answer["best"]["energyKwh"], 1.5);
  EXPECT_TRUE(answer["notes"].empty());
}

TEST(BestSlot, takes_all_zones_and_the_first_as_home_by_default) {
  const Json answer = ask(*a_summer_day(), k_now, R"({"duration":"1h","finishBy":"2027-06-10T06:00:00Z"})");
  EXPECT_EQ(answer["data"].size(), 3U);
  EXPECT_EQ(answer["runNow"]["zone"], "DE");
  EXPECT_EQ(answer["best"]["zone"], "FR");
}

TEST(BestSlot, reaches_seven_days_ahead_by_default_and_says_that_data_were_the_limit) {
  const Json answer = ask(*a_summer_day(), k_now, R"({"duration":"1h","zones":["FR"]})");
  EXPECT_EQ(answer["best"]["start"], "2027-06-10T02:00:00Z");
  EXPECT_EQ(answer["limitedBy"], "data");
}

TEST(BestSlot, understands_the_three_ways_to_end_a_window) {
  for (const auto window : {R"("finishBy":"2027-06-09T16:00:00Z")", R"("latestStart":"2027-06-09T15:00:00Z")",
                            R"("maxWait":"PT9H")", R"("maxWait":32400)", R"("maxWait":"9h")"}) {
    const Json answer = ask(*a_summer_day(), k_now, std::string{R"({"duration":"1h","zones":["FR"],)"} + window + "}");
    EXPECT_EQ(answer["best"]["start"], "2027-06-09T13:00:00Z") << window;
    EXPECT_EQ(answer["limitedBy"], nullptr) << window;
  }
}

TEST(BestSlot, runs_now_where_no_wait_is_allowed) {
  const Json answer = ask(*a_summer_day(), k_now, R"({"duration":"1h","zones":["ES"],"maxWait":0})");
  EXPECT_EQ(answer["best"]["start"], "2027-06-09T06:00:00Z");
  EXPECT_EQ(answer["best"]["savedGrams"], 0.0);
  EXPECT_EQ(answer["reason"], "now in ES: 190 g/kWh; nothing in the window is cleaner");
}

TEST(BestSlot, answers_what_would_have_been_best_in_the_past) {
  const auto book = a_book(hours("FR", "2027-06-01T00:00:00Z", {50, 40, 30, 60}));
  const Json answer = ask(
      *book, k_now, R"({"duration":"1h","earliestStart":"2027-06-01T00:00:00Z","finishBy":"2027-06-01T04:00:00Z"})");
  EXPECT_EQ(answer["best"]["start"], "2027-06-01T02:00:00Z");
  EXPECT_EQ(answer["data"][0]["kind"], "measured");
}

TEST(BestSlot, brings_fractions_of_seconds_inside_the_window) {
  const auto book = a_book(hours("FR", "2027-06-01T00:00:00Z", {50, 40}));
  const Json answer =
      ask(*book, k_now,
          R"({"duration":3598,"earliestStart":"2027-06-01T00:00:00.2Z","finishBy":"2027-06-01T00:59:59.9Z"})");
  EXPECT_EQ(answer["best"]["start"], "2027-06-01T00:00:01Z");
  EXPECT_EQ(answer["best"]["end"], "2027-06-01T00:59:59Z");
}

TEST(BestSlot, advises_now_where_waiting_saves_too_little) {
  const auto asked = [](std::string_view percent) {
    return R"({"duration":"1h","zones":["FR"],"finishBy":"2027-06-09T09:00:00Z","minSavingPercent":)" +
           std::string{percent} + "}";
  };
  // 50 now, 46 from 08:00: exactly 8 %.
  const Json enough = ask(*a_summer_day(), k_now, asked("8"));
  EXPECT_EQ(enough["best"]["start"], "2027-06-09T08:00:00Z");
  const Json too_little = ask(*a_summer_day(), k_now, asked("8.0001"));
  EXPECT_EQ(too_little["best"]["start"], "2027-06-09T06:00:00Z");
  EXPECT_EQ(too_little["best"]["savedPercent"], 0.0);
  EXPECT_EQ(too_little["options"][0]["start"], "2027-06-09T08:00:00Z");
  EXPECT_EQ(too_little["reason"], "now in FR: 50 g/kWh; waiting would save less than 8.0001 %");
}

TEST(BestSlot, has_no_run_now_where_home_is_not_known_now) {
  const auto book = a_book(as_forecast(
      hours("FR", "2027-06-09T06:00:00Z", {50, 40, 30}) + hours("ES", "2027-06-09T08:00:00Z", {190, 180}), k_now));
  const Json answer = ask(*book, k_now, R"({"duration":"1h","finishBy":"2027-06-09T09:00:00Z","zones":["FR","ES"],
                                            "homeZone":"ES","minSavingPercent":50})");
  EXPECT_EQ(answer["runNow"], nullptr);
  EXPECT_EQ(answer["best"]["start"], "2027-06-09T08:00:00Z");
  EXPECT_FALSE(answer["best"].contains("savedGrams"));
  EXPECT_THAT(answer["reason"].get<std::string>(), HasSubstr("nothing is known of ES"));
}

TEST(BestSlot, compares_with_a_home_where_the_job_may_not_run) {
  const Json answer = ask(*a_summer_day(), k_now,
                          R"({"duration":"1h","finishBy":"2027-06-09T07:00:00Z","zones":["DE"],"homeZone":"FR"})");
  EXPECT_EQ(answer["best"]["zone"], "DE");  // dirtier than home, but home was not offered
  EXPECT_EQ(answer["best"]["savedPercent"], -700.0);
}

TEST(BestSlot, leaves_out_zones_without_a_run_and_says_why) {
  const auto book = a_book(as_forecast(
      hours("FR", "2027-06-09T06:00:00Z", {50, 40, 30}) + hours("ES", "2027-06-09T06:00:00Z", {20, -1, 20}), k_now));
  const Json answer =
      ask(*book, k_now, R"({"duration":"2h","finishBy":"2027-06-09T09:00:00Z","zones":["ES","FR"],"homeZone":"FR"})");
  EXPECT_EQ(answer["best"]["zone"], "FR");
  ASSERT_EQ(answer["zonesLeftOut"].size(), 1U);
  EXPECT_EQ(answer["zonesLeftOut"][0]["zone"], "ES");
  EXPECT_FALSE(answer["zonesLeftOut"][0]["reason"].get<std::string>().empty());
}

TEST(BestSlot, counts_the_overhead_of_the_first_site_of_a_zone_and_names_it) {
  runtime::Config config;
  config.sites = {{.name = "paris-1", .zone = scheduler::Zone::of("FR"), .pue = scheduler::ratio_from_number(1.2)},
                  {.name = "paris-2", .zone = scheduler::Zone::of("FR"), .pue = scheduler::ratio_from_number(1.1)}};
  const Json answer = ask(*a_summer_day(), k_now, R"({"duration":"1h","zones":["FR","ES"],"maxWait":0,"energyKwh":10})",
                          Places{config});
  expect_like(answer["best"], Json::parse(R"({"site":"paris-1","energyKwh":10,"facilityKwh":12,"gramsPerKwh":50,
                                              "carbonGrams":600})"));
  EXPECT_EQ(answer["worst"]["site"], nullptr);  // no site is configured in ES
}

TEST(BestSlot, knows_prices_where_they_are_known) {
  auto harvest = tests::a_harvest(as_forecast(hours("FR", k_now, {50, 40, 30}), k_now));
  for (int hour = 0; hour < 3; ++hour) {
    const auto begin = at(k_now) + std::chrono::hours{hour};
    harvest.prices.push_back(
        {scheduler::Zone::of("FR"), {begin, begin + 1h}, scheduler::price_from_eur_per_mwh(100 - 60 * hour)});
  }
  const auto empty = std::make_shared<const IntensityBook>();
  const auto book = empty->with("files", "made up", harvest).value();
  const Json answer =
      ask(*book, k_now, R"({"duration":"90m","zones":["FR"],"finishBy":"2027-06-09T09:00:00Z","energyKwh":3})");
  // From 07:30: half an hour at 40 €/MWh and an hour at −20 €/MWh, 2 kWh an hour.
  expect_like(answer["best"], Json::parse(R"({"start":"2027-06-09T07:30:00Z","eurPerMwh":0,"costEur":0})"));
  expect_like(answer["runNow"], Json::parse(R"({"eurPerMwh":80,"costEur":0.24})"));
}

TEST(BestSlot, pauses_an_interruptible_job) {
  const auto book = a_book(as_forecast(hours("FR", k_now, {100, 10, 90, 10, 100, 100}), k_now));
  const Json answer =
      ask(*book, k_now, R"({"duration":"2h","zones":["FR"],"finishBy":"2027-06-09T12:00:00Z","energyKwh":2,
                                            "interruptible":{"minRun":"PT1H"}})");
  expect_like(answer["best"],
              Json::parse(R"({"start":"2027-06-09T07:00:00Z","end":"2027-06-09T10:00:00Z","carbonGrams":20,
      "gramsPerKwh":10,"segments":[{"start":"2027-06-09T07:00:00Z","end":"2027-06-09T08:00:00Z"},
                                   {"start":"2027-06-09T09:00:00Z","end":"2027-06-09T10:00:00Z"}]})"));
  EXPECT_EQ(answer["worst"], nullptr);
  EXPECT_NEAR(answer["best"]["savedPercent"].get<double>(), 100.0 * (110 - 20) / 110, 0.0001);
}

TEST(BestSlot, gives_exact_percentages_of_tiny_energies) {
  const Json answer = ask(*a_summer_day(), k_now,
                          R"({"duration":"1h","zones":["FR"],"finishBy":"2027-06-09T09:00:00Z","energyKwh":0.000001})");
  EXPECT_EQ(answer["best"]["savedPercent"], 8.0);
}

TEST(BestSlot, checks_the_request_before_it_looks_for_data) {
  const auto nothing = std::make_shared<const IntensityBook>();
  runtime::Config config;
  config.sites = {{.name = "fr", .zone = scheduler::Zone::of("FR")}};
  const Places places{config};
  const auto code = [&](std::string_view request) { return ask(*nothing, k_now, request, places)["code"]; };
  EXPECT_EQ(code(R"({"duration":"1h","zones":["XX"]})"), "unknown-zone");
  EXPECT_EQ(code(R"({"duration":"2h","finishBy":"2027-06-09T07:00:00Z"})"), "window-too-short");
  EXPECT_EQ(code(R"({"duration":"1h"})"), "no-intensity-data");
}

TEST(BestSlot, names_zones_and_window_of_missing_data) {
  const Json problem = ask(*a_summer_day(), k_now, R"({"duration":"30h","zones":["FR","DE"],"maxWait":"PT1H"})");
  expect_like(problem, Json::parse(R"({"status":503,"code":"no-intensity-data","zones":["FR","DE"],
      "from":"2027-06-09T06:00:00Z","to":"2027-06-10T13:00:00Z"})"));
}

TEST(BestSlot, refuses_unknown_zones_with_their_place) {
  const Json zone = ask(*a_summer_day(), k_now, R"({"duration":"1h","zones":["FR","ATLANTIS"]})");
  expect_like(zone, Json::parse(R"({"status":422,"code":"unknown-zone","pointer":"/zones/1"})"));
  EXPECT_THAT(zone["detail"].get<std::string>(), HasSubstr("DE, ES, FR"));
  const Json home = ask(*a_summer_day(), k_now, R"({"duration":"1h","homeZone":"ATLANTIS"})");
  expect_like(home, Json::parse(R"({"status":422,"code":"unknown-zone","pointer":"/homeZone"})"));
}

TEST(BestSlot, refuses_a_window_in_the_past_of_a_job_that_starts_now) {
  const Json problem = ask(*a_summer_day(), k_now, R"({"duration":"1h","finishBy":"2027-06-08T06:00:00Z"})");
  expect_like(problem,
              Json::parse(R"({"status":422,"code":"window-too-short","smallestFinishBy":"2027-06-09T07:00:00Z"})"));
}

TEST(BestSlot, a_known_zone_without_data_is_no_data_not_an_unknown_zone) {
  runtime::Config config;
  config.sites = {{.name = "fr", .zone = scheduler::Zone::of("FR")}, {.name = "pt", .zone = scheduler::Zone::of("PT")}};
  const Json problem = ask(*a_summer_day(), k_now, R"({"duration":"1h","zones":["PT"]})", Places{config});
  expect_like(problem, Json::parse(R"({"status":503,"code":"no-intensity-data","zones":["PT"]})"));
}

}  // namespace
}  // namespace valle::service::app
