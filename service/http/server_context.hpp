// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "service/http/router.hpp"
#include "service/http/server.hpp"
#include "service/runtime/clock.hpp"

namespace valle::service::http {

/// What a server wants of an open connection, from any thread.
class OpenConnection : public std::enable_shared_from_this<OpenConnection> {
 public:
  virtual ~OpenConnection() = default;
  /// When what it waits for is overdue.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point due() const = 0;
  /// Ends what is overdue.
  virtual void expire() = 0;
  /// Ends when the request in flight is answered; at once where there is none.
  virtual void drain() = 0;
  /// Ends now.
  virtual void cut() = 0;
};

/// All open connections. Safe from any thread.
class OpenConnections final {
 public:
  void add(OpenConnection& connection);
  void remove(OpenConnection& connection);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<std::shared_ptr<OpenConnection>> all() const;
  [[nodiscard]] bool wait_until_empty(std::chrono::milliseconds bound) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable empty_;
  std::unordered_set<OpenConnection*> connections_;
};

/// Bounds the memory of large bodies over all connections. Small ones are bounded by the number of connections.
class BodyBudget final {
 public:
  /// A share is given back when it goes.
  class Share final {
   public:
    Share() = default;
    Share(BodyBudget& budget, std::size_t bytes) : budget_{&budget}, bytes_{bytes} {}
    Share(Share&& other) noexcept : budget_{other.budget_}, bytes_{other.bytes_} { other.budget_ = nullptr; }
    Share& operator=(Share&& other) noexcept;
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share();

   private:
    BodyBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
  };

  explicit BodyBudget(std::size_t bytes) : bytes_{bytes} {}
  /// Nothing if it would be more than there is.
  [[nodiscard]] std::optional<Share> take(std::size_t bytes);

 private:
  const std::size_t bytes_;
  std::atomic<std::size_t> taken_{0};
};

/// What the connections of one server share; outlives them.
struct ServerContext {
  ServerContext(const runtime::Clock& c, Router r, ServerOptions o)
      : clock{c}, router{std::move(r)}, options{std::move(o)}, bodies{options.limits.body_bytes_together} {}

  const runtime::Clock& clock;
  const Router router;
  const ServerOptions options;
  OpenConnections connections;
  BodyBudget bodies;
  std::atomic<bool> draining{false};

  /// `Mon, 07 Jun 2021 06:00:00 GMT`; good until the next call in this thread.
  [[nodiscard]] std::string_view date() const;
  /// The caller's id if it is 1…64 letters, digits, `-`, `_` or `.`; else a new one, unique in this process.
  [[nodiscard]] std::string request_id(std::optional<std::string_view> wanted);

 private:
  std::atomic<std::uint64_t> last_id_{0};
};

}  // namespace valle::service::http
