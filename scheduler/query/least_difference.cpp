// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/least_difference.hpp"

#include <limits>

namespace valle::scheduler {
namespace {

/// Two passes, the least value and then its first place: the first one has no index to carry and keeps four chains
/// busy.
template <class Cost>
Least least_of(Cost cost, std::size_t count) {
  constexpr std::size_t k_chains = 4;
  std::int64_t least[k_chains];
  for (std::int64_t& value : least) value = std::numeric_limits<std::int64_t>::max();
  std::size_t i = 0;
  for (; i + k_chains <= count; i += k_chains) {
    for (std::size_t c = 0; c < k_chains; ++c) {
      const std::int64_t value = cost(i + c);
      least[c] = value < least[c] ? value : least[c];
    }
  }
  for (; i < count; ++i) {
    const std::int64_t value = cost(i);
    least[0] = value < least[0] ? value : least[0];
  }
  for (std::size_t c = 1; c < k_chains; ++c) least[0] = least[c] < least[0] ? least[c] : least[0];
  std::size_t first = 0;
  while (cost(first) != least[0]) ++first;
  return {least[0], first};
}

}  // namespace

Least least_difference(const std::int64_t* high, const std::int64_t* low, std::size_t count) {
  return least_of([=](std::size_t i) { return high[i] - low[i]; }, count);
}

Least least_difference(const std::int64_t* high, const std::int64_t* low, const std::int32_t* values,
                       std::int64_t weight, std::size_t count) {
  return least_of([=](std::size_t i) { return high[i] - low[i] + weight * values[i]; }, count);
}

}  // namespace valle::scheduler
