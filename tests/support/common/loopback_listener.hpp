// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace valle::tests {

/// Accepts connections on a free port of loopback, and serves each on a thread of its own. Its owner keeps it as the
/// last member: its end shuts all connections down and waits for their threads.
class LoopbackListener final {
 public:
  /// Talks to one client until it is gone; the socket is closed afterwards. Connections are numbered from 1.
  using Serve = std::function<void(int socket, std::size_t number)>;
  explicit LoopbackListener(Serve serve);
  ~LoopbackListener();
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// How many came so far.
  [[nodiscard]] std::size_t connections() const;

 private:
  void accept_all();
  void run(int socket, std::size_t number);

  Serve serve_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> open_;
  std::size_t connections_ = 0;
  bool closing_ = false;
  std::vector<std::jthread> workers_;
  std::jthread acceptor_;
};

}  // namespace valle::tests
