// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "service/runtime/io.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::runtime {
namespace {

using namespace std::chrono_literals;
using scheduler::Instant;
using testing::ElementsAre;

constexpr Instant k_start{std::chrono::sys_days{std::chrono::year{2021} / 6 / 7}};

TEST(SystemClock, counts_real_time_and_never_a_negative_wait) {
  const SystemClock clock;
  EXPECT_GT(clock.now(), k_start);
  EXPECT_EQ(clock.real_time_until(k_start), 0ms);
  EXPECT_GT(*clock.real_time_until(clock.now() + 1h), 59min);
}

TEST(TestClock, stands_still_until_it_is_set_forward_and_never_goes_back) {
  TestClock clock{k_start};
  EXPECT_EQ(clock.now(), k_start);
  EXPECT_FALSE(clock.real_time_until(k_start + 1h));
  ASSERT_TRUE(clock.advance_to(k_start + 5min));
  EXPECT_EQ(clock.now(), k_start + 5min);
  ASSERT_TRUE(clock.advance_to(k_start + 5min));
  const auto back = clock.advance_to(k_start);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().detail, testing::HasSubstr("2021-06-07T00:05:00Z"));
}

class TimersOfATestClock : public testing::Test {
 protected:
  auto note(std::string name) {
    return [this, name] { calls_.emplace_back(name, (clock_.now() - k_start) / 1min); };
  }
  Io io_;
  TestClock clock_{k_start};
  Timers timers_{clock_, io_};
  std::vector<std::pair<std::string, long>> calls_;
};

TEST_F(TimersOfATestClock, every_tick_of_a_long_jump_runs_at_its_own_time_and_in_order) {
  timers_.every(10min, note("tick"));
  timers_.at(k_start + 15min, note("once"));
  ASSERT_TRUE(clock_.advance_to(k_start + 30min));
  EXPECT_THAT(calls_,
              ElementsAre(std::pair{"tick", 10}, std::pair{"once", 15}, std::pair{"tick", 20}, std::pair{"tick", 30}));
  EXPECT_EQ(clock_.now(), k_start + 30min);
}

TEST_F(TimersOfATestClock, work_settles_before_time_moves_on) {
  timers_.every(10min, note("tick"));
  std::vector<long> settled;
  ASSERT_TRUE(clock_.advance_to(k_start + 25min, [&] { settled.push_back((clock_.now() - k_start) / 1min); }));
  EXPECT_THAT(settled, ElementsAre(10, 20, 25));
}

TEST_F(TimersOfATestClock, a_timer_set_by_a_call_within_the_same_jump_runs_too) {
  timers_.at(k_start + 1min, [&] { timers_.at(clock_.now() + 1min, note("second")); });
  ASSERT_TRUE(clock_.advance_to(k_start + 3min));
  EXPECT_THAT(calls_, ElementsAre(std::pair{"second", 2}));
}

TEST_F(TimersOfATestClock, a_time_that_has_passed_runs_at_the_next_move) {
  timers_.at(k_start - 1h, note("late"));
  ASSERT_TRUE(clock_.advance_to(k_start));
  EXPECT_THAT(calls_, ElementsAre(std::pair{"late", 0}));
}

TEST_F(TimersOfATestClock, a_cancelled_timer_is_silent_and_a_throwing_one_does_not_stop_the_others) {
  const Timers::Id tick = timers_.every(1min, note("never"));
  timers_.cancel(tick);
  timers_.at(k_start + 1min, [] { throw std::runtime_error{"broken"}; });
  timers_.at(k_start + 1min, note("after"));
  ASSERT_TRUE(clock_.advance_to(k_start + 2min));
  EXPECT_THAT(calls_, ElementsAre(std::pair{"after", 1}));
}

/// Real time runs a million times faster: a "second" of the schedule is a moment.
class HurriedClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return k_start + (elapsed() / 1us) * 1s; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> real_time_until(Instant instant) const override {
    return std::chrono::ceil<std::chrono::milliseconds>((instant - now()) / 1s * 1us);
  }

 private:
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return std::chrono::steady_clock::now() - begin_; }
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

TEST(TimersOfARealClock, call_on_an_io_thread_not_before_the_time) {
  Io io;
  HurriedClock clock;
  Timers timers{clock, io};
  std::promise<Instant> at;
  std::promise<void> third;
  const Instant when = clock.now() + 3000s;
  timers.at(when + 1h * 24 * 365, [] { FAIL() << "a year has not passed"; });
  timers.at(when, [&] { at.set_value(clock.now()); });
  timers.every(1000s, [&, n = 0]() mutable {
    if (++n == 3) third.set_value();
  });
  EXPECT_GE(at.get_future().get(), when);
  third.get_future().get();
}

TEST(TimersOfARealClock, end_while_calls_are_due) {
  Io io;
  for (int i = 0; i < 50; ++i) {
    auto clock = std::make_unique<HurriedClock>();
    auto calls = std::make_unique<int>(0);
    Timers timers{*clock, io};
    timers.every(1s, [&] { ++*calls; });
  }
}

}  // namespace
}  // namespace valle::service::runtime
