// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/err.h>

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>  // before Asio's awaitable header, which forgets it

#include "service/http/connection.hpp"

namespace valle::service::http {

template <class T>
using Task = boost::asio::awaitable<T, Strand>;

using TlsStream = boost::asio::ssl::stream<Socket>;

/// A socket, plain or TLS, on which every wait has an end. A wait that is overdue is ended by `expire`, which the
/// server's sweep calls: cheaper on the path of every request than a timer of its own, and late by a sweep's interval
/// at most. Used on the strand only, but for `due`. Nothing here throws for what a peer does.
template <class Stream>
class TimedStream final {
 public:
  explicit TimedStream(Stream stream) : stream_{std::move(stream)} {}

  using Error = boost::system::error_code;
  using SteadyTime = std::chrono::steady_clock::time_point;
  static constexpr bool k_is_tls = std::is_same_v<Stream, TlsStream>;

  [[nodiscard]] Strand strand() { return stream_.get_executor(); }
  Socket& socket() {
    if constexpr (k_is_tls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  /// The waits that follow end after `span`, or never.
  void give_time(std::chrono::milliseconds span) {
    timed_out_ = false;
    due_.store(std::chrono::steady_clock::now() + span, std::memory_order_relaxed);
  }
  void stop_time() { due_.store(SteadyTime::max(), std::memory_order_relaxed); }
  [[nodiscard]] SteadyTime due() const { return due_.load(std::memory_order_relaxed); }
  void expire() {
    if (std::chrono::steady_clock::now() < due()) return;
    timed_out_ = true;
    Error ignored;
    socket().cancel(ignored);
  }
  /// Ends every wait now and for ever.
  void cut() {
    was_cut_ = true;
    Error ignored;
    socket().close(ignored);
  }
  [[nodiscard]] bool timed_out() const { return timed_out_; }
  [[nodiscard]] bool was_cut() const { return was_cut_; }
  [[nodiscard]] bool ended() const { return timed_out_ || was_cut_; }

  /// What `open` found at the other end.
  enum class Peer { ready, plain_http_on_tls, gone };
  Task<Peer> open() {
    Error error;
    socket().set_option(boost::asio::ip::tcp::no_delay{true}, error);
    if constexpr (k_is_tls) {
      auto token = boost::asio::redirect_error(k_use_awaitable, error);
      error = {};
      co_await stream_.async_handshake(boost::asio::ssl::stream_base::server, token);
      if (is_plain_http(error)) co_return Peer::plain_http_on_tls;
      if (error) co_return Peer::gone;
    }
    co_return Peer::ready;
  }

  /// At least one byte; 0 at the end of the stream, when time is up, or when it was cut.
  Task<std::size_t> read_some(std::span<char> room) {
    const auto bytes = boost::asio::buffer(room.data(), room.size());
    Error error;
    auto token = boost::asio::redirect_error(k_use_awaitable, error);
    const std::size_t count = co_await stream_.async_read_some(bytes, token);
    co_return error ? 0 : count;
  }

  /// Both pieces, whole; false if that failed.
  Task<bool> write(std::string_view head, std::string_view body = {}) {
    Error error;
    auto token = boost::asio::redirect_error(k_use_awaitable, error);
    if (body.empty()) {
      const auto bytes = boost::asio::buffer(head);
      co_await boost::asio::async_write(stream_, bytes, token);
    } else {
      const std::array<boost::asio::const_buffer, 2> pieces{boost::asio::buffer(head), boost::asio::buffer(body)};
      co_await boost::asio::async_write(stream_, pieces, token);
    }
    co_return !error && !was_cut_;
  }

  /// To a peer that spoke plain HTTP to a TLS port.
  Task<void> write_plain(std::string_view text) {
    Error ignored;
    auto token = boost::asio::redirect_error(k_use_awaitable, ignored);
    const auto bytes = boost::asio::buffer(text);
    co_await boost::asio::async_write(socket(), bytes, token);
  }

  /// Says that nothing more will come, and throws away what still does. Closing at once would reset the connection and
  /// could take the last answer with it.
  Task<void> linger() {
    Error error;
    auto token = boost::asio::redirect_error(k_use_awaitable, error);
    socket().shutdown(Socket::shutdown_send, error);
    std::array<char, 4096> nowhere;
    const auto bytes = boost::asio::buffer(nowhere);
    error = {};
    while (!error && !ended()) co_await socket().async_read_some(bytes, token);
  }

  /// TLS: tells the peer that the end is meant, and waits for it to say so too.
  Task<void> say_goodbye() {
    if constexpr (k_is_tls) {
      Error ignored;
      auto token = boost::asio::redirect_error(k_use_awaitable, ignored);
      co_await stream_.async_shutdown(token);
    }
    co_return;
  }

  void close() {
    Error ignored;
    socket().shutdown(Socket::shutdown_both, ignored);
    socket().close(ignored);
  }

 private:
  static constexpr boost::asio::use_awaitable_t<Strand> k_use_awaitable{};

  static bool is_plain_http(const Error& error) {
    return error.category() == boost::asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
  }

  Stream stream_;
  std::atomic<SteadyTime> due_{SteadyTime::max()};
  bool timed_out_ = false;
  bool was_cut_ = false;
};

}  // namespace valle::service::http
