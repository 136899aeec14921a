// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

/// Exact sum of any number of quantities: 128 bits, so that no report, however absurd its rows, overflows.
template <class Tag>
class Sum final {
 public:
  constexpr Sum& operator+=(Quantity<Tag> quantity) {
    total_ += quantity.base();
    return *this;
  }
  constexpr Sum& operator+=(const Sum& other) {
    total_ += other.total_;
    return *this;
  }
  friend constexpr Sum operator-(Sum a, const Sum& b) {
    a.total_ -= b.total_;
    return a;
  }
  /// In base units.
  [[nodiscard]] constexpr Wide base() const { return total_; }
  friend constexpr bool operator==(const Sum&, const Sum&) = default;

 private:
  Wide total_ = 0;
};

/// `part ÷ whole` as a percentage with four decimals, 12.3456 being 123,456; nothing where `whole` ≤ 0.
[[nodiscard]] constexpr std::optional<std::int64_t> ten_thousandths_of_percent(Wide part, Wide whole) {
  if (whole <= 0) return std::nullopt;
  return narrow(divide_rounded(part * 1'000'000, whole));
}

/// `count` as a decimal number with `decimals` digits behind the point: 1234, 3 → "1.234".
[[nodiscard]] inline std::string decimal_text(Wide count, int decimals) {
  const bool negative = count < 0;
  if (negative) count = -count;
  std::string digits;
  for (int place = 0; count > 0 || place <= decimals; ++place) {
    if (place == decimals && decimals > 0) digits += '.';
    digits += static_cast<char>('0' + static_cast<int>(count % 10));
    count /= 10;
  }
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

}  // namespace valle::scheduler
