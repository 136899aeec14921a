// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/tls_transport.hpp"

#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "k8s/client/connection.hpp"
#include "k8s/client/tls_context.hpp"

namespace valle::k8s {
namespace {

using Kind = TransportFailure::Kind;

tl::unexpected<TransportFailure> failed(Kind kind, std::string detail) {
  return tl::unexpected{TransportFailure{kind, std::move(detail)}};
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(Endpoint endpoint, std::unique_ptr<TlsContext> tls, TransportLimits limits, std::shared_ptr<Clock> clock)
      : endpoint_{std::move(endpoint)}, tls_{std::move(tls)}, limits_{limits}, clock_{std::move(clock)} {}

  TransportResult<Response> send(const Request& given, std::stop_token stop) override {
    const Request request = with_base(given);
    Place place{*this};
    if (auto taken = take_place(request.deadline, stop); !taken) return tl::unexpected{taken.error()};
    place.taken = true;
    auto kept = take_idle();
    const bool was_kept = kept != nullptr;
    auto result = exchange(std::move(kept), request, stop);
    // A server may close a kept connection just as we use it. Only what changes nothing is asked again unasked.
    const bool again = !result && result.error().kind == Kind::unreachable && was_kept && request.method == "GET";
    return again ? exchange(nullptr, request, stop) : std::move(result);
  }

  TransportResult<Response> stream(const Request& given, const LineSink& line, std::stop_token stop) override {
    const Request request = with_base(given);
    const Count count{*this};
    if (count.before >= limits_.streams) return failed(Kind::unreachable, "too many watches at once");
    auto connection = open(request.deadline, stop);
    if (!connection) return tl::unexpected{connection.error()};
    auto result = (*connection)->stream(request, line, stop);
    keep(*std::move(connection));
    return result;
  }

 private:
  /// A place among the busy connections, given back at the end.
  struct Place {
    TlsTransport& owner;
    bool taken = false;
    ~Place() {
      if (!taken) return;
      const std::scoped_lock lock{owner.mutex_};
      --owner.busy_;
      owner.place_free_.notify_one();
    }
  };
  struct Count {
    explicit Count(TlsTransport& transport) : owner{transport} {
      const std::scoped_lock lock{owner.mutex_};
      before = owner.streams_++;
    }
    ~Count() {
      const std::scoped_lock lock{owner.mutex_};
      --owner.streams_;
    }
    TlsTransport& owner;
    std::size_t before = 0;
  };

  Request with_base(Request request) const {
    request.target = endpoint_.base_path + request.target;
    return request;
  }

  TransportResult<void> take_place(SteadyTime deadline, const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    const auto free = [this] { return busy_ < limits_.busy_connections; };
    if (!place_free_.wait_until(lock, stop, deadline, free)) {
      if (stop.stop_requested()) return failed(Kind::cancelled, "stopped while waiting for a free connection");
      return failed(Kind::deadline, "no time left while waiting for a free connection");
    }
    ++busy_;
    return {};
  }

  std::unique_ptr<Connection> take_idle() {
    const std::scoped_lock lock{mutex_};
    while (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->reusable()) return connection;
    }
    return nullptr;
  }

  void keep(std::unique_ptr<Connection> connection) {
    if (!connection->reusable()) return;
    const std::scoped_lock lock{mutex_};
    if (idle_.size() < limits_.idle_connections) idle_.push_back(std::move(connection));
  }

  TransportResult<std::unique_ptr<Connection>> open(SteadyTime deadline, const std::stop_token& stop) {
    const SteadyTime connected_by = std::min(deadline, clock_->now() + limits_.connect);
    auto connection = open_connection(endpoint_, tls_->current(), limits_, connected_by, stop);
    // Only the caller's own deadline is one; a server that cannot be connected to in our time is away.
    if (!connection && connection.error().kind == Kind::deadline && connected_by < deadline) {
      connection.error().kind = Kind::unreachable;
    }
    return connection;
  }

  TransportResult<Response> exchange(std::unique_ptr<Connection> connection, const Request& request,
                                     const std::stop_token& stop) {
    if (!connection) {
      auto opened = open(request.deadline, stop);
      if (!opened) return tl::unexpected{opened.error()};
      connection = *std::move(opened);
    }
    auto result = connection->exchange(request, stop);
    keep(std::move(connection));
    return result;
  }

  Endpoint endpoint_;
  std::unique_ptr<TlsContext> tls_;
  TransportLimits limits_;
  std::shared_ptr<Clock> clock_;
  std::mutex mutex_;
  std::condition_variable_any place_free_;
  std::size_t busy_ = 0;
  std::size_t streams_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace

scheduler::Result<std::shared_ptr<Transport>> make_tls_transport(Endpoint endpoint, TransportLimits limits) {
  auto tls = TlsContext::make(endpoint);
  if (!tls) return tl::unexpected{tls.error()};
  return std::make_shared<TlsTransport>(std::move(endpoint), *std::move(tls), limits, monotonic_clock());
}

}  // namespace valle::k8s
