// SPDX-License-Identifier: Apache-2.0
// The life of jobs as their callers see it, on a test clock.
#include "service/api/job_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using ::testing::HasSubstr;
using tests::as_forecast;
using tests::expect_like;
using tests::hours;
using tests::PlanningWorld;
using tests::operator+;

constexpr std::string_view k_now = "2027-10-11T00:00:00Z";

runtime::Config two_sites(double gpus = 4) {
  runtime::Config config;
  const auto amount = scheduler::Amount::of_base(static_cast<std::int64_t>(gpus * 1000));
  config.sites = {{.name = "fr", .zone = scheduler::Zone::of("FR"), .capacity = {{"gpu", amount}}},
                  {.name = "es", .zone = scheduler::Zone::of("ES"), .capacity = {{"gpu", amount}}}};
  return config;
}

std::vector<scheduler::IntensityReading> six_hours() {
  return as_forecast(hours("FR", k_now, {40, 38, 35, 36, 60, 70}) + hours("ES", k_now, {150, 120, 90, 80, 110, 160}),
                     k_now);
}

std::string a_job(const std::string& id, const std::string& more = "") {
  return R"({"id":")" + id +
         R"(","owner":"team-a","duration":"PT2H","powerWatts":1000,"finishBy":"2027-10-11T06:00:00Z",)"
         R"("sites":["fr","es"],"homeSite":"es")" +
         more + "}";
}

TEST(JobRoutes, a_job_lives_from_submission_to_its_end) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  const auto submitted = world.call("POST", "/v1/jobs", a_job("train"));
  ASSERT_EQ(submitted.status, 201) << submitted.text;
  EXPECT_THAT(submitted.headers, ::testing::Contains(::testing::Pair("Location", "/v1/jobs/train")));
  expect_like(submitted.json,
              Json::parse(R"({"id":"train","owner":"team-a","state":"waiting","startBy":"2027-10-11T04:00:00Z",
      "slot":{"site":"fr","zone":"FR","start":"2027-10-11T02:00:00Z","end":"2027-10-11T04:00:00Z","carbonGrams":71}})"));

  world.advance_to("2027-10-11T01:59:59Z");
  EXPECT_EQ(world.job("train")["state"], "waiting");
  world.advance_to("2027-10-11T02:00:00Z");
  expect_like(world.job("train"), Json::parse(R"({"state":"released","releasedAt":"2027-10-11T02:00:00Z"})"));

  world.advance_to("2027-10-11T02:01:00Z");
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/started").json["state"], "running");
  world.advance_to("2027-10-11T04:00:00Z");
  const auto finished = world.call("POST", "/v1/jobs/train/finished",
                                   R"({"at":"2027-10-11T03:59:00Z","energyKwh":1.75,"outcome":"succeeded"})");
  expect_like(finished.json, Json::parse(R"({"state":"finished","startedAt":"2027-10-11T02:01:00Z",
      "finishedAt":"2027-10-11T03:59:00Z","energyKwh":1.75})"));
}

TEST(JobRoutes, jobs_are_planned_together_under_capacity) {
  PlanningWorld world{"2027-10-10T23:00:00Z", six_hours(), two_sites()};
  for (const auto& [id, watts, gpus, finish] :
       {std::tuple{"train-a", 3000, 4, 6}, std::tuple{"train-b", 1000, 3, 6}, std::tuple{"train-c", 2000, 2, 4}}) {
    const auto answer =
        world.call("POST", "/v1/jobs",
                   R"({"id":")" + std::string{id} + R"(","duration":"PT2H","powerWatts":)" + std::to_string(watts) +
                       R"(,"demand":{"gpu":)" + std::to_string(gpus) + R"(},"finishBy":"2027-10-11T0)" +
                       std::to_string(finish) + R"(:00:00Z","homeSite":"es"})");
    ASSERT_EQ(answer.status, 201) << answer.text;
  }
  world.cycle->request(app::PlanKind::replan);
  world.settle();
  expect_like(world.job("train-a"),
              Json::parse(R"({"slot":{"site":"fr","start":"2027-10-11T02:00:00Z","carbonGrams":213}})"));
  expect_like(world.job("train-b"),
              Json::parse(R"({"slot":{"site":"fr","start":"2027-10-11T04:00:00Z","carbonGrams":130}})"));
  expect_like(world.job("train-c"),
              Json::parse(R"({"slot":{"site":"fr","start":"2027-10-11T00:00:00Z","carbonGrams":156}})"));
}

TEST(JobRoutes, the_same_key_and_body_get_the_same_answer) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  const http::Pairs key{{"idempotency-key", "k1"}};
  const std::string body = R"({"duration":"PT2H","powerWatts":1000})";
  const auto first = world.call("POST", "/v1/jobs", body, key);
  ASSERT_EQ(first.status, 201) << first.text;
  world.advance_to("2027-10-11T02:00:00Z");  // the job has moved on, the answer has not
  const auto again = world.call("POST", "/v1/jobs", R"({ "powerWatts":1000, "duration":"PT2H" })", key);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(again.headers, first.headers);
  const auto other = world.call("POST", "/v1/jobs", R"({"duration":"PT3H","powerWatts":1000})", key);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.json["code"], "conflict");
  EXPECT_EQ(world.call("GET", "/v1/jobs").json["jobs"].size(), 1U);
}

TEST(JobRoutes, the_same_id_twice_is_a_conflict) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  ASSERT_EQ(world.call("POST", "/v1/jobs", a_job("train")).status, 201);
  const auto twice = world.call("POST", "/v1/jobs", a_job("train"));
  expect_like(twice.json, Json::parse(R"({"status":409,"code":"conflict","pointer":"/id"})"));
}

TEST(JobRoutes, a_job_without_room_waits_and_says_for_what) {
  PlanningWorld world{k_now, six_hours(), two_sites(1)};
  const std::string all = R"(,"demand":{"gpu":1})";
  for (const std::string id : {"a", "b", "c", "d", "e", "f"}) {
    ASSERT_EQ(world.call("POST", "/v1/jobs", a_job(id, all)).status, 201);
  }
  const auto crowded = world.call("POST", "/v1/jobs", a_job("g", all));
  EXPECT_EQ(crowded.json["state"], "waiting");
  EXPECT_EQ(crowded.json["slot"], nullptr);
  EXPECT_THAT(crowded.json["reason"].get<std::string>(), HasSubstr("waiting for room"));
  const auto why = world.call("GET", "/v1/jobs/g/explanation").json;
  EXPECT_EQ(why["options"].size(), 0U);
  ASSERT_GE(why["blockedBy"].size(), 1U);
  EXPECT_EQ(why["blockedBy"][0]["resource"], "gpu");
  EXPECT_FALSE(why["blockedBy"][0]["jobs"].empty());
  EXPECT_EQ(why["dataAge"], "PT0S");

  EXPECT_EQ(world.call("DELETE", "/v1/jobs/a").json["state"], "cancelled");
  EXPECT_NE(world.job("g")["slot"], nullptr);  // the room that was given back is taken
}

TEST(JobRoutes, a_job_is_released_at_its_latest_start_even_without_room) {
  PlanningWorld world{k_now, six_hours(), two_sites(1)};
  const std::string all = R"(,"demand":{"gpu":1})";
  for (const std::string id : {"a", "b", "c", "d", "e", "f", "g"}) world.call("POST", "/v1/jobs", a_job(id, all));
  world.advance_to("2027-10-11T04:00:00Z");
  int without_a_plan = 0;
  for (const std::string id : {"a", "b", "c", "d", "e", "f", "g"}) {
    const auto job = world.job(id);
    EXPECT_EQ(job["state"], "released") << job;
    EXPECT_LE(job["releasedAt"].get<std::string>(), "2027-10-11T04:00:00Z");
    if (job["warning"] != nullptr) ++without_a_plan;
  }
  EXPECT_EQ(without_a_plan, 1);
}

TEST(JobRoutes, a_job_that_can_not_meet_its_deadline_runs_at_once_with_a_warning) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  const auto answer =
      world.call("POST", "/v1/jobs", R"({"duration":"PT9H","finishBy":"2027-10-11T06:00:00Z","homeSite":"es"})");
  EXPECT_EQ(answer.status, 201);
  expect_like(answer.json,
              Json::parse(R"({"state":"released","releasedAt":"2027-10-11T00:00:00Z","slot":{"site":"es"}})"));
  EXPECT_THAT(answer.json["warning"].get<std::string>(), HasSubstr("2027-10-11T09:00:00Z"));
  const auto too_big = world.call("POST", "/v1/jobs", R"({"duration":"PT1H","demand":{"gpu":5}})");
  EXPECT_EQ(too_big.json["state"], "released");
  EXPECT_THAT(too_big.json["warning"].get<std::string>(), HasSubstr("at most 4 gpu"));
}

TEST(JobRoutes, a_job_that_can_not_meet_its_deadline_is_refused_where_that_is_configured) {
  auto config = two_sites();
  config.planning.on_infeasible = runtime::OnInfeasible::reject;
  PlanningWorld world{k_now, six_hours(), config};
  const auto late = world.call("POST", "/v1/jobs", R"({"duration":"PT9H","finishBy":"2027-10-11T06:00:00Z"})");
  expect_like(late.json,
              Json::parse(R"({"status":422,"code":"window-too-short","smallestFinishBy":"2027-10-11T09:00:00Z"})"));
  const auto too_big = world.call("POST", "/v1/jobs", R"({"duration":"PT1H","demand":{"gpu":5}})");
  expect_like(too_big.json, Json::parse(R"({"status":422,"code":"infeasible","pointer":"/demand"})"));
  EXPECT_TRUE(world.call("GET", "/v1/jobs").json["jobs"].empty());
}

TEST(JobRoutes, a_window_too_tight_for_the_grid_of_slots_is_no_reason_to_miss_it) {
  PlanningWorld world{"2027-10-11T00:20:00Z", six_hours(), two_sites()};
  const auto answer = world.call("POST", "/v1/jobs", R"({"duration":"PT1H","finishBy":"2027-10-11T01:30:00Z"})");
  EXPECT_EQ(answer.json["state"], "released");
  EXPECT_EQ(answer.json["slot"]["start"], "2027-10-11T00:20:00Z");
  EXPECT_NE(answer.json["warning"], nullptr);
}

TEST(JobRoutes, a_job_beyond_all_data_waits_for_them) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  const auto answer =
      world.call("POST", "/v1/jobs",
                 R"({"duration":"PT1H","earliestStart":"2027-10-12T00:00:00Z","maxWait":"PT12H","homeSite":"fr"})");
  EXPECT_EQ(answer.json["state"], "waiting");
  EXPECT_EQ(answer.json["slot"], nullptr);
  EXPECT_THAT(answer.json["reason"].get<std::string>(), HasSubstr("nothing is known yet"));
  world.book.publish(
      tests::a_book(six_hours() + as_forecast(hours("FR", "2027-10-12T00:00:00Z", {50, 40, 30, 60}), k_now)));
  world.advance_to("2027-10-11T00:05:00Z");
  expect_like(world.job(answer.json["id"]), Json::parse(R"({"slot":{"site":"fr","start":"2027-10-12T02:00:00Z"}})"));
}

TEST(JobRoutes, without_any_data_a_job_runs_at_its_latest_start) {
  PlanningWorld world{k_now, {}, two_sites()};
  const auto answer =
      world.call("POST", "/v1/jobs", R"({"id":"j","duration":"PT1H","maxWait":"PT3H","homeSite":"es"})");
  EXPECT_EQ(answer.json["state"], "waiting");
  world.advance_to("2027-10-11T02:59:59Z");
  EXPECT_EQ(world.job("j")["state"], "waiting");
  world.advance_to("2027-10-11T12:00:00Z");
  expect_like(world.job("j"),
              Json::parse(R"({"state":"released","releasedAt":"2027-10-11T03:00:00Z","slot":{"site":"es"}})"));
}

TEST(JobRoutes, a_waiting_job_can_be_changed_and_is_planned_anew) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  ASSERT_EQ(world.call("POST", "/v1/jobs", a_job("train")).json["slot"]["start"], "2027-10-11T02:00:00Z");
  const auto sooner = world.call("PATCH", "/v1/jobs/train", R"({"maxWait":"PT1H","priority":3})");
  expect_like(
      sooner.json,
      Json::parse(R"({"startBy":"2027-10-11T01:00:00Z","priority":3,"slot":{"start":"2027-10-11T01:00:00Z"}})"));
  EXPECT_EQ(world.call("PATCH", "/v1/jobs/train", R"({"id":"other"})").json["code"], "unknown-field");
  EXPECT_EQ(
      world.call("PATCH", "/v1/jobs/train", R"({"duration":"PT9H","finishBy":"2027-10-11T06:00:00Z"})").json["code"],
      "window-too-short");
  world.advance_to("2027-10-11T01:00:00Z");
  EXPECT_EQ(world.call("PATCH", "/v1/jobs/train", R"({"priority":4})").status, 409);
}

TEST(JobRoutes, steps_out_of_order_are_conflicts_and_repeated_ones_are_not) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  world.call("POST", "/v1/jobs", a_job("train"));
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/started").status, 409);
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/finished", R"({"outcome":"succeeded"})").status, 409);
  world.advance_to("2027-10-11T02:00:00Z");
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/started", R"({"at":"2027-10-11T03:00:00Z"})").json["pointer"], "/at");
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/started").status, 200);
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/started").status, 200);
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/started", R"({"at":"2027-10-11T01:00:00Z"})").status, 409);
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/finished", R"({"outcome":"failed"})").json["state"], "failed");
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/finished", R"({"outcome":"failed"})").status, 200);
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/finished", R"({"outcome":"succeeded"})").status, 409);
  EXPECT_EQ(world.call("DELETE", "/v1/jobs/train").status, 409);
}

TEST(JobRoutes, cancelling_twice_is_cancelling_once) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  world.call("POST", "/v1/jobs", a_job("train"));
  EXPECT_EQ(world.call("DELETE", "/v1/jobs/train").status, 200);
  EXPECT_EQ(world.call("DELETE", "/v1/jobs/train").json["state"], "cancelled");
  world.advance_to("2027-10-11T06:00:00Z");
  EXPECT_EQ(world.job("train")["state"], "cancelled");
}

TEST(JobRoutes, lists_by_state_owner_and_page) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  for (int i = 0; i < 5; ++i) {
    const std::string owner = i % 2 == 0 ? "even" : "odd";
    world.call("POST", "/v1/jobs",
               R"({"id":"j)" + std::to_string(i) + R"(","owner":")" + owner + R"(","duration":3600})");
  }
  world.call("DELETE", "/v1/jobs/j0");
  EXPECT_EQ(world.call("GET", "/v1/jobs?state=waiting,released").json["jobs"].size(), 4U);
  EXPECT_EQ(world.call("GET", "/v1/jobs?owner=odd").json["jobs"].size(), 2U);
  EXPECT_EQ(world.call("GET", "/v1/jobs?owner=even&state=cancelled").json["jobs"][0]["id"], "j0");
  const auto first = world.call("GET", "/v1/jobs?limit=3").json;
  EXPECT_EQ(first["jobs"][2]["id"], "j2");
  const auto second = world.call("GET", "/v1/jobs?limit=3&cursor=" + first["nextCursor"].get<std::string>()).json;
  ASSERT_EQ(second["jobs"].size(), 2U);
  EXPECT_EQ(second["jobs"][0]["id"], "j3");
  EXPECT_EQ(second["nextCursor"], nullptr);
}

TEST(JobRoutes, a_long_poll_is_answered_when_the_state_changes) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  world.call("POST", "/v1/jobs", a_job("train"));
  auto polled = tests::ask_later(world.router, "GET", "/v1/jobs/train?wait=60s");
  world.settle();
  EXPECT_EQ(polled.wait_for(std::chrono::seconds{0}), std::future_status::timeout);
  EXPECT_EQ(world.call("DELETE", "/v1/jobs/train").status, 200);
  EXPECT_EQ(tests::answer_of(polled).json["state"], "cancelled");
}

TEST(JobRoutes, a_long_poll_ends_with_the_job_as_it_is) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  world.call("POST", "/v1/jobs", a_job("train"));
  auto polled = tests::ask_later(world.router, "GET", "/v1/jobs/train?wait=PT1M");
  world.settle();
  world.advance_to("2027-10-11T00:01:00Z");
  EXPECT_EQ(tests::answer_of(polled).json["state"], "waiting");
}

TEST(JobRoutes, shows_the_plan_in_force_with_a_tag) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  const auto empty = world.call("GET", "/v1/plan");
  EXPECT_TRUE(empty.json["placements"].empty());
  world.call("POST", "/v1/jobs", a_job("train"));
  const auto plan = world.call("GET", "/v1/plan");
  ASSERT_EQ(plan.status, 200);
  expect_like(plan.json, Json::parse(R"({"placements":[{"job":"train","site":"fr","carbonGrams":71}],"unplaced":[],
      "carbonGrams":71,"runNowGrams":270})"));
  EXPECT_GT(plan.json["revision"].get<int>(), empty.json["revision"].get<int>());
  EXPECT_EQ(plan.json["madeAt"], k_now);
  ASSERT_FALSE(plan.headers.empty());
  const std::string tag = plan.headers.front().second;
  EXPECT_EQ(world.call("GET", "/v1/plan", "", {{"if-none-match", tag}}).status, 304);
  EXPECT_EQ(world.call("GET", "/v1/plan", "", {{"if-none-match", "\"0\""}}).status, 200);
}

TEST(JobRoutes, an_unchanged_plan_is_not_stored_again) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  world.call("POST", "/v1/jobs", a_job("train"));
  const auto plan = world.call("GET", "/v1/plan").json;
  world.advance_to("2027-10-11T01:30:00Z");  // eighteen ticks
  EXPECT_EQ(world.call("GET", "/v1/plan").json["revision"], plan["revision"]);
}

TEST(JobRoutes, unknown_jobs_are_not_found) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  for (const auto& [method, target] :
       {std::pair{"GET", "/v1/jobs/x"}, std::pair{"DELETE", "/v1/jobs/x"}, std::pair{"POST", "/v1/jobs/x/started"},
        std::pair{"GET", "/v1/jobs/x/explanation"}, std::pair{"GET", "/v1/jobs/x?wait=60s"}}) {
    EXPECT_EQ(world.call(method, target).json["code"], "not-found") << method << " " << target;
  }
}

TEST(JobRoutes, refuses_bad_bodies_with_code_and_place) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  struct Row {
    std::string_view body;
    std::string_view code;
    std::string_view pointer;
  };
  for (const auto& [body, code, pointer] : {
           Row{"", "invalid-request", ""},
           Row{"{", "invalid-request", ""},
           Row{"[]", "invalid-request", ""},
           Row{R"({"powerWatts":1})", "invalid-request", "/duration"},
           Row{R"({"duration":"PT0S"})", "invalid-request", "/duration"},
           Row{R"({"duration":"1 day"})", "invalid-request", "/duration"},
           Row{R"({"duration":"1h","duration":"1h"})", "invalid-request", "/duration"},
           Row{R"({"duration":"1h","Owner":"x"})", "unknown-field", "/Owner"},
           Row{R"({"duration":"1h","powerWatts":0})", "invalid-request", "/powerWatts"},
           Row{R"({"duration":"1h","powerWatts":1e10})", "invalid-request", "/powerWatts"},
           Row{R"({"duration":"1h","powerWatts":NaN})", "invalid-request", ""},
           Row{R"({"duration":"1h","powerWatts":1,"energyKwh":1})", "invalid-request", "/energyKwh"},
           Row{R"({"duration":1,"energyKwh":1e9})", "invalid-request", "/energyKwh"},
           Row{R"({"duration":"1h","sites":["fr","mars"]})", "unknown-site", "/sites/1"},
           Row{R"({"duration":"1h","sites":["fr","FR"]})", "invalid-request", "/sites/1"},
           Row{R"({"duration":"1h","sites":[]})", "invalid-request", "/sites"},
           Row{R"({"duration":"1h","homeSite":"mars"})", "unknown-site", "/homeSite"},
           Row{R"({"duration":"1h","finishBy":"2027-10-11T06:00:00"})", "invalid-request", "/finishBy"},
           Row{R"({"duration":"1h","maxWait":"1h","latestStart":"2027-10-11T06:00:00Z"})", "invalid-request",
               "/maxWait"},
           Row{R"({"duration":"1h","demand":{"gpu":-1}})", "invalid-request", "/demand/gpu"},
           Row{R"({"duration":"1h","demand":{"gpu":"1"}})", "invalid-request", "/demand/gpu"},
           Row{R"({"duration":"1h","demand":[1]})", "invalid-request", "/demand"},
           Row{R"({"duration":"1h","priority":1.5})", "invalid-request", "/priority"},
           Row{R"({"modes":[{"name":"slow","powerWatts":1}]})", "invalid-request", "/modes/0/duration"},
           Row{R"({"modes":[]})", "invalid-request", "/modes"},
           Row{R"({"duration":"1h","modes":[{"name":"s","powerWatts":1,"duration":"1h"}]})", "invalid-request",
               "/powerWatts"},
           Row{R"({"duration":"1h","fixed":{"site":"fr"}})", "invalid-request", "/fixed/start"},
           Row{R"({"duration":"1h","fixed":{"site":"mars","start":"2027-10-11T06:00:00Z"}})", "unknown-site",
               "/fixed/site"},
           Row{R"({"duration":"1h","owner":""})", "invalid-request", "/owner"},
           Row{R"({"duration":"1h","interruptible":{"pauses":1}})", "unknown-field", "/interruptible/pauses"},
       }) {
    const auto answer = world.call("POST", "/v1/jobs", std::string{body});
    EXPECT_EQ(answer.json["code"], code) << body << ": " << answer.text;
    EXPECT_EQ(answer.json.value("pointer", ""), pointer) << body << ": " << answer.text;
  }
  EXPECT_TRUE(world.call("GET", "/v1/jobs").json["jobs"].empty());
}

TEST(JobRoutes, refuses_bad_parameters_and_keys) {
  PlanningWorld world{k_now, six_hours(), two_sites()};
  world.call("POST", "/v1/jobs", a_job("train"));
  for (const auto& [target, pointer] :
       {std::pair{"/v1/jobs?state=sleeping", "/state"}, std::pair{"/v1/jobs?limit=0", "/limit"},
        std::pair{"/v1/jobs?limit=1001", "/limit"}, std::pair{"/v1/jobs?cursor=x", "/cursor"},
        std::pair{"/v1/jobs?page=2", "/page"}, std::pair{"/v1/jobs?owner=a&owner=b", "/owner"},
        std::pair{"/v1/jobs/train?wait=1h", "/wait"}, std::pair{"/v1/jobs/train?wait=soon", "/wait"},
        std::pair{"/v1/plan?x=1", "/x"}}) {
    const auto answer = world.call("GET", target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(answer.json["pointer"], pointer) << target;
  }
  for (const auto& key : {std::string{}, std::string{"a b"}, std::string(256, 'k')}) {
    EXPECT_EQ(world.call("POST", "/v1/jobs", a_job("other"), {{"idempotency-key", key}}).status, 400);
  }
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/finished", R"({"outcome":"great"})").json["pointer"], "/outcome");
  EXPECT_EQ(world.call("POST", "/v1/jobs/train/finished", "{}").json["pointer"], "/outcome");
}

}  // namespace
}  // namespace valle::service::api
