// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/units/quantity.hpp"

namespace valle::service::app {

/// A share in ten-thousandths of a percent, so that "percent with 4 decimals" is exact.
using Percent = scheduler::Quantity<struct PercentTag>;

/// 100 %.
inline constexpr Percent k_whole = Percent::of_base(1'000'000);

/// 100 · part / whole, rounded to four decimals; 0 if `whole` is 0.
[[nodiscard]] constexpr Percent percent_of(scheduler::Wide part, scheduler::Wide whole) {
  if (whole == 0) return Percent{};
  if (whole < 0) return percent_of(-part, -whole);
  return Percent::of_base(scheduler::narrow(scheduler::divide_rounded(part * k_whole.base(), whole)));
}

}  // namespace valle::service::app
