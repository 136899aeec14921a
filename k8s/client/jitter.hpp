// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

/// Randomness by seed, for pauses that must not fall together in many processes.
namespace valle::k8s {

/// Spreads a number evenly over all 64 bits (the finaliser of splitmix64).
[[nodiscard]] constexpr std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31);
}

/// Between `least` and `most`, both included.
[[nodiscard]] constexpr std::chrono::milliseconds between(std::chrono::milliseconds least,
                                                          std::chrono::milliseconds most, std::uint64_t seed) {
  const auto width = static_cast<std::uint64_t>(std::max(most - least, std::chrono::milliseconds{0}).count()) + 1;
  return least + std::chrono::milliseconds{static_cast<std::int64_t>(scrambled(seed) % width)};
}

/// The pause before attempt `made` + 1: `first` doubled for each attempt after the first, at most `longest`, then
/// between half and all of that.
[[nodiscard]] constexpr std::chrono::milliseconds growing_pause(std::chrono::milliseconds first,
                                                                std::chrono::milliseconds longest, unsigned made,
                                                                std::uint64_t seed) {
  const unsigned doublings = std::min(made > 0 ? made - 1 : 0U, 20U);
  const auto full = std::min(first * (std::int64_t{1} << doublings), longest);
  return between(full / 2, full, seed);
}

}  // namespace valle::k8s
