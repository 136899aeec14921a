// SPDX-License-Identifier: Apache-2.0
#include "service/api/intensity_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/store/intensity_repository.hpp"
#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using tests::as_forecast;
using tests::at;
using tests::expect_like;
using tests::hours;
using tests::PlanningWorld;
using tests::operator+;

TEST(IntensityRoutes, shows_the_rows_that_overlap_a_half_open_range) {
  PlanningWorld world{"2027-06-08T14:00:00Z", hours("FR", "2027-06-08T08:00:00Z", {83, 79, 74, 70, 68, 71})};
  const auto two = Json::parse(R"([{"start":"2027-06-08T10:00:00Z","end":"2027-06-08T11:00:00Z","gramsPerKwh":74},
                                   {"start":"2027-06-08T11:00:00Z","end":"2027-06-08T12:00:00Z","gramsPerKwh":70}])");
  expect_like(world.call("GET", "/v1/intensity?zone=FR&from=2027-06-08T10:00:00Z&to=2027-06-08T12:00:00Z").json["rows"],
              two);
  expect_like(
      world.call("GET", "/v1/intensity?zone=fr&from=2027-06-08T12:30:00%2B02:00&to=2027-06-08T12:00:00Z").json["rows"],
      two);
  expect_like(
      world.call("GET", "/v1/intensity?zone=FR&from=2027-06-08T08:00:00Z&to=2027-06-08T09:00:00Z").json["rows"],
      Json::parse(
          R"([{"start":"2027-06-08T08:00:00Z","gramsPerKwh":83,"kind":"measured","source":"files","estimated":false}])"));
}

TEST(IntensityRoutes, states_gaps_with_their_bounds) {
  PlanningWorld world{"2027-01-09T08:00:00Z", hours("ES", "2027-01-09T00:00:00Z", {88, 85, -1, -1, -1, 92, 90})};
  const auto answer = world.call("GET", "/v1/intensity?zone=ES&from=2027-01-09T00:00:00Z&to=2027-01-09T07:00:00Z").json;
  EXPECT_EQ(answer["rows"].size(), 4U);
  expect_like(answer["gaps"], Json::parse(R"([{"from":"2027-01-09T02:00:00Z","to":"2027-01-09T05:00:00Z"}])"));
}

TEST(IntensityRoutes, a_day_without_data_is_one_gap_not_the_newest_value) {
  PlanningWorld world{"2027-06-09T04:10:00Z", hours("ES", "2027-06-09T00:00:00Z", {140, 138, 135, 131})};
  const auto answer = world.call("GET", "/v1/intensity?zone=ES&from=2027-06-07T00:00:00Z&to=2027-06-08T00:00:00Z");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.json["rows"].empty());
  expect_like(answer.json["gaps"], Json::parse(R"([{"from":"2027-06-07T00:00:00Z","to":"2027-06-08T00:00:00Z"}])"));
}

TEST(IntensityRoutes, says_until_when_values_are_known) {
  PlanningWorld world{"2027-01-09T15:30:00Z",
                      as_forecast(hours("ES", "2027-01-09T16:00:00Z", {63, 61, 60, 58}), "2027-01-09T15:00:00Z")};
  const auto answer = world.call("GET", "/v1/intensity?zone=ES&from=2027-01-09T16:00:00Z&to=2027-01-10T00:00:00Z").json;
  EXPECT_EQ(answer["rows"].size(), 4U);
  EXPECT_EQ(answer["knownUntil"], "2027-01-09T20:00:00Z");
  expect_like(answer["gaps"], Json::parse(R"([{"from":"2027-01-09T20:00:00Z","to":"2027-01-10T00:00:00Z"}])"));
}

TEST(IntensityRoutes, keeps_scopes_apart) {
  auto direct = hours("DE", "2027-03-04T12:00:00Z", {371});
  direct.front().identity.accounting.scope = scheduler::Scope::direct;
  PlanningWorld world{"2027-03-04T20:00:00Z", hours("DE", "2027-03-04T12:00:00Z", {412, 405}) + direct};
  const std::string range = "/v1/intensity?zone=DE&from=2027-03-04T12:00:00Z&to=2027-03-04T14:00:00Z";
  expect_like(world.call("GET", range + "&scope=lifecycle").json,
              Json::parse(R"({"scope":"lifecycle","gaps":[],"rows":[{"gramsPerKwh":412},{"gramsPerKwh":405}]})"));
  expect_like(world.call("GET", range + "&scope=direct").json,
              Json::parse(R"({"scope":"direct","rows":[{"gramsPerKwh":371}],
                              "gaps":[{"from":"2027-03-04T13:00:00Z","to":"2027-03-04T14:00:00Z"}]})"));
}

TEST(IntensityRoutes, tells_measured_from_forecast) {
  PlanningWorld world{"2027-03-04T14:00:00Z",
                      hours("DE", "2027-03-04T12:00:00Z", {412, 405}) +
                          as_forecast(hours("DE", "2027-03-04T14:00:00Z", {400}), "2027-03-04T13:00:00Z")};
  const std::string range = "/v1/intensity?zone=DE&from=2027-03-04T12:00:00Z&to=2027-03-04T15:00:00Z";
  EXPECT_EQ(world.call("GET", range).json["rows"].size(), 3U);
  EXPECT_EQ(world.call("GET", range + "&kind=measured").json["rows"].size(), 2U);
  EXPECT_EQ(world.call("GET", range + "&kind=forecast").json["rows"].size(), 1U);
}

TEST(IntensityRoutes, lists_zones_with_the_value_of_now_and_the_newest_measured_one) {
  auto readings = hours("DE", "2027-08-19T08:00:00Z", {355, 348, 341, 329});
  readings[2].estimated = readings[3].estimated = true;
  PlanningWorld world{"2027-08-19T11:20:00Z", std::move(readings)};
  const auto zones = world.call("GET", "/v1/zones").json["zones"];
  ASSERT_EQ(zones.size(), 1U);
  expect_like(zones[0],
              Json::parse(R"({"zone":"DE","now":{"start":"2027-08-19T11:00:00Z","gramsPerKwh":329,"estimated":true},
      "newestMeasured":{"start":"2027-08-19T09:00:00Z","gramsPerKwh":348,"estimated":false},
      "sites":[{"name":"de","pue":1}],"sources":[{"source":"files","measuredUntil":"2027-08-19T12:00:00Z"}]})"));
}

TEST(IntensityRoutes, shows_prices_with_gaps) {
  auto harvest = tests::a_harvest(hours("FR", "2027-08-19T08:00:00Z", {50}));
  for (const int hour : {9, 11}) {
    const auto begin = at("2027-08-19T00:00:00Z") + std::chrono::hours{hour};
    harvest.prices.push_back(
        {scheduler::Zone::of("FR"), {begin, begin + std::chrono::hours{1}}, scheduler::price_from_eur_per_mwh(-hour)});
  }
  PlanningWorld world{"2027-08-19T08:00:00Z", {}};
  world.book.publish(std::make_shared<const app::IntensityBook>()->with("files", "", harvest).value());
  const auto answer = world.call("GET", "/v1/prices?zone=FR&from=2027-08-19T09:00:00Z&to=2027-08-19T13:00:00Z").json;
  expect_like(
      answer,
      Json::parse(
          R"({"rows":[{"start":"2027-08-19T09:00:00Z","eurPerMwh":-9},{"start":"2027-08-19T11:00:00Z","eurPerMwh":-11}],
      "gaps":[{"from":"2027-08-19T10:00:00Z","to":"2027-08-19T11:00:00Z"},{"from":"2027-08-19T12:00:00Z","to":"2027-08-19T13:00:00Z"}],
      "knownUntil":"2027-08-19T12:00:00Z"})"));
}

TEST(IntensityRoutes, answers_forecasts_as_of_an_earlier_issue) {
  PlanningWorld world{"2027-05-01T12:00:00Z", {}};
  const auto early = as_forecast(hours("FR", "2027-05-01T06:00:00Z", {50, 51}), "2027-05-01T05:00:00Z");
  const auto late = as_forecast(hours("FR", "2027-05-01T06:00:00Z", {60, 61}), "2027-05-01T06:00:00Z");
  const auto stored = world.store->write_now(
      [&](store::Database& database) -> scheduler::Result<std::shared_ptr<const app::IntensityBook>> {
        store::IntensityRepository repository{database};
        for (const auto& issue : {early, late}) {
          if (auto report = repository.store("files", scheduler::Zone::of("FR"), tests::a_harvest(issue),
                                             at("2027-05-01T06:00:00Z"));
              !report) {
            return tl::unexpected{report.error()};
          }
        }
        return app::IntensityBook::load(repository, {"files"});
      });
  ASSERT_TRUE(stored);
  world.book.publish(*stored);
  const auto as_of = [&](const std::string& instant) {
    return world.call("GET", "/v1/forecast?zone=FR&issuedAt=" + instant);
  };
  expect_like(
      as_of("2027-05-01T05:59:59Z").json,
      Json::parse(
          R"({"issuedAt":"2027-05-01T05:00:00Z","grade":"good","rows":[{"gramsPerKwh":50},{"gramsPerKwh":51}]})"));
  expect_like(
      world.call("GET", "/v1/forecast?zone=FR").json,
      Json::parse(
          R"({"issuedAt":"2027-05-01T06:00:00Z","grade":"good","rows":[{"gramsPerKwh":60},{"gramsPerKwh":61}]})"));
  expect_like(as_of("2027-05-01T18:00:00Z").json, Json::parse(R"({"grade":"stale"})"));
  expect_like(as_of("2027-05-01T04:00:00Z").json,
              Json::parse(R"({"status":503,"code":"no-intensity-data","zones":["FR"]})"));
}

TEST(IntensityRoutes, refuses_bad_questions_with_code_and_place) {
  PlanningWorld world{"2027-06-08T14:00:00Z", hours("FR", "2027-06-08T08:00:00Z", {83})};
  struct Row {
    std::string_view target;
    int status;
    std::string_view code;
    std::string_view pointer;
  };
  for (const auto& [target, status, code, pointer] : {
           Row{"/v1/intensity", 400, "invalid-request", "/zone"},
           Row{"/v1/intensity?zone=", 400, "invalid-request", "/zone"},
           Row{"/v1/intensity?zone=XX", 422, "unknown-zone", "/zone"},
           Row{"/v1/intensity?zone=FR&zone=FR", 400, "invalid-request", "/zone"},
           Row{"/v1/intensity?zone=FR&from=yesterday", 400, "invalid-request", "/from"},
           Row{"/v1/intensity?zone=FR&from=2027-06-08T10:00:00", 400, "invalid-request", "/from"},
           Row{"/v1/intensity?zone=FR&from=2027-06-08T10:00:00Z&to=2027-06-08T10:00:00Z", 400, "invalid-request",
               "/to"},
           Row{"/v1/intensity?zone=FR&from=2020-06-08T10:00:00Z&to=2027-06-08T10:00:00Z", 400, "invalid-request",
               "/to"},
           Row{"/v1/intensity?zone=FR&kind=guess", 400, "invalid-request", "/kind"},
           Row{"/v1/intensity?zone=FR&scope=all", 400, "invalid-request", "/scope"},
           Row{"/v1/intensity?zones=FR", 400, "unknown-field", "/zones"},
           Row{"/v1/prices?zone=XX", 422, "unknown-zone", "/zone"},
           Row{"/v1/prices?zone=FR&kind=measured", 400, "unknown-field", "/kind"},
           Row{"/v1/forecast?zone=XX", 422, "unknown-zone", "/zone"},
           Row{"/v1/forecast?zone=FR&issuedAt=now", 400, "invalid-request", "/issuedAt"},
       }) {
    const auto answer = world.call("GET", target);
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_EQ(answer.json["code"], code) << target;
    EXPECT_EQ(answer.json["pointer"], pointer) << target << ": " << answer.text;
  }
}

}  // namespace
}  // namespace valle::service::api
