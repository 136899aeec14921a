// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/runs.hpp"

namespace valle::scheduler {
namespace {

using tests::at;
using tests::RealisedSites;
using tests::RunBuilder;

Emissions g(double grams) { return Emissions::of_base(std::llround(grams * 1000)); }

TEST(Split, both_windows_are_priced_whole_and_hour_by_hour) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {240, 300, 260, 220, 190, 120, 90, 150});
  const scheduler::Run run =
      RunBuilder{}.submitted("2027-06-14T08:00:00Z").ran("2027-06-14T13:00:00Z", "2027-06-14T15:00:00Z").kwh(2.4);
  const RunAccount account = account_of(run, sites.lookup());
  ASSERT_EQ(account.assessment, Assessment::assessed);
  EXPECT_EQ(account.split->baseline, g(648));
  EXPECT_EQ(account.split->real, g(252));
  EXPECT_EQ(account.split->saved(), g(396));
  EXPECT_EQ(account.split->by_time(), g(396));
  EXPECT_EQ(account.split->by_place(), g(0));
  EXPECT_EQ(account.split->by_efficiency(), g(0));
}

TEST(Split, the_baseline_is_the_mean_of_the_run_and_not_the_value_at_submission) {
  const auto sites = RealisedSites{}.site("de", "2027-06-15T00:00:00Z", {110, 380, 410, 300});
  const scheduler::Run run =
      RunBuilder{}.home("de").site("de").ran("2027-06-15T00:00:00Z", "2027-06-15T03:00:00Z").kwh(6);
  EXPECT_EQ(account_of(run, sites.lookup()).split->baseline, g(1800));
}

TEST(Split, uneven_power_meets_the_intensity_of_its_own_hour) {
  const auto sites = RealisedSites{}.site("de", "2027-06-18T06:00:00Z", {520, 498, 455, 300, 260, 241});
  const scheduler::Run run = RunBuilder{}
                                 .home("de")
                                 .site("de")
                                 .ran("2027-06-18T06:00:00Z", "2027-06-18T12:00:00Z")
                                 .kwh_by_hour({0.5, 0.5, 0.5, 2.0, 2.0, 0.5});
  EXPECT_EQ(account_of(run, sites.lookup()).split->real, g(1977));
}

TEST(Split, the_value_stamped_with_the_end_covers_what_follows) {
  const auto sites = RealisedSites{}.site("es", "2027-02-10T10:00:00Z", {100, 140, 900});
  const scheduler::Run run = RunBuilder{}.ran("2027-02-10T10:00:00Z", "2027-02-10T12:00:00Z").kwh(2);
  EXPECT_EQ(account_of(run, sites.lookup()).split->real, g(240));
}

TEST(Split, time_place_and_efficiency_sum_to_what_was_saved) {
  const auto sites = RealisedSites{}
                         .site("es", "2027-06-14T08:00:00Z", {241.337, 300.001, 260.7, 219.99, 191.3, 123.4, 90.1, 151})
                         .site("fr", "2027-06-14T08:00:00Z", {41.3, 40.1, 39.7, 38.2, 37.9, 37.1, 36.4, 35.2}, 1.17);
  RunBuilder builder;
  builder.submitted("2027-06-14T08:07:13Z")
      .ran("2027-06-14T11:01:59Z", "2027-06-14T13:22:01Z")
      .site("fr")
      .kwh(1.234567);
  builder.home("es", 1.31);
  builder.run().cap = PowerCap{power_from_watts(490), Duration{3600 * 11}, power_from_watts(700), Duration{3600 * 10}};
  const RunAccount account = account_of(builder, sites.lookup());
  ASSERT_TRUE(account.split);
  const Split& split = *account.split;
  EXPECT_EQ(split.by_time() + split.by_place() + split.by_efficiency(), split.saved());
  EXPECT_GT(split.by_place().base(), 0);
  // 700·10 ÷ (490·11) = 1.2987 times the energy without the cap.
  EXPECT_GT(split.by_efficiency().base(), 0);
  EXPECT_TRUE(account.modelled);
}

TEST(Split, costs_what_each_hour_cost_at_the_buildings_meter) {
  auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {100, 100, 100}, 1.5);
  RunBuilder builder;
  builder.home("es", 1.5).ran("2027-06-14T08:00:00Z", "2027-06-14T11:00:00Z").kwh_by_hour({2, 1, 4});
  EXPECT_FALSE(account_of(builder, sites.lookup()).cost) << "no prices are no price of zero";
  sites.prices("es", "2027-06-14T08:00:00Z", {60, 0, -20});
  // 1.5 · (2 · 0.060 + 1 · 0 - 4 · 0.020) EUR
  EXPECT_EQ(account_of(builder, sites.lookup()).cost, Money::of_base(60'000));
}

TEST(Split, of_a_run_whose_last_second_has_no_price_the_cost_is_unknown) {
  auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {100, 100, 100});
  sites.prices("es", "2027-06-14T08:00:00Z", {60, 60});
  EXPECT_TRUE(account_of(RunBuilder{}.ran("2027-06-14T08:00:00Z", "2027-06-14T10:00:00Z").kwh(1), sites.lookup()).cost);
  const RunAccount account =
      account_of(RunBuilder{}.ran("2027-06-14T08:00:00Z", "2027-06-14T10:00:01Z").kwh(1), sites.lookup());
  EXPECT_FALSE(account.cost);
  EXPECT_TRUE(account.split);
}

TEST(Split, without_its_cap_the_measured_profile_is_shorter_and_hungrier_by_the_modes_ratios) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {100, 200, 400, 400});
  RunBuilder builder;
  builder.ran("2027-06-14T08:00:00Z", "2027-06-14T10:00:00Z").kwh(1);
  builder.run().cap = PowerCap{power_from_watts(400), Duration{7200}, power_from_watts(1000), Duration{3600}};
  const RunAccount account = account_of(builder, sites.lookup());
  // Uncapped: 1 kWh · (1000·1) ÷ (400·2) = 1.25 kWh in the first hour alone.
  EXPECT_EQ(account.split->baseline, g(125));
  EXPECT_EQ(account.split->elsewhere, g(125));
  EXPECT_EQ(account.split->real, g(150));
  EXPECT_EQ(account.split->by_efficiency(), g(-25)) << "a cap that runs into dirty hours costs; the loss stays";
}

TEST(Split, failed_attempts_belong_to_the_job_and_the_baseline_knows_no_pauses) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {100, 200, 300, 400, 500, 600});
  const scheduler::Run run = RunBuilder{}
                                 .submitted("2027-06-14T08:00:00Z")
                                 .ran("2027-06-14T10:00:00Z", "2027-06-14T11:00:00Z")
                                 .kwh(1)
                                 .then("2027-06-14T13:00:00Z", "2027-06-14T14:00:00Z")
                                 .kwh(2);
  const RunAccount account = account_of(run, sites.lookup());
  EXPECT_EQ(account.energy->energy, energy_from_kwh(3));
  EXPECT_EQ(account.split->baseline, g(100 + 2 * 200));
  EXPECT_EQ(account.split->real, g(300 + 2 * 600));
  EXPECT_EQ(account.split->saved(), g(-1000)) << "a loss stays a loss";
}

TEST(Split, each_place_has_its_own_pue_and_home_keeps_the_one_of_submission) {
  const auto sites =
      RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {200}, 1.9).site("fr", "2027-06-14T08:00:00Z", {50}, 1.2);
  const scheduler::Run run =
      RunBuilder{}.home("es", 1.5).site("fr").ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(1);
  const RunAccount account = account_of(run, sites.lookup());
  EXPECT_EQ(account.split->baseline, g(300));
  EXPECT_EQ(account.split->real, g(60));
  EXPECT_EQ(*account.facility, energy_from_kwh(1.2));
}

TEST(Split, a_run_without_energy_is_not_assessed_rather_than_zero) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {200});
  RunBuilder builder;
  builder.ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z");
  EXPECT_EQ(account_of(builder, sites.lookup()).assessment, Assessment::energy_unknown);
  EnergyFigure unknown;
  unknown.energy = energy_from_kwh(5);
  builder.attempt().figures = {unknown};
  EXPECT_EQ(account_of(builder, sites.lookup()).energy, std::nullopt);
}

TEST(Split, a_hole_in_realised_intensity_leaves_the_run_unassessed_with_its_energy_known) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {200, 0, 200});
  const scheduler::Run run = RunBuilder{}.ran("2027-06-14T08:00:00Z", "2027-06-14T10:00:00Z").kwh(1);
  const RunAccount account = account_of(run, sites.lookup());
  EXPECT_EQ(account.assessment, Assessment::no_intensity);
  EXPECT_EQ(account.energy->energy, energy_from_kwh(1));
  EXPECT_FALSE(account.split);
  EXPECT_FALSE(account.sites.front().emissions);
}

TEST(Split, a_hole_in_the_baselines_hours_keeps_the_inventory_and_no_saving) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {0, 200, 200});
  const scheduler::Run run =
      RunBuilder{}.submitted("2027-06-14T08:00:00Z").ran("2027-06-14T09:00:00Z", "2027-06-14T10:00:00Z").kwh(1);
  const RunAccount account = account_of(run, sites.lookup());
  EXPECT_EQ(account.assessment, Assessment::no_home_intensity);
  EXPECT_EQ(account.sites.front().emissions, g(200));
  EXPECT_FALSE(account.split);
}

TEST(Split, a_site_that_is_not_known_is_said) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {200});
  const scheduler::Run away = RunBuilder{}.site("mars").ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(1);
  EXPECT_EQ(account_of(away, sites.lookup()).assessment, Assessment::site_unknown);
  const scheduler::Run from = RunBuilder{}.home("mars").ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(1);
  EXPECT_EQ(account_of(from, sites.lookup()).assessment, Assessment::site_unknown);
}

TEST(Split, forecast_hours_are_not_realised) {
  Step forecast{{at("2027-06-14T08:00:00Z"), at("2027-06-14T09:00:00Z")}, intensity_from_grams_per_kwh(100)};
  forecast.kind = ReadingKind::forecast;
  const auto sites = RealisedSites{}.add("es", {forecast});
  const scheduler::Run run = RunBuilder{}.ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(1);
  EXPECT_EQ(account_of(run, sites.lookup()).assessment, Assessment::no_intensity);
}

TEST(Split, a_yearly_factor_steps_in_only_where_nothing_was_realised_and_is_counted_as_such) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {150, 0}, 1, 165);
  const scheduler::Run run = RunBuilder{}.ran("2027-06-14T08:00:00Z", "2027-06-14T10:00:00Z").kwh(4);
  const RunAccount account = account_of(run, sites.lookup());
  EXPECT_EQ(account.split->real, g(300 + 330));
  EXPECT_EQ(account.real->fallback, energy_from_kwh(2));
}

TEST(Split, figures_of_two_boundaries_are_never_added) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {100});
  RunBuilder builder;
  builder.ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(2);
  EnergyFigure board = builder.attempt().figures.front();
  board.boundary = EnergyBoundary::board;
  board.energy = energy_from_kwh(1.5);
  EnergyFigure node = board;
  node.boundary = EnergyBoundary::node;
  node.energy = energy_from_kwh(2);
  builder.attempt().figures = {board, node};
  EXPECT_EQ(account_of(builder, sites.lookup()).energy->energy, energy_from_kwh(2));
  // A second attempt that only the board's meter saw: then the board counts in both.
  builder.then("2027-06-14T08:30:00Z", "2027-06-14T09:00:00Z");
  builder.attempt().figures = {board};
  const auto energy = account_of(builder, sites.lookup()).energy;
  EXPECT_EQ(energy->boundary, EnergyBoundary::board);
  EXPECT_EQ(energy->energy, energy_from_kwh(3));
}

TEST(Split, shares_of_sites_sum_to_the_run_to_the_milligram) {
  const auto sites = RealisedSites{}
                         .site("es", "2027-06-14T08:00:00Z", {0.001, 0.001, 0.001})
                         .site("fr", "2027-06-14T08:00:00Z", {0.001, 0.001, 0.001});
  const scheduler::Run run = RunBuilder{}
                                 .ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z")
                                 .kwh(0.5)
                                 .then("2027-06-14T09:00:00Z", "2027-06-14T10:00:00Z")
                                 .site("fr")
                                 .kwh(0.5);
  const RunAccount account = account_of(run, sites.lookup());
  Emissions sum;
  for (const SiteShare& share : account.sites) sum += *share.emissions;
  EXPECT_EQ(sum, account.split->real);
}

TEST(Split, the_two_causes_of_uncertainty_stay_apart) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {400, 100});
  const scheduler::Run run =
      RunBuilder{}.submitted("2027-06-14T08:00:00Z").ran("2027-06-14T09:00:00Z", "2027-06-14T10:00:00Z").kwh(1);
  const auto uncertainty = *account_of(run, sites.lookup()).uncertainty;
  EXPECT_EQ(uncertainty.energy, g(15)) << "5 % of the 300 g that were saved";
  EXPECT_EQ(uncertainty.intensity, Emissions::of_base(20616)) << "√(20² + 5²)";
  EXPECT_EQ(uncertainty.both, Emissions::of_base(25495));
}

TEST(Split, where_nothing_moved_the_grids_error_is_on_both_sides) {
  const auto sites = RealisedSites{}.site("es", "2027-06-14T08:00:00Z", {400});
  const scheduler::Run run = RunBuilder{}.ran("2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z").kwh(1);
  EXPECT_EQ(account_of(run, sites.lookup()).uncertainty->both, g(0));
}

}  // namespace
}  // namespace valle::scheduler
