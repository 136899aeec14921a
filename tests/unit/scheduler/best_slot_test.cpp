// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/best_slot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scheduler/question_builders.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::a_job_of;
using testing::at;
using testing::best_of;
using testing::in_short;
using ::testing::IsEmpty;
using testing::series;

std::vector<std::string> options_of(const SlotAnswer& answer) {
  std::vector<std::string> lines;
  for (const Slot& slot : answer.options) lines.push_back(in_short(slot));
  return lines;
}

// ---- Holes, and the end of what is known ----

TEST(BestSlot, an_absent_quarter_is_neither_zero_nor_part_of_a_run) {
  const auto known = series({{"2027-02-10T20:30:00Z", "2027-02-10T21:00:00Z", 74},
                             {"2027-02-10T21:00:00Z", "2027-02-10T21:45:00Z", 69},
                             {"2027-02-10T21:45:00Z", "2027-02-10T22:00:00Z", 58},
                             {"2027-02-11T00:00:00Z", "2027-02-11T00:15:00Z", 56},
                             {"2027-02-11T00:15:00Z", "2027-02-11T00:30:00Z", 66},
                             {"2027-02-11T00:30:00Z", "2027-02-11T00:45:00Z", 60.5},
                             {"2027-02-11T00:45:00Z", "2027-02-11T01:00:00Z", 61},
                             {"2027-02-11T01:00:00Z", "2027-02-11T01:30:00Z", 63}});
  EXPECT_EQ(best_of(a_job_of(minutes{30}).in(known).between("2027-02-10T20:30:00Z", "2027-02-11T01:30:00Z").answer()),
            "zone 0 2027-02-11T00:30:00Z+PT30M 60.750");
}

TEST(BestSlot, never_runs_across_a_gap) {
  const auto known = series("2027-02-12T00:00:00Z", hours{1}, {150, 92, 90, {}, {}, 88, 131, 120, 118, 125});
  EXPECT_EQ(best_of(a_job_of(hours{2}).in(known).between("2027-02-12T00:00:00Z", "2027-02-12T10:00:00Z").answer()),
            "zone 0 2027-02-12T01:00:00Z+PT2H 91.000");
}

TEST(BestSlot, ends_where_the_data_end_however_clean_the_last_hour_is) {
  const auto known = series("2027-04-06T12:00:00Z", hours{1}, {92, 90, 95, 99, 104, 101, 96, 91, 80, 64, 52, 40});
  EXPECT_EQ(best_of(a_job_of(hours{3}).in(known).between("2027-04-06T12:00:00Z", "2027-04-07T12:00:00Z").answer()),
            "zone 0 2027-04-06T21:00:00Z+PT3H 52.000");
}

TEST(BestSlot, a_job_as_long_as_the_data_has_exactly_one_start) {
  const auto job = a_job_of(hours{6})
                       .in(series("2027-04-08T06:00:00Z", hours{1}, {310, 290, 333, 301, 287, 299}))
                       .between("2027-04-08T06:00:00Z", "2027-04-08T18:00:00Z");
  EXPECT_THAT(options_of(job.answer()), ::testing::ElementsAre("zone 0 2027-04-08T06:00:00Z+PT6H 303.333"));
  EXPECT_EQ(job.answer().worst, job.answer().options.front());
}

TEST(BestSlot, a_job_longer_than_the_data_has_none) {
  const auto answer = a_job_of(hours{6} + minutes{1})
                          .in(series("2027-04-08T06:00:00Z", hours{1}, {310, 290, 333, 301, 287, 299}))
                          .between("2027-04-08T06:00:00Z", "2027-04-09T06:00:00Z")
                          .answer();
  EXPECT_THAT(answer.options, IsEmpty());
  EXPECT_FALSE(answer.worst);
}

TEST(BestSlot, a_window_after_before_or_between_all_data_has_none) {
  auto job = a_job_of(hours{1}).in(series("2027-04-08T06:00:00Z", hours{1}, {310, 290, {}, {}, 287, 299}));
  EXPECT_EQ(best_of(job.between("2027-04-08T12:00:00Z", "2027-04-08T20:00:00Z").answer()), "none");
  EXPECT_EQ(best_of(job.between("2027-04-08T00:00:00Z", "2027-04-08T06:00:00Z").answer()), "none");
  EXPECT_EQ(best_of(job.between("2027-04-08T08:00:00Z", "2027-04-08T10:00:00Z").answer()), "none");
}

TEST(BestSlot, a_window_shorter_than_the_job_has_none) {
  auto job = a_job_of(hours{2}).in(series("2027-04-09T08:00:00Z", hours{1}, {55, 52, 50, 58}));
  EXPECT_EQ(best_of(job.between("2027-04-09T08:00:00Z", "2027-04-09T08:30:00Z").answer()), "none");
  EXPECT_EQ(best_of(job.between("2027-04-09T08:00:00Z", "2027-04-09T09:59:59Z").answer()), "none");
  EXPECT_EQ(best_of(job.between("2027-04-09T08:00:00Z", "2027-04-09T10:00:00Z").answer()),
            "zone 0 2027-04-09T08:00:00Z+PT2H 53.500");
}

// ---- Windows, durations and steps that do not fit together ----

TEST(BestSlot, a_job_of_minutes_in_half_an_hour_is_ordinary) {
  EXPECT_EQ(best_of(a_job_of(minutes{2})
                        .in(series("2027-04-09T08:00:00Z", hours{1}, {55, 52, 50, 58}))
                        .between("2027-04-09T08:45:00Z", "2027-04-09T09:15:00Z")
                        .answer()),
            "zone 0 2027-04-09T09:00:00Z+PT2M 52.000");
}

TEST(BestSlot, values_of_irregular_steps_are_weighted_by_their_overlap_with_the_run) {
  const auto known = series({{"2027-05-03T00:00:00Z", "2027-05-03T01:00:00Z", 120},
                             {"2027-05-03T01:00:00Z", "2027-05-03T01:15:00Z", 60},
                             {"2027-05-03T01:15:00Z", "2027-05-03T01:30:00Z", 64},
                             {"2027-05-03T01:30:00Z", "2027-05-03T03:30:00Z", 90},
                             {"2027-05-03T03:30:00Z", "2027-05-03T04:00:00Z", 72},
                             {"2027-05-03T04:00:00Z", "2027-05-03T12:00:00Z", 100}});
  EXPECT_EQ(best_of(a_job_of(hours{1}).in(known).between("2027-05-03T00:00:00Z", "2027-05-03T12:00:00Z").answer()),
            "zone 0 2027-05-03T01:00:00Z+PT1H 76.000");
}

TEST(BestSlot, the_first_hour_counts_for_the_part_that_the_run_takes_of_it) {
  const auto answer = a_job_of(hours{1})
                          .in(series("2027-05-04T10:00:00Z", hours{1}, {420, 330}))
                          .between("2027-05-04T10:20:00Z", "2027-05-04T11:20:00Z")
                          .needing(2.5)
                          .answer();
  EXPECT_EQ(best_of(answer), "zone 0 2027-05-04T10:20:00Z+PT1H 390.000");
  EXPECT_EQ(answer.options.front().energy, energy_from_kwh(2.5));
  EXPECT_EQ(scheduler::grams(answer.options.front().emissions), 975.0);
}

TEST(BestSlot, compares_instants_and_not_clock_faces) {
  EXPECT_EQ(best_of(a_job_of(hours{2})
                        .in(series("2027-07-15T00:00:00Z", hours{1}, {130, 125, 118, 112, 109, 107, 60, 58, 95}))
                        .between("2027-07-15T00:00:00Z", "2027-07-15T08:00:00+02:00")
                        .answer()),
            "zone 0 2027-07-15T04:00:00Z+PT2H 108.000");
}

TEST(BestSlot, a_job_shorter_than_a_step_is_not_rounded_up_to_one) {
  EXPECT_EQ(best_of(a_job_of(minutes{10})
                        .in(series("2027-08-02T02:00:00Z", minutes{30}, {255, 248, 261, 250}))
                        .between("2027-08-02T02:00:00Z", "2027-08-02T04:00:00Z")
                        .answer()),
            "zone 0 2027-08-02T02:30:00Z+PT10M 248.000");
}

TEST(BestSlot, the_mean_of_a_run_stays_within_the_values_that_it_covers) {
  EXPECT_EQ(best_of(a_job_of(minutes{30})
                        .in(series("2027-08-03T00:00:00Z", minutes{30}, {21, 24}))
                        .between("2027-08-03T00:10:00Z", "2027-08-03T00:40:00Z")
                        .answer()),
            "zone 0 2027-08-03T00:10:00Z+PT30M 22.000");
}

TEST(BestSlot, neither_begins_before_the_window_nor_ends_after_it) {
  EXPECT_EQ(best_of(a_job_of(hours{3})
                        .in(series("2027-09-06T14:00:00Z", hours{1},
                                   {96, 33, 30, 31, 55, 57, 66, 70, 72, 69, 64, 62, 60, 57, 40, 35, 38, 50, 88, 90}))
                        .between("2027-09-06T18:00:00Z", "2027-09-07T06:00:00Z")
                        .answer()),
            "zone 0 2027-09-07T03:00:00Z+PT3H 44.000");
}

TEST(BestSlot, a_clean_stretch_that_has_begun_is_used_from_now_on) {
  const auto known =
      series("2027-02-03T20:00:00Z", hours{1}, {140, 71,  71,  150, 142, 142, 142, 142, 142, 142, 142, 142,
                                                142, 142, 142, 142, 142, 142, 142, 142, 142, 142, 71,  70.5});
  EXPECT_EQ(best_of(a_job_of(hours{1}).in(known).between("2027-02-03T21:36:00Z", "2027-02-04T18:00:00Z").answer()),
            "zone 0 2027-02-03T21:36:00Z+PT1H 71.000");
}

TEST(BestSlot, the_mean_over_the_whole_run_counts_and_not_the_value_at_its_start) {
  EXPECT_EQ(best_of(a_job_of(hours{5})
                        .in(series("2027-09-10T00:00:00Z", hours{1},
                                   {100, 95, 90, 88, 86, 84, 30, 240, 260, 250, 245, 230, 110}))
                        .between("2027-09-10T00:00:00Z", "2027-09-10T13:00:00Z")
                        .answer()),
            "zone 0 2027-09-10T02:00:00Z+PT5H 75.600");
}

TEST(BestSlot, ends_on_a_boundary_where_that_is_better_than_beginning_on_one) {
  // 90 minutes: 20 · ½ + 10 = 20 from 00:30 on; every start on the hour costs more.
  EXPECT_EQ(best_of(a_job_of(minutes{90})
                        .in(series("2027-09-10T00:00:00Z", hours{1}, {20, 10, 50}))
                        .between("2027-09-10T00:00:00Z", "2027-09-10T03:00:00Z")
                        .answer()),
            "zone 0 2027-09-10T00:30:00Z+PT1H30M 13.333");
}

// ---- Ties ----

TEST(BestSlot, of_equal_slots_the_earliest) {
  EXPECT_EQ(best_of(a_job_of(hours{1})
                        .in(series("2027-07-16T00:00:00Z", hours{1}, {50, 41, 41, 50, 41, 41, 50}))
                        .between("2027-07-16T00:00:00Z", "2027-07-16T07:00:00Z")
                        .answer()),
            "zone 0 2027-07-16T01:00:00Z+PT1H 41.000");
}

TEST(BestSlot, time_decides_before_the_order_of_the_zones) {
  EXPECT_EQ(best_of(a_job_of(hours{1})
                        .in(series("2027-07-16T00:00:00Z", hours{1}, {90, 70, 66, 66, 90}))
                        .in(series("2027-07-16T00:00:00Z", hours{1}, {90, 66, 70, 90, 90}))
                        .between("2027-07-16T00:00:00Z", "2027-07-16T05:00:00Z")
                        .answer()),
            "zone 1 2027-07-16T01:00:00Z+PT1H 66.000");
}

TEST(BestSlot, at_the_same_start_the_order_of_the_request_decides) {
  EXPECT_EQ(best_of(a_job_of(hours{1})
                        .in(series("2027-07-16T00:00:00Z", hours{1}, {90, 70, 66, 90, 90}))
                        .in(series("2027-07-16T00:00:00Z", hours{1}, {90, 70, 66, 66, 90}))
                        .between("2027-07-16T00:00:00Z", "2027-07-16T05:00:00Z")
                        .answer()),
            "zone 0 2027-07-16T02:00:00Z+PT1H 66.000");
}

TEST(BestSlot, where_all_hours_are_equal_it_is_the_first_and_saves_exactly_nothing) {
  const auto answer = a_job_of(hours{2})
                          .in(series("2027-09-08T00:00:00Z", hours{1}, {47, 47, 47, 47, 47, 47, 47, 47}))
                          .between("2027-09-08T00:00:00Z", "2027-09-08T08:00:00Z")
                          .needing(3)
                          .answer();
  EXPECT_EQ(best_of(answer), "zone 0 2027-09-08T00:00:00Z+PT2H 47.000");
  EXPECT_EQ(scheduler::grams(answer.options.front().emissions), 141.0);
  EXPECT_EQ(answer.worst, answer.options.front());
}

TEST(BestSlot, a_zone_without_data_leaves_the_choice_to_the_others) {
  EXPECT_EQ(best_of(a_job_of(hours{1})
                        .in(IntensitySeries{})
                        .in(series("2027-03-04T10:00:00Z", hours{1}, {58, 49, 52}))
                        .between("2027-03-04T10:00:00Z", "2027-03-04T13:00:00Z")
                        .answer()),
            "zone 1 2027-03-04T11:00:00Z+PT1H 49.000");
}

// ---- PUE and energy ----

TEST(BestSlot, the_overhead_of_the_building_decides_between_zones) {
  auto job = a_job_of(hours{1}).needing(10).between("2027-03-04T10:00:00Z", "2027-03-04T12:00:00Z");
  job.in(series("2027-03-04T10:00:00Z", hours{1}, {55, 50}), 1.2)
      .in(series("2027-03-04T10:00:00Z", hours{1}, {56, 58}), 1);
  const Slot best = job.answer().options.front();
  EXPECT_EQ(in_short(best), "zone 1 2027-03-04T10:00:00Z+PT1H 56.000");  // 56 < 50 · 1.2 = 60
  EXPECT_EQ(scheduler::grams(best.emissions), 560.0);
  const Slot second = job.answer().options[1];
  EXPECT_EQ(in_short(second), "zone 1 2027-03-04T11:00:00Z+PT1H 58.000");
  const Slot third = job.answer().options[2];
  EXPECT_EQ(in_short(third), "zone 0 2027-03-04T11:00:00Z+PT1H 50.000");
  EXPECT_EQ(third.energy, energy_from_kwh(10));
  EXPECT_EQ(third.facility_energy, energy_from_kwh(12));
  EXPECT_EQ(scheduler::grams(third.emissions), 600.0);
}

TEST(BestSlot, equal_costs_under_different_overheads_are_a_tie_to_the_last_digit) {
  // 30 · 1.1 = 33, though not in floating point, where it is a little more.
  EXPECT_EQ(best_of(a_job_of(hours{1})
                        .in(series("2027-03-04T10:00:00Z", hours{1}, {30, 90}), 1.1)
                        .in(series("2027-03-04T10:00:00Z", hours{1}, {90, 33}), 1)
                        .between("2027-03-04T10:00:00Z", "2027-03-04T12:00:00Z")
                        .answer()),
            "zone 0 2027-03-04T10:00:00Z+PT1H 30.000");
}

TEST(BestSlot, the_largest_costs_of_the_contract_compare_without_overflow) {
  std::vector<Step> steps{{.interval = {Instant{}, Instant{hours{24 * 800}}}, .value = testing::grams(2000)}};
  const auto answer = a_job_of(hours{24 * 30})
                          .in(IntensitySeries::of(steps), 16)
                          .within({Instant{}, Instant{hours{24 * 800}}})
                          .needing(1e9)
                          .answer();
  EXPECT_EQ(scheduler::grams(answer.options.front().emissions), 1e9 * 16 * 2000);
}

// ---- Options and the worst ----

TEST(BestSlot, options_differ_by_zone_or_by_an_hour_and_come_in_order) {
  const auto answer = a_job_of(hours{2})
                          .in(series("2027-07-16T00:00:00Z", minutes{15},
                                     {40, 40, 40, 40, 30, 30, 30, 30, 20, 20, 20, 20, 50, 50, 50, 50}))
                          .in(series("2027-07-16T00:00:00Z", hours{1}, {28, 28, 99, 99}))
                          .between("2027-07-16T00:00:00Z", "2027-07-16T04:00:00Z")
                          .options(5)
                          .answer();
  EXPECT_THAT(options_of(answer), ::testing::ElementsAre("zone 0 2027-07-16T01:00:00Z+PT2H 25.000",  //
                                                         "zone 1 2027-07-16T00:00:00Z+PT2H 28.000",  //
                                                         "zone 0 2027-07-16T00:00:00Z+PT2H 35.000",  //
                                                         "zone 0 2027-07-16T02:00:00Z+PT2H 35.000",  //
                                                         "zone 1 2027-07-16T01:00:00Z+PT2H 63.500"));
}

TEST(BestSlot, a_second_option_may_lie_exactly_as_far_away_as_asked_between_two_boundaries) {
  // The best is the first possible start, 00:20; the next lies one hour later, where no step begins.
  const auto answer = a_job_of(minutes{10})
                          .in(series("2027-07-16T00:00:00Z", hours{1}, {10, 20, 90}))
                          .between("2027-07-16T00:20:00Z", "2027-07-16T03:00:00Z")
                          .options(2)
                          .answer();
  EXPECT_THAT(options_of(answer), ::testing::ElementsAre("zone 0 2027-07-16T00:20:00Z+PT10M 10.000",  //
                                                         "zone 0 2027-07-16T01:20:00Z+PT10M 20.000"));
}

TEST(BestSlot, as_many_options_as_differ_and_no_more) {
  auto job = a_job_of(hours{1})
                 .in(series("2027-07-16T00:00:00Z", hours{1}, {10, 20, 30}))
                 .between("2027-07-16T00:00:00Z", "2027-07-16T03:00:00Z");
  EXPECT_EQ(job.options(24).answer().options.size(), 3U);
  EXPECT_EQ(job.options(2).answer().options.size(), 2U);
  EXPECT_EQ(job.options(0).answer().options.size(), 0U);
  EXPECT_EQ(job.options(24, hours{2}).answer().options.size(), 2U);
}

TEST(BestSlot, the_worst_is_the_costliest_start_over_all_zones_with_their_overhead) {
  const auto answer = a_job_of(hours{1})
                          .in(series("2027-07-16T00:00:00Z", hours{1}, {50, 95, 95, 10}), 1.2)
                          .in(series("2027-07-16T00:00:00Z", hours{1}, {20, 30, 110, 40}))
                          .between("2027-07-16T00:00:00Z", "2027-07-16T04:00:00Z")
                          .answer();
  EXPECT_EQ(in_short(*answer.worst), "zone 0 2027-07-16T01:00:00Z+PT1H 95.000");
}

// ---- The other questions ----

TEST(SlotAt, tells_what_running_at_a_given_moment_costs_whatever_the_window) {
  auto job = a_job_of(hours{1}).in(series("2027-02-11T00:00:00Z", hours{1}, {140, {}, 88})).needing(2);
  job.between("2027-02-11T02:00:00Z", "2027-02-11T03:00:00Z");
  const auto now = job.run_at("2027-02-11T00:00:00Z");
  ASSERT_TRUE(now);
  EXPECT_EQ(in_short(*now), "zone 0 2027-02-11T00:00:00Z+PT1H 140.000");
  EXPECT_EQ(scheduler::grams(now->emissions), 280.0);
}

TEST(SlotAt, is_nothing_where_a_second_is_unknown) {
  const auto job = a_job_of(hours{1}).in(series("2027-02-11T00:00:00Z", hours{1}, {140, {}, 88}));
  EXPECT_FALSE(job.run_at("2027-02-11T00:00:01Z"));
  EXPECT_FALSE(job.run_at("2027-02-11T01:00:00Z"));
  EXPECT_FALSE(job.run_at("2027-02-11T02:00:01Z"));
  EXPECT_FALSE(job.run_at("2027-02-10T23:59:59Z"));
}

TEST(BestStart, is_the_first_option_of_the_best_slot) {
  const auto job = a_job_of(minutes{80})
                       .in(series("2027-07-16T00:00:00Z", hours{1}, {50, 41, 42, 50, 41, 41, 50}))
                       .in(series("2027-07-16T00:00:00Z", minutes{30}, {45, 44, 43, 42, 41, 40, 39, 40}), 1.05);
  const auto zones = job.zones();
  const auto start = best_start({at("2027-07-16T00:10:00Z"), at("2027-07-16T06:50:00Z")}, minutes{80}, zones);
  ASSERT_TRUE(start);
  auto same = job;
  const Slot best = same.between("2027-07-16T00:10:00Z", "2027-07-16T06:50:00Z").answer().options.front();
  EXPECT_EQ(*start, (Start{best.zone, best.interval.begin, best.integral}));
  EXPECT_FALSE(best_start({at("2027-07-16T00:10:00Z"), at("2027-07-16T06:50:00Z")}, minutes{80}, {}));
}

TEST(BestSlotDeathTest, a_job_without_length_stops_the_program) {
  const auto job = a_job_of(Duration{0}).in(series("2027-02-11T00:00:00Z", hours{1}, {140}));
  EXPECT_DEATH((void)job.answer(), "at least a second");
}

}  // namespace
}  // namespace valle::scheduler
