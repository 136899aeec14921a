// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tests/support/scheduler/question_builders.hpp"

namespace valle::scheduler {
namespace {

using testing::Question;
using testing::random_steps;
using testing::RandomSeries;

/// The rule of `Interruption` spelled out for one zone: every schedule is tried, every cost is summed by the second.
class EverySchedule {
 public:
  EverySchedule(const SlotQuestion& question, const Interruption& interruption, std::size_t zone)
      : question_{question}, rule_{interruption}, zone_{question.zones[zone]} {
    for (const Step& step : zone_.series->within(question.window)) {
      const Interval part = step.interval.overlap(question.window);
      points_.insert(part.begin);
      points_.insert(part.end);
    }
    extend({}, Duration{0}, false);
    for (Instant start = question.window.begin; start + question.duration <= question.window.end;
         start += Duration{1}) {
      const Interval whole{start, start + question.duration};
      if (fits(whole, 0)) keep({whole});
    }
  }

  /// The least cost of all schedules that begin at an instant.
  [[nodiscard]] const std::map<Instant, Wide>& least() const { return least_; }

  [[nodiscard]] bool is_point(Instant t) const { return points_.contains(t); }

  /// Nothing if the segments break the rule, otherwise their cost.
  [[nodiscard]] std::optional<Wide> cost_of(const std::vector<Interval>& segments) const {
    if (segments.size() == 1 && segments[0].length() == question_.duration && fits(segments[0], 0)) {
      return summed(segments);
    }
    Duration useful{0};
    int cuts = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!points_.contains(segments[i].begin) || !fits(segments[i], i)) return std::nullopt;
      if (i > 0 && segments[i].begin <= segments[i - 1].end) return std::nullopt;
      if (!points_.contains(segments[i].end)) ++cuts;
      useful += segments[i].length() - (i > 0 ? rule_.restart : Duration{0});
    }
    const bool pauses_allowed = !rule_.max_pauses || static_cast<int>(segments.size()) - 1 <= *rule_.max_pauses;
    if (useful != question_.duration || cuts > 1 || !pauses_allowed) return std::nullopt;
    return summed(segments);
  }

 private:
  /// Known throughout, inside the window, long enough.
  [[nodiscard]] bool fits(const Interval& segment, std::size_t position) const {
    if (segment.begin < question_.window.begin || question_.window.end < segment.end) return false;
    for (Instant t = segment.begin; t < segment.end; t += Duration{1}) {
      if (!zone_.series->at(t)) return false;
    }
    return segment.length() >= std::min(rule_.min_run, question_.duration) &&
           segment.length() > (position > 0 ? rule_.restart : Duration{0});
  }

  [[nodiscard]] Wide summed(const std::vector<Interval>& segments) const {
    Wide running = 0;
    Wide resumed = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      for (Instant t = segments[i].begin; t < segments[i].end; t += Duration{1})
        running += zone_.series->at(t)->value.base();
      if (i > 0) resumed += zone_.series->at(segments[i].begin)->value.base();
    }
    return (running * question_.energy.base() + resumed * rule_.restart_energy.base() * question_.duration.count()) *
           zone_.pue.base();
  }

  void keep(const std::vector<Interval>& segments) {
    const Wide cost = summed(segments);
    const auto [entry, is_new] = least_.try_emplace(segments.front().begin, cost);
    entry->second = std::min(entry->second, cost);
  }

  void extend(const std::vector<Interval>& segments, Duration useful, bool cut) {
    if (useful == question_.duration) {
      keep(segments);
      return;
    }
    if (rule_.max_pauses && static_cast<int>(segments.size()) > *rule_.max_pauses && !segments.empty()) return;
    for (const Instant begin : points_) {
      if (!segments.empty() && begin <= segments.back().end) continue;
      for (Instant end = begin + Duration{1}; end <= question_.window.end; end += Duration{1}) {
        const bool cut_here = !points_.contains(end);
        if (cut_here && cut) continue;
        const Interval segment{begin, end};
        if (!zone_.series->at(end - Duration{1})) break;
        if (!fits(segment, segments.size())) continue;
        const Duration progress = segment.length() - (segments.empty() ? Duration{0} : rule_.restart);
        if (useful + progress > question_.duration) break;
        std::vector<Interval> longer = segments;
        longer.push_back(segment);
        extend(longer, useful + progress, cut || cut_here);
      }
    }
  }

  const SlotQuestion& question_;
  const Interruption& rule_;
  ZoneOption zone_;
  std::set<Instant> points_;
  std::map<Instant, Wide> least_;
};

struct Expected {
  Wide cost;
  Instant start;
  std::size_t zone;
};

std::vector<Expected> expected_options(const SlotQuestion& question, const std::vector<EverySchedule>& zones) {
  std::vector<Expected> all;
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    for (const auto& [start, cost] : zones[zone].least()) all.push_back({cost, start, zone});
  }
  std::ranges::sort(all, {}, [](const Expected& e) { return std::tuple{e.cost, e.start, e.zone}; });
  std::vector<Expected> options;
  for (const Expected& candidate : all) {
    const bool near = std::ranges::any_of(options, [&](const Expected& taken) {
      return taken.zone == candidate.zone && std::chrono::abs(taken.start - candidate.start) < question.options_apart;
    });
    if (!near && options.size() < question.options) options.push_back(candidate);
  }
  return options;
}

struct Case {
  Question question;
  Interruption interruption;
};

Case random_case(std::mt19937_64& random) {
  const auto between = [&random](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random);
  };
  const RandomSeries shape{.fewest_steps = 4,
                           .most_steps = 8,
                           .longest_step = between(0, 1) == 0 ? 3 : 6,
                           .largest_value = 5,
                           .gap_share = between(0, 2) == 0 ? 0.0 : 0.1,
                           .irregular_share = 0.4};
  Question question{Duration{between(1, 14)}};
  const Instant from = shape.begin + Duration{between(0, 8)};
  question.within({from, from + Duration{between(10, 34)}});
  question.options(static_cast<std::size_t>(between(1, 4)), Duration{between(1, 6)});
  question.needing(static_cast<double>(between(1, 9)) * 1e-6);
  for (std::int64_t zones = between(1, 2); zones > 0; --zones) {
    question.in(IntensitySeries::of(random_steps(random, shape)), between(0, 1) == 0 ? 1 : 1.25);
  }
  Interruption interruption{.min_run = Duration{between(0, 1) == 0 ? 0 : between(1, 8)},
                            .restart = Duration{between(0, 1) == 0 ? 0 : between(1, 4)},
                            .restart_energy = Energy::of_base(between(0, 1) == 0 ? 0 : between(1, 3))};
  if (between(0, 1) == 0) interruption.max_pauses = static_cast<int>(between(0, 3));
  return {std::move(question), interruption};
}

TEST(InterruptibleProperty, options_are_those_of_a_search_through_every_schedule) {
  int paused = 0;
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 6000 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random{seed};
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case given = random_case(random);
    given.question.ask([&](const SlotQuestion& question) {
      std::vector<EverySchedule> zones;
      for (std::size_t z = 0; z < question.zones.size(); ++z) zones.emplace_back(question, given.interruption, z);
      const std::vector<Expected> expected = expected_options(question, zones);
      const SlotAnswer answer = best_interruptible_slot(question, given.interruption);
      EXPECT_TRUE(answer.exact);
      EXPECT_FALSE(answer.worst);
      EXPECT_EQ(answer.options.size(), expected.size());
      for (std::size_t i = 0; i < std::min(expected.size(), answer.options.size()); ++i) {
        const Slot& slot = answer.options[i];
        EXPECT_EQ(slot.zone, expected[i].zone);
        EXPECT_EQ(slot.interval.begin, expected[i].start);
        EXPECT_EQ(slot.interval, (Interval{slot.segments.front().begin, slot.segments.back().end}));
        const auto cost = zones[slot.zone].cost_of(slot.segments);
        EXPECT_TRUE(cost) << "breaks the rule: " << testing::in_short(slot);
        EXPECT_TRUE(cost && *cost == expected[i].cost) << "is not the cheapest: " << testing::in_short(slot);
        paused += slot.segments.size() > 1 ? 1 : 0;
        cut += slot.segments.size() > 1 && !zones[slot.zone].is_point(slot.segments.front().end) ? 1 : 0;
      }
      return 0;
    });
  }
  EXPECT_GT(paused, 1000) << "the questions have become too easy";
  EXPECT_GT(cut, 300) << "segments that are cut before a pause have become rare";
}

TEST(InterruptibleProperty, leave_to_pause_is_never_worse_than_none_whatever_the_rule) {
  int unaligned = 0;
  for (std::uint64_t seed = 0; seed < 3000 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random{seed};
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case given = random_case(random);
    given.question.ask([&](const SlotQuestion& question) {
      const SlotAnswer unbroken = best_slot(question);
      const SlotAnswer broken = best_interruptible_slot(question, given.interruption);
      if (unbroken.options.empty()) return 0;
      EXPECT_FALSE(broken.options.empty());
      EXPECT_LE(broken.options.front().emissions, unbroken.options.front().emissions);
      const std::vector<Interval>& segments = broken.options.front().segments;
      const IntensitySeries& series = *question.zones[broken.options.front().zone].series;
      unaligned += segments.size() == 1 && series.at(segments[0].begin)->interval.begin != segments[0].begin ? 1 : 0;
      return 0;
    });
  }
  EXPECT_GT(unaligned, 100) << "runs that begin inside a step have become rare";
}

}  // namespace
}  // namespace valle::scheduler
