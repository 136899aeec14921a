// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/clock.hpp"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

namespace valle::k8s {
namespace {

class MonotonicClock final : public Clock {
 public:
  SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  bool wait_until(SteadyTime then, std::stop_token stop) override {
    // Of the call's own: waiters have nothing to share.
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    never.wait_until(lock, stop, then, [] { return false; });
    return !stop.stop_requested();
  }
};

}  // namespace

std::shared_ptr<Clock> monotonic_clock() { return std::make_shared<MonotonicClock>(); }

std::string micro_time_text(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text;
}

}  // namespace valle::k8s
