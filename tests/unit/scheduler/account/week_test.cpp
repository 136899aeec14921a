// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/week.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/account/apportion.hpp"
#include "scheduler/units/decimal_text.hpp"
#include "tests/support/runs.hpp"

namespace valle::scheduler {
namespace {

using ::testing::ElementsAre;
using tests::RealisedSites;
using tests::RunBuilder;

class WeekTest : public ::testing::Test {
 protected:
  void add(const scheduler::Run& run) {
    const RunAccount account = account_of(run, sites_.lookup());
    sums_.add({run, account});
  }
  RealisedSites sites_ = RealisedSites{}
                             .site("es", "2027-06-14T08:00:00Z", {150, 140, 150, 0})
                             .site("fr", "2027-06-14T08:00:00Z", {90, 90, 90, 90});
  WeekSums sums_{2};
};

TEST_F(WeekTest, a_row_that_is_no_number_is_counted_and_leaves_the_totals_a_number) {
  add(RunBuilder{"a"}.site("fr").ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(2));  // 180 against 300
  add(RunBuilder{"b"}.ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z"));
  add(RunBuilder{"c"}
          .submitted("2027-06-14T09:00:00Z")
          .ran("2027-06-14T10:00:00Z", "2027-06-14T11:00:00Z")
          .kwh(1));  // 150 against 140
  const Totals& totals = sums_.totals();
  EXPECT_EQ(totals.jobs, 3);
  EXPECT_EQ(totals.not_assessed, 1);
  EXPECT_EQ(decimal_text(totals.energy.base(), 6), "3.000000");
  EXPECT_EQ(decimal_text(totals.real.base(), 3), "330.000");
  EXPECT_EQ(decimal_text(totals.baseline.base(), 3), "440.000");
  EXPECT_EQ(decimal_text(totals.saved().base(), 3), "110.000");
  EXPECT_EQ(ten_thousandths_of_percent(totals.saved().base(), totals.baseline.base()), 250'000);
  EXPECT_EQ(totals.shifted, 2);
}

TEST_F(WeekTest, groups_are_one_partition_of_the_rows) {
  for (const char* owner : {"lab", "web", "lab"}) {
    add(RunBuilder{}.owner(owner).site("fr").ran("2027-06-14T08:00:00Z", "2027-06-14T09:10:00Z").kwh(0.333333));
  }
  Totals sum;
  for (const auto& [owner, group] : sums_.groups()) {
    sum.jobs += group.jobs;
    sum.real += group.real;
    sum.by_place += group.by_place;
  }
  EXPECT_EQ(sums_.groups().size(), 2u);
  EXPECT_EQ(sum.jobs, sums_.totals().jobs);
  EXPECT_EQ(sum.real, sums_.totals().real);
  EXPECT_EQ(sum.by_place, sums_.totals().by_place);
  EXPECT_EQ((sums_.totals().by_time.base() + sums_.totals().by_place.base() + sums_.totals().by_efficiency.base()),
            sums_.totals().saved().base());
}

TEST_F(WeekTest, owners_without_end_share_a_group_in_the_end) {
  const RunAccount account;
  for (std::size_t i = 0; i < k_most_groups + 5; ++i) {
    const scheduler::Run run =
        RunBuilder{}.owner("o" + std::to_string(i)).ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z");
    sums_.add({run, account});
  }
  EXPECT_EQ(sums_.groups().size(), k_most_groups + 1);
  EXPECT_EQ(sums_.groups().find(k_other_owners)->second.jobs, 5);
}

TEST_F(WeekTest, deadlines_and_waits_are_counted) {
  RunBuilder late;
  late.submitted("2027-06-14T08:00:00Z").ran("2027-06-14T09:30:00Z", "2027-06-14T10:00:00Z").kwh(1);
  late.run().start_by = tests::at("2027-06-14T09:00:00Z");
  add(late);
  late.run().start_by = tests::at("2027-06-14T09:30:00Z");
  add(late);
  late.run().start_by.reset();
  add(late);
  EXPECT_EQ(sums_.totals().deadlines_missed, 1);
  EXPECT_EQ(sums_.totals().deadlines_met, 1);
  EXPECT_EQ(sums_.totals().mean_wait(), std::chrono::minutes{90});
}

TEST_F(WeekTest, the_inventory_holds_what_was_used_where_it_was_used_and_says_what_has_no_intensity) {
  add(RunBuilder{"a"}.site("fr").ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(2));
  add(RunBuilder{"b"}.ran("2027-06-14T11:00:00Z", "2027-06-14T12:00:00Z").kwh(3));
  const auto& es = sums_.inventory()[0];
  const auto& fr = sums_.inventory()[1];
  EXPECT_EQ(decimal_text(fr.facility.base(), 6), "2.000000");
  EXPECT_EQ(decimal_text(fr.location_based.base(), 3), "180.000");
  EXPECT_EQ(decimal_text(es.without_intensity.base(), 6), "3.000000");
  EXPECT_EQ(es.location_based.base(), 0);
}

TEST_F(WeekTest, coverage_is_by_energy_for_intensity_and_by_seconds_for_energy) {
  sites_.site("gb", "2027-06-14T08:00:00Z", {0}, 1, 165);
  sums_ = WeekSums{3};
  add(RunBuilder{"a"}.ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(2));
  add(RunBuilder{"b"}.home("gb").site("gb").ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(2));
  add(RunBuilder{"c"}.ran("2027-06-14T08:00:00Z", "2027-06-14T10:00:00Z"));
  const Coverage& coverage = sums_.coverage();
  EXPECT_EQ(ten_thousandths_of_percent(coverage.fallback.base(), coverage.priced.base()), 500'000);
  EXPECT_EQ(ten_thousandths_of_percent(coverage.measured_seconds, coverage.seconds), 500'000);
}

TEST(Apportion, what_rounding_leaves_goes_to_the_largest_remainders) {
  EXPECT_THAT(apportioned(10, std::vector<Wide>{1, 1, 1}), ElementsAre(4, 3, 3));
  EXPECT_THAT(apportioned(7, std::vector<Wide>{50, 30, 20}), ElementsAre(4, 2, 1));
  EXPECT_THAT(apportioned(5, std::vector<Wide>{0, 0}), ElementsAre(0, 0));
}

TEST(DecimalText, writes_any_count_in_full) {
  EXPECT_EQ(decimal_text(1234, 3), "1.234");
  EXPECT_EQ(decimal_text(-5, 3), "-0.005");
  EXPECT_EQ(decimal_text(0, 3), "0.000");
  EXPECT_EQ(decimal_text(17, 0), "17");
  EXPECT_EQ(decimal_text(Wide{1'000'000'000'000'000'000} * 1000, 6), "1000000000000000.000000");
}

}  // namespace
}  // namespace valle::scheduler
