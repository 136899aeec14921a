// SPDX-License-Identifier: Apache-2.0
// The published description and the handlers say the same, both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "service/api/best_slot_codec.hpp"
#include "service/api/energy_routes.hpp"
#include "service/api/intensity_question.hpp"
#include "service/api/job_codec.hpp"
#include "service/api/report_routes.hpp"
#include "service/api/run_codec.hpp"
#include "tests/support/planning_world.hpp"

namespace valle::service::api {
namespace {

using tests::as_forecast;
using tests::hours;
using tests::PlanningWorld;
using Names = std::set<std::string>;

constexpr std::string_view k_now = "2027-10-11T00:00:00Z";

class OpenApi : public ::testing::Test {
 protected:
  OpenApi() : world_{k_now, as_forecast(hours("FR", k_now, {40, 38, 35, 36, 60, 70}), k_now)} {
    document_ = parse_json(world_.call("GET", "/openapi.json").text, {.largest_bytes = 1 << 20}).value();
  }

  const Json& operation(const std::string& call) const {
    const auto blank = call.find(' ');
    std::string method = call.substr(0, blank);
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    return document_.at("paths").at(call.substr(blank + 1)).at(method);
  }

  const Json& resolved(const Json& schema) const {
    return schema.contains("$ref") ? document_.at(Json::json_pointer{schema.at("$ref").get<std::string>().substr(1)})
                                   : schema;
  }

  Names properties(const Json& schema) const {
    Names names;
    for (const auto& [name, property] : resolved(schema).at("properties").items()) names.insert(name);
    return names;
  }

  Names body(const std::string& call) const {
    return properties(operation(call).at("requestBody").at("content").at("application/json").at("schema"));
  }

  PlanningWorld world_;
  Json document_;
};

Names names(std::span<const std::string_view> list) { return {list.begin(), list.end()}; }

Names path_names(const std::string& pattern) {
  Names found;
  for (auto open = pattern.find('{'); open != std::string::npos; open = pattern.find('{', open + 1)) {
    found.insert(pattern.substr(open + 1, pattern.find('}', open) - open - 1));
  }
  return found;
}

TEST_F(OpenApi, describes_exactly_the_registered_calls) {
  Names registered;
  for (const auto& route : world_.router.routes()) registered.insert(route.method + " " + route.pattern);
  Names described;
  for (const auto& [path, operations] : document_.at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      described.insert(upper + " " + path);
    }
  }
  EXPECT_EQ(described, registered);
}

TEST_F(OpenApi, describes_exactly_the_parameters_that_each_call_knows) {
  const std::map<std::string, std::span<const std::string_view>> known{
      {"GET /v1/best-slot", best_slot_members()},
      {"GET /v1/intensity", intensity_parameters()},
      {"GET /v1/prices", price_parameters()},
      {"GET /v1/forecast", forecast_parameters()},
      {"GET /v1/jobs", job_list_parameters()},
      {"GET /v1/jobs/{id}", job_parameters()},
      {"POST /v1/plans", plan_parameters()},
      {"GET /v1/reports/weekly/{week}", report_parameters()},
      {"POST /v1/energy/codecarbon", codecarbon_parameters()},
  };
  for (const auto& route : world_.router.routes()) {
    const std::string call = route.method + " " + route.pattern;
    Names query;
    Names path;
    for (const auto& parameter : operation(call).value("parameters", Json::array())) {
      if (parameter.at("in") == "query") query.insert(parameter.at("name"));
      if (parameter.at("in") == "path") path.insert(parameter.at("name"));
    }
    const auto expected = known.find(call);
    EXPECT_EQ(query, expected == known.end() ? Names{} : names(expected->second)) << call;
    EXPECT_EQ(path, path_names(route.pattern)) << call;
  }
}

TEST_F(OpenApi, refuses_a_parameter_that_is_not_described) {
  for (const auto& route : world_.router.routes()) {
    std::string target = route.pattern + "?undescribed=1";
    if (const auto id = target.find("{id}"); id != std::string::npos) target.replace(id, 4, "j1");
    if (const auto week = target.find("{week}"); week != std::string::npos) target.replace(week, 6, "2027-W40");
    const auto answer = world_.call(route.method, target, "{}");
    EXPECT_EQ(answer.json.value("code", ""), "unknown-field") << route.method << " " << target << ": " << answer.text;
  }
}

TEST_F(OpenApi, describes_exactly_the_members_of_bodies) {
  EXPECT_EQ(body("POST /v1/best-slot"), names(best_slot_members()));
  EXPECT_EQ(body("POST /v1/jobs"), names(job_members()));
  EXPECT_EQ(body("PATCH /v1/jobs/{id}"), names(job_change_members()));
  EXPECT_EQ(body("POST /v1/jobs/{id}/started"), names(started_members()));
  EXPECT_EQ(body("POST /v1/jobs/{id}/finished"), names(finished_members()));
  EXPECT_EQ(properties(document_.at("components").at("schemas").at("PostedRun")), names(posted_run_members()));
}

TEST_F(OpenApi, answers_hold_what_is_described_and_no_more) {
  const auto members = [](const Json& object) {
    Names found;
    for (const auto& [name, value] : object.items()) found.insert(name);
    return found;
  };
  const auto slot = world_.call("GET", "/v1/best-slot?duration=1h").json;
  const auto& schemas = document_.at("components").at("schemas");
  EXPECT_EQ(members(slot), properties(schemas.at("BestSlotAnswer")));
  EXPECT_EQ(members(slot.at("data")[0]), properties(schemas.at("ZoneData")));
  EXPECT_THAT(properties(schemas.at("Run")), ::testing::IsSupersetOf(members(slot.at("best"))));
  const auto job =
      world_.call("POST", "/v1/jobs", R"({"duration":"1h","powerWatts":5,"owner":"me","priority":1})").json;
  EXPECT_THAT(properties(schemas.at("Job")), ::testing::IsSupersetOf(members(job)));
  const auto described = [&](const std::string& call) {
    return properties(operation(call).at("responses").at("200").at("content").at("application/json").at("schema"));
  };
  EXPECT_EQ(members(world_.call("GET", "/v1/intensity?zone=FR").json), described("GET /v1/intensity"));
  EXPECT_EQ(members(world_.call("GET", "/v1/prices?zone=FR").json).size() + 0, described("GET /v1/prices").size());
  EXPECT_EQ(members(world_.call("GET", "/v1/forecast?zone=FR").json), described("GET /v1/forecast"));
  EXPECT_EQ(members(world_.call("GET", "/v1/zones").json), described("GET /v1/zones"));
  EXPECT_THAT(described("GET /v1/reports/weekly/{week}"),
              ::testing::IsSupersetOf(members(world_.call("GET", "/v1/reports/weekly/2027-W41").json)));
}

TEST_F(OpenApi, every_reference_leads_somewhere) {
  const std::function<void(const Json&)> visit = [&](const Json& node) {
    if (node.is_object() && node.contains("$ref")) {
      EXPECT_NO_THROW((void)resolved(node)) << node;
    }
    if (node.is_structured()) {
      for (const auto& child : node) visit(child);
    }
  };
  visit(document_);
}

}  // namespace
}  // namespace valle::service::api
