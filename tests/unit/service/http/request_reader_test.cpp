// SPDX-License-Identifier: Apache-2.0
#include "service/http/request_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace valle::service::http {
namespace {

using Progress = RequestReader::Progress;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

struct Message {
  std::string method, target, body;
  Pairs headers;
  friend bool operator==(const Message&, const Message&) = default;
};

/// Everything that comes out of a stream of bytes given in pieces.
struct Outcome {
  std::vector<Message> messages;
  int refused = 0;
  std::string detail;
  bool started = false;  ///< of the message after the last
};

class Feeder {
 public:
  explicit Feeder(RequestReader::Limits limits = {}, std::size_t largest_body = 1u << 20)
      : reader_{limits}, largest_body_{largest_body} {}

  void feed(std::string_view bytes) {
    while (outcome_.refused == 0) {
      run();
      if (bytes.empty() || outcome_.refused != 0) break;
      const std::span<char> room = reader_.room();
      ASSERT_FALSE(room.empty());
      const std::size_t count = std::min(room.size(), bytes.size());
      std::copy_n(bytes.begin(), count, room.begin());
      reader_.received(count);
      bytes.remove_prefix(count);
    }
    outcome_.started = reader_.started();
  }
  Outcome& outcome() { return outcome_; }

 private:
  void run() {
    while (true) {
      switch (reader_.advance()) {
        case Progress::needs_bytes: return;
        case Progress::header: reader_.take_body(largest_body_); break;
        case Progress::complete:
          outcome_.messages.push_back(
              {reader_.head().method, reader_.head().target, reader_.body(), reader_.head().headers});
          reader_.next();
          break;
        case Progress::refused:
          outcome_.refused = reader_.refusal().status;
          outcome_.detail = reader_.refusal().detail;
          return;
      }
    }
  }
  RequestReader reader_;
  std::size_t largest_body_;
  Outcome outcome_;
};

Outcome read(std::string_view bytes, RequestReader::Limits limits = {}, std::size_t largest_body = 1u << 20) {
  Feeder feeder{limits, largest_body};
  feeder.feed(bytes);
  return feeder.outcome();
}

TEST(RequestReader, reads_line_headers_and_body) {
  const Outcome outcome =
      read("POST /v1/jobs?x=1 HTTP/1.1\r\nHost: a\r\nContent-LENGTH: 5\r\nX-Two:  b c \r\n\r\nhello");
  ASSERT_EQ(outcome.messages.size(), 1u);
  const Message& message = outcome.messages[0];
  EXPECT_EQ(message.method, "POST");
  EXPECT_EQ(message.target, "/v1/jobs?x=1");
  EXPECT_EQ(message.body, "hello");
  EXPECT_THAT(message.headers, ElementsAre(Pair("host", "a"), Pair("content-length", "5"), Pair("x-two", "b c")));
  EXPECT_FALSE(outcome.started);
}

const std::string_view k_conversation =
    "GET /a HTTP/1.1\r\nHost: t\r\n\r\n"
    "\r\n\r\nPOST /b HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\nA;ext=1\r\n0123456789\r\n0\r\nTrailer: ignored\r\n\r\n"
    "PUT /c HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nbody"
    "DELETE /d HTTP/1.0\r\n\r\n";

TEST(RequestReader, the_same_requests_come_out_however_the_bytes_are_cut) {
  const Outcome whole = read(k_conversation);
  ASSERT_EQ(whole.messages.size(), 4u);
  EXPECT_EQ(whole.messages[1].body, "abc0123456789");
  EXPECT_THAT(whole.messages[1].headers, testing::Not(testing::Contains(Pair("trailer", "ignored"))));
  std::mt19937 random{1};
  for (std::size_t piece = 1; piece < 60; ++piece) {
    Feeder feeder;
    for (std::size_t at = 0; at < k_conversation.size();) {
      const std::size_t count = piece < 50 ? piece : 1 + random() % 30;
      feeder.feed(k_conversation.substr(at, count));
      at += count;
    }
    EXPECT_EQ(feeder.outcome().refused, 0) << feeder.outcome().detail;
    EXPECT_EQ(feeder.outcome().messages, whole.messages) << "in pieces of " << piece;
  }
}

TEST(RequestReader, malformed_requests_are_refused) {
  const auto status = [](std::string_view bytes) { return read(bytes).refused; };
  EXPECT_EQ(status("GARBAGE\r\n\r\n"), 400);
  EXPECT_EQ(status("\x16\x03\x01\x02\x00\x01\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost t\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"), 501);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(status("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\n\r\n"), 417);
}

TEST(RequestReader, bad_chunks_are_refused) {
  const auto status = [](std::string_view chunks) {
    return read("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string{chunks}).refused;
  };
  EXPECT_EQ(status("zz\r\n"), 400);
  EXPECT_EQ(status("3\r\nabcdef\r\n"), 400);
  EXPECT_EQ(status("-1\r\n"), 400);
  EXPECT_EQ(status("3;=\r\nabc\r\n"), 400);
  EXPECT_EQ(status("FFFFFFFFFFFFFFFFF\r\n"), 400);
  EXPECT_EQ(status("FFFFFFFFFFFFFFFF\r\n"), 413);
  EXPECT_EQ(status("3;" + std::string(70'000, 'x')), 400) << "an endless chunk header";
  EXPECT_EQ(status("0\r\nA: " + std::string(70'000, 'x')), 400) << "an endless trailer";
  EXPECT_EQ(status("3\r\nabc\r\n0\r\n\r\n"), 0);
}

TEST(RequestReader, a_body_is_read_up_to_its_limit_and_not_beyond) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(read(head + "Content-Length: 8\r\n\r\n12345678", {}, 8).messages.size(), 1u);
  EXPECT_EQ(read(head + "Content-Length: 9\r\n\r\n123456789", {}, 8).refused, 413);
  EXPECT_EQ(read(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n3\r\n678\r\n0\r\n\r\n", {}, 8).messages.size(),
            1u);
  EXPECT_EQ(read(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n4\r\n6789\r\n0\r\n\r\n", {}, 8).refused, 413);
}

TEST(RequestReader, a_large_body_arrives_whole) {
  std::string body(3'000'000, ' ');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  const Outcome outcome = read(head + body + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n", {}, 4'000'000);
  ASSERT_EQ(outcome.messages.size(), 2u);
  EXPECT_TRUE(outcome.messages[0].body == body);
  EXPECT_EQ(outcome.messages[1].target, "/next");
}

TEST(RequestReader, headers_and_address_have_limits) {
  const RequestReader::Limits limits{.header_bytes = 256, .target_bytes = 64};
  const auto request = [](std::size_t target, std::size_t total) {
    std::string text = "GET /" + std::string(target - 1, 'a') + " HTTP/1.1\r\nHost: t\r\nX: ";
    return text + std::string(total - text.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(read(request(64, 256), limits).messages.size(), 1u);
  EXPECT_EQ(read(request(64, 257), limits).refused, 431);
  EXPECT_EQ(read(request(65, 256), limits).refused, 414);
  EXPECT_EQ(read("GET /" + std::string(1000, 'a'), limits).refused, 414);
  EXPECT_EQ(read(std::string(1000, 'G'), limits).refused, 414) << "a request line without an end";
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: t\r\nX: " + std::string(1000, 'a'), limits).refused, 431);
}

TEST(RequestReader, headers_that_drip_in_one_by_one_are_counted_together) {
  Feeder feeder{{.header_bytes = 256, .target_bytes = 64}};
  feeder.feed("GET / HTTP/1.1\r\nHost: t\r\n");
  int lines = 0;
  while (feeder.outcome().refused == 0 && lines < 1000) {
    feeder.feed("X: y\r\n");
    ++lines;
  }
  EXPECT_EQ(feeder.outcome().refused, 431);
  EXPECT_LE(lines, 40);
}

TEST(RequestReader, knows_whether_a_request_has_begun) {
  EXPECT_FALSE(read("").started);
  EXPECT_FALSE(read("\r\n\r\n").started);
  EXPECT_TRUE(read("G").started);
  EXPECT_TRUE(read("GET / HTTP/1.1\r\nHost: a\r\n").started);
  EXPECT_FALSE(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n").started);
  EXPECT_TRUE(read("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET").started);
}

TEST(RequestReader, keep_alive_follows_version_and_connection_header) {
  const auto keeps = [](std::string text) {
    RequestReader reader{{}};
    std::copy(text.begin(), text.end(), reader.room().begin());
    reader.received(text.size());
    EXPECT_EQ(reader.advance(), Progress::header);
    return reader.head().keep_alive;
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestReader, survives_any_bytes) {
  std::mt19937 random{7};
  for (int round = 0; round < 3000; ++round) {
    std::string bytes{k_conversation.substr(0, random() % k_conversation.size())};
    for (int change = 0; change < 5 && !bytes.empty(); ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
      if (random() % 4 == 0) bytes.insert(random() % bytes.size(), 1 + random() % 40, static_cast<char>(random()));
    }
    Feeder feeder{{.header_bytes = 256, .target_bytes = 64}, 16};
    for (std::size_t at = 0; at < bytes.size(); at += 7) feeder.feed(std::string_view{bytes}.substr(at, 7));
    for (const Message& message : feeder.outcome().messages) EXPECT_LE(message.body.size(), 16u);
  }
}

}  // namespace
}  // namespace valle::service::http
