// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/timer.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "scheduler/units/require.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::runtime {

using scheduler::Duration;
using scheduler::Instant;

namespace {

/// The wall clock may be set while we sleep on the steady one: look at it again at least this often.
constexpr std::chrono::milliseconds k_longest_sleep = std::chrono::seconds{15};

struct Entry {
  Timers::Id id;
  std::optional<Duration> period;
  std::shared_ptr<const std::function<void()>> call;
};

/// The first tick after `now` of the row due, due + period, …
Instant next_tick(Instant due, Duration period, Instant now) {
  const auto missed = now < due ? 0 : (now - due) / period;
  return due + period * (missed + 1);
}

}  // namespace

struct Timers::State final : Clock::Follower, std::enable_shared_from_this<State> {
  State(Clock& c, Io& io) : clock{c}, timer{io.context()} {}

  std::optional<Instant> next_due() override {
    const std::scoped_lock lock{mutex};
    if (entries.empty()) return std::nullopt;
    return entries.begin()->first;
  }

  /// Takes the first due entry out of the row; a periodic one goes in again at its next tick.
  std::optional<Entry> take_due(Instant now) {
    const std::scoped_lock lock{mutex};
    if (ended || entries.empty() || entries.begin()->first > now) return std::nullopt;
    const auto [due, entry] = *entries.begin();
    entries.erase(entries.begin());
    if (entry.period) entries.emplace(next_tick(due, *entry.period, now), entry);
    return entry;
  }

  void run_due(Instant now) override {
    const std::scoped_lock lock{running};
    while (const std::optional<Entry> entry = take_due(now)) {
      try {
        (*entry->call)();
      } catch (const std::exception& thrown) {
        log::error("timer_call_threw", {{"what", thrown.what()}});
      }
    }
  }

  Timers::Id add(Instant due, std::optional<Duration> period, std::function<void()> call) {
    Timers::Id id = 0;
    {
      const std::scoped_lock lock{mutex};
      id = ++last_id;
      entries.emplace(due, Entry{id, period, std::make_shared<const std::function<void()>>(std::move(call))});
      if (entries.begin()->second.id != id) return id;  // something earlier wakes us anyway
    }
    wake();
    return id;
  }

  /// Looks at the row again, on an io thread. A clock that stands still needs none of this: it asks us.
  void wake() {
    if (!clock.real_time_until(Instant{})) return;
    boost::asio::post(timer.get_executor(), [self = shared_from_this()] { self->sleep_or_run(); });
  }

  void sleep_or_run() {
    if (has_ended()) return;
    run_due(clock.now());
    const std::scoped_lock lock{mutex};
    if (ended || entries.empty()) return;
    const auto sleep =
        std::min(clock.real_time_until(entries.begin()->first).value_or(k_longest_sleep), k_longest_sleep);
    timer.expires_after(sleep);
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->sleep_or_run();
    });
  }

  /// A posted call may come after the end, when the clock is gone.
  bool has_ended() {
    const std::scoped_lock lock{mutex};
    return ended;
  }

  Clock& clock;
  std::mutex mutex;
  std::mutex running;  ///< held while calls run, so that the end can wait for them
  std::multimap<Instant, Entry> entries;
  Timers::Id last_id = 0;
  bool ended = false;
  boost::asio::steady_timer timer;
};

Timers::Timers(Clock& clock, Io& io) : state_{std::make_shared<State>(clock, io)} { clock.follow(*state_); }

Timers::~Timers() {
  state_->clock.unfollow(*state_);
  {
    const std::scoped_lock lock{state_->mutex};
    state_->ended = true;
    state_->entries.clear();
    state_->timer.cancel();
  }
  const std::scoped_lock wait_for_running_call{state_->running};
}

Timers::Id Timers::at(Instant when, std::function<void()> call) {
  return state_->add(when, std::nullopt, std::move(call));
}

Timers::Id Timers::every(Duration period, std::function<void()> call) {
  scheduler::require(period >= Duration{1}, "a timer's period is at least one second");
  return state_->add(state_->clock.now() + period, period, std::move(call));
}

void Timers::cancel(Id id) {
  const std::scoped_lock lock{state_->mutex};
  std::erase_if(state_->entries, [id](const auto& row) { return row.second.id == id; });
}

}  // namespace valle::service::runtime
