// SPDX-License-Identifier: Apache-2.0
#include "service/api/plan_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using tests::expect_like;
using tests::hours;
using tests::PlanningWorld;

constexpr std::string_view k_now = "2027-10-11T00:00:00Z";

/// Four hours at FR with 4 GPUs, of the intensity of the store.
std::string problem(const std::string& jobs, const std::string& grams = "") {
  return R"({"start":"2027-10-11T00:00:00Z","slot":"PT1H","slots":4,
      "sites":[{"name":"fr","zone":"FR","pue":1.5,"capacity":{"gpu":4})" +
         grams + R"(}],"jobs":[)" + jobs + "]}";
}
std::string job(const std::string& id, int watts, const std::string& more = "") {
  return R"({"id":")" + id + R"(","finishBy":"2027-10-11T04:00:00Z","duration":"1h","powerWatts":)" +
         std::to_string(watts) + R"(,"demand":{"gpu":4})" + more + "}";
}

TEST(Plans, a_problem_is_planned_on_the_numbers_of_the_store) {
  PlanningWorld world{k_now, tests::as_forecast(hours("FR", k_now, {50, 40, 30, 20}), k_now)};
  const auto answer = world.call("POST", "/v1/plans?effort=quick", problem(job("a", 1000) + "," + job("b", 2000)));
  ASSERT_EQ(answer.status, 200) << answer.text;
  // The larger job takes the cleanest hour: 2 kWh · 1.5 · 20 g, 1 kWh · 1.5 · 30 g. At once both emit at 50 g.
  expect_like(answer.json, Json::parse(R"({"placements":[
      {"job":"a","site":"fr","start":"2027-10-11T02:00:00Z","end":"2027-10-11T03:00:00Z","mode":null,"energyKwh":1,
       "facilityKwh":1.5,"carbonGrams":45},
      {"job":"b","site":"fr","start":"2027-10-11T03:00:00Z","end":"2027-10-11T04:00:00Z","mode":null,"energyKwh":2,
       "facilityKwh":3,"carbonGrams":60}],
      "unplaced":[],"carbonGrams":105,"runNowGrams":225,"savedPercent":53.3333})"));
  EXPECT_LE(answer.json["lowerBoundGrams"].get<double>(), 105);
  EXPECT_TRUE(answer.json["solver"].contains("elapsedMs"));
}

TEST(Plans, a_job_without_room_is_part_of_the_answer) {
  PlanningWorld world{k_now, {}};
  const auto answer =
      world.call("POST", "/v1/plans",
                 problem(job("a", 1000, R"(,"finishBy":"2027-10-11T00:30:00Z")"), R"(,"gramsPerKwh":[1,2,3,4])"));
  EXPECT_EQ(answer.status, 400) << "a repeated member";
  const auto late = world.call("POST", "/v1/plans",
                               problem(R"({"id":"a","finishBy":"2027-10-11T00:30:00Z","duration":"1h","powerWatts":1})",
                                       R"(,"gramsPerKwh":[1,2,3,4])"));
  ASSERT_EQ(late.status, 200) << late.text;
  EXPECT_EQ(late.json["unplaced"][0]["code"], "window-too-short");
  EXPECT_EQ(late.json["carbonGrams"], 0.0);
}

TEST(Plans, refusals_name_the_member) {
  PlanningWorld world{k_now, tests::as_forecast(hours("FR", k_now, {50, 40, 30, 20}), k_now)};
  const auto refused = [&](const std::string& body, const std::string& query = "") {
    const auto answer = world.call("POST", "/v1/plans" + query, body);
    return std::to_string(answer.status) + " " + answer.json.value("code", "") + " " + answer.json.value("pointer", "");
  };
  EXPECT_EQ(refused(problem(job("a", -5))), "400 invalid-request /jobs/0/powerWatts");
  EXPECT_EQ(refused(problem(job("a", 5, R"(,"sites":["mars"])"))), "422 unknown-site /jobs/0/sites/0");
  EXPECT_EQ(refused(problem(job("a", 5, R"(,"colour":1)"))), "400 unknown-field /jobs/0/colour");
  EXPECT_EQ(refused(problem(job("a", 5)), "?effort=heroic"), "400 invalid-request /effort");
  EXPECT_EQ(refused(problem(job("a", 5)), "?speed=1"), "400 unknown-field /speed");
  EXPECT_EQ(refused(problem(job("a", 5, R"(,"fixed":{"site":"fr","start":"2027-10-11T04:00:00Z"})"))),
            "400 invalid-request /jobs/0/fixed/start");
  EXPECT_EQ(refused(problem(job("a", 5, R"(,"fixed":{"site":"fr","start":"2027-10-10T23:00:00Z"})"))),
            "400 invalid-request /jobs/0/fixed/start");
}

TEST(Plans, hours_that_the_store_does_not_know_are_no_data) {
  PlanningWorld world{k_now, tests::as_forecast(hours("FR", k_now, {50, 40}), k_now)};
  const auto answer = world.call("POST", "/v1/plans", problem(job("a", 5)));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.json["code"], "no-intensity-data");
}

}  // namespace
}  // namespace valle::service::api
