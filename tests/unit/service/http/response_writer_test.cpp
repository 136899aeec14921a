// SPDX-License-Identifier: Apache-2.0
#include "service/http/response_writer.hpp"

#include <gtest/gtest.h>

namespace valle::service::http {
namespace {

std::string head(const Response& response, const Framing& framing = {}) {
  std::string out;
  append_head(out, response, framing);
  return out;
}

TEST(ResponseWriter, writes_status_and_headers) {
  EXPECT_EQ(head({.status = 200, .headers = {{"ETag", "\"7\""}}, .body = "{}"}, {.date = "D", .request_id = "r1"}),
            "HTTP/1.1 200 OK\r\nDate: D\r\nX-Request-Id: r1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "ETag: \"7\"\r\n\r\n");
}

TEST(ResponseWriter, says_when_the_connection_ends_or_stays_for_an_old_client) {
  EXPECT_NE(head({}, {.keep_alive = false}).find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(head({}, {.keep_alive = true, .http_1_0 = true}).find("Connection: keep-alive\r\n"), std::string::npos);
  EXPECT_EQ(head({}).find("Connection"), std::string::npos);
}

TEST(ResponseWriter, no_content_has_neither_length_nor_body) {
  const Response response{.status = 204, .content_type = "", .body = "ignored"};
  EXPECT_EQ(head(response), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_FALSE(has_body(response, {}));
  EXPECT_FALSE(has_body({.status = 304, .body = "x"}, {}));
}

TEST(ResponseWriter, head_has_the_length_and_not_the_body) {
  const Response response{.body = "12345"};
  EXPECT_NE(head(response, {.without_body = true}).find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_FALSE(has_body(response, {.without_body = true}));
  EXPECT_TRUE(has_body(response, {}));
}

TEST(ResponseWriter, a_header_value_cannot_add_a_line) {
  const std::string text = head({.headers = {{"Location", "/a\r\nSet-Cookie: x"}}});
  EXPECT_NE(text.find("Location: /a  Set-Cookie: x\r\n"), std::string::npos);
}

TEST(ResponseWriter, an_unusual_status_is_written_all_the_same) {
  EXPECT_TRUE(head({.status = 299}).starts_with("HTTP/1.1 299 "));
}

}  // namespace
}  // namespace valle::service::http
