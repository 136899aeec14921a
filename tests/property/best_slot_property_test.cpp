// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/scheduler/question_builders.hpp"

namespace valle::scheduler {
namespace {

using testing::Question;
using testing::random_steps;
using testing::RandomSeries;

/// One run as the brute force finds it.
struct Tried {
  Wide cost;
  Instant start;
  std::size_t zone;
  std::int64_t integral;
};

/// Every start by the second, each run summed second by second.
std::vector<Tried> every_start(const SlotQuestion& question) {
  std::vector<Tried> tried;
  for (std::size_t zone = 0; zone < question.zones.size(); ++zone) {
    const ZoneOption& option = question.zones[zone];
    for (Instant start = question.window.begin; start + question.duration <= question.window.end;
         start += Duration{1}) {
      std::int64_t integral = 0;
      bool known = true;
      for (Instant t = start; known && t < start + question.duration; t += Duration{1}) {
        const auto step = option.series->at(t);
        known = step.has_value();
        if (known) integral += step->value.base();
      }
      if (known) tried.push_back({Wide{integral} * option.pue.base(), start, zone, integral});
    }
  }
  return tried;
}

bool cheaper(const Tried& a, const Tried& b) {
  return std::tie(a.cost, a.start, a.zone) < std::tie(b.cost, b.start, b.zone);
}

bool costlier(const Tried& a, const Tried& b) {
  return std::tie(b.cost, a.start, a.zone) < std::tie(a.cost, b.start, b.zone);
}

/// The contract's options: from the cheapest on, each that is not too near to one taken before in its zone.
std::vector<Tried> options_by_hand(std::vector<Tried> tried, const SlotQuestion& question) {
  std::ranges::sort(tried, cheaper);
  std::vector<Tried> options;
  for (const Tried& candidate : tried) {
    const bool near = std::ranges::any_of(options, [&](const Tried& taken) {
      return taken.zone == candidate.zone && std::chrono::abs(taken.start - candidate.start) < question.options_apart;
    });
    if (!near && options.size() < question.options) options.push_back(candidate);
  }
  return options;
}

class BestSlotProperty : public ::testing::Test {
 protected:
  /// Calls `holds(question, random)` for many random questions over irregular series with gaps and ties.
  template <class Property>
  void for_random_questions(int times, Property holds) {
    for (int i = 0; i < times && !HasFailure(); ++i) {
      std::mt19937_64 random{static_cast<std::uint64_t>(i)};
      SCOPED_TRACE("seed " + std::to_string(i));
      random_question(random).ask([&](const SlotQuestion& question) {
        holds(question, random);
        return 0;
      });
    }
  }

 private:
  static Question random_question(std::mt19937_64& random) {
    const auto between = [&random](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>{low, high}(random);
    };
    const RandomSeries shape{.most_steps = 14, .gap_share = between(0, 2) == 0 ? 0.0 : 0.12};
    Question question{Duration{between(1, 30)}};
    const Instant from = shape.begin + Duration{between(-3, 30)};
    question.within({from, from + Duration{between(0, 90)}});
    question.options(static_cast<std::size_t>(between(0, 6)), Duration{between(1, 15)});
    constexpr double k_pues[] = {1, 1, 1.2, 1.5, 2, 1.000001};
    for (std::int64_t zones = between(1, 3); zones > 0; --zones) {
      question.in(IntensitySeries::of(random_steps(random, shape)), k_pues[between(0, 5)]);
    }
    return question;
  }
};

TEST_F(BestSlotProperty, options_and_worst_are_those_of_a_search_by_the_second) {
  int answered = 0;
  for_random_questions(3000, [&answered](const SlotQuestion& question, std::mt19937_64&) {
    const std::vector<Tried> tried = every_start(question);
    const std::vector<Tried> expected = options_by_hand(tried, question);
    const SlotAnswer answer = best_slot(question);
    ASSERT_EQ(answer.options.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(answer.options[i].zone, expected[i].zone);
      EXPECT_EQ(answer.options[i].interval, (Interval{expected[i].start, expected[i].start + question.duration}));
      EXPECT_EQ(answer.options[i].integral.base(), expected[i].integral);
      EXPECT_EQ(slot_at(question, expected[i].zone, expected[i].start), answer.options[i]);
    }
    ASSERT_EQ(answer.worst.has_value(), !tried.empty());
    const auto start = best_start(question.window, question.duration, question.zones);
    ASSERT_EQ(start.has_value(), !tried.empty());
    if (tried.empty()) return;
    ++answered;
    const Tried& best = *std::ranges::min_element(tried, cheaper);
    EXPECT_EQ(*start, (Start{best.zone, best.start, IntensitySeconds::of_base(best.integral)}));
    const Tried& worst = *std::ranges::min_element(tried, costlier);
    EXPECT_EQ(answer.worst->zone, worst.zone);
    EXPECT_EQ(answer.worst->interval.begin, worst.start);
    EXPECT_EQ(answer.worst->integral.base(), worst.integral);
  });
  EXPECT_GT(answered, 1500) << "the questions have become too hard to say much";
}

TEST_F(BestSlotProperty, the_mean_never_leaves_the_values_that_the_run_covers) {
  for_random_questions(1000, [](const SlotQuestion& question, std::mt19937_64&) {
    for (const Slot& slot : best_slot(question).options) {
      CarbonIntensity least = IntensitySeries::k_largest_value;
      CarbonIntensity most{};
      for (const Step& step : question.zones[slot.zone].series->within(slot.interval)) {
        least = std::min(least, step.value);
        most = std::max(most, step.value);
      }
      EXPECT_LE(least, slot.mean);
      EXPECT_LE(slot.mean, most);
    }
  });
}

TEST_F(BestSlotProperty, a_later_finish_or_an_earlier_begin_never_costs_more) {
  for_random_questions(1000, [](const SlotQuestion& question, std::mt19937_64&) {
    const auto cost = [&](const Interval& window) -> std::optional<Wide> {
      const auto start = best_start(window, question.duration, question.zones);
      if (!start) return std::nullopt;
      return Wide{start->integral.base()} * question.zones[start->zone].pue.base();
    };
    const auto narrow_cost = cost(question.window);
    if (!narrow_cost) return;
    EXPECT_LE(*cost({question.window.begin, question.window.end + Duration{7}}), *narrow_cost);
    EXPECT_LE(*cost({question.window.begin - Duration{5}, question.window.end}), *narrow_cost);
  });
}

TEST_F(BestSlotProperty, shifting_all_times_shifts_the_answer) {
  for_random_questions(500, [](const SlotQuestion& question, std::mt19937_64& random) {
    const Duration shift{std::uniform_int_distribution<int>{1, 1'000'000}(random)};
    Question later{question.duration};
    later.within({question.window.begin + shift, question.window.end + shift});
    for (const ZoneOption& zone : question.zones) {
      auto steps = testing::listed(zone.series->steps());
      for (Step& step : steps) step.interval = {step.interval.begin + shift, step.interval.end + shift};
      later.in(IntensitySeries::of(steps), number(zone.pue));
    }
    const auto zones = later.zones();
    const Interval window{question.window.begin + shift, question.window.end + shift};
    auto expected = best_start(question.window, question.duration, question.zones);
    if (expected) expected->at += shift;
    EXPECT_EQ(best_start(window, question.duration, zones), expected);
  });
}

}  // namespace
}  // namespace valle::scheduler
