// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>

#include "scheduler/units/require.hpp"

namespace valle::scheduler {

/// 128-bit intermediate of products of quantities; never stored.
__extension__ typedef __int128 Wide;

/// Narrows a 128-bit intermediate; an overflow is a programmer error and stops the program.
[[nodiscard]] constexpr std::int64_t narrow(Wide value) {
  require(value >= Wide{INT64_MIN} && value <= Wide{INT64_MAX}, "quantity overflows 64 bits");
  return static_cast<std::int64_t>(value);
}

/// `numerator / denominator` rounded to the nearest integer, halves away from zero. `denominator` > 0.
[[nodiscard]] constexpr Wide divide_rounded(Wide numerator, Wide denominator) {
  require(denominator > 0, "division by a non-positive number");
  const Wide half = denominator / 2;
  return numerator >= 0 ? (numerator + half) / denominator : -((-numerator + half) / denominator);
}

/// A physical quantity as a hidden count of its base unit. `Tag` tells quantities apart, so that only
/// operators with a physical meaning exist: sums and differences of one quantity, scaling by a whole
/// number, and the products declared beside the concrete types. Overflow stops the program.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;

  /// From a count of the base unit (mW, mWh, mg/kWh, mg, ppm, micro-euro: see the alias).
  [[nodiscard]] static constexpr Quantity of_base(std::int64_t count) { return Quantity{count}; }

  /// The count of the base unit.
  [[nodiscard]] constexpr std::int64_t base() const { return count_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{narrow(Wide{a.count_} + b.count_)}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{narrow(Wide{a.count_} - b.count_)}; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t factor) { return Quantity{narrow(Wide{a.count_} * factor)}; }
  friend constexpr Quantity operator*(std::int64_t factor, Quantity a) { return a * factor; }
  constexpr Quantity operator-() const { return Quantity{narrow(-Wide{count_})}; }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }

 private:
  explicit constexpr Quantity(std::int64_t count) : count_{count} {}
  std::int64_t count_ = 0;
};

}  // namespace valle::scheduler
