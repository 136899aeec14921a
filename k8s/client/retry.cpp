// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/retry.hpp"

#include "k8s/client/jitter.hpp"

namespace valle::k8s {

std::optional<std::chrono::milliseconds> pause_before_retry(const RetryPolicy& policy, unsigned made,
                                                            const ApiError& error, std::uint64_t seed) {
  if (!worth_repeating(error.kind) || made >= policy.most_attempts) return std::nullopt;
  const auto pause = growing_pause(policy.first_pause, policy.longest_pause, made, seed);
  return std::max(pause, error.retry_after.value_or(pause));
}

}  // namespace valle::k8s
