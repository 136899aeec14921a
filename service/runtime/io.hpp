// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace valle::service::runtime {

/// The io threads: sockets and timers. Nothing that runs here may block for more than a millisecond.
class Io final {
 public:
  /// Starts the threads.
  explicit Io(std::size_t threads = 1);
  ~Io();  ///< stop()
  Io(const Io&) = delete;
  Io& operator=(const Io&) = delete;

  /// Runs `work` on an io thread soon. From any thread. An exception from it is logged and goes no further.
  void post(std::function<void()> work);

  /// Abandons what is pending and joins the threads; servers and timers are stopped before this. Not from an io thread.
  void stop();

  /// For the few .cpp files that speak Asio.
  [[nodiscard]] boost::asio::io_context& context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace valle::service::runtime
