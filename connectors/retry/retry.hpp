// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "scheduler/ports/intensity_source.hpp"

/// When to ask again. Pure: no clock, no waiting, randomness by seed.
namespace valle::connectors {

/// Repetition inside one fetch, while the caller waits.
struct RetryPolicy {
  unsigned most_attempts = 3;
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{8'000};
};

/// How an attempt ended, as far as a repetition is concerned.
struct Attempt {
  unsigned made = 1;  ///< attempts so far, this one included
  scheduler::Outcome outcome = scheduler::Outcome::unavailable;
  std::optional<std::chrono::seconds> retry_after = {};
  std::chrono::milliseconds time_left{0};
};

/// How long to wait before the next attempt, or nothing: give up. Only `unavailable` and `rate_limited` are worth a
/// repetition; the pause doubles with each attempt, lies between half and all of its size by the seed, is never shorter
/// than the provider's Retry-After, and never longer than the time left.
[[nodiscard]] std::optional<std::chrono::milliseconds> pause_before_retry(const RetryPolicy& policy,
                                                                          const Attempt& attempt, std::uint64_t seed);

/// For how long a source is left alone after `failures` ≥ 1 answers without data in a row. Zero after `data` and
/// `not_offered`. The provider's wish counts where it is longer; a day is the most.
[[nodiscard]] scheduler::Duration pause_after(scheduler::Outcome outcome, unsigned failures,
                                              std::optional<std::chrono::seconds> retry_after, std::uint64_t seed);

/// The value of a Retry-After header: seconds, or an HTTP date after `now`. Nothing if it is neither. At most a day.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view text, scheduler::Instant now);

/// Spreads a number evenly over all 64 bits (splitmix64).
[[nodiscard]] std::uint64_t scrambled(std::uint64_t number);

}  // namespace valle::connectors
