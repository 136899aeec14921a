// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/units/units.hpp"

namespace valle::scheduler::forecast {

/// When to start if nothing is known of the time ahead: at the first intensity at or below √(least · most) of the range
/// in which values lie, at the latest when waiting must end. As long as values stay within the range, no such start is
/// more than √(most / least) times as dirty as the cleanest one that came, and no rule can promise less (El-Yaniv,
/// Fiat, Karp, Turpin: Optimal search and one-way trading online algorithms, Algorithmica 30, 2001).
struct OnlineThreshold {
  CarbonIntensity start_at;  ///< or below
  Ratio ratio;               ///< what is promised: √(most / least), rounded up

  /// Nothing unless 0 < least ≤ most.
  [[nodiscard]] static std::optional<OnlineThreshold> of(CarbonIntensity least, CarbonIntensity most);
};

}  // namespace valle::scheduler::forecast
