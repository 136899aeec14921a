// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// Sums emissions of many stretches and rounds once. Kept in 1e-9 mg, so that of 10^6 stretches no rounding is seen in
/// the milligram.
class EmissionSum final {
 public:
  /// `energy` (before PUE) spread evenly over `length` > 0 while the grid's intensity integrates to `integral`.
  constexpr void add(Energy energy, Ratio pue, IntensitySeconds integral, Duration length) {
    // mWh · ppm · mg·s/kWh ÷ s ÷ 1e12 is mg; 1e9 times as much is kept.
    sum_ += divide_rounded(Wide{energy.base()} * pue.base() * integral.base(), Wide{length.count()} * 1'000);
  }
  constexpr void add(const EmissionSum& other) { sum_ += other.sum_; }
  [[nodiscard]] constexpr Emissions rounded() const {
    return Emissions::of_base(narrow(divide_rounded(sum_, 1'000'000'000)));
  }
  /// In 1e-9 mg.
  [[nodiscard]] constexpr Wide exact() const { return sum_; }

 private:
  using Duration = std::chrono::seconds;
  Wide sum_ = 0;
};

}  // namespace valle::scheduler
