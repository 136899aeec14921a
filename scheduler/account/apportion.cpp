// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/apportion.hpp"

#include <algorithm>
#include <numeric>

namespace valle::scheduler {

std::vector<std::int64_t> apportioned(std::int64_t total, std::span<const Wide> weights) {
  std::vector<std::int64_t> shares(weights.size(), 0);
  Wide sum = 0;
  for (const Wide weight : weights) sum += weight;
  if (sum == 0) return shares;
  std::vector<Wide> remainders(weights.size());
  std::int64_t left = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    shares[i] = narrow(total * weights[i] / sum);
    remainders[i] = total * weights[i] % sum;
    left -= shares[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++shares[order[i]];
  return shares;
}

}  // namespace valle::scheduler
