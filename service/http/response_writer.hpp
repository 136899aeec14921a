// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "service/http/message.hpp"

namespace valle::service::http {

/// What the connection adds to a response.
struct Framing {
  bool keep_alive = true;
  bool http_1_0 = false;
  bool without_body = false;         ///< the answer to HEAD: lengths are told, bytes are not sent
  std::string_view date = {};        ///< `Mon, 07 Jun 2021 06:00:00 GMT`; left out where empty
  std::string_view request_id = {};  ///< left out where empty
};

/// Appends status line and headers to `out`, up to the empty line. Header values are cleaned of control characters, so
/// that nothing a caller sent can add a line.
void append_head(std::string& out, const Response& response, const Framing& framing);

/// Does this response carry bytes after its head?
[[nodiscard]] bool has_body(const Response& response, const Framing& framing);

}  // namespace valle::service::http
