// SPDX-License-Identifier: Apache-2.0
#include "service/api/energy_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using testing::HasSubstr;
using tests::as_forecast;
using tests::hours;
using tests::PlanningWorld;

constexpr std::string_view k_now = "2027-10-11T00:00:00Z";

class EnergyRoutes : public testing::Test {
 protected:
  EnergyRoutes() : world_{k_now, as_forecast(hours("FR", k_now, {40, 38, 35, 36, 60, 70}), k_now)} {
    scheduler::Run run;
    run.id = "job-1";
    run.name = "lab/fit";
    scheduler::Attempt attempt;
    attempt.site = "fr";
    attempt.ran = {tests::at("2027-10-10T08:00:00Z"), tests::at("2027-10-10T09:00:00Z")};
    attempt.outcome = scheduler::AttemptOutcome::finished;
    run.attempts = {attempt};
    run.finished = attempt.ran.end;
    const std::vector<std::string> ids{run.id};
    EXPECT_TRUE(world_.ledger->change(ids, [&run](const auto&, const auto*) { return std::optional{run}; }));
  }
  static std::string body(const std::string& project, const std::string& members = R"("energy_consumed":1.3)") {
    return R"({"timestamp":"2027-10-10T09:00:00","run_id":"r-1","duration":3600,"pue":1.3,"user":"someone","project_name":")" +
           project + "\"," + members + "}";
  }
  PlanningWorld world_;
};

TEST_F(EnergyRoutes, what_codecarbon_posts_goes_to_its_job) {
  const auto answer = world_.call("POST", "/v1/energy/codecarbon", body("lab/fit"));
  EXPECT_EQ(answer.status, 201) << "the tool takes anything else for a failure: " << answer.text;
  EXPECT_EQ(answer.json.at("energyKwh"), 1.0);
  EXPECT_EQ(answer.json.at("quality"), "estimated");
  const auto run = world_.ledger->find("job-1");
  EXPECT_EQ((*run)->attempts.at(0).figures.at(0).energy, scheduler::energy_from_kwh(1));
  EXPECT_EQ(world_.call("POST", "/v1/energy/codecarbon?job=job-1", body("whatever")).status, 201);
}

TEST_F(EnergyRoutes, unknown_energy_has_no_number) {
  const auto answer = world_.call("POST", "/v1/energy/codecarbon",
                                  body("lab/fit", R"("energy_consumed":1.3,"gpu_count":2,"gpu_energy":0)"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_TRUE(answer.json.at("energyKwh").is_null());
  EXPECT_EQ(answer.json.at("quality"), "unknown");
}

TEST_F(EnergyRoutes, a_run_of_nobody_is_not_found_and_a_broken_one_refused) {
  const auto nobody = world_.call("POST", "/v1/energy/codecarbon", body("nobody"));
  EXPECT_EQ(nobody.status, 404);
  EXPECT_THAT(nobody.text, HasSubstr("project_name"));
  EXPECT_EQ(world_.call("POST", "/v1/energy/codecarbon?timeZone=Europe/Madrid", body("lab/fit")).status, 404)
      << "in Madrid it was over by seven";
  EXPECT_EQ(world_.call("POST", "/v1/energy/codecarbon", "{}").status, 400);
  EXPECT_EQ(world_.call("POST", "/v1/energy/codecarbon", "[").status, 400);
  const auto zone = world_.call("POST", "/v1/energy/codecarbon?timeZone=Mars", body("lab/fit"));
  EXPECT_EQ(zone.status, 400);
  EXPECT_EQ(zone.json.at("pointer"), "/timeZone");
}

TEST_F(EnergyRoutes, a_follower_sends_the_caller_on) {
  http::Router router;
  add_energy_routes(router, {*world_.ledger, world_.questions, [] { return false; }});
  int status = 0;
  http::Request request;
  request.method = "POST";
  request.body = body("lab/fit");
  router.dispatch("/v1/energy/codecarbon", request,
                  [&status](const http::Response& response) { status = response.status; });
  EXPECT_EQ(status, 503);
}

}  // namespace
}  // namespace valle::service::api
