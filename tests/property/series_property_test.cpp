// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "scheduler/series/intensity_series.hpp"
#include "tests/support/scheduler/series_builders.hpp"

namespace valle::scheduler {
namespace {

using testing::listed;
using testing::random_steps;
using testing::RandomSeries;

/// The function second by second: the slowest and plainest reading of the same steps.
std::map<Instant, Step> by_second(const std::vector<Step>& steps) {
  std::map<Instant, Step> seconds;
  for (const Step& step : steps) {
    for (Instant t = step.interval.begin; t < step.interval.end; t += Duration{1}) seconds.emplace(t, step);
  }
  return seconds;
}

std::optional<IntensitySeconds> summed(const std::map<Instant, Step>& seconds, const Interval& interval) {
  IntensitySeconds sum;
  for (Instant t = interval.begin; t < interval.end; t += Duration{1}) {
    const auto found = seconds.find(t);
    if (found == seconds.end()) return std::nullopt;
    sum += integral_of(found->second.value, Duration{1});
  }
  return sum;
}

class SeriesProperty : public ::testing::Test {
 protected:
  /// Calls `holds(steps, random)` for many random lists of steps.
  template <class Property>
  void for_random_steps(int times, Property holds) {
    for (int i = 0; i < times && !HasFailure(); ++i) {
      std::mt19937_64 random{static_cast<std::uint64_t>(i)};
      SCOPED_TRACE("seed " + std::to_string(i));
      holds(random_steps(random, shape), random);
    }
  }

  /// An interval around the shape's first steps, empty at times.
  Interval random_interval(std::mt19937_64& random) const {
    std::uniform_int_distribution<std::int64_t> any{-5, shape.most_steps * shape.longest_step};
    const Instant a = shape.begin + Duration{any(random)};
    const Instant b = shape.begin + Duration{any(random)};
    return {std::min(a, b), std::max(a, b)};
  }

  RandomSeries shape{};
};

TEST_F(SeriesProperty, any_order_and_repetition_of_the_input_gives_the_same_series) {
  for_random_steps(500, [](std::vector<Step> steps, std::mt19937_64& random) {
    const IntensitySeries sorted = IntensitySeries::of(steps);
    EXPECT_EQ(listed(sorted.steps()), steps);
    if (!steps.empty()) steps.push_back(steps.front());
    std::ranges::shuffle(steps, random);
    EXPECT_EQ(IntensitySeries::of(steps), sorted);
  });
}

TEST_F(SeriesProperty, every_second_and_every_interval_read_as_a_walk_by_seconds_does) {
  for_random_steps(300, [this](const std::vector<Step>& steps, std::mt19937_64& random) {
    const IntensitySeries series = IntensitySeries::of(steps);
    const auto seconds = by_second(steps);
    for (int i = 0; i < 40; ++i) {
      const Interval asked = random_interval(random);
      EXPECT_EQ(series.integral(asked), summed(seconds, asked));
      const auto found = seconds.find(asked.begin);
      EXPECT_EQ(series.at(asked.begin), found == seconds.end() ? std::nullopt : std::optional{found->second});
    }
  });
}

TEST_F(SeriesProperty, the_integral_is_additive) {
  for_random_steps(300, [this](const std::vector<Step>& steps, std::mt19937_64& random) {
    const IntensitySeries series = IntensitySeries::of(steps);
    for (int i = 0; i < 40; ++i) {
      const Interval whole = random_interval(random);
      const auto sum = series.integral(whole);
      if (!sum) continue;
      const Instant middle = whole.begin + whole.length() / 3;
      EXPECT_EQ(*sum, *series.integral({whole.begin, middle}) + *series.integral({middle, whole.end}));
    }
  });
}

TEST_F(SeriesProperty, gaps_and_steps_partition_every_interval) {
  for_random_steps(300, [this](const std::vector<Step>& steps, std::mt19937_64& random) {
    const IntensitySeries series = IntensitySeries::of(steps);
    for (int i = 0; i < 40; ++i) {
      const Interval asked = random_interval(random);
      std::vector<Interval> parts = series.gaps(asked);
      for (std::size_t g = 1; g < parts.size(); ++g) EXPECT_LT(parts[g - 1].end, parts[g].begin) << "gaps are maximal";
      for (const Step& step : series.within(asked)) parts.push_back(step.interval.overlap(asked));
      std::ranges::sort(parts, {}, &Interval::begin);
      Instant reached = asked.begin;
      for (const Interval& part : parts) {
        EXPECT_FALSE(part.empty());
        EXPECT_EQ(part.begin, reached);
        reached = part.end;
      }
      EXPECT_EQ(reached, asked.end);
    }
  });
}

TEST_F(SeriesProperty, overlay_takes_each_second_from_the_first_layer_that_knows_it) {
  for_random_steps(300, [this](const std::vector<Step>& first, std::mt19937_64& random) {
    const std::vector<Step> second = random_steps(random, shape);
    const std::vector<Step> third = random_steps(random, shape);
    const IntensitySeries layers[] = {IntensitySeries::of(first), IntensitySeries::of(second),
                                      IntensitySeries::of(third)};
    const IntensitySeries* const pointers[] = {&layers[0], &layers[1], &layers[2]};
    const IntensitySeries merged = overlay(pointers);
    for (Instant t = shape.begin; t < shape.begin + Duration{140}; t += Duration{1}) {
      const auto knows =
          std::ranges::find_if(layers, [t](const IntensitySeries& layer) { return layer.at(t).has_value(); });
      ASSERT_EQ(merged.at(t).has_value(), knows != std::end(layers));
      if (knows == std::end(layers)) continue;
      EXPECT_EQ(merged.at(t)->value, knows->at(t)->value);
      EXPECT_EQ(merged.at(t)->kind, knows->at(t)->kind);
      EXPECT_EQ(merged.at(t)->estimated, knows->at(t)->estimated);
    }
  });
}

TEST_F(SeriesProperty, resampling_conserves_the_integral_to_half_a_milligram_and_covers_only_whole_slots) {
  for_random_steps(500, [this](const std::vector<Step>& steps, std::mt19937_64& random) {
    const IntensitySeries series = IntensitySeries::of(steps);
    const Duration step{std::uniform_int_distribution<int>{1, 20}(random)};
    const Instant origin = random_interval(random).begin;
    const IntensitySeries grid = resample(series, origin, step);
    std::size_t whole_slots = 0;
    for (std::int64_t k = -200; k < 200; ++k) {
      const Interval slot{origin + k * step, origin + (k + 1) * step};
      const auto sum = series.integral(slot);
      const auto on_grid = grid.at(slot.begin);
      ASSERT_EQ(on_grid.has_value(), sum.has_value());
      if (!sum) continue;
      ++whole_slots;
      EXPECT_EQ(on_grid->interval, slot);
      EXPECT_LE(2 * std::abs((*grid.integral(slot) - *sum).base()), step.count());
    }
    EXPECT_EQ(grid.step_count(), whole_slots);
  });
}

}  // namespace
}  // namespace valle::scheduler
