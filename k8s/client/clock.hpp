// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace valle::k8s {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Monotonic time and waiting on it, so that tests need neither. Safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual SteadyTime now() const = 0;
  /// Blocks until then. False as soon as `stop` is requested.
  [[nodiscard]] virtual bool wait_until(SteadyTime then, std::stop_token stop) = 0;
};

/// The machine's monotonic clock.
[[nodiscard]] std::shared_ptr<Clock> monotonic_clock();

/// Wall-clock time, for what is written into objects only; never compared with times that others wrote.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
using WallClock = std::function<WallTime()>;

/// A MicroTime as Leases and Events carry it: `2026-11-30T22:00:00.000000Z`.
[[nodiscard]] std::string micro_time_text(WallTime time);

}  // namespace valle::k8s
