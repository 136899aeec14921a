// SPDX-License-Identifier: Apache-2.0
#include "connectors/retry/budget.hpp"

#include <algorithm>

namespace valle::connectors {

std::optional<scheduler::Duration> RequestBudget::take(scheduler::Instant now) {
  constexpr scheduler::Duration k_hour = std::chrono::hours{1};
  const std::scoped_lock lock{mutex_};
  while (!granted_.empty() && granted_.front() + k_hour <= now) granted_.pop_front();
  if (granted_.size() < per_hour_) {
    // A clock that was set back must neither free nor block the budget for longer than an hour.
    if (!granted_.empty() && now < granted_.back()) std::fill(granted_.begin(), granted_.end(), now);
    granted_.push_back(now);
    return std::nullopt;
  }
  if (granted_.empty()) return k_hour;  // a budget of zero
  return std::clamp(granted_.front() + k_hour - now, scheduler::Duration{1}, k_hour);
}

}  // namespace valle::connectors
