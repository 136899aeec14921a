// SPDX-License-Identifier: Apache-2.0
#include "service/api/best_slot_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using ::testing::HasSubstr;
using tests::expect_like;
using tests::hours;
using tests::PlanningWorld;

constexpr std::string_view k_now = "2027-10-11T00:00:00Z";

std::vector<scheduler::IntensityReading> six_hours() {
  return tests::as_forecast(hours("FR", k_now, {60, 40, 50, 30, 70, 80}), k_now);
}

TEST(BestSlots, each_element_gets_its_answer_or_its_refusal_in_the_order_asked) {
  PlanningWorld world{k_now, six_hours()};
  const auto answer = world.call("POST", "/v1/best-slots",
                                 R"([{"duration":"1h","finishBy":"2027-10-11T06:00:00Z","energyKwh":2},
                                     {"duration":"1h","zones":["FR","XX"]},
                                     {"duration":"2h","finishBy":"2027-10-11T06:00:00Z","interruptible":{}},
                                     {"duration":-1},
                                     {"duration":"1h","finishBy":"2027-10-11T00:30:00Z"}])");
  ASSERT_EQ(answer.status, 200) << answer.text;
  ASSERT_EQ(answer.json.size(), 5U);
  expect_like(answer.json[0], Json::parse(R"({"best":{"zone":"FR","start":"2027-10-11T03:00:00Z","end":
      "2027-10-11T04:00:00Z","energyKwh":2,"carbonGrams":60},"runNow":{"gramsPerKwh":60},"exact":true})"));
  expect_like(answer.json[1], Json::parse(R"({"status":422,"code":"unknown-zone","pointer":"/1/zones/1"})"));
  expect_like(answer.json[2], Json::parse(R"({"best":{"gramsPerKwh":35,"segments":[
      {"start":"2027-10-11T01:00:00Z","end":"2027-10-11T02:00:00Z"},
      {"start":"2027-10-11T03:00:00Z","end":"2027-10-11T04:00:00Z"}]}})"));
  expect_like(answer.json[3], Json::parse(R"({"status":400,"code":"invalid-request","pointer":"/3/duration"})"));
  expect_like(answer.json[4], Json::parse(R"({"status":422,"code":"window-too-short","pointer":"/4/finishBy",
      "smallestFinishBy":"2027-10-11T01:00:00Z"})"));
}

TEST(BestSlots, an_element_answers_what_it_answers_alone) {
  PlanningWorld world{k_now, six_hours()};
  const std::string question = R"({"duration":"90m","finishBy":"2027-10-11T06:00:00Z","options":2})";
  const auto alone = world.call("POST", "/v1/best-slot", question);
  const auto together = world.call("POST", "/v1/best-slots", "[" + question + "," + question + "]");
  EXPECT_EQ(together.json, Json::array({alone.json, alone.json}));
}

TEST(BestSlots, the_list_has_one_to_ten_thousand_elements) {
  PlanningWorld world{k_now, six_hours()};
  const auto many = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) list += i == 0 ? "{}" : ",{}";
    return "[" + list + "]";
  };
  EXPECT_EQ(world.call("POST", "/v1/best-slots", "[]").json["code"], "invalid-request");
  EXPECT_EQ(world.call("POST", "/v1/best-slots", "{}").json["code"], "invalid-request");
  EXPECT_EQ(world.call("POST", "/v1/best-slots", many(k_most_questions)).json.size(), k_most_questions);
  EXPECT_EQ(world.call("POST", "/v1/best-slots", many(k_most_questions + 1)).status, 413);
}

TEST(BestSlots, once_the_work_of_a_request_is_used_up_what_is_left_is_refused) {
  PlanningWorld world{k_now, six_hours()};
  http::Router router;
  add_best_slot_routes(router, {world.clock, world.book, world.places, world.questions, /*most_work=*/100});
  const std::string hard = R"({"duration":"2h","finishBy":"2027-10-11T06:00:00Z","interruptible":{"restart":"5m"}})";
  const auto answer = tests::ask(router, "POST", "/v1/best-slots", "[" + hard + "," + hard + R"(,{"duration":0}])");
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_TRUE(answer.json[0].contains("best")) << "the first is always answered";
  expect_like(answer.json[1], Json::parse(R"({"status":413,"code":"too-large","pointer":"/1"})"));
  EXPECT_EQ(answer.json[2]["pointer"], "/2/duration") << "a fault is told all the same";
}

TEST(BestSlots, an_answer_that_may_not_be_the_best_says_so) {
  // Steps of odd lengths, to the second: the job can be cut in as many ways as it has seconds.
  std::vector<scheduler::IntensityReading> readings;
  scheduler::Instant begin = tests::at(k_now);
  for (int i = 0; i < 600; ++i) {
    const auto length = std::chrono::seconds{3600 + i % 7};
    readings.push_back(tests::ReadingBuilder{"FR", begin, i % 2 == 0 ? 10.0 : 90.0}.lasting(length));
    begin += length;
  }
  PlanningWorld world{k_now, tests::as_forecast(std::move(readings), k_now)};
  const auto answer =
      world.call("POST", "/v1/best-slot", R"({"duration":"24h","maxWait":"500h","interruptible":{"restart":"1s"}})");
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.json["exact"], false);
  EXPECT_THAT(answer.json["reason"].get<std::string>(), HasSubstr("too many ways to pause to try all"));
}

}  // namespace
}  // namespace valle::service::api
