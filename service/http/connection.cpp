// SPDX-License-Identifier: Apache-2.0
#include "service/http/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "service/http/exchange.hpp"
#include "service/http/problem.hpp"
#include "service/http/request_reader.hpp"
#include "service/http/response_writer.hpp"
#include "service/http/timed_stream.hpp"
#include "service/runtime/deadline.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::http {

namespace asio = boost::asio;
namespace log = runtime::log;
using runtime::Deadline;
using scheduler::Errc;
using scheduler::Error;
using std::chrono::steady_clock;
using Progress = RequestReader::Progress;

namespace {

constexpr std::size_t k_copied_body = 16u << 10;  ///< up to here, head and body go out in one piece
/// Up to here, a body that nobody wants is read to keep the connection.
constexpr std::size_t k_skipped_body = k_small_body;
constexpr std::string_view k_continue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? '[' + address + "]:" + port : address + ':' + port;
}

/// A request that no route takes. Its path is told in the log, its query is not: it may hold what should stay secret.
Request request_without_route(const RequestReader::Head& head) {
  Request request;
  request.method = head.method;
  request.path = head.target.substr(0, head.target.find('?'));
  return request;
}

/// What is left of a request for the log and the hook, once the handler has it.
struct Told {
  std::string method;
  std::string path;
  std::string route;
  std::string id;
};

/// Speaks HTTP on one connection. All members are used on its strand only.
template <class Stream>
class Connection final : public OpenConnection {
 public:
  Connection(std::shared_ptr<ServerContext> context, Stream stream, std::shared_ptr<asio::ssl::context> tls,
             Admission admission)
      : context_{std::move(context)},
        limits_{context_->options.limits},
        tls_{std::move(tls)},
        stream_{std::move(stream)},
        timer_{stream_.strand()},
        reader_{{.header_bytes = limits_.header_bytes, .target_bytes = limits_.target_bytes}},
        admission_{admission} {
    context_->connections.add(*this);
  }
  ~Connection() override { context_->connections.remove(*this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] steady_clock::time_point due() const override { return stream_.due(); }
  void expire() override {
    on_strand([](Connection& self) { self.stream_.expire(); });
  }
  void drain() override {
    on_strand([](Connection& self) {
      if (self.idle_) self.stream_.cut();
    });
  }
  void cut() override {
    on_strand([](Connection& self) {
      self.stream_.cut();
      self.timer_.cancel();
    });
  }

  static Task<void> run(std::shared_ptr<Connection> self) {
    try {
      co_await self->live();
    } catch (const std::exception& thrown) {
      log::error("connection_threw", {{"peer", self->peer_}, {"what", thrown.what()}});
    }
    self->stream_.close();
  }

 private:
  std::shared_ptr<Connection> shared() { return std::static_pointer_cast<Connection>(shared_from_this()); }

  void on_strand(void (*call)(Connection&)) {
    asio::post(stream_.strand(), [self = shared(), call] { call(*self); });
  }

  Task<void> live() {
    boost::system::error_code gone;
    const auto remote = stream_.socket().remote_endpoint(gone);
    if (gone) co_return;
    peer_ = text_of(remote);
    stream_.give_time(limits_.header_time);
    const auto peer = co_await stream_.open();
    if (peer == TimedStream<Stream>::Peer::plain_http_on_tls) co_await refuse_plain_http();
    if (peer != TimedStream<Stream>::Peer::ready) co_return;
    if (admission_ == Admission::refuse) {
      const Response overloaded = protocol_problem(503, "there are too many connections; try again later");
      const Told nobody;
      began_ = steady_clock::now();
      co_await refuse(overloaded, nobody);
      co_return;
    }
    bool more = true;
    while (more) more = co_await serve_one();
  }

  /// False when the connection is over.
  Task<bool> serve_one() {
    const Progress header = co_await read_header();
    if (header == Progress::refused || (header == Progress::needs_bytes && reader_.started())) {
      const Told unknown;
      co_await refuse_unread(header, unknown, "the headers");
      co_return false;
    }
    if (header != Progress::header) co_return false;

    RequestReader::Head& head = reader_.head();
    std::variant<Router::Match, Response> found = context_->router.find(head.method, head.target);
    auto* match = std::get_if<Router::Match>(&found);
    const Router::Route* route = match ? match->route : nullptr;
    Request request = match ? std::move(match->request) : request_without_route(head);
    request.headers = std::move(head.headers);
    request.id = context_->request_id(request.header("x-request-id"));
    request.peer = peer_;
    const Told told{request.method, request.path, request.route, request.id};

    std::optional<Response> refusal = refuse_stranger(request, route);
    if (!refusal && !match) refusal = std::move(std::get<Response>(found));
    BodyBudget::Share share;
    if (!refusal) refusal = refuse_body(route->options.largest_body, share);
    if (refusal) co_return co_await answer_without_body(told, *refusal);

    const bool complete = co_await read_body(route->options.largest_body, told);
    if (!complete) co_return false;
    request.body = std::move(reader_.body());
    const Response response = co_await handle(*route, request, told);
    co_return co_await answer(told, response);
  }

  [[nodiscard]] std::chrono::milliseconds time_for(std::chrono::milliseconds base, std::size_t bytes) const {
    return base + std::chrono::milliseconds{bytes * 1000 / limits_.slowest_bytes_a_second};
  }

  // ---- reading

  Task<bool> fill() {
    const std::size_t count = co_await stream_.read_some(reader_.room());
    reader_.received(count);
    co_return count > 0 && !stream_.was_cut();
  }

  Task<Progress> read_header() {
    reader_.next();
    began_ = steady_clock::now();
    bool begun = reader_.started();
    if (begun) stream_.give_time(limits_.header_time);
    Progress progress = reader_.advance();
    while (progress == Progress::needs_bytes) {
      if (!begun) {
        if (context_->draining) break;
        stream_.give_time(limits_.idle);
      }
      idle_ = !begun;
      const bool filled = co_await fill();
      idle_ = false;
      if (!filled) break;
      if (!begun) {
        begun = true;
        began_ = steady_clock::now();
        stream_.give_time(limits_.header_time);
      }
      progress = reader_.advance();
    }
    co_return progress;
  }

  /// Reads the whole body. False if that failed; then the refusal has been answered.
  Task<bool> read_body(std::size_t largest, const Told& told) {
    reader_.take_body(largest);
    Progress progress = reader_.advance();
    if (progress == Progress::needs_bytes && reader_.head().expects_continue) {
      stream_.give_time(limits_.write_time);
      const bool written = co_await stream_.write(k_continue);
      if (!written) co_return false;
    }
    const auto body_began = steady_clock::now();
    while (progress == Progress::needs_bytes) {
      const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - body_began);
      stream_.give_time(time_for(limits_.body_time, reader_.body_size()) - spent);
      const bool filled = co_await fill();
      if (!filled) break;
      progress = reader_.advance();
    }
    if (progress != Progress::complete) co_await refuse_unread(progress, told, "the body");
    stream_.stop_time();
    co_return progress == Progress::complete;
  }

  // ---- refusing

  std::optional<Response> refuse_stranger(Request& request, const Router::Route* route) const {
    if (!context_->options.authenticate || (route && route->options.without_authentication)) return std::nullopt;
    auto caller = context_->options.authenticate(request.header("authorization").value_or(""));
    if (!caller) return problem(caller.error());
    request.caller = *std::move(caller);
    return std::nullopt;
  }

  /// Decides from the header alone whether the body will be read.
  std::optional<Response> refuse_body(std::size_t largest, BodyBudget::Share& share) {
    const RequestReader::Head& head = reader_.head();
    if (!head.content_length && !head.chunked) return std::nullopt;
    if (head.content_length.value_or(0) > largest) return problem(body_too_large(largest));
    const std::size_t expected = head.content_length ? static_cast<std::size_t>(*head.content_length) : largest;
    if (expected <= k_small_body) return std::nullopt;
    std::optional<BodyBudget::Share> taken = context_->bodies.take(expected);
    if (!taken) return protocol_problem(503, "too many large bodies are being read; try again later");
    share = *std::move(taken);
    return std::nullopt;
  }

  /// The answer is known from the header. A short body is read all the same, so that the connection can stay.
  Task<bool> answer_without_body(const Told& told, const Response& response) {
    const RequestReader::Head& head = reader_.head();
    const bool may_stay = !head.chunked && head.content_length.value_or(0) <= k_skipped_body && !head.expects_continue;
    if (!may_stay) {
      co_await refuse(response, told);
      co_return false;
    }
    const bool complete = co_await read_body(k_skipped_body, told);
    if (!complete) co_return false;
    co_return co_await answer(told, response);
  }

  /// Answers a request that could not be read to its end.
  Task<void> refuse_unread(Progress progress, const Told& told, const char* what) {
    if (stream_.was_cut()) co_return;
    Response response;
    if (progress == Progress::refused) {
      response = protocol_problem(reader_.refusal().status, reader_.refusal().detail);
    } else if (stream_.timed_out()) {
      response = protocol_problem(408, std::string{what} + " did not come in time");
    } else {
      response = protocol_problem(400, std::string{"the connection ended inside "} + what);
    }
    co_await refuse(response, told);
  }

  /// The last answer of a connection on which more may be coming in.
  Task<void> refuse(const Response& response, const Told& told) {
    const Framing framing{.keep_alive = false, .date = context_->date(), .request_id = told.id};
    const bool written = co_await write(response, framing);
    tell(told, response.status);
    if (!written) co_return;
    stream_.give_time(limits_.linger);
    co_await stream_.linger();
  }

  Task<void> refuse_plain_http() {
    const Response response = protocol_problem(400, "this port speaks HTTPS");
    out_.clear();
    append_head(out_, response, Framing{.keep_alive = false});
    out_ += response.body;
    co_await stream_.write_plain(out_);
    co_await stream_.linger();
  }

  // ---- answering

  Task<Response> handle(const Router::Route& route, Request& request, const Told& told) {
    const auto exchange = std::make_shared<Exchange>();
    const Deadline deadline = Deadline::in(route.options.time_limit);
    request.deadline = deadline;
    try {
      route.handler(std::move(request), exchange->respond());
    } catch (const std::exception& thrown) {
      log::error("handler_threw", {{"route", told.route}, {"request", told.id}, {"what", thrown.what()}});
      exchange->answer(protocol_problem(500, "the handler failed"));
    }
    std::optional<Response> response = exchange->take();
    if (!response) response = co_await wait_for_answer(*exchange, deadline);
    co_return *std::move(response);
  }

  /// Waits until another thread answers, the deadline passes, or the connection is cut.
  Task<Response> wait_for_answer(Exchange& exchange, Deadline deadline) {
    struct Interest {
      explicit Interest(Exchange& e) : waited_for{e} {}
      ~Interest() { waited_for.lose_interest(); }
      Exchange& waited_for;
    } const interest{exchange};
    auto wake = [self = shared()] { self->on_strand([](Connection& c) { c.timer_.cancel(); }); };
    bool waits = exchange.wake_when_answered(std::move(wake));
    std::optional<Response> response = exchange.take();
    // In a loop, because a wake-up may be left over from an earlier answer that came just at its deadline.
    while (waits && !response && !deadline.passed() && !stream_.was_cut()) {
      boost::system::error_code ignored;
      auto token = asio::redirect_error(k_use_awaitable, ignored);
      timer_.expires_at(deadline.at);
      co_await timer_.async_wait(token);
      response = exchange.take();
    }
    if (!response) {
      response = problem(Error{Errc::deadline_exceeded, "the answer was not ready in time; the work may go on"});
    }
    co_return *std::move(response);
  }

  /// False when this was the connection's last answer.
  Task<bool> answer(const Told& told, const Response& response) {
    const RequestReader::Head& head = reader_.head();
    const Framing framing{.keep_alive = head.keep_alive && !context_->draining,
                          .http_1_0 = head.http_1_0,
                          .without_body = told.method == "HEAD",
                          .date = context_->date(),
                          .request_id = told.id};
    const bool written = co_await write(response, framing);
    tell(told, response.status);
    if (!written || framing.keep_alive) co_return written;
    stream_.give_time(limits_.linger);
    co_await stream_.say_goodbye();
    reader_.next();
    if (reader_.started()) co_await stream_.linger();  // requests were piped behind the last one
    co_return false;
  }

  Task<bool> write(const Response& response, const Framing& framing) {
    out_.clear();
    append_head(out_, response, framing);
    const bool with_body = has_body(response, framing);
    if (with_body && response.source) co_return co_await write_pieces(*response.source);
    const bool together = with_body && response.body.size() <= k_copied_body;
    if (together) out_ += response.body;
    stream_.give_time(time_for(limits_.write_time, response.body.size()));
    const std::string_view rest = with_body && !together ? std::string_view{response.body} : std::string_view{};
    const bool written = co_await stream_.write(out_, rest);
    stream_.stop_time();
    co_return written;
  }

  /// The head in `out_`, then the body as its source hands it out; each piece has the time of a write of its own.
  Task<bool> write_pieces(BodySource& source) {
    bool written = true;
    std::string piece;
    do {
      stream_.give_time(time_for(limits_.write_time, out_.size() + piece.size()));
      written = co_await stream_.write(out_, piece);
      stream_.stop_time();
      out_.clear();
    } while (written && source.next(piece));
    co_return written;
  }

  void tell(const Told& told, int status) const {
    const std::chrono::duration<double> took = steady_clock::now() - began_;
    if (context_->options.on_request) context_->options.on_request(told.route, status, took.count());
    if (!log::enabled(log::Level::debug)) return;
    log::debug("request", {{"method", told.method},
                           {"path", told.path},
                           {"status", status},
                           {"seconds", took.count()},
                           {"peer", peer_},
                           {"request", told.id}});
  }

  static constexpr asio::use_awaitable_t<Strand> k_use_awaitable{};
  using Timer = asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, Strand>;

  std::shared_ptr<ServerContext> context_;
  const ServerLimits& limits_;
  std::shared_ptr<asio::ssl::context> tls_;  ///< outlives the stream made of it
  TimedStream<Stream> stream_;
  Timer timer_;  ///< of the wait for an answer
  RequestReader reader_;
  const Admission admission_;
  std::string peer_;
  std::string out_;
  steady_clock::time_point began_{};  ///< of the current request
  bool idle_ = false;                 ///< waits for a request's first byte
};

template <class Stream>
void spawn(const std::shared_ptr<ServerContext>& context, Stream stream, std::shared_ptr<asio::ssl::context> tls,
           Admission admission) {
  const Strand strand = stream.get_executor();
  auto connection = std::make_shared<Connection<Stream>>(context, std::move(stream), std::move(tls), admission);
  asio::co_spawn(strand, Connection<Stream>::run(std::move(connection)), asio::detached);
}

}  // namespace

void serve_connection(const std::shared_ptr<ServerContext>& context, Socket socket,
                      std::shared_ptr<asio::ssl::context> tls, Admission admission) {
  if (tls) {
    TlsStream stream{std::move(socket), *tls};
    spawn(context, std::move(stream), std::move(tls), admission);
  } else {
    spawn(context, std::move(socket), nullptr, admission);
  }
}

}  // namespace valle::service::http
