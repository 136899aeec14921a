// SPDX-License-Identifier: Apache-2.0
#include "service/http/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace valle::service::http {
namespace {

using scheduler::Errc;
using scheduler::Error;
using testing::Contains;
using testing::Pair;

/// The contract's table, written down a second time.
const std::map<Errc, std::pair<int, std::string>> k_contract = {
    {Errc::invalid_request, {400, "invalid-request"}},
    {Errc::unknown_field, {400, "unknown-field"}},
    {Errc::unknown_zone, {422, "unknown-zone"}},
    {Errc::unknown_site, {422, "unknown-site"}},
    {Errc::window_too_short, {422, "window-too-short"}},
    {Errc::infeasible, {422, "infeasible"}},
    {Errc::too_large, {413, "too-large"}},
    {Errc::no_intensity_data, {503, "no-intensity-data"}},
    {Errc::unauthorized, {401, "unauthorized"}},
    {Errc::forbidden, {403, "forbidden"}},
    {Errc::not_found, {404, "not-found"}},
    {Errc::method_not_allowed, {405, "method-not-allowed"}},
    {Errc::conflict, {409, "conflict"}},
    {Errc::rate_limited, {429, "rate-limited"}},
    {Errc::source_unavailable, {503, "source-unavailable"}},
    {Errc::not_leader, {503, "not-leader"}},
    {Errc::deadline_exceeded, {504, "deadline-exceeded"}},
    {Errc::storage_failed, {503, "storage-failed"}},
};

TEST(Problem, every_error_code_has_its_status_and_word_of_the_contract) {
  const auto last = static_cast<int>(Errc::storage_failed);
  ASSERT_EQ(k_contract.size(), static_cast<std::size_t>(last) + 1) << "a new Errc needs a row here and in the table";
  std::set<std::string_view> words;
  for (int i = 0; i <= last; ++i) {
    const auto code = static_cast<Errc>(i);
    const ProblemKind kind = problem_kind(code);
    EXPECT_EQ(kind.status, k_contract.at(code).first) << kind.code;
    EXPECT_EQ(kind.code, k_contract.at(code).second);
    EXPECT_FALSE(kind.title.empty());
    words.insert(kind.code);
  }
  EXPECT_EQ(words.size(), k_contract.size());
}

TEST(Problem, a_document_has_the_contracts_members_and_the_facts_in_order) {
  const Error error{Errc::window_too_short,
                    "a 6 h job does not fit 5 h",
                    "/finishBy",
                    {{"smallestFinishBy", "2021-06-10T12:00:00Z"}, {"zones", std::vector<std::string>{"FR", "ES"}}}};
  EXPECT_EQ(problem_document(error).dump(),
            R"({"type":"urn:valle:problem:window-too-short","title":"The job does not fit its window","status":422,)"
            R"("detail":"a 6 h job does not fit 5 h","code":"window-too-short","pointer":"/finishBy",)"
            R"("smallestFinishBy":"2021-06-10T12:00:00Z","zones":["FR","ES"]})");
  const Response response = problem(error);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(response.body, problem_document(error).dump());
  EXPECT_TRUE(response.headers.empty());
}

TEST(Problem, an_error_without_a_place_has_no_pointer) {
  EXPECT_FALSE(problem_document({Errc::not_found, "no such job"}).contains("pointer"));
}

TEST(Problem, when_to_come_back_is_a_number_and_a_header) {
  const Error error{Errc::not_leader, "ask the leader", {}, {{"retryAfterSeconds", "7"}}};
  EXPECT_EQ(problem_document(error).at("retryAfterSeconds"), 7);
  EXPECT_THAT(problem(error).headers, Contains(Pair("Retry-After", "7")));
  const Error odd{Errc::not_leader, "", {}, {{"retryAfterSeconds", "soon\r\nX: y"}}};
  EXPECT_TRUE(problem(odd).headers.empty());
}

TEST(Problem, a_missing_token_is_told_how_to_authenticate) {
  EXPECT_THAT(problem({Errc::unauthorized, "no token"}).headers,
              Contains(Pair("WWW-Authenticate", "Bearer realm=\"valle\"")));
}

TEST(Problem, echoed_bytes_that_are_not_utf8_are_replaced) {
  const Response response = problem({Errc::unknown_zone, "zone '\xff' is not known"});
  EXPECT_EQ(nlohmann::json::parse(response.body).at("detail"), "zone '\xEF\xBF\xBD' is not known");
}

TEST(Problem, refusals_of_the_protocol_have_the_same_form) {
  for (const int status : {400, 408, 413, 414, 417, 431, 500, 501, 503, 505}) {
    const Response response = protocol_problem(status, "why");
    EXPECT_EQ(response.status, status);
    const auto document = nlohmann::json::parse(response.body);
    EXPECT_EQ(document.at("status"), status);
    EXPECT_EQ(document.at("detail"), "why");
    EXPECT_EQ(document.at("type"), "urn:valle:problem:" + document.at("code").get<std::string>());
  }
}

}  // namespace
}  // namespace valle::service::http
