// SPDX-License-Identifier: Apache-2.0
// The real HTTP client against a scripted server on loopback.
#include "connectors/transport/cpprest_transport.hpp"

#include <gmock/gmock.h>

#include "tests/support/integration/scripted_server.hpp"

namespace valle::connectors {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using tests::ScriptedReply;
using tests::ScriptedServer;
using Kind = TransportFailure::Kind;

class CpprestTransport : public testing::Test {
 protected:
  HttpTransport::Result get(std::string path, HttpRequest request = {}) {
    if (request.base_url.empty()) request.base_url = server_.base_url();
    request.path = std::move(path);
    return transport_->get(request);
  }
  ScriptedServer server_;
  std::unique_ptr<HttpTransport> transport_ = make_cpprest_transport({.user_agent = "valle/test"});
};

TEST_F(CpprestTransport, sends_query_headers_and_its_name_and_reads_the_reply) {
  server_.then(
      {.status = 404, .type = "Application/JSON; charset=utf-8", .body = "{\"a\":1}", .headers = {"Retry-After: 7"}});
  const auto result = get("/x/y", {.base_url = {},
                                   .path = {},
                                   .query = {{"geo_ids[]", "3"}, {"where", "a>=\"b\" & c+d"}},
                                   .headers = {{"auth-token", "t0k3n"}}});
  ASSERT_TRUE(result.reply.has_value()) << result.failure->detail;
  EXPECT_EQ(result.reply->status, 404);
  EXPECT_EQ(result.reply->content_type, "application/json");
  EXPECT_EQ(result.reply->header("retry-after"), "7");
  EXPECT_EQ(result.reply->body, "{\"a\":1}");
  const auto seen = server_.seen().at(0);
  EXPECT_EQ(seen.target, "/x/y?geo_ids%5B%5D=3&where=a%3E%3D%22b%22%20%26%20c%2Bd");
  EXPECT_EQ(seen.header("User-Agent"), "valle/test");
  EXPECT_EQ(seen.header("auth-token"), "t0k3n");
}

TEST_F(CpprestTransport, reuses_its_connections) {
  for (int i = 0; i < 20; ++i) server_.then_json("{}");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(get("/").reply.has_value());
  EXPECT_LE(server_.connections(), 2U) << "one may still be on its way back to the pool when the next is wanted";
}

TEST_F(CpprestTransport, gives_up_when_no_whole_answer_comes_in_time) {
  server_.then({.fault = ScriptedReply::Fault::no_answer});
  const auto result = get("/", {.base_url = {}, .path = {}, .timeout = milliseconds{100}});
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, Kind::timed_out);
  server_.then_json("{}");
  EXPECT_TRUE(get("/").reply.has_value()) << "the next exchange is not hurt";
}

TEST_F(CpprestTransport, tells_a_cut_answer_from_a_whole_one) {
  server_.then({.body = "{\"zone\":\"FR\",", .fault = ScriptedReply::Fault::cut_body});
  const auto body = get("/");
  ASSERT_TRUE(body.failure.has_value());
  EXPECT_EQ(body.failure->kind, Kind::cut);
  server_.then({.fault = ScriptedReply::Fault::cut_head});
  const auto head = get("/");
  ASSERT_TRUE(head.failure.has_value());
  EXPECT_EQ(head.failure->kind, Kind::cut);
}

TEST_F(CpprestTransport, takes_a_body_at_the_limit_and_not_one_byte_more) {
  server_.then_json(std::string(1000, ' ')).then_json(std::string(1001, ' '));
  const HttpRequest limited{.base_url = {}, .path = {}, .largest_body = 1000};
  EXPECT_EQ(get("/", limited).reply->body.size(), 1000U);
  EXPECT_EQ(get("/", limited).failure->kind, Kind::too_large);
}

TEST_F(CpprestTransport, reads_a_large_body_whole) {
  const std::string body(3'000'000, 'x');
  server_.then_json(body);
  EXPECT_EQ(get("/").reply->body, body);
}

TEST_F(CpprestTransport, unpacks_gzip_and_holds_the_limit_against_what_comes_out) {
  // {"zone":"FR","data":[1,1,…]} with 201 ones, packed by gzip
  const std::string packed{
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xaa\xca\xcf\x4b\x55\xb2\x52\x72\x0b\x52\xd2\x51"
      "\x4a\x49\x2c\x49\x54\xb2\x8a\x36\xd4\x19\x85\x83\x0a\xc6\xd6\x02\x00\x59\xa3\x8d\xe6\xa8\x01\x00"
      "\x00",
      49};
  const std::size_t unpacked = 21 + 2 * 200 + 1 + 2;
  server_.then({.body = packed, .headers = {"Content-Encoding: gzip"}});
  const auto result = get("/");
  ASSERT_TRUE(result.reply.has_value()) << result.failure->detail;
  EXPECT_EQ(result.reply->body.size(), unpacked);
  EXPECT_THAT(result.reply->body, testing::StartsWith("{\"zone\":\"FR\",\"data\":[1,1,"));
  EXPECT_THAT(server_.seen()[0].header("Accept-Encoding"), HasSubstr("gzip"));
  server_.then({.body = packed, .headers = {"Content-Encoding: gzip"}});
  EXPECT_EQ(get("/", {.base_url = {}, .path = {}, .largest_body = unpacked - 1}).failure->kind, Kind::too_large);
}

TEST_F(CpprestTransport, says_that_nobody_listens) {
  std::string gone;
  {
    const ScriptedServer other;
    gone = other.base_url();
  }
  EXPECT_EQ(get("/", {.base_url = gone, .path = {}}).failure->kind, Kind::refused);
}

TEST_F(CpprestTransport, follows_redirects_and_keeps_the_key_at_home) {
  ScriptedServer other;
  server_.then({.status = 302, .headers = {"Location: /moved?a=b"}})
      .then({.status = 307, .headers = {"Location: " + other.base_url() + "/away"}});
  other.then_json("{\"far\":1}");
  const auto result = get("/", {.base_url = {}, .path = {}, .headers = {{"x-api-key", "k3y"}}});
  ASSERT_TRUE(result.reply.has_value()) << result.failure->detail;
  EXPECT_EQ(result.reply->body, "{\"far\":1}");
  EXPECT_EQ(server_.seen()[1].target, "/moved?a=b");
  EXPECT_EQ(server_.seen()[1].header("x-api-key"), "k3y");
  EXPECT_EQ(other.seen()[0].path(), "/away");
  EXPECT_EQ(other.seen()[0].header("x-api-key"), "-");
}

TEST_F(CpprestTransport, follows_three_redirects_and_no_fourth) {
  for (int i = 0; i < 3; ++i) server_.then({.status = 301, .headers = {"Location: /next"}});
  server_.then_json("{}");
  EXPECT_TRUE(get("/").reply.has_value());
  for (int i = 0; i < 4; ++i) server_.then({.status = 301, .headers = {"Location: /next"}});
  const auto result = get("/");
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->detail, "more than 3 redirects");
}

TEST_F(CpprestTransport, refuses_addresses_that_are_none) {
  for (const auto* address :
       {"ftp://127.0.0.1", "http://", "127.0.0.1:1", "http://user:secret@127.0.0.1:1", "http://a b"}) {
    const auto result = get("/", {.base_url = address, .path = {}});
    ASSERT_TRUE(result.failure.has_value()) << address;
    EXPECT_EQ(result.failure->kind, Kind::bad_address) << address;
    EXPECT_THAT(result.failure->detail, testing::Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace valle::connectors
