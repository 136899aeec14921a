// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace valle::connectors {

/// Lets time pass between attempts, and tells how much has passed. A port, so that tests never sleep. Safe from several
/// threads.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// Returns after `pause`, or at once with false when the service is stopping.
  virtual bool wait(std::chrono::milliseconds pause) = 0;
  /// Time since some fixed moment, for deadlines only; never a date.
  [[nodiscard]] virtual std::chrono::milliseconds elapsed() const = 0;
};

/// The real one: a monotonic clock, and waits that `interrupt()` ends for good.
class InterruptibleWaiter final : public Waiter {
 public:
  bool wait(std::chrono::milliseconds pause) override;
  [[nodiscard]] std::chrono::milliseconds elapsed() const override;
  /// For shutdown: ends every wait, present and future.
  void interrupt();

 private:
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
};

}  // namespace valle::connectors
