// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/zeus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace valle::connectors::energy {
namespace {

using scheduler::EnergyBoundary;
using scheduler::EnergyQuality;
using scheduler::kwh;
using testing::Contains;
using testing::HasSubstr;

scheduler::Result<ToolRun> windows(const std::string& text, std::string_view name = {}) {
  std::istringstream file{text};
  return read_zeus_windows(file, name);
}

TEST(Zeus, windows_inside_others_are_not_counted_again) {
  const auto run = windows(
      "start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\n"
      "1802246400.5,epoch,99.0,18000,18000\n"
      "1802246500.0,epoch,99.5,18000,18000\n"
      "1802246400.0,training,200.0,36000,36000\n");
  ASSERT_TRUE(run) << run.error().detail;
  EXPECT_DOUBLE_EQ(kwh(run->figures[0].energy), 0.02);
  EXPECT_EQ(run->figures[0].boundary, EnergyBoundary::board);
  EXPECT_EQ(run->figures[0].quality, EnergyQuality::measured);
  EXPECT_EQ(run->ran->begin, scheduler::Instant{std::chrono::seconds{1802246400}});
  EXPECT_EQ(run->ran->length(), std::chrono::seconds{200});
}

TEST(Zeus, one_window_can_be_named) {
  const std::string text =
      "start_time,window_name,elapsed_time,gpu0_energy\n"
      "1802246400,a,100,3600\n"
      "1802246450,b,100,7200\n";
  EXPECT_THAT(windows(text).error().detail, HasSubstr("overlap"));
  EXPECT_DOUBLE_EQ(kwh(windows(text, "b")->figures[0].energy), 0.002);
  EXPECT_FALSE(windows(text, "c"));
}

TEST(Zeus, a_comma_at_the_end_of_each_line_is_its_own_field) {
  // As version 0.16.0 writes it where there is no board.
  const auto run = windows("start_time,window_name,elapsed_time,\n1802246400,a,100,\n");
  ASSERT_TRUE(run) << run.error().detail;
  EXPECT_EQ(run->figures[0].quality, EnergyQuality::unknown);
  EXPECT_THAT(run->figures[0].notes, Contains("no board was measured"));
  EXPECT_FALSE(run->teaches);
}

TEST(Zeus, a_board_that_reports_nothing_was_not_seen) {
  const auto run = windows("start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\n1802246400,a,0.05,12.5,0\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->figures[0].quality, EnergyQuality::unknown);
  EXPECT_EQ(run->figures[0].energy, scheduler::Energy{});
}

TEST(Zeus, what_lies_between_windows_is_not_covered) {
  const auto run =
      windows("start_time,window_name,elapsed_time,gpu0_energy\n1802246400,a,100,3600\n1802246600,a,100,3600\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->figures[0].quality, EnergyQuality::estimated);
  EXPECT_NEAR(scheduler::number(run->figures[0].coverage), 2.0 / 3, 1e-6);
  EXPECT_FALSE(run->teaches);
}

TEST(Zeus, broken_files_are_refused_with_the_line) {
  EXPECT_THAT(windows("").error().detail, HasSubstr("empty"));
  EXPECT_THAT(windows("a,b\n").error().detail, HasSubstr("start_time"));
  EXPECT_EQ(windows("start_time,window_name,elapsed_time,gpu0_energy\n1802246400,a,100\n").error().pointer, ":2");
  for (const auto* row :
       {"x,a,100,1", "1802246400,a,0,1", "1802246400,a,100,-1", "1802246400,a,100,nan", "1e30,a,1,1"}) {
    EXPECT_FALSE(windows("start_time,window_name,elapsed_time,gpu0_energy\n" + std::string{row} + "\n")) << row;
  }
}

TEST(Zeus, the_total_of_a_measurement_is_the_boards_alone) {
  const auto run = read_zeus_measurement(
      R"({"time":100.0,"gpu_energy":{"0":36000.0,"1":36000.0},"cpu_energy":{"0":7200.0},"dram_energy":{"0":3600.0},
          "soc_energy":null,"total_energy":72000.0})");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->figures.size(), 2u);
  EXPECT_DOUBLE_EQ(kwh(run->figures[0].energy), 0.02);
  EXPECT_EQ(run->figures[1].boundary, EnergyBoundary::node);
  EXPECT_DOUBLE_EQ(kwh(run->figures[1].energy), 0.003);
  EXPECT_EQ(run->ran, std::nullopt);
  EXPECT_TRUE(run->teaches);
}

TEST(Zeus, a_measurement_of_nothing_is_unknown) {
  const auto run = read_zeus_measurement(
      R"({"time":2.0002,"gpu_energy":{},"cpu_energy":null,"dram_energy":null,"soc_energy":null})");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->figures.size(), 1u);
  EXPECT_EQ(run->figures[0].quality, EnergyQuality::unknown);
  EXPECT_FALSE(run->teaches);
  EXPECT_EQ(read_zeus_measurement(R"({"time":0.02,"gpu_energy":{"0":0.0}})")->figures[0].quality,
            EnergyQuality::unknown);
  EXPECT_FALSE(read_zeus_measurement(R"({"gpu_energy":{}})"));
  EXPECT_FALSE(read_zeus_measurement("[]"));
  EXPECT_FALSE(read_zeus_measurement("nonsense"));
}

TEST(Zeusd, counters_are_subtracted_by_device) {
  const auto before = read_zeusd(R"({"0":{"energy_mj":1000000},"1":{"energy_mj":5000000}})",
                                 R"({"0":{"cpu_energy_uj":1000000,"dram_energy_uj":0}})");
  const auto after = read_zeusd(R"({"0":{"energy_mj":4600000},"1":{"energy_mj":8600000}})",
                                R"({"0":{"cpu_energy_uj":3601000000,"dram_energy_uj":3600000000}})");
  ASSERT_TRUE(before && after);
  const scheduler::Instant start{std::chrono::seconds{1802246400}};
  const auto run = zeusd_difference(*before, *after, {start, start + std::chrono::seconds{60}});
  ASSERT_EQ(run.figures.size(), 2u);
  EXPECT_DOUBLE_EQ(kwh(run.figures[0].energy), 0.002);
  EXPECT_DOUBLE_EQ(kwh(run.figures[1].energy), 0.002);
  EXPECT_TRUE(run.teaches);
}

TEST(Zeusd, a_counter_that_fell_or_vanished_is_unknown) {
  const scheduler::Interval minute{scheduler::Instant{}, scheduler::Instant{std::chrono::seconds{60}}};
  const auto before = *read_zeusd(R"({"0":{"energy_mj":9000}})", R"({"0":{"cpu_energy_uj":9,"dram_energy_uj":null}})");
  const auto reloaded =
      *read_zeusd(R"({"0":{"energy_mj":10}})", R"({"0":{"cpu_energy_uj":null,"dram_energy_uj":null}})");
  const auto run = zeusd_difference(before, reloaded, minute);
  ASSERT_EQ(run.figures.size(), 2u);
  EXPECT_EQ(run.figures[0].quality, EnergyQuality::unknown);
  EXPECT_EQ(run.figures[1].quality, EnergyQuality::unknown);
  EXPECT_FALSE(run.teaches);
  EXPECT_FALSE(read_zeusd("[]", ""));
  EXPECT_FALSE(read_zeusd("", "{"));
}

}  // namespace
}  // namespace valle::connectors::energy
