// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/threshold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace valle::scheduler::forecast {
namespace {

CarbonIntensity grams(double value) { return intensity_from_grams_per_kwh(value); }

TEST(OnlineThreshold, Is_the_geometric_mean_and_promises_the_root_of_the_range) {
  const auto threshold = OnlineThreshold::of(grams(50), grams(200));
  ASSERT_TRUE(threshold);
  EXPECT_EQ(threshold->start_at, grams(100));
  EXPECT_EQ(threshold->ratio, Ratio::of_base(2'000'000));
  EXPECT_EQ(OnlineThreshold::of(grams(50), grams(100))->ratio, Ratio::of_base(1'414'214)) << "rounded up";
  EXPECT_EQ(OnlineThreshold::of(grams(50), grams(50))->ratio, k_one);
}

TEST(OnlineThreshold, Is_none_without_a_range) {
  EXPECT_FALSE(OnlineThreshold::of({}, grams(50)));
  EXPECT_FALSE(OnlineThreshold::of(grams(60), grams(50)));
}

TEST(OnlineThreshold, Keeps_its_promise_whatever_comes_within_the_range) {
  std::mt19937 random{5};
  for (int trial = 0; trial < 2'000; ++trial) {
    const auto least = static_cast<std::int64_t>(1'000 + random() % 100'000);
    const auto most = least + static_cast<std::int64_t>(random() % 500'000);
    const auto threshold = *OnlineThreshold::of(CarbonIntensity::of_base(least), CarbonIntensity::of_base(most));
    std::vector<std::int64_t> came(1 + random() % 12);
    for (auto& value : came) value = least + static_cast<std::int64_t>(random() % (most - least + 1));
    const auto start = std::find_if(came.begin(), came.end() - 1,
                                    [&](std::int64_t value) { return value <= threshold.start_at.base(); });
    const std::int64_t cleanest = *std::min_element(came.begin(), came.end());
    // The threshold is rounded down to a mg, so what is just above it may miss the promise by as much.
    ASSERT_LE(Wide{*start - 1} * 1'000'000, Wide{cleanest} * threshold.ratio.base()) << trial;
  }
}

}  // namespace
}  // namespace valle::scheduler::forecast
