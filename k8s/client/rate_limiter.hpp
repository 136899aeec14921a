// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "k8s/client/clock.hpp"

namespace valle::k8s {

/// `per_second` calls in the long run, `burst` at once.
struct Rate {
  std::uint32_t per_second = 50;
  std::uint32_t burst = 100;
};

/// A token bucket in integers that hands out times instead of waiting. First come, first served. Safe from any thread.
class RateLimiter final {
 public:
  explicit RateLimiter(Rate rate);
  /// When the call that is asked for now may go; its place is taken. Never before `now`.
  [[nodiscard]] SteadyTime reserve(SteadyTime now);
  /// A place that was not used after all (the caller's deadline is earlier).
  void give_back();

 private:
  std::chrono::nanoseconds interval_;
  std::chrono::nanoseconds depth_;
  std::mutex mutex_;
  SteadyTime full_at_{SteadyTime::min()};  ///< the bucket's level as a time: when it is full again
};

}  // namespace valle::k8s
