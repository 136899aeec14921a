// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

// The innermost loops of the searches, over plain arrays of integers. Results never depend on `Lanes`.

/// How many 64-bit integers are worked on at once: plain C++ or AVX2.
enum class Lanes { one, four };

/// The most that the machine at hand can do, found out as the program runs: the binary is portable.
[[nodiscard]] Lanes widest_lanes();

/// The smallest of a row of costs and the first place where it stands.
struct Least {
  std::int64_t value;
  std::size_t index;
  friend bool operator==(const Least&, const Least&) = default;
};

/// Over i < count (> 0): `high[i] − low[i]`. Nothing overflows for prefix sums of a series.
[[nodiscard]] Least least_difference(const std::int64_t* high, const std::int64_t* low, std::size_t count,
                                     Lanes lanes = widest_lanes());

/// Over i < count (> 0): `high[i] − low[i] + weight · values[i]`.
[[nodiscard]] Least least_difference(const std::int64_t* high, const std::int64_t* low, const std::int32_t* values,
                                     std::int64_t weight, std::size_t count, Lanes lanes = widest_lanes());

/// `to[i] = min(to[i], from[i] + cost)` for i < count. The arrays do not overlap.
void lower_to(std::int64_t* to, const std::int64_t* from, std::int64_t cost, std::size_t count,
              Lanes lanes = widest_lanes());
void lower_to(Wide* to, const Wide* from, Wide cost, std::size_t count);

}  // namespace valle::scheduler
