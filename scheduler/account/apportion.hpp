// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

/// Whole numbers in proportion to `weights` ≥ 0 that sum to `total` ≥ 0 exactly: each is its share rounded down, and
/// what is left goes one by one to the largest remainders, of equal ones to the first (Hamilton's method). All zero if
/// the weights are. Sum of the weights times `total` < 2^127.
[[nodiscard]] std::vector<std::int64_t> apportioned(std::int64_t total, std::span<const Wide> weights);

}  // namespace valle::scheduler
