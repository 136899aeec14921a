// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "service/runtime/clock.hpp"
#include "service/runtime/io.hpp"

namespace valle::service::runtime {

/// "Call me at, or every T" of a Clock: with a real clock on an io thread, with a test clock in the thread that
/// advances it. Calls must not block; they post to a WorkQueue. Ticks that were missed (a sleeping machine) are made up
/// by one call. Safe from any thread, also from inside a call.
class Timers final {
 public:
  using Id = std::uint64_t;
  /// `clock` and `io` must outlive this.
  Timers(Clock& clock, Io& io);
  ~Timers();  ///< no call runs or starts afterwards; not from inside a call
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  /// Once, at `when` or as soon as possible if that has passed.
  Id at(scheduler::Instant when, std::function<void()> call);
  /// At now + period, now + 2 periods, … `period` ≥ 1 s.
  Id every(scheduler::Duration period, std::function<void()> call);
  /// The last call may be running, or about to, when this returns.
  void cancel(Id id);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace valle::service::runtime
