// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "service/http/message.hpp"

namespace valle::service::http {

/// Turns the bytes of a connection into requests, without doing any input or output itself: the owner puts bytes into
/// `room`, and asks for `advance` until it needs more. Pipelined requests wait in the buffer. Not for several threads.
class RequestReader final {
 public:
  struct Limits {
    std::size_t header_bytes = 16u << 10;  ///< request line and headers together
    std::size_t target_bytes = 8u << 10;
  };
  struct Head {
    std::string method;
    std::string target;
    Pairs headers;  ///< names in lower case
    bool keep_alive = false;
    bool http_1_0 = false;
    bool chunked = false;
    bool expects_continue = false;
    std::optional<std::uint64_t> content_length;
  };
  /// Why the connection cannot go on; `status` is one of protocol_problem's.
  struct Refusal {
    int status;
    std::string detail;
  };
  enum class Progress {
    needs_bytes,  ///< read more into room()
    header,       ///< head() is complete: look at it, call take_body, go on
    complete,     ///< body() is complete: take it, then call next()
    refused,      ///< refusal() says why; nothing more can be read
  };

  explicit RequestReader(Limits limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Where the next bytes go; never empty after needs_bytes.
  [[nodiscard]] std::span<char> room();
  /// So many bytes were put into room().
  void received(std::size_t count);
  [[nodiscard]] Progress advance();

  /// Has anything of the current request come?
  [[nodiscard]] bool started() const;
  /// Bytes of the current body that have come so far.
  [[nodiscard]] std::size_t body_size() const;
  [[nodiscard]] Head& head();
  /// After `header`: bodies up to `largest` bytes are read, a larger one is refused with 413.
  void take_body(std::size_t largest);
  [[nodiscard]] std::string& body();
  [[nodiscard]] const Refusal& refusal() const;
  /// Begins the next request; bytes that have come already are kept.
  void next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace valle::service::http
