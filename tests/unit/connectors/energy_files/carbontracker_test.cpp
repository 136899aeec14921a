// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/carbontracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace valle::connectors::energy {
namespace {

using scheduler::EnergyBoundary;
using scheduler::EnergyQuality;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct Log {
  std::vector<ToolRun> runs;
  ReadSummary summary;
};

scheduler::Result<Log> read(std::string_view output, std::string_view standard = {}, const LocalClock& clock = {}) {
  Log log;
  auto summary =
      read_carbontracker(output, standard, clock, [&log](ToolRun run) { log.runs.push_back(std::move(run)); });
  if (!summary) return tl::unexpected{summary.error()};
  log.summary = *std::move(summary);
  return log;
}

// As version 2.4.7 writes it, on a machine whose power it can't read.
constexpr std::string_view k_output =
    "2026-11-30 21:17:51 - CarbonTracker: The following components were found: CPU with device(s) AMD EPYC.\n"
    "2026-11-30 21:18:03 - CarbonTracker: \n"
    "Predicted consumption for 4 epoch(s):\n"
    "\tTime:\t0:00:48\n"
    "\tEnergy:\t0.001264007534 kWh\n"
    "\tCO2eq:\t0.562483352642 g\n"
    "\tThis is equivalent to:\n"
    "\t0.005266698058 km travelled by car\n"
    "2026-11-30 21:18:39 - CarbonTracker: Average carbon intensity during training was 445.00 gCO2eq/kWh. \n"
    "2026-11-30 21:18:39 - CarbonTracker: \n"
    "Actual consumption for 4 epoch(s):\n"
    "\tTime:\t0:00:48\n"
    "\tEnergy:\t0.001264008419 kWh\n"
    "\tCO2eq:\t0.562483746578 g\n"
    "2026-11-30 21:18:39 - CarbonTracker: Finished monitoring.\n";

TEST(CarbonTracker, its_fixed_pue_is_divided_out) {
  const auto log = read(k_output);
  ASSERT_TRUE(log);
  ASSERT_EQ(log->runs.size(), 1u);
  const auto& run = log->runs[0];
  EXPECT_NEAR(scheduler::kwh(run.figures[0].energy), 60.0 * 48 / 3.6e6, 5.1e-7);
  EXPECT_EQ(run.epochs, 4);
  EXPECT_EQ(run.ran->end, *scheduler::parse_instant("2026-11-30T21:18:39Z"));
  EXPECT_EQ(run.ran->length(), std::chrono::seconds{48});
  EXPECT_EQ(run.figures[0].boundary, EnergyBoundary::node);
  EXPECT_EQ(run.figures[0].quality, EnergyQuality::estimated);
}

TEST(CarbonTracker, a_prediction_is_never_taken) {
  const auto log = read(
      "2027-02-10 09:00:00 - Predicted consumption for 50 epoch(s):\n\tTime:\t10:50:00\n\tEnergy:\t7.900000000000 kWh\n"
      "\tCO2eq:\t1800.0 g\n2027-02-10 09:52:00 - Actual consumption for 4 epoch(s):\n\tTime:\t0:52:00\n"
      "\tEnergy:\t0.632000000000 kWh\n\tCO2eq:\t144.0 g\n");
  ASSERT_TRUE(log);
  ASSERT_EQ(log->runs.size(), 1u);
  EXPECT_DOUBLE_EQ(scheduler::kwh(log->runs[0].figures[0].energy), 0.4);
  EXPECT_EQ(log->runs[0].epochs, 4);

  const auto predicted_only = read(
      "2027-02-10 09:00:00 - Predicted consumption for 50 epoch(s):\n\tTime:\t10:50:00\n"
      "\tEnergy:\t7.9 kWh\n\tCO2eq:\t1800.0 g\n");
  ASSERT_TRUE(predicted_only);
  EXPECT_THAT(predicted_only->runs, IsEmpty());
}

TEST(CarbonTracker, a_prediction_after_the_actual_block_does_not_change_it) {
  const auto log = read(
      "2027-02-10 09:52:00 - Actual consumption for 4 epoch(s):\n\tTime:\t0:52:00\n\tEnergy:\t0.632 kWh\n"
      "Predicted consumption for 9 epoch(s):\n\tTime:\t9:00:00\n\tEnergy:\t9.9 kWh\n");
  ASSERT_TRUE(log);
  EXPECT_DOUBLE_EQ(scheduler::kwh(log->runs.at(0).figures[0].energy), 0.4);
}

TEST(CarbonTracker, carbon_that_is_no_number_leaves_the_energy) {
  const auto log = read(
      "2027-02-10 10:04:11 - Actual consumption for 6 epoch(s):\n\tTime:\t1:02:10\n"
      "\tEnergy:\t0.790000000000 kWh\n\tCO2eq:\tnan g\n");
  ASSERT_TRUE(log);
  EXPECT_DOUBLE_EQ(scheduler::kwh(log->runs.at(0).figures[0].energy), 0.5);
  EXPECT_EQ(log->runs[0].epochs, 6);
}

TEST(CarbonTracker, the_same_power_in_every_epoch_was_assumed) {
  const std::string_view assumed =
      "2026-11-30 21:18:03 - Average power usage (W) for cpu: 60.0\n"
      "2026-11-30 21:18:15 - Average power usage (W) for cpu: 60.0\n";
  const std::string_view seen =
      "2026-11-30 21:18:03 - Average power usage (W) for gpu: 251.25\n"
      "2026-11-30 21:18:15 - Average power usage (W) for gpu: 249.5\n";
  EXPECT_THAT(read(k_output, assumed)->runs.at(0).figures[0].notes, Contains(HasSubstr("assumed")));
  EXPECT_THAT(read(k_output, seen)->runs.at(0).figures[0].notes, IsEmpty());
}

TEST(CarbonTracker, boards_alone_are_their_own_boundary) {
  const auto log = read(
      "2027-02-10 09:00:00 - CarbonTracker: The following components were found: GPU with device(s) A100.\n"
      "2027-02-10 09:52:00 - CarbonTracker: \nActual consumption for 1 epoch(s):\n\tTime:\t0:52:00\n\tEnergy:\t1.58 "
      "kWh\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->runs.at(0).figures[0].boundary, EnergyBoundary::board);
}

TEST(CarbonTracker, broken_blocks_are_refused_with_their_line) {
  const auto log = read(
      "2027-02-10 09:52:00 - Actual consumption for 4 epoch(s):\n\tTime:\tsoon\n\tEnergy:\t0.632 kWh\n"
      "2027-02-10 09:53:00 - Actual consumption for 4 epoch(s):\n\tTime:\t0:52:00\n\tEnergy:\tnan kWh\n"
      "2027-02-10 09:54:00 - Actual consumption for 4 epoch(s):\n\tTime:\t0:52:00\n\tEnergy:\t0.0 kWh\n"
      "2027-02-10 09:55:00 - Actual consumption for 4 epoch(s):\n\tTime:\t0:52:00\n\tEnergy:\t632 Wh\n");
  ASSERT_TRUE(log);
  EXPECT_THAT(log->runs, IsEmpty());
  ASSERT_EQ(log->summary.refused, 4u);
  EXPECT_EQ(log->summary.first_refused[1].line, 4u);
}

TEST(CarbonTracker, other_files_are_refused) {
  EXPECT_THAT(read("").error().detail, HasSubstr("_output.log"));
  EXPECT_FALSE(read("2026-11-30 21:18:03 - Average power usage (W) for cpu: 60.0\n"));
  EXPECT_EQ(read(std::string(k_largest_log + 1, ' ')).error().code, scheduler::Errc::too_large);
}

}  // namespace
}  // namespace valle::connectors::energy
