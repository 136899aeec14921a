// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace valle::scheduler {
namespace {

/// What the machine at hand can run.
std::vector<Lanes> possible_lanes() {
  std::vector<Lanes> lanes{Lanes::one};
  if (widest_lanes() != Lanes::one) lanes.push_back(Lanes::four);
  return lanes;
}

template <class Number>
std::vector<Number> random_numbers(std::mt19937_64& random, std::size_t count, Number low, Number high) {
  std::uniform_int_distribution<Number> any{low, high};
  std::vector<Number> numbers(count);
  for (Number& number : numbers) number = any(random);
  return numbers;
}

Least first_least(const std::vector<std::int64_t>& costs) {
  const auto least = std::ranges::min_element(costs);
  return {*least, static_cast<std::size_t>(least - costs.begin())};
}

TEST(Kernels, the_least_difference_and_its_first_place_are_the_same_in_all_widths) {
  std::mt19937_64 random{3};
  for (std::size_t count = 1; count < 70; ++count) {
    const std::int64_t spread = count % 3 == 0 ? 2 : 1'000'000'000'000'000;  // with ties, and large
    const auto high = random_numbers<std::int64_t>(random, count, -spread, spread);
    const auto low = random_numbers<std::int64_t>(random, count, -spread, spread);
    std::vector<std::int64_t> costs(count);
    for (std::size_t i = 0; i < count; ++i) costs[i] = high[i] - low[i];
    for (const Lanes lanes : possible_lanes()) {
      EXPECT_EQ(least_difference(high.data(), low.data(), count, lanes), first_least(costs));
    }
  }
}

TEST(Kernels, the_weighted_difference_is_the_same_in_all_widths_even_with_a_weight_beyond_32_bits) {
  std::mt19937_64 random{4};
  for (const std::int64_t weight : {1LL, -3599LL, 2'147'483'647LL, -2'147'483'648LL, 3'000'000'000LL}) {
    for (std::size_t count = 1; count < 40; ++count) {
      const auto high = random_numbers<std::int64_t>(random, count, 0, 1'000'000'000);
      const auto low = random_numbers<std::int64_t>(random, count, 0, 1'000'000'000);
      const auto values = random_numbers<std::int32_t>(random, count, 0, 1'000'000'000);
      std::vector<std::int64_t> costs(count);
      for (std::size_t i = 0; i < count; ++i) costs[i] = high[i] - low[i] + weight * values[i];
      for (const Lanes lanes : possible_lanes()) {
        EXPECT_EQ(least_difference(high.data(), low.data(), values.data(), weight, count, lanes), first_least(costs));
      }
    }
  }
}

TEST(Kernels, lowering_touches_its_own_row_only_and_is_the_same_in_all_widths) {
  std::mt19937_64 random{5};
  for (std::size_t count = 0; count < 40; ++count) {
    const auto before = random_numbers<std::int64_t>(random, count + 8, 0, 1'000'000'000'000);
    const auto from = random_numbers<std::int64_t>(random, count + 8, 0, 1'000'000'000'000);
    std::vector<std::int64_t> expected = before;
    for (std::size_t i = 0; i < count; ++i) expected[i] = std::min(expected[i], from[i] - 7);
    for (const Lanes lanes : possible_lanes()) {
      std::vector<std::int64_t> to = before;
      lower_to(to.data(), from.data(), -7, count, lanes);
      EXPECT_EQ(to, expected);
    }
    std::vector<Wide> wide_to(before.begin(), before.end());
    const std::vector<Wide> wide_from(from.begin(), from.end());
    lower_to(wide_to.data(), wide_from.data(), Wide{-7}, count);
    EXPECT_TRUE(std::equal(wide_to.begin(), wide_to.end(), expected.begin()));
  }
}

}  // namespace
}  // namespace valle::scheduler
