// SPDX-License-Identifier: Apache-2.0
// Reports sent by the real HTTP client to a server on loopback.
#include <gmock/gmock.h>

#include "connectors/transport/cpprest_transport.hpp"
#include "service/report/webhook.hpp"
#include "tests/support/integration/scripted_server.hpp"

namespace valle::service::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ReportWebhook : public testing::Test {
 protected:
  std::string refusal(const std::string& path) {
    const auto sent = send_(server_.base_url() + path, "{}");
    return sent ? "" : sent.error().detail;
  }
  tests::ScriptedServer server_;
  std::unique_ptr<connectors::HttpTransport> transport_ = connectors::make_cpprest_transport({});
  Delivery::Send send_ = webhook_sender(*transport_);
};

TEST_F(ReportWebhook, gets_the_json_at_its_own_address) {
  server_.then({.status = 204});
  EXPECT_EQ(refusal("/hook/s3cret?a=b%20c"), "");
  const auto seen = server_.seen().at(0);
  EXPECT_THAT(seen.head, StartsWith("POST "));
  EXPECT_EQ(seen.target, "/hook/s3cret?a=b%20c");
  EXPECT_EQ(seen.header("Content-Type"), "application/json");
  EXPECT_EQ(seen.header("Content-Length"), "2");
}

TEST_F(ReportWebhook, that_does_not_take_it_is_told_of_without_its_address) {
  server_.then({.status = 503});
  EXPECT_THAT(refusal("/hook/s3cret"), testing::AllOf(HasSubstr("503"), Not(HasSubstr("s3cret"))));
  server_.then({.status = 302, .headers = {"Location: /elsewhere"}});
  EXPECT_THAT(refusal("/hook/s3cret"), HasSubstr("302")) << "a redirect would make a GET of it";
}

TEST_F(ReportWebhook, that_nobody_listens_at_is_told_of) {
  const auto sent = send_("http://127.0.0.1:1/hook/s3cret", "{}");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, scheduler::Errc::source_unavailable);
  EXPECT_THAT(sent.error().detail, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace valle::service::report
