// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "k8s/client/clock.hpp"

namespace valle::tests {

/// Time that passes only when somebody waits, and then at once. Keeps what was waited for.
class FakeClock final : public k8s::Clock {
 public:
  k8s::SteadyTime now() const override {
    const std::scoped_lock lock{mutex_};
    return now_;
  }
  bool wait_until(k8s::SteadyTime then, std::stop_token stop) override {
    if (stop.stop_requested()) return false;
    const std::scoped_lock lock{mutex_};
    waits_.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(then - now_));
    if (then > now_) now_ = then;
    return true;
  }
  void advance(std::chrono::nanoseconds by) {
    const std::scoped_lock lock{mutex_};
    now_ += std::chrono::duration_cast<k8s::SteadyTime::duration>(by);
  }
  std::vector<std::chrono::milliseconds> waits() const {
    const std::scoped_lock lock{mutex_};
    return waits_;
  }

 private:
  mutable std::mutex mutex_;
  k8s::SteadyTime now_{std::chrono::hours{1000}};
  std::vector<std::chrono::milliseconds> waits_;
};

}  // namespace valle::tests
