// SPDX-License-Identifier: Apache-2.0
#include "service/api/status_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::expect_like;
using tests::hours;
using tests::PlanningWorld;
using tests::operator+;

runtime::Config sites_in_fr_and_es() {
  runtime::Config config;
  config.sites = {{.name = "fr", .zone = scheduler::Zone::of("FR")}, {.name = "es", .zone = scheduler::Zone::of("ES")}};
  return config;
}

TEST(StatusRoutes, is_ready_after_the_first_round_with_one_zone_and_lists_the_others) {
  PlanningWorld world{"2027-04-22T07:10:00Z", {}, sites_in_fr_and_es()};
  EXPECT_EQ(world.call("GET", "/healthz").status, 200);
  EXPECT_EQ(world.call("GET", "/readyz").status, 503);
  world.readiness.first_round_over = true;
  const auto none = world.call("GET", "/readyz");
  EXPECT_EQ(none.status, 503);
  EXPECT_EQ(none.json["status"], "without data");
  world.book.publish(tests::a_book(hours("FR", "2027-04-22T07:00:00Z", {24})));
  const auto one = world.call("GET", "/readyz");
  EXPECT_EQ(one.status, 200);
  EXPECT_EQ(one.json, Json::parse(R"({"status":"degraded","zones":["FR"],"degraded":["ES"]})"));
  expect_like(world.call("GET", "/v1/best-slot?duration=1h&zones=ES").json,
              Json::parse(R"({"code":"no-intensity-data","zones":["ES"]})"));
  world.readiness.webhook_waits = true;
  EXPECT_EQ(world.call("GET", "/readyz").status, 503);
  EXPECT_EQ(world.call("GET", "/readyz").json["status"], "without certificate");
  world.readiness.webhook_waits = false;
  world.readiness.stopping = true;
  EXPECT_EQ(world.call("GET", "/readyz").status, 503);
}

TEST(StatusRoutes, readiness_says_who_leads_and_why_nobody_does) {
  PlanningWorld world{"2027-04-22T07:10:00Z", hours("FR", "2027-04-22T07:00:00Z", {24})};
  world.readiness.first_round_over = true;
  app::LeaseStatus lease{.leading = false, .holder = "valle-b"};
  http::Router router;
  add_status_routes(router, {.clock = world.clock,
                             .book = world.book,
                             .places = world.places,
                             .readiness = world.readiness,
                             .metrics = world.metrics,
                             .lease = [&lease] { return lease; }});
  const auto asked = [&router] {
    http::Response answer;
    router.dispatch("/readyz", {.method = "GET", .path = "/readyz", .route = ""},
                    [&answer](http::Response given) { answer = std::move(given); });
    return Json::parse(answer.body).at("lease");
  };
  EXPECT_EQ(asked(), Json::parse(R"({"leading":false,"holder":"valle-b"})"));
  lease.problem = "valle-b is silent";
  EXPECT_EQ(asked(), Json::parse(R"({"leading":false,"holder":"valle-b","problem":"valle-b is silent"})"));
}

TEST(StatusRoutes, an_unknown_intensity_is_absent_from_the_metrics_with_its_age_beside_it) {
  PlanningWorld world{"2027-12-01T09:30:00Z",
                      hours("FR", "2027-12-01T08:00:00Z", {50, 52}) + hours("ES", "2027-12-01T02:00:00Z", {150, 160}),
                      sites_in_fr_and_es()};
  const auto text = world.call("GET", "/metrics").text;
  EXPECT_THAT(text, HasSubstr("grid_carbon_intensity_gco2_kwh{zone=\"FR\"} 52\n"));
  EXPECT_THAT(text, Not(HasSubstr("grid_carbon_intensity_gco2_kwh{zone=\"ES\"}")));
  EXPECT_THAT(text, HasSubstr("valle_intensity_age_seconds{zone=\"ES\",source=\"files\"} 19800\n"));
  EXPECT_THAT(text, HasSubstr("valle_jobs{state=\"waiting\"} 0\n"));
  world.advance_to("2027-12-01T10:00:00Z");
  EXPECT_THAT(world.call("GET", "/metrics").text, Not(HasSubstr("grid_carbon_intensity_gco2_kwh{zone=\"FR\"}")));
}

TEST(StatusRoutes, counts_jobs_by_state) {
  PlanningWorld world{"2027-12-01T08:00:00Z", hours("FR", "2027-12-01T08:00:00Z", {50, 40, 30, 40})};
  world.call("POST", "/v1/jobs", R"({"id":"a","duration":"1h"})");
  world.call("POST", "/v1/jobs", R"({"id":"b","duration":"1h"})");
  world.call("DELETE", "/v1/jobs/b");
  const auto text = world.call("GET", "/metrics").text;
  EXPECT_THAT(text, HasSubstr("valle_jobs{state=\"waiting\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("valle_jobs{state=\"cancelled\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("valle_plan_duration_seconds_count"));
}

TEST(TestClock, lives_through_everything_that_is_due) {
  PlanningWorld world{"2027-12-01T08:00:00Z", hours("FR", "2027-12-01T08:00:00Z", {50, 40, 30, 40})};
  world.call("POST", "/v1/jobs", R"({"id":"a","duration":"1h"})");
  const auto moved = world.call("POST", "/test/clock", R"({"now":"2027-12-01T12:00:00Z"})");
  EXPECT_EQ(moved.json, Json::parse(R"({"now":"2027-12-01T12:00:00Z"})"));
  EXPECT_EQ(world.call("GET", "/test/clock").json, moved.json);
  EXPECT_EQ(world.job("a")["releasedAt"], "2027-12-01T10:00:00Z");
}

TEST(TestClock, refuses_what_is_no_later_instant) {
  PlanningWorld world{"2027-12-01T08:00:00Z", {}};
  EXPECT_EQ(world.call("POST", "/test/clock", R"({"now":"2027-12-01T07:00:00Z"})").status, 400);
  EXPECT_EQ(world.call("POST", "/test/clock", R"({"now":"noon"})").json["pointer"], "/now");
  EXPECT_EQ(world.call("POST", "/test/clock", R"({})").json["pointer"], "/now");
  EXPECT_EQ(world.call("POST", "/test/clock", R"({"to":1})").json["code"], "unknown-field");
}

}  // namespace
}  // namespace valle::service::api
