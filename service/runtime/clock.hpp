// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "scheduler/units/time.hpp"

namespace valle::service::runtime {

/// What time it is: a parameter of everything that asks. Safe from any thread.
class Clock {
 public:
  /// Something that wants to know when a clock moves by hand; see Timers.
  class Follower {
   public:
    virtual ~Follower() = default;
    /// The next instant at which this follower has something to do.
    [[nodiscard]] virtual std::optional<scheduler::Instant> next_due() = 0;
    /// Does what is due at `now`, in the calling thread.
    virtual void run_due(scheduler::Instant now) = 0;
  };

  virtual ~Clock() = default;
  [[nodiscard]] virtual scheduler::Instant now() const = 0;
  /// How long to sleep in real time until `instant`; nothing where time does not pass by itself.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> real_time_until(scheduler::Instant instant) const = 0;
  /// A clock that is moved by hand tells its followers; a real one has no use for them. `follower` must unfollow before
  /// it ends.
  virtual void follow(Follower&) {}
  virtual void unfollow(Follower&) {}
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] scheduler::Instant now() const override;
  [[nodiscard]] std::optional<std::chrono::milliseconds> real_time_until(scheduler::Instant instant) const override;
};

/// Stands still until it is set forward; for tests of whole weeks.
class TestClock final : public Clock {
 public:
  explicit TestClock(scheduler::Instant start) : now_{start} {}
  [[nodiscard]] scheduler::Instant now() const override { return now_.load(); }
  [[nodiscard]] std::optional<std::chrono::milliseconds> real_time_until(scheduler::Instant) const override {
    return {};
  }
  void follow(Follower& follower) override;
  void unfollow(Follower& follower) override;

  /// Moves to `target` through every instant at which a follower has something due, in order: at each one the time is
  /// set, what is due runs in this thread, then `settle` is called (it may wait until the work queues are idle). An
  /// instant in the past is refused. One caller at a time, others wait.
  [[nodiscard]] scheduler::Result<void> advance_to(scheduler::Instant target, const std::function<void()>& settle = {});

 private:
  std::optional<scheduler::Instant> next_due();
  void run_due(scheduler::Instant at);

  std::atomic<scheduler::Instant> now_;
  std::mutex advancing_;
  std::recursive_mutex followers_mutex_;
  std::vector<Follower*> followers_;
};

}  // namespace valle::service::runtime
