// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace valle::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Energy kilowatt_hours(double number) { return energy_from_kwh(number); }

/// Runs of so many minutes, the first the oldest; the energy of each in kWh is its minutes.
std::vector<PastRun> runs_of(std::initializer_list<int> lengths, EnergyBoundary boundary = EnergyBoundary::pod) {
  std::vector<PastRun> runs;
  Instant finished{hours{1000}};
  for (const int length : lengths) {
    runs.push_back({finished, minutes{length}, {{boundary, kilowatt_hours(length)}}});
    finished += hours{24};
  }
  return runs;
}

struct Shape {
  std::vector<ContainerShape> containers{{"registry.lab:5000/team/train:v7", {"python", "train.py", "--epochs=3"}}};
  std::vector<ResourceDemand> demand{{"gpu", Amount::of_base(8000)}, {"cpu", Amount::of_base(32000)}};
  std::string board_model = "NVIDIA-H100-80GB-HBM3";
  [[nodiscard]] JobSignature signature() const {
    const std::vector pods{signature_of(containers)};
    return signature_of(pods, demand, board_model);
  }
};

TEST(JobSignature, equal_shapes_meet_and_each_difference_tells) {
  const auto known = Shape{}.signature();
  EXPECT_EQ(known, Shape{}.signature());
  EXPECT_EQ(known.exact.size(), 32u);

  Shape other_order;
  std::swap(other_order.demand[0], other_order.demand[1]);
  EXPECT_EQ(known, other_order.signature()) << "the order of resources means nothing";

  Shape command;
  command.containers[0].command[2] = "--epochs=30";
  Shape demand;
  demand.demand[0].amount = Amount::of_base(4000);
  Shape board;
  board.board_model = "NVIDIA-H100-PCIe";
  Shape image;
  image.containers[0].image = "registry.lab:5000/team/tune:v7";
  Shape cut_elsewhere;
  cut_elsewhere.containers[0].command = {"python", "train.py--epochs=3", ""};
  for (const auto& shape : {command, demand, board, image, cut_elsewhere}) {
    EXPECT_NE(known.exact, shape.signature().exact);
    EXPECT_NE(known.family, shape.signature().family);
  }
}

TEST(JobSignature, a_new_build_is_of_the_same_family) {
  Shape next;
  next.containers[0].image = "registry.lab:5000/team/train:v8@sha256:0123";
  EXPECT_NE(Shape{}.signature().exact, next.signature().exact);
  EXPECT_EQ(Shape{}.signature().family, next.signature().family);
  EXPECT_EQ(image_without_tag("registry.lab:5000/team/train"), "registry.lab:5000/team/train");
  EXPECT_EQ(image_without_tag("train:v7"), "train");
  EXPECT_EQ(image_without_tag("train@sha256:01"), "train");
  EXPECT_EQ(image_without_tag(""), "");
}

TEST(Learning, percentiles_are_values_that_were_seen) {
  const auto learned = learn(runs_of({50, 10, 40, 20, 30}));
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->runs, 5u);
  EXPECT_EQ(learned->run_time, (Spread<Duration>{minutes{10}, minutes{30}, minutes{50}}));
  EXPECT_EQ(learned->planned_run_time, minutes{40}) << "four of five took no longer";
  ASSERT_EQ(learned->energy.size(), 1u);
  EXPECT_EQ(learned->energy[0].spread, (Spread<Energy>{kilowatt_hours(10), kilowatt_hours(30), kilowatt_hours(50)}));
  EXPECT_FALSE(learned->drifted);
}

TEST(Learning, two_runs_teach_nothing) {
  EXPECT_FALSE(learn(runs_of({10, 10})));
  EXPECT_FALSE(learn({}));
  EXPECT_TRUE(learn(runs_of({10, 10, 10})));
}

TEST(Learning, only_the_newest_twenty_count) {
  auto runs = runs_of({1});
  for (int i = 0; i < 20; ++i) runs.push_back({Instant{hours{2000 + i}}, minutes{60 + i % 2}, {}});
  const auto learned = learn(runs);
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->runs, 20u);
  EXPECT_EQ(learned->run_time.low, minutes{60});
}

TEST(Learning, the_order_of_the_runs_changes_nothing) {
  auto runs = runs_of({50, 10, 40, 20, 30, 55, 35, 25, 15, 45});
  const auto learned = learn(runs);
  std::mt19937 random{7};
  for (int i = 0; i < 20; ++i) {
    std::shuffle(runs.begin(), runs.end(), random);
    EXPECT_EQ(learn(runs), learned);
  }
}

TEST(Learning, boundaries_are_learned_apart) {
  auto runs = runs_of({10, 11, 12}, EnergyBoundary::pod);
  for (auto& run : runs_of({100, 110, 120}, EnergyBoundary::board)) runs.push_back(run);
  runs.push_back({Instant{hours{5000}}, minutes{10}, {{EnergyBoundary::wall, kilowatt_hours(999)}}});
  const auto learned = learn(runs);
  ASSERT_TRUE(learned);
  ASSERT_EQ(learned->energy.size(), 2u) << "one run of the wall teaches nothing";
  EXPECT_EQ(planned_energy(*learned, true)->boundary, EnergyBoundary::board);
  EXPECT_EQ(planned_energy(*learned, true)->spread.median, kilowatt_hours(110));
  EXPECT_EQ(planned_energy(*learned, false)->boundary, EnergyBoundary::pod);
  EXPECT_EQ(planned_energy(*learned, false)->spread.median, kilowatt_hours(11));
}

TEST(Learning, what_the_caller_posted_comes_first_and_pods_alone_are_not_a_job_with_boards) {
  auto posted = runs_of({10, 11, 12}, EnergyBoundary::job);
  for (auto& run : posted) run.energy.push_back({EnergyBoundary::node, kilowatt_hours(50)});
  EXPECT_EQ(planned_energy(*learn(posted), false)->boundary, EnergyBoundary::job);
  EXPECT_EQ(planned_energy(*learn(runs_of({10, 11, 12}, EnergyBoundary::pod)), true), nullptr);
  EXPECT_EQ(planned_energy(*learn(runs_of({10, 11, 12}, EnergyBoundary::board)), false), nullptr);
}

TEST(Drift, a_level_that_changed_is_flagged_and_only_what_came_after_counts) {
  const auto learned = learn(runs_of({60, 62, 61, 63, 60, 90, 91, 92, 93}));
  ASSERT_TRUE(learned);
  EXPECT_TRUE(learned->drifted);
  EXPECT_EQ(learned->runs, 4u);
  EXPECT_EQ(learned->run_time.median, minutes{91});
  EXPECT_TRUE(learned->energy.at(0).drifted);
  EXPECT_TRUE(learn(runs_of({90, 91, 92, 93, 60, 62, 61, 63}))->drifted) << "also downwards";
}

TEST(Drift, neither_scatter_nor_a_small_step_nor_too_few_runs_are_a_drift) {
  EXPECT_FALSE(learn(runs_of({60, 90, 61, 91, 62, 92, 63, 93, 60}))->drifted);
  EXPECT_FALSE(learn(runs_of({100, 101, 102, 100, 103, 104, 105, 106}))->drifted) << "under a tenth";
  EXPECT_FALSE(learn(runs_of({60, 61, 62, 90, 91, 92, 93}))->drifted) << "three before are too few";
}

TEST(Teaching, only_whole_and_consistent_figures_teach) {
  EnergyFigure good{.quality = EnergyQuality::measured, .energy = kilowatt_hours(1), .coverage = k_one};
  EXPECT_TRUE(teaches(good));
  auto unknown = good;
  unknown.quality = EnergyQuality::unknown;
  auto nothing = good;
  nothing.energy = Energy{};
  auto gaps = good;
  gaps.coverage = Ratio::of_base(949'999);
  auto incomplete = good;
  incomplete.complete = false;
  auto contradicting = good;
  contradicting.notes = {std::string{k_not_for_estimates} + ": …"};
  for (const auto& figure : {unknown, nothing, gaps, incomplete, contradicting}) EXPECT_FALSE(teaches(figure));
}

TEST(Priors, boards_are_known_as_drivers_and_node_labels_spell_them) {
  EXPECT_EQ(board_prior("NVIDIA-H100-80GB-HBM3")->rated, power_from_watts(700));
  EXPECT_EQ(board_prior("NVIDIA-H100-80GB-HBM3")->best_high, power_from_watts(560));
  EXPECT_EQ(board_prior("NVIDIA H100 PCIe")->rated, power_from_watts(350));
  EXPECT_EQ(board_prior("NVIDIA-A100-SXM4-80GB")->rated, power_from_watts(400));
  EXPECT_EQ(board_prior("NVIDIA-A100-80GB-PCIe-SHARED")->rated, power_from_watts(300));
  EXPECT_EQ(board_prior("l40s")->lowest_cap, power_from_watts(100));
  EXPECT_EQ(board_prior("NVIDIA-GeForce-RTX-5090")->rated, power_from_watts(575));
  EXPECT_EQ(board_prior("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"), std::nullopt);
  EXPECT_EQ(board_prior("Tesla-T4"), std::nullopt);
  EXPECT_EQ(board_prior(""), std::nullopt);
}

TEST(Priors, a_million_tokens_on_eight_boards) {
  const Power boards = power_from_watts(8 * 700);
  const auto each = token_energy(boards, 2800);
  EXPECT_DOUBLE_EQ(joules(each), 2.0);
  const Energy million = energy_of_tokens(1'000'000, each);
  EXPECT_NEAR(kwh(million), 0.5556, 5e-5);
  EXPECT_NEAR(kwh(at_facility(million, Ratio::of_base(1'400'000))), 0.7778, 5e-5);
  EXPECT_NEAR(joules(token_energy(boards, 4200)), 1.333, 5e-4) << "at lower precision";
  const Ratio pue = Ratio::of_base(1'400'000);
  for (const auto& [price, grams, cost, carbon] :
       {std::tuple{58.0, 40.0, 0.045, 31.0}, {54.0, 160.0, 0.042, 125.0}, {91.0, 363.0, 0.071, 283.0}}) {
    const auto batch = batch_cost(million, pue, price_from_eur_per_mwh(price), intensity_from_grams_per_kwh(grams));
    EXPECT_NEAR(eur(batch.money), cost, 6e-4);
    EXPECT_NEAR(scheduler::grams(batch.emissions), carbon, 1.0);
  }
}

TEST(Priors, a_million_queries_at_half_a_watt_hour) {
  const Energy energy = energy_of_queries(1'000'000, query_energy_from_watt_hours(0.5));
  EXPECT_EQ(energy, energy_from_kwh(500));
  const auto batch = batch_cost(energy, k_one, price_from_eur_per_mwh(150), intensity_from_grams_per_kwh(400));
  EXPECT_DOUBLE_EQ(eur(batch.money), 75);
  EXPECT_DOUBLE_EQ(grams(batch.emissions), 200'000);
  EXPECT_EQ(batch.facility, energy);
}

TEST(Priors, a_cap_counts_with_what_is_drawn_and_what_is_lost) {
  const auto capped =
      capped_token_energy(power_from_watts(8 * 490), Ratio::of_base(900'000), 2800, Ratio::of_base(925'000));
  EXPECT_NEAR(joules(capped), 8 * 490 * 0.9 / (2800 * 0.925), 1e-6);
}

}  // namespace
}  // namespace valle::scheduler
