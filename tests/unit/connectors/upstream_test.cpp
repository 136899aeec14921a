// SPDX-License-Identifier: Apache-2.0
#include "connectors/retry/upstream.hpp"

#include <gmock/gmock.h>

#include "tests/support/connectors/scripted_transport.hpp"
#include "tests/support/readings.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using tests::at;
using Kind = TransportFailure::Kind;

class UpstreamTest : public testing::Test {
 protected:
  Upstream make(unsigned budget = 30) {
    return Upstream{
        {.provider = "Somebody", .base_url = "http://127.0.0.1:1", .timeout = seconds{5}, .budget_per_hour = budget},
        {.transport = transport_, .waiter = waiter_}};
  }
  Upstream::Reply ask(Upstream& upstream, seconds time_left = seconds{10}) {
    scheduler::SourceRequest request{
        .zone = scheduler::Zone::of("FR"), .wanted = {}, .now = at("2027-01-01T00:00:00Z"), .time_left = time_left};
    return upstream.get("/x", {}, {}, upstream.patience_for(request));
  }
  tests::ScriptedTransport transport_;
  tests::VirtualWaiter waiter_;
};

TEST_F(UpstreamTest, repeats_an_outage_with_pauses_and_takes_the_good_answer) {
  transport_.then_failure(Kind::timed_out).then(503, "text/html", "<html>").then_json("{}");
  auto upstream = make();
  const auto reply = ask(upstream);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->body, "{}");
  EXPECT_EQ(waiter_.pauses().size(), 2U);
  EXPECT_EQ(transport_.requests().size(), 3U);
}

TEST_F(UpstreamTest, gives_up_after_three_attempts_with_the_last_reason) {
  transport_.then_failure(Kind::refused).then(500, "", "").then(502, "", "");
  auto upstream = make();
  const auto reply = ask(upstream);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().outcome, Outcome::unavailable);
  EXPECT_EQ(reply.error().detail, "Somebody answered 502");
  EXPECT_EQ(transport_.requests().size(), 3U);
}

TEST_F(UpstreamTest, waits_as_long_as_a_limit_says_if_there_is_time_else_hands_the_wish_on) {
  transport_.then(429, "", "", {{"retry-after", "3"}}).then_json("{}");
  auto upstream = make();
  EXPECT_TRUE(ask(upstream).has_value());
  EXPECT_THAT(waiter_.pauses(), testing::ElementsAre(milliseconds{3000}));
  transport_.then(429, "", "", {{"retry-after", "3600"}});
  const auto reply = ask(upstream);
  EXPECT_EQ(reply.error().outcome, Outcome::rate_limited);
  EXPECT_EQ(reply.error().retry_after, seconds{3600});
}

TEST_F(UpstreamTest, does_not_repeat_what_would_fail_again) {
  transport_.then_failure(Kind::tls);
  auto upstream = make();
  EXPECT_EQ(ask(upstream).error().outcome, Outcome::misconfigured);
  transport_.then_failure(Kind::too_large);
  EXPECT_EQ(ask(upstream).error().outcome, Outcome::bad_answer);
  transport_.then(404, "application/json", "{}");
  EXPECT_EQ(ask(upstream)->status, 404);
  EXPECT_TRUE(waiter_.pauses().empty());
}

TEST_F(UpstreamTest, counts_every_attempt_against_the_budget) {
  auto upstream = make(4);
  transport_.then(500, "", "").then(500, "", "").then(500, "", "").then_json("{}");
  EXPECT_EQ(ask(upstream).error().outcome, Outcome::unavailable);
  EXPECT_TRUE(ask(upstream).has_value());
  const auto reply = ask(upstream);
  EXPECT_EQ(reply.error().outcome, Outcome::budget_spent);
  EXPECT_EQ(reply.error().detail, "Somebody: our budget of 4 requests an hour is spent");
  EXPECT_EQ(reply.error().retry_after, std::chrono::hours{1});
  EXPECT_EQ(transport_.requests().size(), 4U);
}

TEST_F(UpstreamTest, gives_each_request_what_is_left_of_the_callers_time) {
  transport_.then_failure(Kind::timed_out).then_json("{}");
  auto upstream = make();
  (void)ask(upstream, seconds{2});
  EXPECT_EQ(transport_.requests()[0].timeout, seconds{2});
  EXPECT_LT(transport_.requests()[1].timeout, seconds{2});
  EXPECT_EQ(ask(upstream, seconds{0}).error().detail, "Somebody: no time left to ask");
}

TEST_F(UpstreamTest, stops_waiting_when_the_service_stops) {
  transport_.then(500, "", "").then_json("{}");
  waiter_.stop();
  auto upstream = make();
  EXPECT_FALSE(ask(upstream).has_value());
  EXPECT_EQ(transport_.requests().size(), 1U);
}

HttpReply reply(int status, std::string type, std::string body) {
  return {.status = status, .content_type = std::move(type), .headers = {}, .body = std::move(body)};
}

TEST(RefusalOf, tells_a_firewall_from_a_bad_key) {
  const auto firewall = refusal_of(reply(403, "text/html", "<html><body>Incident id 77</body></html>"), "ESIOS");
  EXPECT_EQ(firewall.outcome, Outcome::blocked);
  EXPECT_EQ(firewall.detail, "ESIOS answered 403: a web page. A firewall stands in front; the key may well be good");
  const auto key = refusal_of(reply(403, "application/json", R"({"Status":403,"message":"Forbidden"})"), "ESIOS");
  EXPECT_EQ(key.outcome, Outcome::authentication);
  EXPECT_THAT(key.detail, HasSubstr("Forbidden (the key is kept"));
}

TEST(WordsOf, are_one_line_of_ascii_without_the_secret_and_not_too_long) {
  EXPECT_EQ(words_of(reply(400, "", R"({"error":"bad\nthing for Espa\u00f1a"})")), "bad thing for Espa??a");
  EXPECT_EQ(words_of(reply(400, "", "plain text")), "plain text");
  EXPECT_EQ(words_of(reply(400, "", R"({"error":{"code":7}})")), R"({"error":{"code":7}})");
  const Secret secret{"abc"};
  EXPECT_EQ(words_of(reply(400, "", "key abc, abcabc"), &secret), "key ***, ******");
  EXPECT_EQ(words_of(reply(400, "", std::string(5000, 'x'))).size(), 200U);
}

TEST(ExpectJson, refuses_a_web_page_with_status_200) {
  EXPECT_FALSE(expect_json(reply(200, "text/html", "<html>"), "X").has_value());
  EXPECT_TRUE(expect_json(reply(200, "application/json", "{}"), "X").has_value());
  EXPECT_TRUE(expect_json(reply(200, "", "{}"), "X").has_value());
}

}  // namespace
}  // namespace valle::connectors
