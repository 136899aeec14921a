// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/rate_limiter.hpp"

#include <algorithm>

#include "scheduler/units/require.hpp"

namespace valle::k8s {

RateLimiter::RateLimiter(Rate rate) {
  scheduler::require(rate.per_second > 0 && rate.burst > 0, "a rate limit lets something through");
  interval_ = std::chrono::nanoseconds{1'000'000'000 / rate.per_second};
  depth_ = interval_ * (rate.burst - 1);
}

// The generic cell rate algorithm: each call moves the time at which the bucket is full by one interval; a call must
// wait while that time is further away than the bucket is deep.
SteadyTime RateLimiter::reserve(SteadyTime now) {
  const std::scoped_lock lock{mutex_};
  const SteadyTime full_at = std::max(full_at_, now);
  full_at_ = full_at + interval_;
  return std::max(now, full_at - depth_);
}

void RateLimiter::give_back() {
  const std::scoped_lock lock{mutex_};
  full_at_ -= interval_;
}

}  // namespace valle::k8s
