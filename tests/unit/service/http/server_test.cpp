// SPDX-License-Identifier: Apache-2.0
#include "service/http/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "service/runtime/log.hpp"
#include "tests/support/http/client.hpp"

namespace valle::service::http {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::Client;
using tests::Reply;

/// Handlers that wait for a word of the test.
struct Gate {
  std::promise<Respond> asked;
  Respond wait() { return asked.get_future().get(); }
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    options_.port = 0;
    router_.add("GET", "/constant", [](const Request&, const Respond& respond) { respond({.body = "{}"}); });
    router_.add("POST", "/echo",
                [](Request request, const Respond& respond) {
                  respond({.content_type = "text/plain", .body = std::move(request.body)});
                },
                {.largest_body = k_small_body});
    router_.add(
        "POST", "/large",
        [](const Request& request, const Respond& respond) { respond({.body = std::to_string(request.body.size())}); },
        {.largest_body = k_array_body});
    router_.add("GET", "/gate", [this](const Request&, Respond respond) { gate_.asked.set_value(std::move(respond)); });
  }

  Server& start() {
    auto started = Server::start(io_, clock_, router_, options_);
    EXPECT_TRUE(started) << (started ? "" : started.error().detail);
    server_ = *std::move(started);
    return *server_;
  }

  const runtime::SystemClock clock_;
  runtime::Io io_;
  Router router_;
  ServerOptions options_;
  Gate gate_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, answers_and_keeps_the_connection) {
  start();
  Client client{server_->port()};
  for (int i = 0; i < 3; ++i) {
    const Reply reply = client.ask("GET", "/constant");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "{}");
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(reply.header("connection"), "");
    EXPECT_THAT(reply.header("date"), testing::MatchesRegex("[A-Z][a-z]{2}, .* GMT"));
  }
  EXPECT_EQ(server_->open_connections(), 1u);
}

TEST_F(ServerTest, closes_when_asked_to_and_after_http_1_0) {
  start();
  Client polite{server_->port()};
  EXPECT_EQ(polite.ask("GET", "/constant", {}, "Connection: close\r\n").header("connection"), "close");
  EXPECT_TRUE(polite.ends());
  Client old{server_->port()};
  old.send("GET /constant HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 200);
  EXPECT_TRUE(old.ends());
  Client old_but_lasting{server_->port()};
  old_but_lasting.send("GET /constant HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(old_but_lasting.receive().header("connection"), "keep-alive");
  EXPECT_EQ(old_but_lasting.ask("GET", "/constant").status, 200);
}

TEST_F(ServerTest, pipelined_requests_are_answered_in_order) {
  start();
  Client client{server_->port()};
  std::string burst;
  for (int i = 0; i < 200; ++i) {
    const std::string body = "number " + std::to_string(i);
    burst += "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  client.send(burst);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.receive().body, "number " + std::to_string(i));
}

TEST_F(ServerTest, a_slow_answer_holds_back_those_piped_behind_it) {
  start();
  Client client{server_->port()};
  client.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\nGET /constant HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  gate_.wait()({.body = "first"});
  EXPECT_EQ(client.receive().body, "first");
  EXPECT_EQ(client.receive().body, "{}");
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, chunked_bodies_are_put_together) {
  start();
  Client client{server_->port()};
  client.send("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char* piece : {"5\r\nhello\r\n", "1\r\n \r\n", "5\r\nworld\r\n", "0\r\n\r\n"}) client.send(piece);
  EXPECT_EQ(client.receive().body, "hello world");
  EXPECT_EQ(client.ask("GET", "/constant").status, 200);
}

TEST_F(ServerTest, head_tells_the_length_only) {
  start();
  Client client{server_->port()};
  const Reply reply = client.ask("HEAD", "/constant");
  EXPECT_EQ(reply.header("content-length"), "2");
  EXPECT_EQ(client.ask("GET", "/constant").body, "{}") << "no stray body in between";
}

TEST_F(ServerTest, a_request_has_its_peer_id_headers_and_deadline) {
  std::promise<Request> seen;
  router_.add("POST", "/v1/jobs/{id}", [&](Request request, const Respond& respond) {
    seen.set_value(std::move(request));
    respond({});
  });
  start();
  Client client{server_->port()};
  EXPECT_EQ(client.ask("POST", "/v1/jobs/a%20b?wait=60s", "x", "X-Request-Id: abc-1\r\n").header("x-request-id"),
            "abc-1");
  const Request request = seen.get_future().get();
  EXPECT_EQ(request.id, "abc-1");
  EXPECT_EQ(request.path_parameter("id"), "a b");
  EXPECT_EQ(request.header("content-length"), "1");
  EXPECT_THAT(request.peer, testing::StartsWith("127.0.0.1:"));
  EXPECT_GT(request.deadline.left(), 1s);
  EXPECT_LE(request.deadline.left(), 30s);
  const std::string made = client.ask("GET", "/constant", {}, "X-Request-Id: not plain\r\n").header("x-request-id");
  EXPECT_EQ(made.size(), 16u);
  EXPECT_NE(client.ask("GET", "/constant").header("x-request-id"), made);
}

TEST_F(ServerTest, unknown_paths_and_methods_keep_the_connection) {
  start();
  Client client{server_->port()};
  EXPECT_EQ(client.ask("GET", "/nowhere").status, 404);
  EXPECT_EQ(client.ask("POST", "/nowhere", "a body nobody wants").status, 404);
  const Reply reply = client.ask("DELETE", "/constant");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(client.ask("BREW", "/constant").status, 405);
  EXPECT_EQ(client.ask("OPTIONS", "/constant").status, 204);
  EXPECT_EQ(client.ask("GET", "/%zz").status, 400);
  EXPECT_EQ(client.ask("GET", "/constant").status, 200);
}

// ---- bad input

TEST_F(ServerTest, malformed_bytes_get_a_problem_document_and_the_end) {
  start();
  for (const std::string_view bytes :
       {"GARBAGE\r\n\r\n", "\x01\x02\x03\xff\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n"}) {
    Client client{server_->port()};
    client.send(bytes);
    const Reply reply = client.receive();
    EXPECT_EQ(reply.status, 400) << bytes;
    EXPECT_EQ(reply.header("content-type"), "application/problem+json");
    EXPECT_EQ(reply.header("connection"), "close");
    EXPECT_THAT(reply.body, HasSubstr("\"code\":\"invalid-request\""));
    EXPECT_TRUE(client.ends());
  }
  Client next{server_->port()};
  EXPECT_EQ(next.ask("GET", "/constant").status, 200);
}

TEST_F(ServerTest, long_headers_and_addresses_are_refused) {
  start();
  Client headers{server_->port()};
  EXPECT_EQ(headers.ask("GET", "/constant", {}, "X: " + std::string(20'000, 'x') + "\r\n").status, 431);
  EXPECT_TRUE(headers.ends());
  Client address{server_->port()};
  EXPECT_EQ(address.ask("GET", '/' + std::string(9'000, 'x')).status, 414);
  Client endless{server_->port()};
  endless.send(std::string(100'000, 'x'));
  EXPECT_EQ(endless.receive().status, 414);
}

TEST_F(ServerTest, a_body_beyond_its_routes_limit_is_refused_before_it_is_read) {
  start();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10000000\r\n\r\n";
  Client waiting{server_->port()};
  waiting.send(head);
  EXPECT_EQ(waiting.receive().status, 413) << "nothing of the body was sent";
  EXPECT_TRUE(waiting.ends());
  Client eager{server_->port()};
  EXPECT_TRUE(eager.send(head + std::string(10'000'000, 'x')))
      << "the server reads on, so that the client can see the answer";
  const Reply reply = eager.receive();
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("\"code\":\"too-large\""));
  EXPECT_TRUE(eager.ends());
}

TEST_F(ServerTest, a_chunked_body_is_refused_where_it_passes_the_limit) {
  start();
  Client client{server_->port()};
  client.send("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "4000\r\n" + std::string(0x4000, 'x') + "\r\n";
  for (int i = 0; i < 5; ++i) client.send(chunk);
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(ServerTest, each_route_has_its_own_limit) {
  start();
  Client client{server_->port()};
  EXPECT_EQ(client.ask("POST", "/echo", std::string(k_small_body, 'x')).body.size(), k_small_body);
  EXPECT_EQ(client.ask("POST", "/large", std::string(k_array_body, 'x')).body, std::to_string(k_array_body));
  EXPECT_EQ(client.ask("POST", "/large", std::string(k_array_body + 1, 'x')).status, 413);
}

TEST_F(ServerTest, large_bodies_share_a_bound) {
  options_.limits.body_bytes_together = 1'000'000;
  start();
  Client first{server_->port()};
  first.send("POST /large HTTP/1.1\r\nHost: t\r\nContent-Length: 900000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(first.receive().status, 100);
  Client second{server_->port()};
  EXPECT_EQ(second.ask("POST", "/large", std::string(200'000, 'x')).status, 503);
  Client small{server_->port()};
  EXPECT_EQ(small.ask("POST", "/large", std::string(k_small_body, 'x')).status, 200);
  first.send(std::string(900'000, 'x'));
  EXPECT_EQ(first.receive().body, "900000");
  Client third{server_->port()};
  EXPECT_EQ(third.ask("POST", "/large", std::string(900'000, 'x')).status, 200) << "given back";
}

TEST_F(ServerTest, continue_is_said_where_the_body_is_wanted) {
  start();
  Client client{server_->port()};
  client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("ok");
  EXPECT_EQ(client.receive().body, "ok");
  client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 999999\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_TRUE(client.ends());
}

// ---- slow and vanishing clients

TEST_F(ServerTest, a_header_that_drips_in_is_cut_off) {
  options_.limits.header_time = 40ms;
  start();
  Client client{server_->port()};
  client.send("GET /constant HT");
  const Reply reply = client.receive();
  EXPECT_EQ(reply.status, 408);
  EXPECT_THAT(reply.body, HasSubstr("request-timeout"));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, a_body_that_does_not_come_is_cut_off) {
  options_.limits.body_time = 40ms;
  start();
  Client client{server_->port()};
  client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, an_idle_connection_is_closed_without_a_word) {
  options_.limits.idle = 40ms;
  start();
  Client silent{server_->port()};
  EXPECT_TRUE(silent.ends());
  Client client{server_->port()};
  EXPECT_EQ(client.ask("GET", "/constant").status, 200);
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, a_client_that_takes_no_answer_is_cut_off) {
  options_.limits.write_time = 40ms;
  options_.limits.slowest_bytes_a_second = 10u << 30;
  router_.add("GET", "/huge",
              [](const Request&, const Respond& respond) { respond({.body = std::string(64u << 20, 'x')}); });
  start();
  Client client{server_->port()};
  client.send("GET /huge HTTP/1.1\r\nHost: t\r\n\r\n");
  while (server_->open_connections() == 0) std::this_thread::yield();
  while (server_->open_connections() > 0) std::this_thread::yield();
  EXPECT_LT(client.receive().body.size(), 64u << 20);
}

TEST_F(ServerTest, half_closed_clients_get_their_answer) {
  start();
  Client client{server_->port()};
  client.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\n");
  client.finish_sending();
  gate_.wait()({.body = "late"});
  EXPECT_EQ(client.receive().body, "late");
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, an_end_inside_a_request_is_told_where_somebody_listens) {
  start();
  Client header{server_->port()};
  header.send("GET /const");
  header.finish_sending();
  EXPECT_EQ(header.receive().status, 400);
  Client body{server_->port()};
  body.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nhalf");
  body.finish_sending();
  EXPECT_EQ(body.receive().status, 400);
  Client nothing{server_->port()};
  nothing.finish_sending();
  EXPECT_TRUE(nothing.ends());
}

TEST_F(ServerTest, resets_at_any_moment_do_no_harm) {
  start();
  Client in_header{server_->port()};
  in_header.send("GET /con");
  in_header.reset();
  Client in_body{server_->port()};
  in_body.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nhalf");
  in_body.reset();
  Client waiting{server_->port()};
  waiting.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\n");
  const Respond respond = gate_.wait();
  waiting.reset();
  respond({.body = std::string(1u << 20, 'x')});
  Client next{server_->port()};
  EXPECT_EQ(next.ask("GET", "/constant").status, 200);
}

// ---- handlers

TEST_F(ServerTest, answers_may_come_from_another_thread) {
  start();
  Client client{server_->port()};
  client.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\n");
  Respond respond = gate_.wait();
  std::jthread{[&] {
    respond({.body = "from elsewhere"});
    respond({.body = "a second answer counts for nothing"});
  }}.join();
  EXPECT_EQ(client.receive().body, "from elsewhere");
  EXPECT_EQ(client.ask("GET", "/constant").body, "{}");
}

TEST_F(ServerTest, many_threads_answer_many_connections) {
  std::mutex mutex;
  std::vector<std::jthread> threads;
  router_.add("GET", "/thread/{n}", [&](const Request& request, Respond respond) {
    const std::scoped_lock lock{mutex};
    threads.emplace_back([respond, n = request.path_parameter("n")] { respond({.body = n}); });
  });
  start();
  {
    std::vector<std::jthread> clients;
    for (int c = 0; c < 8; ++c) {
      clients.emplace_back([&, c] {
        Client client{server_->port()};
        for (int i = 0; i < 50; ++i) {
          const std::string n = std::to_string(c * 1000 + i);
          EXPECT_EQ(client.ask("GET", "/thread/" + n).body, n);
        }
      });
    }
  }
  const std::scoped_lock lock{mutex};
  EXPECT_EQ(threads.size(), 400u);
}

TEST_F(ServerTest, a_dropped_respond_is_a_500) {
  router_.add("GET", "/drop", [](const Request&, const Respond&) {});
  start();
  Client client{server_->port()};
  const Reply reply = client.ask("GET", "/drop");
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, HasSubstr("internal-error"));
  client.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\n");
  { const Respond dropped_later = gate_.wait(); }
  gate_.asked = {};
  EXPECT_EQ(client.receive().status, 500);
}

TEST_F(ServerTest, a_handler_that_throws_is_a_500_and_says_nothing_of_the_inside) {
  router_.add("GET", "/throw", [](const Request&, const Respond&) { throw std::runtime_error{"secret detail"}; });
  start();
  runtime::log::set_sink([](std::string_view) {});
  Client client{server_->port()};
  const Reply reply = client.ask("GET", "/throw");
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, testing::Not(HasSubstr("secret")));
  EXPECT_EQ(client.ask("GET", "/constant").status, 200);
  runtime::log::set_sink({});
}

TEST_F(ServerTest, an_answer_that_is_late_is_a_504_and_comes_to_nothing) {
  std::promise<Respond> asked;
  router_.add("GET", "/late", [&](const Request&, Respond respond) { asked.set_value(std::move(respond)); },
              {.time_limit = 30ms});
  start();
  Client client{server_->port()};
  const Reply reply = client.ask("GET", "/late");
  EXPECT_EQ(reply.status, 504);
  EXPECT_THAT(reply.body, HasSubstr("\"code\":\"deadline-exceeded\""));
  asked.get_future().get()({.body = "too late"});
  EXPECT_EQ(client.ask("GET", "/constant").body, "{}");
}

TEST_F(ServerTest, large_answers_arrive_whole) {
  std::string large(5'000'000, ' ');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 23);
  router_.add("GET", "/big", [&](const Request&, const Respond& respond) { respond({.body = large}); });
  start();
  Client client{server_->port()};
  EXPECT_TRUE(client.ask("GET", "/big").body == large);
}

TEST_F(ServerTest, each_request_is_told_to_the_hook_with_its_routes_pattern) {
  std::mutex mutex;
  std::vector<std::pair<std::string, int>> told;
  router_.add("GET", "/v1/jobs/{id}", [](const Request&, const Respond& respond) { respond({}); });
  options_.on_request = [&](std::string_view route, int status, double seconds) {
    const std::scoped_lock lock{mutex};
    EXPECT_GE(seconds, 0);
    told.emplace_back(route, status);
  };
  start();
  Client client{server_->port()};
  client.ask("GET", "/v1/jobs/1");
  client.ask("GET", "/nowhere");
  client.send("nonsense\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_TRUE(client.ends());
  client.reset();
  server_->stop(10s);
  EXPECT_THAT(told, ElementsAre(std::pair{"/v1/jobs/{id}", 200}, std::pair{"", 404}, std::pair{"", 400}));
}

// ---- connections, listening, the end

TEST_F(ServerTest, one_connection_too_many_is_refused_and_the_others_live_on) {
  options_.limits.connections = 20;
  start();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(server_->port()));
    EXPECT_EQ(clients.back()->ask("GET", "/constant").status, 200);
  }
  Client surplus{server_->port()};
  const Reply reply = surplus.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("overloaded"));
  EXPECT_TRUE(surplus.ends());
  EXPECT_EQ(clients.front()->ask("GET", "/constant").status, 200);
  EXPECT_EQ(clients.back()->ask("GET", "/constant", {}, "Connection: close\r\n").status, 200);
  EXPECT_TRUE(clients.back()->ends());
  clients.pop_back();
  surplus.finish_sending();
  // A place is free once the server has seen the end: ask until it has.
  int status = 503;
  while (status == 503) status = Client{server_->port()}.ask("GET", "/constant").status;
  EXPECT_EQ(status, 200);
}

TEST_F(ServerTest, the_default_is_1024_connections) { EXPECT_EQ(ServerLimits{}.connections, 1024u); }

TEST_F(ServerTest, stopping_lets_the_request_in_flight_finish_and_closes_the_idle) {
  start();
  Client idle{server_->port()};
  EXPECT_EQ(idle.ask("GET", "/constant").status, 200);
  Client busy{server_->port()};
  busy.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\n");
  const Respond respond = gate_.wait();
  auto stopped = std::async(std::launch::async, [&] { return server_->stop(10s); });
  EXPECT_TRUE(idle.ends());
  EXPECT_THROW(Client{server_->port()}, std::runtime_error) << "not accepting any more";
  respond({.body = "last words"});
  const Reply reply = busy.receive();
  EXPECT_EQ(reply.body, "last words");
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(busy.ends());
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(server_->open_connections(), 0u);
}

TEST_F(ServerTest, stopping_cuts_what_does_not_end_in_time) {
  start();
  Client busy{server_->port()};
  busy.send("GET /gate HTTP/1.1\r\nHost: t\r\n\r\n");
  const Respond respond = gate_.wait();
  EXPECT_FALSE(server_->stop(10ms));
  EXPECT_TRUE(busy.ends());
  EXPECT_EQ(server_->open_connections(), 0u);
  server_.reset();
  io_.stop();
  respond({.body = "after the end of everything"});
}

TEST_F(ServerTest, listens_on_ipv6_too) {
  options_.host = "[::1]";
  auto started = Server::start(io_, clock_, router_, options_);
  if (!started) {
    const std::string why = started.error().detail;
    const bool absent = why.find("Cannot assign requested address") != std::string::npos ||
                        why.find("Address family not supported") != std::string::npos;
    ASSERT_TRUE(absent) << why;
    GTEST_SKIP() << "this machine has no IPv6: " << why;
  }
  Client client{(*started)->port(), "::1"};
  EXPECT_EQ(client.ask("GET", "/constant").status, 200);
  EXPECT_THAT((*started)->url(), testing::MatchesRegex("http://\\[::1\\]:[0-9]+"));
}

TEST_F(ServerTest, says_why_it_cannot_listen) {
  start();
  options_.port = server_->port();
  const auto taken = Server::start(io_, clock_, router_, options_);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().detail, HasSubstr("in use"));
  EXPECT_THAT(taken.error().pointer, HasSubstr(std::to_string(options_.port)));
  options_.host = "example.invalid";
  EXPECT_THAT(Server::start(io_, clock_, router_, options_).error().detail, HasSubstr("not an IP address"));
}

TEST_F(ServerTest, tokens_are_asked_for_except_where_a_route_is_free) {
  router_.add("GET", "/healthz", [](const Request&, const Respond& respond) { respond({}); },
              {.without_authentication = true});
  router_.add("GET", "/who", [](const Request& request, const Respond& respond) { respond({.body = request.caller}); });
  const auto tokens = BearerTokens::parse("ana:0123456789abcdef", "tokens");
  options_.authenticate = [&](std::string_view header) { return tokens->check(header); };
  start();
  Client client{server_->port()};
  EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
  const Reply stranger = client.ask("GET", "/who");
  EXPECT_EQ(stranger.status, 401);
  EXPECT_THAT(stranger.header("www-authenticate"), testing::StartsWith("Bearer"));
  EXPECT_EQ(client.ask("GET", "/nowhere").status, 401) << "what exists is not told to strangers";
  EXPECT_EQ(client.ask("GET", "/who", {}, "Authorization: Bearer wrong-wrong-wrong\r\n").status, 401);
  EXPECT_EQ(client.ask("GET", "/who", {}, "Authorization: Bearer 0123456789abcdef\r\n").body, "ana");
  EXPECT_EQ(client.ask("GET", "/nowhere", {}, "Authorization: Bearer 0123456789abcdef\r\n").status, 404);
}

TEST_F(ServerTest, each_request_is_logged_at_debug) {
  std::mutex mutex;
  std::vector<std::string> lines;
  runtime::log::set_level(runtime::log::Level::debug);
  runtime::log::set_sink([&](std::string_view line) {
    const std::scoped_lock lock{mutex};
    lines.emplace_back(line);
  });
  start();
  Client{server_->port()}.ask("GET", "/constant?token=hidden", {}, "X-Request-Id: r1\r\n");
  server_->stop(10s);
  runtime::log::set_sink({});
  runtime::log::set_level(runtime::log::Level::info);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], testing::MatchesRegex("debug event=request method=GET path=/constant status=200 seconds=[^ ]+ "
                                              "peer=127.0.0.1:[0-9]+ request=r1"));
}

}  // namespace
}  // namespace valle::service::http
