// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/clock.hpp"

#include <algorithm>

namespace valle::service::runtime {

using scheduler::Errc;
using scheduler::Instant;

Instant SystemClock::now() const { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

std::optional<std::chrono::milliseconds> SystemClock::real_time_until(Instant instant) const {
  const auto now = std::chrono::system_clock::now();
  if (instant <= now) return std::chrono::milliseconds{0};
  return std::chrono::ceil<std::chrono::milliseconds>(instant - now);
}

void TestClock::follow(Follower& follower) {
  const std::scoped_lock lock{followers_mutex_};
  followers_.push_back(&follower);
}

void TestClock::unfollow(Follower& follower) {
  const std::scoped_lock lock{followers_mutex_};
  std::erase(followers_, &follower);
}

std::optional<Instant> TestClock::next_due() {
  const std::scoped_lock lock{followers_mutex_};
  std::optional<Instant> earliest;
  for (Follower* follower : followers_) {
    const std::optional<Instant> due = follower->next_due();
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

void TestClock::run_due(Instant at) {
  const std::scoped_lock lock{followers_mutex_};
  const std::vector<Follower*> followers = followers_;  // a call may add or remove timers, even followers
  for (Follower* follower : followers) {
    if (std::ranges::find(followers_, follower) != followers_.end()) follower->run_due(at);
  }
}

scheduler::Result<void> TestClock::advance_to(Instant target, const std::function<void()>& settle) {
  const std::scoped_lock lock{advancing_};
  if (target < now()) {
    return scheduler::refuse(Errc::invalid_request,
                             "the clock only moves forward; it is " + scheduler::format_instant(now()) + " now");
  }
  while (const std::optional<Instant> due = next_due()) {
    if (*due > target) break;
    now_ = std::max(*due, now());
    run_due(now());
    if (settle) settle();
  }
  now_ = target;
  if (settle) settle();
  return {};
}

}  // namespace valle::service::runtime
