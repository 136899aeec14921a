// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace valle::scheduler {

/// The smallest of a row of costs and the first place where it stands.
struct Least {
  std::int64_t value;
  std::size_t index;
};

/// Over i < count (> 0): `high[i] − low[i]`. Nothing overflows for prefix sums of a series.
[[nodiscard]] Least least_difference(const std::int64_t* high, const std::int64_t* low, std::size_t count);

/// Over i < count (> 0): `high[i] − low[i] + weight · values[i]`.
[[nodiscard]] Least least_difference(const std::int64_t* high, const std::int64_t* low, const std::int32_t* values,
                                     std::int64_t weight, std::size_t count);

}  // namespace valle::scheduler
