// SPDX-License-Identifier: Apache-2.0
// Over real TLS on loopback: who is trusted, what is kept, and how every wait ends.
#include "k8s/client/tls_transport.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include "k8s/client/line_splitter.hpp"
#include "tests/support/k8s/scripted_api_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::k8s {
namespace {

using ::testing::HasSubstr;
using tests::ApiRequest;
using tests::ApiServerOptions;
using tests::Conversation;
using tests::ScriptedApiServer;
using Kind = TransportFailure::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string k_loopback = "IP:127.0.0.1,DNS:localhost";

class OverTls : public ::testing::Test {
 protected:
  ScriptedApiServer& serve(ScriptedApiServer::Handler handler, ApiServerOptions options = {}) {
    return serve_as(authority_.issue("server", k_loopback), std::move(handler), std::move(options));
  }
  ScriptedApiServer& serve_as(tests::PemPair identity, ScriptedApiServer::Handler handler,
                              ApiServerOptions options = {}) {
    server_ = std::make_unique<ScriptedApiServer>(std::move(identity), std::move(handler), std::move(options));
    return *server_;
  }
  Endpoint endpoint() const {
    return {.host = "127.0.0.1", .port = server_->port(), .authority = {.text = authority_.certificate()}};
  }
  static std::shared_ptr<Transport> connect(Endpoint endpoint, TransportLimits limits = {}) {
    auto made = make_tls_transport(std::move(endpoint), limits);
    EXPECT_TRUE(made) << made.error().detail;
    return *made;
  }
  /// Far enough that a busy machine does not reach it.
  SteadyTime soon() const { return clock_->now() + seconds{60}; }
  Request get(const std::string& target = "/") const { return {.target = target, .deadline = soon()}; }
  TransportFailure failure_of(const TransportResult<Response>& result) const {
    EXPECT_FALSE(result.has_value());
    return result ? TransportFailure{Kind::malformed, "there was none"} : result.error();
  }
  std::shared_ptr<Clock> clock_ = monotonic_clock();
  tests::TestAuthority authority_;
  std::unique_ptr<ScriptedApiServer> server_;
};

void say_ok(const ApiRequest&, Conversation& conversation) { conversation.answer(200, "{}"); }

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

TEST_F(OverTls, nobody_there_is_unreachable) {
  std::uint16_t port = 0;
  {
    ScriptedApiServer gone{authority_.issue("server", k_loopback), say_ok};
    port = gone.port();
  }
  const auto transport = connect({.host = "127.0.0.1", .port = port, .authority = {.text = authority_.certificate()}});
  EXPECT_EQ(failure_of(transport->send(get(), {})).kind, Kind::unreachable);
}

/// Connections are taken by the kernel, but nobody answers the handshake.
TEST_F(OverTls, a_server_that_never_shakes_hands_is_unreachable_after_our_own_time) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, raw, size), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  ASSERT_EQ(::getsockname(listener, raw, &size), 0);
  const Endpoint silent{
      .host = "127.0.0.1", .port = ntohs(address.sin_port), .authority = {.text = authority_.certificate()}};
  const auto failure = failure_of(connect(silent, {.connect = milliseconds{50}})->send(get(), {}));
  EXPECT_EQ(failure.kind, Kind::unreachable) << "a deadline is the caller's only";
  EXPECT_EQ(failure_of(connect(silent)->send({.target = "/", .deadline = clock_->now() + milliseconds{50}}, {})).kind,
            Kind::deadline);
  ::close(listener);
}

TEST_F(OverTls, an_answer_that_breaks_off_is_unreachable_in_head_and_body) {
  serve([](const ApiRequest& request, Conversation& conversation) {
    if (request.target == "/head") conversation.raw("HTTP/1.1 200 OK\r\nContent-");
    if (request.target == "/body") conversation.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":");
    if (request.target == "/endless") conversation.raw("HTTP/1.1 200 OK\r\n\r\n{\"whole\":\"but is it?\"}");
    conversation.cut();
  });
  const auto transport = connect(endpoint());
  for (const auto* target : {"/nothing", "/head", "/body", "/endless"}) {
    EXPECT_EQ(failure_of(transport->send(get(target), {})).kind, Kind::unreachable) << target;
  }
}

TEST_F(OverTls, what_is_no_http_is_malformed) {
  serve([](const ApiRequest&, Conversation& conversation) {
    conversation.raw("SSH-2.0-OpenSSH\r\n\r\n");
    conversation.wait_until_gone();
  });
  EXPECT_EQ(failure_of(connect(endpoint())->send(get(), {})).kind, Kind::malformed);
}

TEST_F(OverTls, heads_and_bodies_end_at_their_limits) {
  serve([](const ApiRequest& request, Conversation& conversation) {
    if (request.target == "/head") return conversation.answer(200, "{}", {"X: " + std::string(3000, 'x')});
    if (request.target == "/fits") return conversation.answer(200, std::string(1000, 'x'));
    if (request.target == "/large") return conversation.answer(200, std::string(1001, 'x'));
    conversation.begin_stream();  // chunked, without end
    while (!conversation.gone()) conversation.chunk(std::string(100, 'x'));
  });
  const auto transport = connect(endpoint(), {.head = 2000, .body = 1000});
  EXPECT_TRUE(transport->send(get("/fits"), {}));
  EXPECT_EQ(failure_of(transport->send(get("/head"), {})).kind, Kind::too_large);
  EXPECT_EQ(failure_of(transport->send(get("/large"), {})).kind, Kind::too_large);
  EXPECT_EQ(failure_of(transport->send(get("/endless"), {})).kind, Kind::too_large);
}

TEST_F(OverTls, the_deadline_ends_a_wait_for_head_body_and_lines) {
  serve([](const ApiRequest& request, Conversation& conversation) {
    if (request.target == "/body") conversation.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
    if (request.target == "/lines") conversation.begin_stream();
    conversation.wait_until_gone();
  });
  const auto transport = connect(endpoint());
  const auto shortly = [&](const char* target) {
    return Request{.target = target, .deadline = clock_->now() + milliseconds{100}};
  };
  EXPECT_EQ(failure_of(transport->send(shortly("/"), {})).kind, Kind::deadline);
  EXPECT_EQ(failure_of(transport->send(shortly("/body"), {})).kind, Kind::deadline);
  EXPECT_EQ(failure_of(transport->stream(shortly("/lines"), [](auto) { return Flow::more; }, {})).kind, Kind::deadline);
  EXPECT_EQ(failure_of(transport->send({.target = "/", .deadline = clock_->now()}, {})).kind, Kind::deadline);
}

TEST_F(OverTls, a_stop_ends_a_wait_at_once) {
  auto& server = serve([](const ApiRequest& request, Conversation& conversation) {
    if (request.target == "/lines") conversation.begin_stream();
    conversation.wait_until_gone();
  });
  const auto transport = connect(endpoint());
  std::size_t asked = 0;
  for (const auto* target : {"/", "/lines"}) {
    std::stop_source stop;
    std::jthread stopper{[&, expected = ++asked] {
      server.wait_for_requests(expected);
      stop.request_stop();
    }};
    EXPECT_EQ(failure_of(transport->stream(
                             get(target), [](auto) { return Flow::more; }, stop.get_token()))
                  .kind,
              Kind::cancelled);
  }
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(failure_of(transport->send(get(), stopped.get_token())).kind, Kind::cancelled);
}

TEST_F(OverTls, a_stop_after_the_answer_does_no_harm_to_the_connection) {
  auto& server = serve(say_ok);
  const auto transport = connect(endpoint());
  for (int i = 0; i < 50; ++i) {
    std::stop_source stop;
    ASSERT_TRUE(transport->send(get(), stop.get_token()));
    stop.request_stop();
  }
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(OverTls, lines_come_as_they_are_sent) {
  std::atomic<int> taken{0};
  serve([&](const ApiRequest&, Conversation& conversation) {
    conversation.begin_stream();
    conversation.chunk("one\ntw");
    taken.wait(0);  // the first line must not wait for the second
    conversation.chunk("o\r\n");
    conversation.chunk("\n\nthree");
    conversation.end_stream();
  });
  std::vector<std::string> lines;
  const auto response = connect(endpoint())
                            ->stream(get(),
                                     [&](std::string_view line) {
                                       lines.emplace_back(line);
                                       taken = 1;
                                       taken.notify_all();
                                       return Flow::more;
                                     },
                                     {});
  ASSERT_TRUE(response) << response.error().detail;
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
}

TEST_F(OverTls, a_stream_that_is_cut_is_a_failure_after_its_whole_lines) {
  serve([](const ApiRequest&, Conversation& conversation) {
    conversation.begin_stream();
    conversation.line("whole");
    conversation.chunk("half");
    conversation.cut();
  });
  std::vector<std::string> lines;
  const auto result =
      connect(endpoint())
          ->stream(get(), [&](std::string_view line) { return lines.emplace_back(line), Flow::more; }, {});
  EXPECT_EQ(failure_of(result).kind, Kind::unreachable);
  EXPECT_EQ(lines, std::vector<std::string>{"whole"});
}

TEST_F(OverTls, a_stream_ends_when_the_sink_has_enough) {
  serve([](const ApiRequest&, Conversation& conversation) {
    conversation.begin_stream();
    while (!conversation.gone()) conversation.line("x");
  });
  int lines = 0;
  const auto response =
      connect(endpoint())->stream(get(), [&](auto) { return ++lines == 3 ? Flow::enough : Flow::more; }, {});
  EXPECT_TRUE(response);
  EXPECT_EQ(lines, 3);
}

TEST_F(OverTls, a_line_ends_at_its_limit) {
  serve([](const ApiRequest&, Conversation& conversation) {
    conversation.begin_stream();
    while (!conversation.gone()) conversation.chunk(std::string(1000, 'x'));
  });
  const auto result = connect(endpoint(), {.line = 100'000})->stream(get(), [](auto) { return Flow::more; }, {});
  EXPECT_EQ(failure_of(result).kind, Kind::too_large);
}

TEST_F(OverTls, a_stream_that_is_refused_comes_back_whole_and_its_connection_is_kept) {
  auto& server =
      serve([](const ApiRequest&, Conversation& conversation) { conversation.answer(403, "{\"kind\":\"Status\"}"); });
  const auto transport = connect(endpoint());
  const auto response = transport->stream(get(), [](auto) { return Flow::more; }, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 403);
  EXPECT_EQ(response->body, "{\"kind\":\"Status\"}");
  EXPECT_TRUE(transport->send(get(), {}));
  EXPECT_EQ(server.connections(), 1U);
}

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

TEST(LineSplitter, does_not_care_where_the_pieces_are_cut) {
  const std::string bytes = "alpha\nbeta\r\n\ngamma";
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      LineSplitter splitter{5};
      std::string lines;
      const LineSink sink = [&](std::string_view line) { return lines += std::string{line} + '|', Flow::more; };
      ASSERT_EQ(splitter.feed(bytes.substr(0, first), sink), LineSplitter::Outcome::more);
      ASSERT_EQ(splitter.feed(bytes.substr(first, second - first), sink), LineSplitter::Outcome::more);
      ASSERT_EQ(splitter.feed(bytes.substr(second), sink), LineSplitter::Outcome::more);
      ASSERT_EQ(splitter.finish(sink), LineSplitter::Outcome::more);
      ASSERT_EQ(lines, "alpha|beta|gamma|") << first << ' ' << second;
    }
  }
}

TEST(LineSplitter, ends_at_the_limit_and_when_there_is_enough) {
  const LineSink more = [](auto) { return Flow::more; };
  const LineSink enough = [](auto) { return Flow::enough; };
  EXPECT_EQ(LineSplitter{3}.feed("abc\n", more), LineSplitter::Outcome::more);
  EXPECT_EQ(LineSplitter{3}.feed("abcd", more), LineSplitter::Outcome::too_long);
  LineSplitter splitter{3};
  EXPECT_EQ(splitter.feed("ab", more), LineSplitter::Outcome::more);
  EXPECT_EQ(splitter.feed("cd\n", more), LineSplitter::Outcome::too_long);
  EXPECT_EQ(LineSplitter{3}.feed("a\nb\n", enough), LineSplitter::Outcome::enough);
  EXPECT_EQ(LineSplitter{3}.finish(enough), LineSplitter::Outcome::more);
}

}  // namespace
}  // namespace valle::k8s
