// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace valle::scheduler
