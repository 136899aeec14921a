// SPDX-License-Identifier: Apache-2.0
#include "service/http/server.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <future>
#include <mutex>
#include <utility>

#include "scheduler/units/require.hpp"
#include "service/http/connection.hpp"
#include "service/http/tls.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::http {

namespace asio = boost::asio;
namespace log = runtime::log;
using boost::system::error_code;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;
using std::chrono::milliseconds;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Strand>;

namespace {

constexpr int k_backlog = 1024;
constexpr std::size_t k_refused_together = 64;    ///< beyond the limit so many are told 503, further ones just closed
constexpr milliseconds k_pause_after_error{100};  ///< e.g. out of file descriptors: let some connections end
constexpr milliseconds k_cutting_time{5'000};

std::string without_brackets(const std::string& host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

/// How often overdue connections are looked for: often enough for the shortest limit, seldom enough to cost nothing.
milliseconds sweep_interval(const ServerLimits& limits) {
  const milliseconds shortest =
      std::min({limits.idle, limits.header_time, limits.body_time, limits.write_time, limits.linger});
  return std::clamp(shortest / 8, milliseconds{2}, milliseconds{250});
}

}  // namespace

struct Server::Core final : std::enable_shared_from_this<Core> {
  Core(runtime::Io& io, const runtime::Clock& clock, Router router, ServerOptions options)
      : io_context{io.context()},
        strand{asio::make_strand(io.context())},
        context{std::make_shared<ServerContext>(clock, std::move(router), std::move(options))},
        acceptor{strand},
        sweep_timer{io.context()} {}

  Result<void> listen() {
    const ServerOptions& options = context->options;
    const std::string place = options.host + ':' + std::to_string(options.port);
    error_code ec;
    const std::string host = options.host == "localhost" ? "127.0.0.1" : without_brackets(options.host);
    const auto address = asio::ip::make_address(host, ec);
    if (ec) return refuse(Errc::invalid_request, "'" + options.host + "' is not an IP address", place);
    const asio::ip::tcp::endpoint endpoint{address, options.port};
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(asio::socket_base::reuse_address{true}, ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(k_backlog, ec);
    if (!ec) local = acceptor.local_endpoint(ec);
    if (ec) return refuse(Errc::invalid_request, "cannot listen there: " + ec.message(), place);
    return {};
  }

  void begin() {
    asio::post(strand, [self = shared_from_this()] {
      self->accept();
      self->sweep();
    });
  }

  void accept() {
    if (!acceptor.is_open()) return;
    acceptor.async_accept(asio::make_strand(io_context), [self = shared_from_this()](error_code ec, Socket socket) {
      self->accepted(ec, std::move(socket));
    });
  }

  void accepted(error_code ec, Socket socket) {
    if (!acceptor.is_open() || ec == asio::error::operation_aborted) return;
    if (ec) {
      log::warning("accept_failed", {{"detail", ec.message()}});
      const auto pause = std::make_shared<asio::steady_timer>(io_context, k_pause_after_error);
      pause->async_wait(
          asio::bind_executor(strand, [self = shared_from_this(), pause](error_code) { self->accept(); }));
      return;
    }
    const std::size_t open = context->connections.size();
    const std::size_t most = context->options.limits.connections;
    if (open < most + k_refused_together) {
      serve_connection(context, std::move(socket), tls ? tls->current() : nullptr,
                       open < most ? Admission::serve : Admission::refuse);
    }
    accept();
  }

  void sweep() {
    const auto now = std::chrono::steady_clock::now();
    for (const auto& connection : context->connections.all()) {
      if (connection->due() <= now) connection->expire();
    }
    if (tls && now >= next_tls_check) {
      if (next_tls_check != std::chrono::steady_clock::time_point{}) tls->reload_if_changed();
      next_tls_check = now + context->options.tls_check_every;
    }
    if (stopped) return;
    sweep_timer.expires_after(sweep_interval(context->options.limits));
    sweep_timer.async_wait(asio::bind_executor(strand, [self = shared_from_this()](error_code) { self->sweep(); }));
  }

  void close_acceptor() {
    std::promise<void> closed;
    asio::post(strand, [&] {
      error_code ignored;
      acceptor.close(ignored);
      closed.set_value();
    });
    closed.get_future().wait();
  }

  bool stop(milliseconds drain) {
    const std::scoped_lock lock{stopping};
    if (stopped) return true;
    scheduler::require(!io_context.get_executor().running_in_this_thread(), "a server is not stopped by an io thread");
    close_acceptor();
    context->draining = true;
    for (const auto& connection : context->connections.all()) connection->drain();
    const bool drained = context->connections.wait_until_empty(drain);
    if (!drained) {
      for (const auto& connection : context->connections.all()) connection->cut();
      if (!context->connections.wait_until_empty(k_cutting_time)) log::error("connections_left", {});
    }
    stopped = true;
    asio::post(strand, [self = shared_from_this()] { self->sweep_timer.cancel(); });
    return drained;
  }

  asio::io_context& io_context;
  Strand strand;  ///< of acceptor and sweep
  std::shared_ptr<ServerContext> context;
  std::unique_ptr<TlsSettings> tls;
  Acceptor acceptor;
  asio::ip::tcp::endpoint local;
  asio::steady_timer sweep_timer;
  std::chrono::steady_clock::time_point next_tls_check{};
  std::mutex stopping;
  std::atomic<bool> stopped{false};
};

Result<std::unique_ptr<Server>> Server::start(runtime::Io& io, const runtime::Clock& clock, Router router,
                                              ServerOptions options) {
  auto core = std::make_shared<Core>(io, clock, std::move(router), std::move(options));
  if (core->context->options.tls) {
    auto tls = TlsSettings::load(*core->context->options.tls);
    if (!tls) return tl::unexpected{tls.error()};
    core->tls = *std::move(tls);
  }
  if (auto listening = core->listen(); !listening) return tl::unexpected{listening.error()};
  core->begin();
  return std::unique_ptr<Server>{new Server{std::move(core)}};
}

Server::Server(std::shared_ptr<Core> core) : core_{std::move(core)} {}

Server::~Server() { stop(milliseconds{0}); }

std::uint16_t Server::port() const { return core_->local.port(); }

std::string Server::url() const {
  const std::string address = core_->local.address().to_string();
  return std::string{core_->tls ? "https://" : "http://"} +
         (core_->local.address().is_v6() ? '[' + address + ']' : address) + ':' + std::to_string(port());
}

std::size_t Server::open_connections() const { return core_->context->connections.size(); }

Result<void> Server::reload_tls() { return core_->tls ? core_->tls->reload() : Result<void>{}; }

bool Server::stop(milliseconds drain) { return core_->stop(drain); }

}  // namespace valle::service::http
