// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "scheduler/energy/sample.hpp"

namespace valle::scheduler {

/// Tokens that a server generated, and the energy of the same seconds.
struct MeasuredTokens {
  double tokens = 0;
  double joules = 0;
  [[nodiscard]] double joules_per_token() const { return joules / tokens; }
};

/// Joules per generated token over the same seconds: the intervals of the token counter, without those that hold a
/// restart of the server or that the energy's curve (running totals) does not cover. Dividing two rates instead is 28 %
/// wrong for 20 intervals after a restart. Nothing if no token was counted.
[[nodiscard]] std::optional<MeasuredTokens> measured_tokens(std::span<const Sample> tokens,
                                                            std::span<const Sample> joule_totals);

}  // namespace valle::scheduler
