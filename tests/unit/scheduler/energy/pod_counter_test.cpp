// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/pod_counter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scheduler/meter_samples.hpp"

namespace valle::scheduler {
namespace {

using namespace valle::tests;
using ::testing::Contains;
using ::testing::HasSubstr;

Observer observer(std::string replica, Samples running, Samples terminated = {}) {
  return {std::move(replica), "kepler", {{"package", std::move(running), std::move(terminated)}}};
}

Reading read(std::vector<Observer> observers, double run_seconds, double scrape_seconds) {
  const auto reading =
      read_pod_counter(std::move(observers), {first_seconds(run_seconds), scrape_seconds, 400}, k_kepler);
  return reading.value_or(Reading{.joules = -1});
}

TEST(PodCounter, joins_the_states_of_a_pod_and_takes_the_larger_replica) {
  const auto saw_the_end = observer("a", samples({{60, 75}, {120, 150}}), samples({{180, 188}}));
  const auto missed_it = observer("b", samples({{60, 75}, {120, 150}}));
  EXPECT_DOUBLE_EQ(read({saw_the_end}, 170, 60).counted_joules, 188);
  EXPECT_DOUBLE_EQ(read({missed_it}, 170, 60).counted_joules, 150);
  EXPECT_DOUBLE_EQ(read({saw_the_end, missed_it}, 170, 60).counted_joules, 188);

  EXPECT_DOUBLE_EQ(read({saw_the_end}, 170, 60).covered_seconds, 170);
  EXPECT_DOUBLE_EQ(read({missed_it}, 170, 60).covered_seconds, 120);
}

TEST(PodCounter, carries_the_last_rate_to_the_end) {
  const auto reading = read({observer("a", samples({{15, 1'500}, {30, 6'000}}))}, 40, 15);
  EXPECT_DOUBLE_EQ(reading.counted_joules, 6'000);
  EXPECT_DOUBLE_EQ(reading.joules, 6'000 + 300 * 10);
  EXPECT_THAT(reading.method, HasSubstr("tail at the last rate"));
}

TEST(PodCounter, does_not_carry_a_tail_above_what_the_node_can_draw) {
  const auto reading = read({observer("a", samples({{15, 1'500}, {30, 12'000}}))}, 40, 15);
  EXPECT_DOUBLE_EQ(reading.joules, 12'000 + 400 * 10);
}

TEST(PodCounter, forms_no_rate_over_moments) {
  // One sample 2 s after the start: less than a quarter of an interval.
  const auto reading = read({observer("a", samples({{2, 800}}))}, 10, 15);
  EXPECT_DOUBLE_EQ(reading.joules, 800);
  EXPECT_GE(reading.uncertainty_joules, 8 * 300);
}

TEST(PodCounter, counts_two_exporters_of_one_node_once) {
  auto second = observer("a", samples({{60, 430}, {120, 900}}));
  second.exporter = "another port";
  const auto reading = read({observer("a", samples({{60, 430}, {120, 900}})), second}, 120, 60);
  EXPECT_DOUBLE_EQ(reading.joules, 900);
  EXPECT_THAT(reading.notes, Contains(HasSubstr("2 observers")));
}

TEST(PodCounter, joins_an_exporter_with_the_one_that_replaced_it) {
  auto successor = observer("a", samples({{60, 500}, {75, 2'000}}));
  successor.exporter = "kepler-new";
  const auto reading = read({observer("a", samples({{15, 1'500}, {30, 3'000}})), successor}, 75, 15);
  EXPECT_DOUBLE_EQ(reading.counted_joules, 5'000);
  EXPECT_DOUBLE_EQ(reading.bridged_joules, 100 * 30 - 500);
  EXPECT_THAT(reading.notes, Contains(HasSubstr("restarted")));
  EXPECT_DOUBLE_EQ(reading.covered_seconds, 45);
}

TEST(PodCounter, never_interleaves_replicas) {
  // The second clock is 6 s ahead, so by time each of its samples stands before an older one of the first.
  const auto first = observer("a", samples({{15, 1'500}, {30, 3'000}, {45, 4'500}}));
  const auto second = observer("b", samples({{20, 1'400}, {35, 2'900}, {50, 4'400}}));
  EXPECT_DOUBLE_EQ(read({first, second}, 45, 15).counted_joules, 4'500);
}

TEST(PodCounter, sums_its_zones) {
  const Observer both{"a", "k", {{"package", samples({{15, 1'250}}), {}}, {"dram", samples({{15, 260}}), {}}}};
  EXPECT_DOUBLE_EQ(read({both}, 15, 15).counted_joules, 1'510);
}

TEST(PodCounter, of_containers_that_begin_and_end_apart_is_their_sum) {
  const Observer containers{"a",
                            "k",
                            {{"init", samples({{15, 900}}), {}},
                             {"main", samples({{30, 600}, {45, 2'100}, {60, 3'600}}), {}},
                             {"side", samples({{30, 100}, {45, 200}}), {}}}};
  const auto reading = read({containers}, 70, 15);
  EXPECT_DOUBLE_EQ(reading.counted_joules, 900 + 3'600 + 200);
  EXPECT_DOUBLE_EQ(reading.joules, 4'700 + 10 * 100);
}

TEST(PodCounter, says_that_clocks_disagree_instead_of_carrying_a_tail_of_minutes) {
  const auto samples_five_minutes_ahead = samples({{-290, 1'000}, {-275, 2'500}, {-260, 4'000}});
  const auto reading = read({observer("a", samples_five_minutes_ahead)}, 45, 15);
  EXPECT_DOUBLE_EQ(reading.joules, 4'000);
  EXPECT_THAT(reading.notes, Contains(HasSubstr("clocks disagree")));

  const auto behind = read({observer("a", samples({{310, 1'000}, {325, 2'500}, {340, 4'000}}))}, 45, 15);
  EXPECT_DOUBLE_EQ(behind.joules, 4'000);
  EXPECT_THAT(behind.notes, Contains(HasSubstr("clocks disagree")));
}

TEST(PodCounter, leaves_an_end_open_that_nobody_saw) {
  const auto reading = read({observer("a", samples({{15, 1'500}, {30, 3'000}}))}, 300, 15);
  EXPECT_DOUBLE_EQ(reading.joules, 3'000);
  EXPECT_DOUBLE_EQ(reading.covered_seconds, 30);
  ASSERT_EQ(reading.gaps.size(), 1U);
  EXPECT_EQ(reading.gaps[0].span, (Span{after_eight(30), after_eight(300)}));
  EXPECT_GE(reading.uncertainty_joules, 270 * 400);
}

TEST(PodCounter, reads_a_pod_that_was_only_seen_as_terminated) {
  // 640 J by a refresh that was 0 to 5 s before the end: at the mean rate of the first 4.5 s, 2.5 s more.
  const auto reading = read({observer("a", {}, samples({{9, 640}}))}, 7, 15);
  EXPECT_DOUBLE_EQ(reading.counted_joules, 640);
  EXPECT_DOUBLE_EQ(reading.joules, 640 + 640 / 4.5 * 2.5);
  EXPECT_GE(reading.uncertainty_joules, 5 * (400 - reading.joules / 7));
  EXPECT_DOUBLE_EQ(reading.covered_seconds, 7);
}

TEST(PodCounter, notes_a_first_value_that_is_too_low_for_what_follows) {
  const auto late = read({observer("a", samples({{14, 10}, {29, 4'510}, {44, 9'010}, {59, 13'510}}))}, 60, 15);
  EXPECT_THAT(late.notes, Contains(HasSubstr("known late")));
  EXPECT_LT(late.covered_seconds, 46);
}

TEST(PodCounter, of_old_kepler_trusts_the_rate_between_samples_of_an_even_load) {
  // 100 W; each value is 2 s old.
  const auto reading = read_pod_counter({observer("a", samples({{10, 800}, {25, 2'300}, {40, 3'800}}))},
                                        {first_seconds(48), 15, 400}, k_kepler_legacy);
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 4'800);
}

TEST(PodCounter, of_old_kepler_carries_an_uneven_load_with_values_a_second_and_a_half_old) {
  const auto reading = read_pod_counter({observer("a", samples({{10, 800}, {25, 2'300}, {40, 6'800}}))},
                                        {first_seconds(48), 15, 400}, k_kepler_legacy);
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->joules, 6'800 + 300 * 9.5);
}

TEST(PodCounter, without_any_sample_is_unknown_and_not_zero) {
  EXPECT_FALSE(read_pod_counter({}, {first_seconds(60), 15, 400}, k_kepler));
  EXPECT_FALSE(read_pod_counter({observer("a", {})}, {first_seconds(60), 15, 400}, k_kepler));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(read_pod_counter({observer("a", samples({{15, nan}}))}, {first_seconds(60), 15, 400}, k_kepler));
  const Reading unseen = unseen_pod({first_seconds(60), 15, 400});
  EXPECT_DOUBLE_EQ(unseen.covered_seconds, 0);
  EXPECT_DOUBLE_EQ(unseen.uncertainty_joules, 60 * 400);
}

}  // namespace
}  // namespace valle::scheduler
