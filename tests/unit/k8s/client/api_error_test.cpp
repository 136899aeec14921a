// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/api_error.hpp"

#include <gtest/gtest.h>

#include "k8s/client/warnings.hpp"
#include "tests/support/k8s/scripted_api.hpp"

namespace valle::k8s {
namespace {

using Kind = ApiError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

Kind kind_for(int code, const std::string& reason, const std::string& message = "m") {
  return error_of(Response{code, {}, tests::ScriptedApi::status(code, reason, message)}).kind;
}

TEST(ApiError, each_status_has_its_kind) {
  EXPECT_EQ(kind_for(400, "BadRequest"), Kind::bad_request);
  EXPECT_EQ(kind_for(401, "Unauthorized"), Kind::unauthorized);
  EXPECT_EQ(kind_for(403, "Forbidden"), Kind::forbidden);
  EXPECT_EQ(kind_for(404, "NotFound"), Kind::not_found);
  EXPECT_EQ(kind_for(405, "MethodNotAllowed"), Kind::bad_request);
  EXPECT_EQ(kind_for(409, "Conflict"), Kind::conflict);
  EXPECT_EQ(kind_for(409, "AlreadyExists"), Kind::already_exists);
  EXPECT_EQ(kind_for(410, "Expired"), Kind::expired);
  EXPECT_EQ(kind_for(410, "Gone"), Kind::expired);
  EXPECT_EQ(kind_for(422, "Invalid"), Kind::invalid);
  EXPECT_EQ(kind_for(429, "TooManyRequests"), Kind::too_many_requests);
  EXPECT_EQ(kind_for(500, "InternalError"), Kind::server);
  EXPECT_EQ(kind_for(503, "ServiceUnavailable"), Kind::server);
  EXPECT_EQ(kind_for(504, "Timeout"), Kind::server);
}

TEST(ApiError, a_webhook_that_cannot_be_called_is_not_our_error) {
  EXPECT_EQ(kind_for(500, "InternalError",
                     "Internal error occurred: failed calling webhook \"vjob.kb.io\": failed to call webhook: Post …: "
                     "connect: connection refused"),
            Kind::webhook_failed);
  EXPECT_EQ(kind_for(403, "Forbidden", "admission webhook \"vjob.kb.io\" denied the request"), Kind::forbidden);
}

TEST(ApiError, what_is_no_status_object_goes_by_its_code) {
  for (const auto* body : {"", "<html>", "[]", "{\"kind\":\"Job\"}", "null", "{\"kind\":7}"}) {
    const auto error = error_of(Response{502, {}, body});
    EXPECT_EQ(error.kind, Kind::server) << body;
    EXPECT_EQ(error.code, 502);
  }
  EXPECT_EQ(error_of(Response{302, {}, ""}).kind, Kind::server);
  EXPECT_EQ(error_of(Response{404, {}, "not here"}).kind, Kind::not_found);
}

TEST(ApiError, an_event_carries_its_code_in_the_status) {
  const auto error =
      error_of_status({{"kind", "Status"}, {"code", 410}, {"reason", "Expired"}, {"message", "too old"}});
  EXPECT_EQ(error.kind, Kind::expired);
  EXPECT_EQ(error.message, "too old");
  EXPECT_EQ(error_of_status({{"kind", "Status"}, {"reason", "Gone"}}).kind, Kind::expired);
  EXPECT_EQ(error_of_status(Json::object()).kind, Kind::server);
  EXPECT_EQ(error_of_status(nullptr).kind, Kind::server);
}

TEST(ApiError, the_servers_wish_to_wait_is_read_from_header_or_body) {
  const std::string body = tests::ScriptedApi::status(429, "TooManyRequests");
  EXPECT_EQ(error_of(Response{429, {{"retry-after", "3"}}, body}).retry_after, seconds{3});
  EXPECT_EQ(error_of(Response{429, {}, R"({"kind":"Status","details":{"retryAfterSeconds":7}})"}).retry_after,
            seconds{7});
  EXPECT_EQ(error_of(Response{429, {{"retry-after", "99999999"}}, body}).retry_after, seconds{3600});
  for (const auto* odd : {"", "soon", "-1", "3.5", "3 "}) {
    EXPECT_FALSE(error_of(Response{429, {{"retry-after", odd}}, body}).retry_after) << odd;
  }
}

TEST(ApiError, an_overload_names_the_class_that_was_full) {
  const Response response{429,
                          {{"x-kubernetes-pf-flowschema-uid", "fs"}, {"x-kubernetes-pf-prioritylevel-uid", "pl"}},
                          tests::ScriptedApi::status(429, "TooManyRequests", "slow down")};
  EXPECT_EQ(error_of(response).message, "slow down (flow schema fs, priority level pl)");
}

TEST(ApiError, only_what_may_pass_is_worth_repeating) {
  for (const Kind kind : {Kind::too_many_requests, Kind::webhook_failed, Kind::server, Kind::unreachable}) {
    EXPECT_TRUE(worth_repeating(kind)) << name_of(kind);
  }
  for (const Kind kind :
       {Kind::bad_request, Kind::unauthorized, Kind::forbidden, Kind::not_found, Kind::conflict, Kind::already_exists,
        Kind::expired, Kind::invalid, Kind::untrusted, Kind::too_large, Kind::deadline, Kind::cancelled}) {
    EXPECT_FALSE(worth_repeating(kind)) << name_of(kind);
  }
}

TEST(ApiError, a_failure_of_the_network_keeps_its_words) {
  EXPECT_EQ(error_of(TransportFailure{TransportFailure::Kind::tls, "self signed"}),
            (ApiError{Kind::untrusted, 0, {}, "self signed"}));
  EXPECT_EQ(error_of(TransportFailure{TransportFailure::Kind::too_large, "x"}).kind, Kind::too_large);
  EXPECT_EQ(error_of(TransportFailure{TransportFailure::Kind::malformed, "x"}).kind, Kind::server);
  EXPECT_EQ(error_of(TransportFailure{TransportFailure::Kind::cancelled, "x"}).kind, Kind::cancelled);
}

TEST(ApiError, reads_well) {
  EXPECT_EQ(text_of(ApiError{Kind::conflict, 409, "Conflict", "modified"}), "409 Conflict: modified");
  EXPECT_EQ(text_of(ApiError{Kind::unreachable, 0, {}, "refused"}), "unreachable: refused");
}

TEST(Warnings, texts_are_taken_out_of_their_quotes) {
  const Response response{200,
                          {{"warning", "299 - \"planned for 02:00, say \\\"please\\\"\""},
                           {"other", "299 - \"no\""},
                           {"warning", "299 - \"a\", 299 - \"b\" \"Wed, 21 Oct 2015 07:28:00 GMT\""}},
                          {}};
  EXPECT_EQ(warnings_in(response), (std::vector<std::string>{"planned for 02:00, say \"please\"", "a", "b"}));
}

TEST(Warnings, odd_ones_are_passed_over_and_many_are_cut) {
  EXPECT_TRUE(
      warnings_in(Response{200, {{"warning", "299 - none"}, {"warning", "110 - \"stale\""}, {"warning", ""}}, {}})
          .empty());
  Response many{200, {}, {}};
  for (int i = 0; i < 40; ++i) many.headers.emplace_back("warning", "299 - \"w\"");
  EXPECT_EQ(warnings_in(many).size(), 32U);
}

}  // namespace
}  // namespace valle::k8s
