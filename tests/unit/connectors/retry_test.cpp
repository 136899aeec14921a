// SPDX-License-Identifier: Apache-2.0
#include "connectors/retry/retry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "connectors/retry/budget.hpp"
#include "connectors/retry/waiter.hpp"
#include "tests/support/readings.hpp"

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Outcome;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using tests::at;

constexpr RetryPolicy k_policy{};

TEST(Retry, doubles_between_half_and_whole_and_gives_up_after_the_last_attempt) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto first = pause_before_retry(k_policy, {.made = 1, .time_left = hours{1}}, seed);
    const auto second = pause_before_retry(k_policy, {.made = 2, .time_left = hours{1}}, seed);
    ASSERT_TRUE(first && *first >= milliseconds{250} && *first <= milliseconds{500});
    ASSERT_TRUE(second && *second >= milliseconds{500} && *second <= milliseconds{1000});
    ASSERT_FALSE(pause_before_retry(k_policy, {.made = 3, .time_left = hours{1}}, seed));
  }
}

TEST(Retry, spreads_by_seed_and_repeats_itself_for_the_same_one) {
  std::set<milliseconds> pauses;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    pauses.insert(*pause_before_retry(k_policy, {.made = 1, .time_left = hours{1}}, seed));
    EXPECT_EQ(pause_before_retry(k_policy, {.made = 1, .time_left = hours{1}}, seed),
              pause_before_retry(k_policy, {.made = 1, .time_left = hours{1}}, seed));
  }
  EXPECT_GT(pauses.size(), 50U);
}

TEST(Retry, is_only_for_what_may_pass_by_itself) {
  for (const auto outcome : {Outcome::no_data, Outcome::bad_answer, Outcome::authentication, Outcome::not_covered,
                             Outcome::blocked, Outcome::budget_spent, Outcome::misconfigured}) {
    EXPECT_FALSE(pause_before_retry(k_policy, {.outcome = outcome, .time_left = hours{1}}, 1)) << to_text(outcome);
  }
  EXPECT_FALSE(pause_before_retry(k_policy, {.outcome = Outcome::rate_limited, .time_left = hours{1}}, 1));
}

TEST(Retry, honours_retry_after_if_the_caller_has_the_time) {
  const Attempt limited{.outcome = Outcome::rate_limited, .retry_after = seconds{7}, .time_left = seconds{10}};
  EXPECT_EQ(pause_before_retry(k_policy, limited, 1), milliseconds{7000});
  EXPECT_FALSE(pause_before_retry(
      k_policy, {.outcome = Outcome::rate_limited, .retry_after = seconds{10}, .time_left = seconds{10}}, 1));
  EXPECT_FALSE(pause_before_retry(k_policy, {.time_left = milliseconds{200}}, 1));
}

TEST(PauseAfter, grows_with_failures_up_to_its_longest) {
  EXPECT_EQ(pause_after(Outcome::data, 0, {}, 1), Duration{0});
  EXPECT_EQ(pause_after(Outcome::not_offered, 1, {}, 1), Duration{0});
  Duration before{0};
  for (unsigned failures = 1; failures < 40; ++failures) {
    const auto pause = pause_after(Outcome::unavailable, failures, {}, 1);
    EXPECT_GE(pause, std::min<Duration>(before, minutes{15}));
    EXPECT_LE(pause, minutes{30});
    before = pause;
  }
  EXPECT_GE(before, minutes{15});
}

TEST(PauseAfter, leaves_a_firewall_alone_for_an_hour_and_a_plan_for_a_day) {
  EXPECT_EQ(pause_after(Outcome::blocked, 1, {}, 1), hours{1});
  EXPECT_EQ(pause_after(Outcome::blocked, 1, seconds{5}, 1), hours{1});
  EXPECT_EQ(pause_after(Outcome::blocked, 9, {}, 1), hours{8});
  EXPECT_EQ(pause_after(Outcome::not_covered, 1, {}, 1), hours{24});
}

TEST(PauseAfter, takes_the_providers_wish_for_a_limit) {
  EXPECT_EQ(pause_after(Outcome::rate_limited, 1, seconds{120}, 1), Duration{120});
  EXPECT_EQ(pause_after(Outcome::rate_limited, 1, hours{100}, 1), hours{24});
  EXPECT_EQ(pause_after(Outcome::unavailable, 1, minutes{45}, 1), minutes{45});
}

TEST(RetryAfter, is_read_as_seconds_or_as_a_date) {
  const auto now = at("2027-11-07T08:48:37Z");
  EXPECT_EQ(parse_retry_after("120", now), seconds{120});
  EXPECT_EQ(parse_retry_after(" 0 ", now), seconds{0});
  EXPECT_EQ(parse_retry_after("Sun, 07 Nov 2027 08:49:37 GMT", now), seconds{60});
  EXPECT_EQ(parse_retry_after("Sat, 06 Nov 2027 08:49:37 GMT", now), seconds{0});
  EXPECT_EQ(parse_retry_after("999999999", now), hours{24});
  EXPECT_EQ(parse_retry_after("99999999999999999999999", now), hours{24});
  for (const auto* text :
       {"", "soon", "-5", "12x", "1.5", "Sun, 07 Foo 2027 08:49:37 GMT", "Sunday, 07-Nov-27 08:49:37 GMT"}) {
    EXPECT_FALSE(parse_retry_after(text, now)) << text;
  }
}

TEST(RequestBudget, grants_so_many_in_any_hour_and_tells_when_the_next_is_free) {
  RequestBudget budget{3};
  const auto start = at("2027-01-01T00:00:00Z");
  EXPECT_FALSE(budget.take(start));
  EXPECT_FALSE(budget.take(start + minutes{10}));
  EXPECT_FALSE(budget.take(start + minutes{20}));
  EXPECT_EQ(budget.take(start + minutes{30}), minutes{30});
  EXPECT_EQ(budget.take(start + minutes{59}), minutes{1});
  EXPECT_FALSE(budget.take(start + minutes{60}));
  EXPECT_EQ(budget.take(start + minutes{60}), minutes{10});
}

TEST(RequestBudget, of_zero_grants_nothing_and_a_clock_set_back_blocks_for_an_hour_at_most) {
  RequestBudget none{0};
  EXPECT_EQ(none.take(at("2027-01-01T00:00:00Z")), hours{1});
  RequestBudget budget{1};
  EXPECT_FALSE(budget.take(at("2027-01-02T00:00:00Z")));
  EXPECT_EQ(budget.take(at("2027-01-01T00:00:00Z")), hours{1});
}

TEST(InterruptibleWaiter, ends_every_wait_once_it_is_interrupted) {
  InterruptibleWaiter waiter;
  EXPECT_TRUE(waiter.wait(milliseconds{0}));
  waiter.interrupt();
  EXPECT_FALSE(waiter.wait(hours{100}));
}

}  // namespace
}  // namespace valle::connectors
