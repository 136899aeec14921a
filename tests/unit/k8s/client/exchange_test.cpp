// SPDX-License-Identifier: Apache-2.0
// Over real TLS on loopback: answers and streams that break off or never end, and how every wait ends.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "k8s/client/tls_transport.hpp"
#include "tests/support/k8s/over_tls.hpp"

namespace valle::k8s {
namespace {

using tests::ApiRequest;
using tests::Conversation;
using tests::k_loopback;
using tests::OverTls;
using tests::say_ok;
using tests::ScriptedApiServer;
using Kind = TransportFailure::Kind;
using std::chrono::milliseconds;

TEST_F(OverTls, nobody_there_is_unreachable) {
  std::uint16_t port = 0;
  {
    ScriptedApiServer gone{authority_.issue("server", k_loopback), say_ok};
    port = gone.port();
  }
  const auto transport = connect({.host = "127.0.0.1", .port = port, .authority = {.text = authority_.certificate()}});
  EXPECT_EQ(failure_of(transport->send(get(), {})).kind, Kind::unreachable);
}

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
  server_.reset();  // its thread uses what is above
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

}  // namespace
}  // namespace valle::k8s
