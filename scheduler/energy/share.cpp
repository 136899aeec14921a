// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/share.hpp"

#include <algorithm>
#include <numeric>

namespace valle::scheduler {

std::vector<Energy> shared_in_proportion(Energy whole, std::span<const std::int64_t> weights) {
  Wide sum = 0;
  for (const auto weight : weights) sum += weight;
  if (sum == 0) return {};
  std::vector<Energy> parts;
  std::vector<Wide> remainders;
  Wide given = 0;
  for (const auto weight : weights) {
    const Wide exact = Wide{whole.base()} * weight;
    parts.push_back(Energy::of_base(narrow(exact / sum)));
    remainders.push_back(exact % sum);
    given += exact / sum;
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&remainders](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  const auto left = static_cast<std::size_t>(whole.base() - given);
  for (std::size_t i = 0; i < left; ++i) parts[order[i]] += Energy::of_base(1);
  return parts;
}

}  // namespace valle::scheduler
