// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "k8s/client/api_error.hpp"
#include "k8s/client/client.hpp"

namespace valle::k8s {

/// How often and how fast a call is repeated while its caller waits.
struct RetryPolicy {
  unsigned most_attempts = 8;
  std::chrono::milliseconds first_pause{200};
  std::chrono::milliseconds longest_pause{10'000};
};

/// How long to pause after the `made`-th attempt (≥ 1) failed, or nothing: give up. The pause doubles with each
/// attempt, lies between half and all of its size by the seed, and is never shorter than the server's Retry-After.
[[nodiscard]] std::optional<std::chrono::milliseconds> pause_before_retry(const RetryPolicy& policy, unsigned made,
                                                                          const ApiError& error, std::uint64_t seed);

/// Repeats `attempt` () → ApiResult<…> while that may help, there is time before the call's deadline, and nobody says
/// stop. For calls that may happen twice only: reads, patches, guarded writes, creates by name whose `already_exists`
/// is handled.
template <class Attempt>
[[nodiscard]] auto with_retries(Clock& clock, const RetryPolicy& policy, const Call& call, std::uint64_t seed,
                                Attempt&& attempt) -> decltype(attempt()) {
  for (unsigned made = 1;; ++made) {
    auto result = attempt();
    if (result) return result;
    const auto pause = pause_before_retry(policy, made, result.error(), seed + made);
    if (!pause || clock.now() + *pause >= call.deadline) return result;
    if (!clock.wait_until(clock.now() + *pause, call.stop)) {
      return tl::unexpected{ApiError{ApiError::Kind::cancelled, 0, {}, "stopped while waiting to try again"}};
    }
  }
}

}  // namespace valle::k8s
