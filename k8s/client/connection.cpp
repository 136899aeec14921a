// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/connection.hpp"

#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "k8s/client/line_splitter.hpp"

namespace valle::k8s {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using Kind = TransportFailure::Kind;

constexpr std::size_t k_chunk = 64u << 10;

tl::unexpected<TransportFailure> failed(Kind kind, std::string detail) {
  return tl::unexpected{TransportFailure{kind, std::move(detail)}};
}

bool is_tls(const ErrorCode& error) { return error.category() == asio::error::get_ssl_category(); }

class BeastConnection final : public Connection {
 public:
  BeastConnection(std::shared_ptr<ssl::context> tls, const TransportLimits& limits)
      : tls_{std::move(tls)}, limits_{limits}, stream_{io_, *tls_}, timer_{io_} {}

  TransportResult<void> open(const Endpoint& endpoint, SteadyTime deadline, const std::stop_token& stop);
  TransportResult<Response> exchange(const Request& request, std::stop_token stop) override;
  TransportResult<Response> stream(const Request& request, const LineSink& line, std::stop_token stop) override;
  bool reusable() override;

 private:
  using HeadParser = http::response_parser<http::empty_body>;

  template <class Start>
  ErrorCode run(SteadyTime until, const std::stop_token& stop, Start start);
  void give_up(std::uint64_t operation, Kind why);
  TransportResult<tcp::resolver::results_type> resolve(const Endpoint& endpoint, SteadyTime until,
                                                       const std::stop_token& stop);
  void expect_name(const std::string& name);
  void watch_over_silence();
  TransportFailure failure_of(const ErrorCode& error, const std::string& what) const;
  TransportResult<void> send_and_read_head(const Request& request, HeadParser& head, const std::stop_token& stop);
  TransportResult<Response> read_whole(HeadParser&& head, SteadyTime until, const std::stop_token& stop);
  TransportResult<Response> read_lines(HeadParser&& head, SteadyTime until, const LineSink& line,
                                       const std::stop_token& stop);

  std::shared_ptr<ssl::context> tls_;
  TransportLimits limits_;
  asio::io_context io_{1};
  ssl::stream<tcp::socket> stream_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::string server_;           // for messages
  std::uint64_t operation_ = 0;  // the present one; late handlers of earlier ones see that they are late
  bool busy_ = false;
  std::optional<Kind> ended_by_;  // deadline or cancelled: why the socket was closed under the operation
  bool clean_ = false;            // between two exchanges
};

/// Starts one asynchronous operation and runs the loop until it is done. When time is up or `stop` is requested the
/// socket is closed, which ends every operation on it.
template <class Start>
ErrorCode BeastConnection::run(SteadyTime until, const std::stop_token& stop, Start start) {
  const std::uint64_t now = ++operation_;
  ErrorCode result;
  busy_ = true;
  io_.restart();
  timer_.expires_at(until);
  timer_.async_wait([this, now](const ErrorCode& error) {
    if (!error) give_up(now, Kind::deadline);
  });
  // The post may run late, in the next operation's loop: it holds nothing of this frame.
  const std::stop_callback on_stop{stop,
                                   [this, now] { asio::post(io_, [this, now] { give_up(now, Kind::cancelled); }); }};
  start([this, &result](const ErrorCode& error, auto&&...) {
    result = error;
    busy_ = false;
    timer_.cancel();
  });
  io_.run();
  return result;
}

void BeastConnection::give_up(std::uint64_t operation, Kind why) {
  if (!busy_ || operation != operation_) return;
  ended_by_ = why;
  ErrorCode ignored;
  stream_.lowest_layer().close(ignored);
}

TransportFailure BeastConnection::failure_of(const ErrorCode& error, const std::string& what) const {
  if (ended_by_ == Kind::deadline) return {Kind::deadline, "no time left while " + what + ' ' + server_};
  if (ended_by_ == Kind::cancelled) return {Kind::cancelled, "stopped while " + what + ' ' + server_};
  const std::string whom = what + ' ' + server_ + ": ";
  const std::string detail = whom + error.message();
  if (is_tls(error)) return {Kind::tls, detail};
  if (error == http::error::header_limit || error == http::error::body_limit) return {Kind::too_large, detail};
  if (error == http::error::end_of_stream) return {Kind::unreachable, whom + "closed before it answered"};
  if (error == http::error::partial_message) return {Kind::unreachable, whom + "cut in the answer"};
  if (error.category() == make_error_code(http::error::bad_version).category()) return {Kind::malformed, detail};
  return {Kind::unreachable, detail};
}

TransportResult<tcp::resolver::results_type> BeastConnection::resolve(const Endpoint& endpoint, SteadyTime until,
                                                                      const std::stop_token& stop) {
  ErrorCode error;
  if (const auto address = asio::ip::make_address(endpoint.host, error); !error) {
    return tcp::resolver::results_type::create(tcp::endpoint{address, endpoint.port}, endpoint.host, {});
  }
  tcp::resolver resolver{io_};
  tcp::resolver::results_type found;
  error = run(until, stop, [&](auto done) {
    resolver.async_resolve(endpoint.host, std::to_string(endpoint.port),
                           [&found, done](const ErrorCode& ec, tcp::resolver::results_type results) mutable {
                             found = std::move(results);
                             done(ec);
                           });
  });
  if (ended_by_ || error) return tl::unexpected{failure_of(error, "looking for")};
  return found;
}

void BeastConnection::expect_name(const std::string& name) {
  SSL* native = stream_.native_handle();
  X509_VERIFY_PARAM* checks = SSL_get0_param(native);
  ErrorCode error;
  asio::ip::make_address(name, error);
  if (!error) {
    X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str());
    return;
  }
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM_set1_host(checks, name.c_str(), name.size());
  SSL_set_tlsext_host_name(native, name.c_str());
}

/// A watch may be silent for minutes; a peer that is gone must not look like one. The kernel asks after 30 s of
/// silence.
void BeastConnection::watch_over_silence() {
  const int socket = stream_.lowest_layer().native_handle();
  const auto set = [socket](int level, int name, int value) {
    ::setsockopt(socket, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

TransportResult<void> BeastConnection::open(const Endpoint& endpoint, SteadyTime deadline,
                                            const std::stop_token& stop) {
  const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
  server_ = (is_ipv6 ? '[' + endpoint.host + ']' : endpoint.host) + ':' + std::to_string(endpoint.port);
  const std::string& name = endpoint.server_name.empty() ? endpoint.host : endpoint.server_name;
  const auto addresses = resolve(endpoint, deadline, stop);
  if (!addresses) return tl::unexpected{addresses.error()};
  ErrorCode error =
      run(deadline, stop, [&](auto done) { asio::async_connect(stream_.lowest_layer(), *addresses, done); });
  if (ended_by_ || error) return tl::unexpected{failure_of(error, "connecting to")};
  watch_over_silence();
  expect_name(name);
  error = run(deadline, stop, [&](auto done) { stream_.async_handshake(ssl::stream_base::client, done); });
  if (!ended_by_ && !error) {
    clean_ = true;
    return {};
  }
  const long verdict = SSL_get_verify_result(stream_.native_handle());
  if (!ended_by_ && verdict != X509_V_OK) {
    return failed(Kind::tls, "the certificate of " + server_ + " is not to be trusted as " + name + ": " +
                                 X509_verify_cert_error_string(verdict));
  }
  return tl::unexpected{failure_of(error, "the TLS handshake with")};
}

bool BeastConnection::reusable() {
  if (!clean_ || buffer_.size() != 0) return false;
  char byte;
  const auto got = ::recv(stream_.lowest_layer().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

http::request<http::string_body> message_of(const Request& request, const std::string& server) {
  http::request<http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.target);
  message.set(http::field::host, server);
  for (const auto& [name, value] : request.headers) message.insert(name, value);
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

template <class Fields>
Response response_of(const Fields& head) {
  Response response{.status = static_cast<int>(head.result_int())};
  for (const auto& field : head) {
    std::string name{field.name_string()};
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    response.headers.emplace_back(std::move(name), std::string{field.value()});
  }
  return response;
}

TransportResult<void> BeastConnection::send_and_read_head(const Request& request, HeadParser& head,
                                                          const std::stop_token& stop) {
  clean_ = false;
  const auto message = message_of(request, server_);
  ErrorCode error = run(request.deadline, stop, [&](auto done) { http::async_write(stream_, message, done); });
  if (ended_by_ || error) return tl::unexpected{failure_of(error, "writing to")};
  head.header_limit(static_cast<std::uint32_t>(limits_.head));
  head.body_limit(std::numeric_limits<std::uint64_t>::max());
  error = run(request.deadline, stop, [&](auto done) { http::async_read_header(stream_, buffer_, head, done); });
  if (ended_by_ || error) return tl::unexpected{failure_of(error, "waiting for an answer of")};
  return {};
}

TransportResult<Response> BeastConnection::read_whole(HeadParser&& head, SteadyTime until,
                                                      const std::stop_token& stop) {
  http::response_parser<http::string_body> parser{std::move(head)};
  parser.body_limit(limits_.body);
  if (const auto length = parser.content_length(); length && *length > limits_.body) {
    return failed(Kind::too_large,
                  "the answer of " + server_ + " is larger than " + std::to_string(limits_.body) + " bytes");
  }
  if (!parser.is_done()) {
    const ErrorCode error = run(until, stop, [&](auto done) { http::async_read(stream_, buffer_, parser, done); });
    if (ended_by_ || error) return tl::unexpected{failure_of(error, "reading an answer of")};
  }
  clean_ = parser.get().keep_alive();
  Response response = response_of(parser.get());
  response.body = std::move(parser.get().body());
  return response;
}

TransportResult<Response> BeastConnection::read_lines(HeadParser&& head, SteadyTime until, const LineSink& line,
                                                      const std::stop_token& stop) {
  http::response_parser<http::buffer_body> parser{std::move(head)};
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());  // a stream has no end; its lines have
  LineSplitter splitter{limits_.line};
  auto chunk = std::make_unique<std::array<char, k_chunk>>();
  Response response = response_of(parser.get());
  auto outcome = LineSplitter::Outcome::more;
  while (outcome == LineSplitter::Outcome::more && !parser.is_done()) {
    parser.get().body() = {chunk->data(), chunk->size(), true};
    const ErrorCode error = run(until, stop, [&](auto done) { http::async_read_some(stream_, buffer_, parser, done); });
    const std::size_t got = chunk->size() - parser.get().body().size;
    if (got > 0) outcome = splitter.feed({chunk->data(), got}, line);
    if (ended_by_ || (error && error != http::error::need_buffer)) {
      if (outcome != LineSplitter::Outcome::more) break;
      return tl::unexpected{failure_of(error, "reading a stream of")};
    }
  }
  if (outcome == LineSplitter::Outcome::more) outcome = splitter.finish(line);
  if (outcome == LineSplitter::Outcome::too_long) {
    return failed(Kind::too_large,
                  "a line of " + server_ + " is longer than " + std::to_string(limits_.line) + " bytes");
  }
  clean_ = parser.is_done() && parser.get().keep_alive();
  return response;
}

TransportResult<Response> BeastConnection::exchange(const Request& request, std::stop_token stop) {
  HeadParser head;
  if (auto sent = send_and_read_head(request, head, stop); !sent) return tl::unexpected{sent.error()};
  return read_whole(std::move(head), request.deadline, stop);
}

TransportResult<Response> BeastConnection::stream(const Request& request, const LineSink& line, std::stop_token stop) {
  HeadParser head;
  if (auto sent = send_and_read_head(request, head, stop); !sent) return tl::unexpected{sent.error()};
  if (head.get().result_int() != 200) return read_whole(std::move(head), request.deadline, stop);
  return read_lines(std::move(head), request.deadline, line, stop);
}

}  // namespace

TransportResult<std::unique_ptr<Connection>> open_connection(const Endpoint& endpoint,
                                                             std::shared_ptr<ssl::context> tls,
                                                             const TransportLimits& limits, SteadyTime deadline,
                                                             std::stop_token stop) {
  auto connection = std::make_unique<BeastConnection>(std::move(tls), limits);
  if (auto opened = connection->open(endpoint, deadline, stop); !opened) return tl::unexpected{opened.error()};
  return connection;
}

}  // namespace valle::k8s
