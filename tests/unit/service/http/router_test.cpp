// SPDX-License-Identifier: Apache-2.0
#include "service/http/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace valle::service::http {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// Answers with the route's pattern and its parameters.
void echo(Request request, const Respond& respond) {
  Response response;
  response.body = request.method + ' ' + request.route;
  for (const auto& [name, value] : request.path_parameters) response.body += ' ' + name + '=' + value;
  respond(std::move(response));
}

Router router() {
  Router router;
  router.add("GET", "/", echo);
  router.add("GET", "/v1/jobs", echo);
  router.add("POST", "/v1/jobs", echo, {.largest_body = 8});
  router.add("GET", "/v1/jobs/{id}", echo);
  router.add("DELETE", "/v1/jobs/{id}", echo);
  router.add("POST", "/v1/jobs/{id}/started", echo);
  router.add("GET", "/v1/jobs/mine", echo);
  router.add("GET", "/v1/{kind}/mine/all", echo);
  return router;
}

Response ask(std::string method, std::string_view target, std::string body = {}) {
  Response answer;
  int answers = 0;
  Request request;
  request.method = std::move(method);
  request.body = std::move(body);
  router().dispatch(target, std::move(request), [&](Response response) {
    answer = std::move(response);
    ++answers;
  });
  EXPECT_EQ(answers, 1);
  return answer;
}

TEST(Router, finds_a_route_by_method_and_segments) {
  EXPECT_EQ(ask("GET", "/").body, "GET /");
  EXPECT_EQ(ask("GET", "/v1/jobs").body, "GET /v1/jobs");
  EXPECT_EQ(ask("POST", "/v1/jobs").body, "POST /v1/jobs");
  EXPECT_EQ(ask("POST", "/v1/jobs/j1/started").body, "POST /v1/jobs/{id}/started id=j1");
}

TEST(Router, a_parameter_is_one_decoded_segment_that_is_not_empty) {
  EXPECT_EQ(ask("GET", "/v1/jobs/team%2Fjob%201").body, "GET /v1/jobs/{id} id=team/job 1");
  EXPECT_EQ(ask("GET", "/v1/jobs/a/b").status, 404);
  EXPECT_EQ(ask("GET", "/v1//mine/all").status, 404);
}

TEST(Router, a_literal_segment_wins_over_a_parameter) {
  EXPECT_EQ(ask("GET", "/v1/jobs/mine").body, "GET /v1/jobs/mine");
  EXPECT_EQ(ask("GET", "/v1/x/mine/all").body, "GET /v1/{kind}/mine/all kind=x");
  EXPECT_EQ(ask("DELETE", "/v1/jobs/mine").status, 405) << "the methods of the literal path are its own";
}

TEST(Router, a_trailing_slash_makes_no_difference_and_a_double_one_does) {
  EXPECT_EQ(ask("GET", "/v1/jobs/").body, "GET /v1/jobs");
  EXPECT_EQ(ask("GET", "/v1/jobs/j1/").body, "GET /v1/jobs/{id} id=j1");
  EXPECT_EQ(ask("GET", "//v1/jobs").status, 404);
}

TEST(Router, the_query_takes_no_part_in_finding) {
  const Router table = router();
  const auto found = table.find("GET", "/v1/jobs/j1?wait=60s&x=%20");
  const auto& match = std::get<Router::Match>(found);
  EXPECT_EQ(match.route->pattern, "/v1/jobs/{id}");
  EXPECT_EQ(match.request.path, "/v1/jobs/j1");
  EXPECT_EQ(match.request.path_parameter("id"), "j1");
  EXPECT_THAT(match.request.query, ElementsAre(Pair("wait", "60s"), Pair("x", " ")));
}

TEST(Router, unknown_paths_are_not_found_and_bad_ones_malformed) {
  const Response missing = ask("GET", "/v2/jobs");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.content_type, "application/problem+json");
  EXPECT_THAT(missing.body, HasSubstr("\"code\":\"not-found\""));
  EXPECT_EQ(ask("GET", "/v1/%zz").status, 400);
  EXPECT_EQ(ask("GET", "/V1/jobs").status, 404) << "paths are case-sensitive";
}

TEST(Router, a_method_that_is_not_offered_is_answered_with_those_that_are) {
  const Response answer = ask("PATCH", "/v1/jobs/j1");
  EXPECT_EQ(answer.status, 405);
  EXPECT_THAT(answer.headers, Contains(Pair("Allow", "GET, DELETE, HEAD, OPTIONS")));
  EXPECT_THAT(answer.body, HasSubstr("\"code\":\"method-not-allowed\""));
}

TEST(Router, head_is_answered_by_get) {
  EXPECT_EQ(ask("HEAD", "/v1/jobs").body, "HEAD /v1/jobs");
  EXPECT_EQ(ask("HEAD", "/v1/jobs/j1/started").status, 405);
}

TEST(Router, options_says_what_is_allowed) {
  const Response answer = ask("OPTIONS", "/v1/jobs");
  EXPECT_EQ(answer.status, 204);
  EXPECT_THAT(answer.headers, ElementsAre(Pair("Allow", "GET, POST, HEAD, OPTIONS")));
  EXPECT_EQ(ask("OPTIONS", "/nowhere").status, 404);
  EXPECT_EQ(ask("OPTIONS", "*").status, 204);
}

TEST(Router, the_bodys_limit_is_the_routes) {
  EXPECT_EQ(ask("POST", "/v1/jobs", "12345678").status, 200);
  const Response answer = ask("POST", "/v1/jobs", "123456789");
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("more than 8 bytes"));
}

TEST(RouterDeathTest, a_wrong_table_stops_the_program) {
  Router table;
  table.add("GET", "/a", echo);
  EXPECT_DEATH(table.add("GET", "/a", echo), "once");
  EXPECT_DEATH(table.add("GET", "a", echo), "slash");
  EXPECT_DEATH(table.add("GET", "/a//b", echo), "segments");
  EXPECT_DEATH(table.add("GET", "/{id", echo), "segments");
  EXPECT_DEATH(table.add("GET", "/{}", echo), "segments");
  EXPECT_DEATH((void)Request{}.path_parameter("id"), "pattern");
}

}  // namespace
}  // namespace valle::service::http
