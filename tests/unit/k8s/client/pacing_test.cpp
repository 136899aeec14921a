// SPDX-License-Identifier: Apache-2.0
// How fast and how often: the rate limit, pauses, repetition.
#include <gtest/gtest.h>

#include <vector>

#include "k8s/client/jitter.hpp"
#include "k8s/client/rate_limiter.hpp"
#include "k8s/client/retry.hpp"
#include "tests/support/k8s/fake_clock.hpp"

namespace valle::k8s {
namespace {

using Kind = ApiError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

const SteadyTime k_start{std::chrono::hours{1}};

TEST(RateLimiter, a_burst_goes_at_once_and_the_rest_at_the_rate) {
  RateLimiter limiter{{.per_second = 10, .burst = 3}};
  std::vector<milliseconds> waits;
  for (int i = 0; i < 6; ++i) {
    waits.push_back(std::chrono::duration_cast<milliseconds>(limiter.reserve(k_start) - k_start));
  }
  EXPECT_EQ(waits, (std::vector<milliseconds>{milliseconds{0}, milliseconds{0}, milliseconds{0}, milliseconds{100},
                                              milliseconds{200}, milliseconds{300}}));
}

TEST(RateLimiter, rest_fills_the_bucket_but_never_beyond_the_burst) {
  RateLimiter limiter{{.per_second = 10, .burst = 2}};
  for (int i = 0; i < 2; ++i) (void)limiter.reserve(k_start);
  const SteadyTime later = k_start + std::chrono::hours{1};
  EXPECT_EQ(limiter.reserve(later), later);
  EXPECT_EQ(limiter.reserve(later), later);
  EXPECT_EQ(limiter.reserve(later), later + milliseconds{100});
}

TEST(RateLimiter, a_place_that_is_given_back_is_free_again) {
  RateLimiter limiter{{.per_second = 10, .burst = 1}};
  (void)limiter.reserve(k_start);
  EXPECT_EQ(limiter.reserve(k_start), k_start + milliseconds{100});
  limiter.give_back();
  EXPECT_EQ(limiter.reserve(k_start), k_start + milliseconds{100});
}

/// The same bucket computed another way: by counting tokens.
TEST(RateLimiter, in_the_long_run_no_more_than_rate_and_burst_pass) {
  RateLimiter limiter{{.per_second = 50, .burst = 10}};
  std::vector<SteadyTime> passed;
  SteadyTime now = k_start;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    now += milliseconds{static_cast<std::int64_t>(scrambled(i) % 30)};
    passed.push_back(limiter.reserve(now));
  }
  for (std::size_t first = 0; first < passed.size(); first += 37) {
    for (std::size_t last = first; last < passed.size(); last += 11) {
      const auto span = passed[last] - passed[first];
      EXPECT_LE(static_cast<std::int64_t>(last - first + 1), 10 + 1 + span / milliseconds{20});
    }
  }
}

TEST(Pause, doubles_within_half_and_all_of_its_size_and_stays_below_the_longest) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    milliseconds full{200};
    for (unsigned made = 1; made < 40; ++made) {
      const auto pause = growing_pause(milliseconds{200}, milliseconds{10'000}, made, seed);
      EXPECT_GE(pause, full / 2);
      EXPECT_LE(pause, full);
      full = std::min(full * 2, milliseconds{10'000});
    }
  }
}

TEST(Pause, differs_from_seed_to_seed) {
  EXPECT_NE(growing_pause(milliseconds{1000}, milliseconds{1000}, 1, 1),
            growing_pause(milliseconds{1000}, milliseconds{1000}, 1, 2));
}

TEST(Retry, the_servers_wish_is_the_least) {
  const ApiError error{Kind::too_many_requests, 429, {}, {}, seconds{30}};
  EXPECT_EQ(pause_before_retry({}, 1, error, 0), seconds{30});
}

TEST(Retry, gives_up_after_the_last_attempt_and_on_what_does_not_pass) {
  EXPECT_TRUE(pause_before_retry({.most_attempts = 3}, 2, {Kind::server}, 0));
  EXPECT_FALSE(pause_before_retry({.most_attempts = 3}, 3, {Kind::server}, 0));
  EXPECT_FALSE(pause_before_retry({}, 1, {Kind::conflict}, 0));
}

class Repeated : public ::testing::Test {
 protected:
  /// Runs an attempt that fails with each kind in turn and then succeeds.
  ApiResult<int> run(std::vector<ApiError> failures, seconds budget) {
    return with_retries(clock_, {}, {.deadline = clock_.now() + budget, .stop = stop_.get_token()}, 7,
                        [&, at = std::size_t{0}]() mutable -> ApiResult<int> {
                          ++attempts_;
                          if (at < failures.size()) return tl::unexpected{failures[at++]};
                          return 42;
                        });
  }
  tests::FakeClock clock_;
  std::stop_source stop_;
  int attempts_ = 0;
};

TEST_F(Repeated, a_call_gets_through_in_the_end) {
  const auto result = run({{Kind::webhook_failed}, {Kind::unreachable}, {Kind::server}}, seconds{60});
  EXPECT_EQ(result, 42);
  EXPECT_EQ(attempts_, 4);
  EXPECT_EQ(clock_.waits().size(), 3U);
}

TEST_F(Repeated, no_attempt_is_made_that_could_not_end_in_time) {
  const auto result = run({{Kind::too_many_requests, 429, {}, {}, seconds{30}}}, seconds{20});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Kind::too_many_requests);
  EXPECT_EQ(attempts_, 1);
  EXPECT_TRUE(clock_.waits().empty());
}

TEST_F(Repeated, a_conflict_is_the_callers_to_solve) {
  EXPECT_EQ(run({{Kind::conflict}}, seconds{60}).error().kind, Kind::conflict);
  EXPECT_EQ(attempts_, 1);
}

TEST_F(Repeated, stops_while_waiting) {
  stop_.request_stop();
  EXPECT_EQ(run({{Kind::server}}, seconds{60}).error().kind, Kind::cancelled);
}

TEST(Clock, micro_times_have_six_digits) {
  using namespace std::chrono;
  EXPECT_EQ(micro_time_text(sys_days{2026y / 11 / 30} + 22h + 3min + 4s + 56us), "2026-11-30T22:03:04.000056Z");
  EXPECT_EQ(micro_time_text(sys_days{1969y / 12 / 31} + 23h + 59min + 59s + 999'999us), "1969-12-31T23:59:59.999999Z");
}

TEST(Clock, the_machines_own_waits_no_longer_than_until_a_stop) {
  std::stop_source stop;
  stop.request_stop();
  const auto clock = monotonic_clock();
  EXPECT_FALSE(clock->wait_until(clock->now() + std::chrono::hours{1}, stop.get_token()));
  EXPECT_TRUE(clock->wait_until(clock->now(), {}));
}

}  // namespace
}  // namespace valle::k8s
