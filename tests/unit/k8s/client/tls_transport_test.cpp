// SPDX-License-Identifier: Apache-2.0
// Over real TLS on loopback: who is trusted, and which connections are kept.
#include "k8s/client/tls_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/k8s/over_tls.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::k8s {
namespace {

using ::testing::HasSubstr;
using tests::ApiRequest;
using tests::Conversation;
using tests::k_loopback;
using tests::OverTls;
using tests::say_ok;
using tests::ScriptedApiServer;
using Kind = TransportFailure::Kind;
using std::chrono::milliseconds;

TEST_F(OverTls, a_request_arrives_as_it_was_written_and_the_answer_comes_back) {
  auto& server = serve([](const ApiRequest&, Conversation& conversation) {
    conversation.answer(201, "{\"a\":1}", {"Warning: 299 - \"w\"", "X-Kubernetes-PF-FlowSchema-UID: u"});
  });
  Request request = get("/apis/x?y=%2F");
  request.method = "PATCH";
  request.headers = {{"Content-Type", "application/merge-patch+json"}, {"Authorization", "Bearer t"}};
  request.body = "{\"b\":2}";
  const auto response = connect(endpoint())->send(request, {});
  ASSERT_TRUE(response) << response.error().detail;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "{\"a\":1}");
  EXPECT_EQ(response->header("warning"), "299 - \"w\"");
  EXPECT_EQ(response->header("x-kubernetes-pf-flowschema-uid"), "u");
  const ApiRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.method + ' ' + seen.target, "PATCH /apis/x?y=%2F");
  EXPECT_EQ(seen.body, "{\"b\":2}");
  EXPECT_EQ(seen.header("content-type"), "application/merge-patch+json");
  EXPECT_EQ(seen.header("authorization"), "Bearer t");
  EXPECT_EQ(seen.header("host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST_F(OverTls, the_path_of_the_server_address_comes_first) {
  auto& server = serve(say_ok);
  Endpoint behind = endpoint();
  behind.base_path = "/k8s/clusters/c-1";
  EXPECT_TRUE(connect(behind)->send(get("/version"), {}));
  EXPECT_EQ(server.seen().at(0).target, "/k8s/clusters/c-1/version");
}

TEST_F(OverTls, connections_are_kept_and_used_again) {
  auto& server = serve(say_ok);
  const auto transport = connect(endpoint());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(transport->send(get(), {}));
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(OverTls, a_connection_that_the_server_closes_is_not_used_again) {
  auto& server = serve([](const ApiRequest& request, Conversation& conversation) {
    conversation.answer(200, "{}");
    if (request.target == "/close") conversation.cut();
  });
  const auto transport = connect(endpoint());
  EXPECT_TRUE(transport->send(get("/close"), {}));
  EXPECT_TRUE(transport->send(get("/"), {}));
  EXPECT_TRUE(transport->send({.method = "POST", .target = "/", .body = "{}", .deadline = soon()}, {}));
  EXPECT_EQ(server.seen().size(), 3U) << "nothing is sent twice";
}

TEST_F(OverTls, a_server_that_says_close_is_believed) {
  auto& server = serve(
      [](const ApiRequest&, Conversation& conversation) { conversation.answer(200, "{}", {"Connection: close"}); });
  const auto transport = connect(endpoint());
  EXPECT_TRUE(transport->send(get(), {}));
  EXPECT_TRUE(transport->send(get(), {}));
  EXPECT_EQ(server.connections(), 2U);
}

TEST_F(OverTls, only_reads_are_asked_again_when_a_kept_connection_breaks_under_them) {
  auto& server = serve([](const ApiRequest& request, Conversation& conversation) {
    if (request.connection == 1 && request.target == "/break") return conversation.cut();
    conversation.answer(200, "{}");
  });
  const auto transport = connect(endpoint());
  EXPECT_TRUE(transport->send(get("/"), {}));
  EXPECT_TRUE(transport->send(get("/break"), {}));
  EXPECT_EQ(server.connections(), 2U);
  serve([](const ApiRequest& request, Conversation& conversation) {
    if (request.method == "POST") return conversation.cut();
    conversation.answer(200, "{}");
  });
  const auto other = connect(endpoint());
  EXPECT_TRUE(other->send(get("/"), {}));
  const auto failure = failure_of(other->send({.method = "POST", .target = "/", .body = "{}", .deadline = soon()}, {}));
  EXPECT_EQ(failure.kind, Kind::unreachable);
  EXPECT_EQ(server_->seen().size(), 2U);
}

TEST_F(OverTls, a_certificate_of_another_authority_is_refused) {
  serve(say_ok);
  Endpoint wrong = endpoint();
  wrong.authority.text = tests::TestAuthority{}.certificate();
  const auto failure = failure_of(connect(wrong)->send(get(), {}));
  EXPECT_EQ(failure.kind, Kind::tls);
  EXPECT_THAT(failure.detail, HasSubstr("not to be trusted as 127.0.0.1"));
}

TEST_F(OverTls, without_an_authority_the_systems_own_count) {
  serve(say_ok);
  Endpoint system = endpoint();
  system.authority = {};
  EXPECT_EQ(failure_of(connect(system)->send(get(), {})).kind, Kind::tls);
}

TEST_F(OverTls, a_certificate_for_another_host_is_refused) {
  serve_as(authority_.issue("127.0.0.1", "DNS:api.example.org,IP:127.0.0.2"), say_ok);
  const auto failure = failure_of(connect(endpoint())->send(get(), {}));
  EXPECT_EQ(failure.kind, Kind::tls);
  EXPECT_THAT(failure.detail, HasSubstr("IP address mismatch"));
  Endpoint named = endpoint();
  named.server_name = "api.example.com";
  EXPECT_THAT(failure_of(connect(named)->send(get(), {})).detail, HasSubstr("hostname mismatch"));
  named.server_name = "api.example.org";
  EXPECT_TRUE(connect(named)->send(get(), {})) << "tls-server-name is what the certificate must carry";
}

TEST_F(OverTls, a_name_is_looked_up_and_verified) {
  serve(say_ok);
  Endpoint named = endpoint();
  named.host = "localhost";
  const auto response = connect(named)->send(get(), {});
  EXPECT_TRUE(response) << response.error().detail;
}

TEST_F(OverTls, a_client_certificate_is_shown) {
  auto& server = serve(say_ok, {.client_authority = authority_.certificate()});
  const auto me = authority_.issue("valle-client");
  Endpoint with = endpoint();
  with.client_certificate.text = me.certificate;
  with.client_key.text = me.key;
  ASSERT_TRUE(connect(with)->send(get(), {}));
  EXPECT_EQ(server.seen().at(0).client, "valle-client");
}

TEST_F(OverTls, a_server_that_wants_a_certificate_and_gets_none_or_anothers_is_a_matter_of_trust) {
  serve(say_ok, {.client_authority = authority_.certificate()});
  EXPECT_NE(failure_of(connect(endpoint())->send(get(), {})).kind, Kind::deadline);
  const auto stranger = tests::TestAuthority{}.issue("stranger");
  Endpoint with = endpoint();
  with.client_certificate.text = stranger.certificate;
  with.client_key.text = stranger.key;
  EXPECT_FALSE(connect(with)->send(get(), {}));
}

TEST_F(OverTls, certificates_that_cannot_be_used_are_refused_at_the_start) {
  serve(say_ok);
  const auto refused = [&](Pem authority, Pem certificate, Pem key) {
    Endpoint with = endpoint();
    with.authority = std::move(authority);
    with.client_certificate = std::move(certificate);
    with.client_key = std::move(key);
    const auto made = make_tls_transport(with);
    return made ? std::string{} : made.error().detail;
  };
  const auto me = authority_.issue("me");
  const auto other = authority_.issue("other");
  EXPECT_THAT(refused({.text = "nonsense"}, {}, {}), HasSubstr("the authority's certificate cannot be used"));
  EXPECT_THAT(refused({.file = "/nowhere.pem"}, {}, {}), HasSubstr("cannot be read"));
  EXPECT_THAT(refused({}, {.text = "nonsense"}, {.text = me.key}), HasSubstr("the client certificate cannot be used"));
  EXPECT_THAT(refused({}, {.text = me.certificate}, {.text = "nonsense"}), HasSubstr("the client key cannot be used"));
  EXPECT_THAT(refused({}, {.text = me.certificate}, {.text = other.key}), ::testing::Not(::testing::IsEmpty()));
}

TEST_F(OverTls, an_authority_in_a_file_is_read_again_for_new_connections) {
  serve([](const ApiRequest&, Conversation& conversation) { conversation.answer(200, "{}", {"Connection: close"}); });
  tests::TemporaryFolder folder;
  std::ofstream{folder / "ca.crt"} << tests::TestAuthority{}.certificate();
  Endpoint with = endpoint();
  with.authority = {.file = folder / "ca.crt"};
  const auto transport = connect(with);
  EXPECT_EQ(failure_of(transport->send(get(), {})).kind, Kind::tls);
  std::ofstream{folder / "next"} << authority_.certificate();
  std::filesystem::rename(folder / "next", folder / "ca.crt");
  EXPECT_TRUE(transport->send(get(), {}));
  std::ofstream{folder / "broken"} << "half a fi";
  std::filesystem::rename(folder / "broken", folder / "ca.crt");
  EXPECT_TRUE(transport->send(get(), {})) << "what cannot be used leaves the old settings in force";
}

/// Connections are taken by the kernel, but nobody answers the handshake.
TEST_F(OverTls, many_threads_share_a_bounded_number_of_connections) {
  auto& server = serve(say_ok);
  const auto transport = connect(endpoint(), {.idle_connections = 3, .busy_connections = 3});
  std::atomic<int> answered{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int call = 0; call < 20; ++call) answered += transport->send(get(), {}).has_value();
      });
    }
  }
  EXPECT_EQ(answered, 160);
  EXPECT_LE(server.connections(), 3U);
}

TEST_F(OverTls, a_call_waits_for_a_free_connection_no_longer_than_its_deadline) {
  auto& server = serve([](const ApiRequest&, Conversation& conversation) { conversation.wait_until_gone(); });
  const auto transport = connect(endpoint(), {.busy_connections = 1, .streams = 1});
  std::stop_source stop;
  std::jthread holder{[&] { (void)transport->send(get(), stop.get_token()); }};
  std::jthread watcher{[&] {
    (void)transport->stream(
        get(), [](auto) { return Flow::more; }, stop.get_token());
  }};
  server.wait_for_requests(2);
  const auto waited = failure_of(transport->send({.target = "/", .deadline = clock_->now() + milliseconds{50}}, {}));
  EXPECT_EQ(waited.kind, Kind::deadline);
  EXPECT_THAT(waited.detail, HasSubstr("free connection"));
  EXPECT_THAT(failure_of(transport->stream(get(), [](auto) { return Flow::more; }, {})).detail,
              HasSubstr("too many watches"));
  EXPECT_EQ(server.seen().size(), 2U);
  stop.request_stop();
}

}  // namespace
}  // namespace valle::k8s
