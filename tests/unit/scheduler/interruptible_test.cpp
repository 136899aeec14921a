// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scheduler/question_builders.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::a_job_of;
using testing::best_of;
using testing::in_short;
using testing::Question;
using testing::series;

/// A job in the window 00:00…08:00 of one day with a value an hour.
Question a_day_for(Duration duration, std::initializer_list<std::optional<double>> values) {
  return a_job_of(duration)
      .in(series("2027-03-01T00:00:00Z", hours{1}, values))
      .between("2027-03-01T00:00:00Z", "2027-03-01T08:00:00Z");
}

TEST(InterruptibleSlot, takes_the_cleanest_hours_wherever_they_lie) {
  EXPECT_EQ(best_of(a_day_for(hours{3}, {90, 20, 80, 30, 70, 10, 60, 50}).answer(Interruption{})),
            "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T03:00:00Z+PT1H 2027-03-01T05:00:00Z+PT1H 20.000");
}

TEST(InterruptibleSlot, pauses_over_a_gap_but_never_runs_in_it) {
  EXPECT_EQ(best_of(a_day_for(hours{2}, {90, 20, {}, {}, 30, 70, 80, 80}).answer(Interruption{})),
            "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T04:00:00Z+PT1H 25.000");
}

TEST(InterruptibleSlot, stays_in_one_run_where_pauses_win_nothing) {
  EXPECT_EQ(best_of(a_day_for(hours{3}, {50, 50, 50, 50, 50, 50, 50, 50}).answer(Interruption{})),
            "zone 0 2027-03-01T00:00:00Z+PT3H 50.000");
}

TEST(InterruptibleSlot, the_rest_of_an_hour_is_cut_from_the_costliest_segment_not_from_the_last) {
  EXPECT_EQ(best_of(a_day_for(minutes{90}, {50, 100, 10, 90, 90, 90, 90, 90}).answer(Interruption{})),
            "zone 0 2027-03-01T00:00:00Z+PT30M 2027-03-01T02:00:00Z+PT1H 23.333");
  EXPECT_EQ(best_of(a_day_for(minutes{90}, {10, 100, 50, 90, 90, 90, 90, 90}).answer(Interruption{})),
            "zone 0 2027-03-01T00:00:00Z+PT1H 2027-03-01T02:00:00Z+PT30M 23.333");
}

TEST(InterruptibleSlot, begins_and_ends_at_the_edges_of_the_window_inside_an_hour) {
  auto job = a_job_of(minutes{50}).in(series("2027-03-01T00:00:00Z", hours{1}, {10, 90, 90, 10}));
  EXPECT_EQ(best_of(job.between("2027-03-01T00:40:00Z", "2027-03-01T03:30:00Z").answer(Interruption{})),
            "zone 0 2027-03-01T00:40:00Z+PT20M 2027-03-01T03:00:00Z+PT30M 10.000");
}

TEST(InterruptibleSlot, a_shortest_run_keeps_segments_together) {
  const auto job = a_day_for(hours{4}, {90, 20, 30, 80, 70, 10, 40, 60});
  EXPECT_EQ(best_of(job.answer(Interruption{.min_run = hours{2}})),
            "zone 0 2027-03-01T01:00:00Z+PT2H 2027-03-01T05:00:00Z+PT2H 25.000");
  EXPECT_EQ(best_of(job.answer(Interruption{.min_run = hours{3}})), "zone 0 2027-03-01T04:00:00Z+PT4H 45.000");
  EXPECT_EQ(best_of(job.answer(Interruption{.min_run = hours{9}})), "zone 0 2027-03-01T04:00:00Z+PT4H 45.000")
      << "a job shorter than the shortest run is one run";
}

TEST(InterruptibleSlot, a_limit_on_pauses_holds) {
  const auto job = a_day_for(hours{3}, {90, 20, 80, 30, 70, 10, 60, 50});
  EXPECT_EQ(best_of(job.answer(Interruption{.max_pauses = 2})),
            "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T03:00:00Z+PT1H 2027-03-01T05:00:00Z+PT1H 20.000");
  EXPECT_EQ(best_of(job.answer(Interruption{.max_pauses = 1})),
            "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T05:00:00Z+PT2H 30.000");
  EXPECT_EQ(best_of(job.answer(Interruption{.max_pauses = 0})), "zone 0 2027-03-01T03:00:00Z+PT3H 36.667");
}

TEST(InterruptibleSlot, each_resume_repeats_its_restart_at_the_job_s_power) {
  auto job = a_day_for(hours{2}, {90, 10, 80, 80, 80, 10, 12, 60}).needing(2);
  const Slot best = job.answer(Interruption{.restart = minutes{30}}).options.front();
  // 1 h at 10, then a resume of ½ h and 1 h of work: 1 h at 10 and ½ h at 12, against 2 h at 10 and 12 without a pause.
  EXPECT_EQ(in_short(best), "zone 0 2027-03-01T05:00:00Z+PT2H 11.000");
  const Slot paused = a_day_for(hours{2}, {90, 10, 80, 80, 80, 10, 14, 60})
                          .needing(2)
                          .answer(Interruption{.restart = minutes{10}})
                          .options.front();
  EXPECT_EQ(in_short(paused), "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T05:00:00Z+PT1H10M 10.308");
  EXPECT_EQ(paused.energy.base(), 2'166'667);  // 2 kWh and 10 minutes more at 1 kW
  EXPECT_EQ(paused.emissions.base(), 22'333);  // 1 kW: 10 g, then 10 g and a sixth of 14 g
}

TEST(InterruptibleSlot, each_resume_costs_its_energy_at_the_intensity_of_the_resumed_step) {
  auto job = a_day_for(hours{2}, {90, 10, 80, 80, 80, 11, 80, 80}).needing(2);
  const Slot best = job.answer(Interruption{.restart_energy = energy_from_kwh(0.5)}).options.front();
  EXPECT_EQ(in_short(best), "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T05:00:00Z+PT1H 10.500");
  EXPECT_EQ(best.energy, energy_from_kwh(2.5));
  EXPECT_EQ(best.emissions.base(), 26'500);  // 10 + 11 + ½ · 11
  // Dear enough, and one run of 10 and 80 g is better: 90 < 21 + 7 · 11 = 98.
  EXPECT_EQ(best_of(job.answer(Interruption{.restart_energy = energy_from_kwh(7)})),
            "zone 0 2027-03-01T01:00:00Z+PT2H 45.000");
}

TEST(InterruptibleSlot, the_overhead_of_the_building_counts_for_restarts_too) {
  auto job = a_job_of(hours{2}).needing(2).between("2027-03-01T00:00:00Z", "2027-03-01T04:00:00Z");
  job.in(series("2027-03-01T00:00:00Z", hours{1}, {10, 90, 10, 90}), 1.5);
  const Slot best = job.answer(Interruption{.restart_energy = energy_from_kwh(1)}).options.front();
  EXPECT_EQ(best.facility_energy, energy_from_kwh(4.5));
  EXPECT_EQ(best.emissions.base(), 45'000);
}

TEST(InterruptibleSlot, the_energy_of_the_largest_job_with_the_dearest_restart_compares_exactly) {
  auto job = a_day_for(hours{2}, {2000, 1999, 2000, 2000, 1999, 2000, 2000, 2000}).needing(999'999'999.999999);
  const Slot best = job.answer(Interruption{.restart_energy = Energy::of_base(1'999'999'999'999)}).options.front();
  // The pause saves 1 g/kWh of half the energy and costs 2 GWh · 1999 g/kWh.
  EXPECT_EQ(in_short(best), "zone 0 2027-03-01T00:00:00Z+PT2H 1999.500");
  const Slot cheap = job.answer(Interruption{.restart_energy = Energy::of_base(7)}).options.front();
  EXPECT_EQ(in_short(cheap), "zone 0 2027-03-01T01:00:00Z+PT1H 2027-03-01T04:00:00Z+PT1H 1999.000");
}

TEST(InterruptibleSlot, options_differ_in_their_start_or_their_zone) {
  auto job =
      a_day_for(hours{2}, {10, 40, 20, 90, 90, 90, 90, 90}).in(series("2027-03-01T00:00:00Z", hours{1}, {30, 35, 50}));
  const SlotAnswer answer = job.options(4).answer(Interruption{});
  std::vector<std::string> lines;
  for (const Slot& slot : answer.options) lines.push_back(in_short(slot));
  EXPECT_THAT(lines, ::testing::ElementsAre("zone 0 2027-03-01T00:00:00Z+PT1H 2027-03-01T02:00:00Z+PT1H 15.000",
                                            "zone 0 2027-03-01T01:00:00Z+PT2H 30.000",  //
                                            "zone 1 2027-03-01T00:00:00Z+PT2H 32.500",  //
                                            "zone 1 2027-03-01T01:00:00Z+PT2H 42.500"));
}

TEST(InterruptibleSlot, of_equal_schedules_the_earliest_then_the_first_zone) {
  auto job = a_day_for(hours{2}, {90, 10, 10, 90, 10, 10, 90, 90})
                 .in(series("2027-03-01T00:00:00Z", hours{1}, {90, 10, 10, 90}));
  EXPECT_EQ(best_of(job.answer(Interruption{})), "zone 0 2027-03-01T01:00:00Z+PT2H 10.000");
}

TEST(InterruptibleSlot, has_no_answer_where_the_window_or_the_data_are_too_short) {
  EXPECT_EQ(best_of(a_day_for(hours{9}, {1, 1, 1, 1, 1, 1, 1, 1}).answer(Interruption{})), "none");
  EXPECT_EQ(best_of(a_day_for(hours{4}, {1, {}, 1, {}, 1}).answer(Interruption{})), "none");
  EXPECT_EQ(best_of(a_day_for(hours{3}, {1, {}, 1, {}, 1}).answer(Interruption{})),
            "zone 0 2027-03-01T00:00:00Z+PT1H 2027-03-01T02:00:00Z+PT1H 2027-03-01T04:00:00Z+PT1H 1.000");
  EXPECT_EQ(best_of(a_day_for(hours{3}, {1, {}, 1, {}, 1}).answer(Interruption{.restart = hours{1}})), "none");
  EXPECT_EQ(best_of(a_job_of(hours{1}).in(IntensitySeries{}).answer(Interruption{})), "none");
}

TEST(InterruptibleSlot, a_limit_on_pauses_far_beyond_what_could_be_used_is_no_limit) {
  auto job = a_day_for(hours{3}, {90, 20, 80, 30, 70, 10, 60, 50});
  for (const int pauses : {7, 8, 1'000'000, 2'147'483'647}) {
    EXPECT_EQ(job.answer(Interruption{.restart = Duration{97}, .max_pauses = pauses}),
              job.answer(Interruption{.restart = Duration{97}}));
  }
}

TEST(InterruptibleSlot, a_negative_limit_on_pauses_allows_none) {
  EXPECT_EQ(best_of(a_day_for(hours{2}, {10, 90, 10}).answer(Interruption{.max_pauses = -1})),
            "zone 0 2027-03-01T00:00:00Z+PT2H 50.000");
}

TEST(InterruptibleSlot, beyond_its_limit_it_searches_blocks_of_hours_and_says_so) {
  // Three weeks of 5-minute steps, clean every other 4 hours, and a hole in the middle.
  std::vector<Step> steps;
  for (int i = 0; i < 6048; ++i) {
    const Instant begin{minutes{5} * i};
    const bool clean = i / 48 % 2 == 0;
    if (i != 3000) steps.push_back({.interval = {begin, begin + minutes{5}}, .value = testing::grams(clean ? 10 : 90)});
  }
  auto job = a_job_of(hours{24 * 10}).in(IntensitySeries::of(steps)).within({Instant{minutes{3}}, Instant{hours{504}}});
  const SlotAnswer answer = job.options(1).answer(Interruption{});
  EXPECT_FALSE(answer.exact);
  ASSERT_EQ(answer.options.size(), 1U);
  const Slot& best = answer.options.front();
  EXPECT_GT(best.segments.size(), 10U);
  EXPECT_LT(best.mean, testing::grams(12)) << "all but a few hours are clean";
  Duration total{0};
  for (const Interval& segment : best.segments) total += segment.length();
  EXPECT_EQ(total, hours{24 * 10});
}

TEST(InterruptibleSlot, where_not_even_blocks_fit_it_keeps_the_job_whole_and_says_so) {
  // Steps of odd lengths, to the second: the amounts of work are as many as the job has seconds.
  std::vector<Step> steps;
  Instant begin{};
  for (int i = 0; i < 600; ++i) {
    const Instant end = begin + Duration{3600 + i % 7};
    steps.push_back({.interval = {begin, end}, .value = testing::grams(i % 2 == 0 ? 10 : 90)});
    begin = end;
  }
  auto job = a_job_of(hours{24}).in(IntensitySeries::of(steps)).within({Instant{}, begin});
  const SlotAnswer answer = job.answer(Interruption{});
  EXPECT_FALSE(answer.exact);
  ASSERT_EQ(answer.options.size(), 3U);
  EXPECT_EQ(answer.options.front().segments.size(), 1U);
}

}  // namespace
}  // namespace valle::scheduler
