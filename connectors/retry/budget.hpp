// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "scheduler/units/time.hpp"

namespace valle::connectors {

/// At most so many requests in any 60 minutes. Time is a parameter. Safe from several threads.
class RequestBudget {
 public:
  explicit RequestBudget(unsigned per_hour) : per_hour_{per_hour} {}

  /// Nothing: granted and counted. Else how long until the next one is free; nothing is counted then.
  [[nodiscard]] std::optional<scheduler::Duration> take(scheduler::Instant now);

  [[nodiscard]] unsigned per_hour() const { return per_hour_; }

 private:
  const unsigned per_hour_;
  std::mutex mutex_;
  std::deque<scheduler::Instant> granted_;  // of the last hour, oldest first; at most per_hour_
};

}  // namespace valle::connectors
