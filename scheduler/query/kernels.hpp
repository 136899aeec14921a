// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

// The innermost loops of the searches, over plain arrays of integers. On x86-64 they look for AVX2 when they run and
// give the same results with and without it.

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

/// `to[i] = min(to[i], from[i] + cost)` for i < count. The arrays do not overlap.
void lower_to(std::int64_t* to, const std::int64_t* from, std::int64_t cost, std::size_t count);
void lower_to(Wide* to, const Wide* from, Wide cost, std::size_t count);

}  // namespace valle::scheduler
