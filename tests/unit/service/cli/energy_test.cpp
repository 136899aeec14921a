// SPDX-License-Identifier: Apache-2.0
// valle estimate and share-idle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/command_line.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using tests::Ran;
using tests::run_valle;

class EnergyCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::ofstream{path} << text;
    return path.string();
  }
  /// What is said on standard error, of a command that is refused.
  static std::string refused(const std::vector<std::string>& arguments) {
    const Ran ran = run_valle(arguments);
    EXPECT_EQ(ran.exit, 2) << ran.out;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
    return ran.err;
  }
  static json answer(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Ran ran = run_valle(arguments);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return json::parse(ran.out);
  }

 private:
  valle::tests::TemporaryFolder folder_;
};

TEST_F(EnergyCommand, tokens_by_their_joules) {
  // 2e9 × 0.25 J = 5e8 J = 138.888889 kWh
  const auto said = answer({"estimate", "--tokens", "2e9", "--joules-per-token", "0.25", "--pue", "1.2",
                            "--eur-per-mwh", "62.5", "--grams-per-kwh", "140"});
  EXPECT_DOUBLE_EQ(said["energyKwh"], 138.888889);
  EXPECT_DOUBLE_EQ(said["facilityKwh"], 166.666667);
  EXPECT_NEAR(said["costEur"], 10.416667, 1e-6);
  EXPECT_NEAR(said["carbonGrams"], 23333.333, 1e-3);
}

TEST_F(EnergyCommand, tokens_by_power_and_throughput_also_under_a_cap) {
  EXPECT_NEAR(
      answer({"estimate", "--tokens", "1000000", "--watts", "5600", "--tokens-per-second", "2800"})["energyKwh"],
      2e6 / 3.6e6, 1e-6);
  EXPECT_NEAR(answer({"estimate", "--tokens", "1000000", "--watts", "3920", "--tokens-per-second", "2800", "--drawn",
                      "0.9", "--kept", "0.925"})["energyKwh"],
              1e6 * 3920 * 0.9 / (2800 * 0.925) / 3.6e6, 1e-6);
}

TEST_F(EnergyCommand, queries_by_public_benchmarks) {
  const auto score = file("GPU_ENERGY_SUMMARY.json", R"({"units":"Wh","total":480})");
  EXPECT_DOUBLE_EQ(answer({"estimate", "--queries", "1000000", "--ai-energy-score", score})["energyKwh"], 480);
  EXPECT_DOUBLE_EQ(
      answer({"estimate", "--queries", "1000000", "--ai-energy-score", score, "--score-queries", "500"})["energyKwh"],
      960);
  const auto ml = file("ml.json", R"json({"Model":"m-8b","GPU model":"A100","Energy per request (J)":720})json");
  const auto said = answer({"estimate", "--queries", "1e3", "--ml-energy", ml});
  EXPECT_DOUBLE_EQ(said["energyKwh"], 0.2);
  EXPECT_THAT(said["from"].get<std::string>(), HasSubstr("m-8b, A100"));
  EXPECT_DOUBLE_EQ(answer({"estimate", "--queries", "4", "--wh-per-query", "0.5"})["energyKwh"], 0.002);
}

TEST_F(EnergyCommand, boards_as_rated_and_what_is_not_given_stays_unknown) {
  const auto said = answer({"estimate", "--gpu", "NVIDIA-H100-80GB-HBM3", "--gpus", "8", "--duration", "6h"});
  EXPECT_DOUBLE_EQ(said["energyKwh"], 33.6);
  EXPECT_TRUE(said["costEur"].is_null());
  EXPECT_TRUE(said["carbonGrams"].is_null());
  const Ran ran = run_valle({"estimate", "--gpu", "l40s", "--duration", "1h"});
  EXPECT_THAT(ran.out, HasSubstr("valle.sh/energy-kwh: \"0.350000\""));
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("EUR")));
}

TEST_F(EnergyCommand, an_estimate_that_can_not_be_made_says_what_is_missing) {
  EXPECT_THAT(refused({"estimate"}), HasSubstr("one of --queries, --tokens and --gpu"));
  EXPECT_THAT(refused({"estimate", "--tokens", "5", "--queries", "5"}), HasSubstr("--queries excludes --tokens"));
  EXPECT_THAT(refused({"estimate", "--queries", "5", "--joules-per-token", "1"}), HasSubstr("requires --tokens"));
  EXPECT_THAT(refused({"estimate", "--tokens", "5", "--watts", "1"}), HasSubstr("requires --tokens-per-second"));
  EXPECT_THAT(refused({"estimate", "--tokens", "5", "--joules-per-token", "1", "--kept", "0.9"}),
              HasSubstr("requires --watts"));
  EXPECT_THAT(refused({"estimate", "--tokens", "5"}), HasSubstr("--joules-per-token"));
  EXPECT_THAT(refused({"estimate", "--tokens", "1.5", "--joules-per-token", "1"}), HasSubstr("whole number"));
  EXPECT_THAT(refused({"estimate", "--tokens", "1", "--joules-per-token", "1"}), HasSubstr("milliwatt-hour"));
  EXPECT_THAT(refused({"estimate", "--tokens", "1e15", "--joules-per-token", "1e9"}), HasSubstr("1e9 kWh"));
  EXPECT_THAT(refused({"estimate", "--queries", "1e15", "--wh-per-query", "1e9"}), HasSubstr("1e9 kWh"));
  EXPECT_THAT(refused({"estimate", "--queries", "nan", "--wh-per-query", "1"}), HasSubstr("--queries"));
  EXPECT_THAT(refused({"estimate", "--queries", "10"}), HasSubstr("--wh-per-query"));
  EXPECT_THAT(refused({"estimate", "--gpu", "Tesla-T4", "--duration", "1h"}), HasSubstr("--watts"));
  EXPECT_THAT(refused({"estimate", "--gpu", "l40s"}), HasSubstr("--duration"));
  EXPECT_THAT(refused({"estimate", "--gpu", "l40s", "--duration", "0s"}), HasSubstr("--duration"));
  EXPECT_THAT(refused({"estimate", "--gpu", "l40s", "--duration", "1h", "--pue", "0.9"}), HasSubstr("--pue"));
  EXPECT_THAT(refused({"estimate", "--queries", "1", "--ml-energy", "/nowhere"}), HasSubstr("can't be read"));
  EXPECT_THAT(refused({"estimate", "--queries", "1", "--ai-energy-score", file("bad.json", R"({"units":"kWh"})")}),
              HasSubstr("/units"));
}

TEST_F(EnergyCommand, idle_energy_goes_by_core_hours_and_sums_to_the_whole) {
  const auto allocations = file("allocation.json", R"({"code":200,"data":[
      {"lab":{"cpuCoreHours":2,"properties":{"node":"n1"}},"web":{"cpuCoreHours":1,"properties":{"node":"n2"}},
       "__idle__":{"cpuCoreHours":50}}]})");
  const auto shares = answer({"share-idle", "--allocations", allocations, "--idle-kwh", "1"})["shares"];
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_DOUBLE_EQ(shares[0]["idleKwh"], 0.666667);
  EXPECT_DOUBLE_EQ(shares[1]["idleKwh"], 0.333333);
  const auto one = answer({"share-idle", "--allocations", allocations, "--idle-kwh", "1", "--node", "n2"})["shares"];
  ASSERT_EQ(one.size(), 1U);
  EXPECT_DOUBLE_EQ(one[0]["idleKwh"], 1);
  EXPECT_THAT(refused({"share-idle", "--allocations", allocations, "--idle-kwh", "1", "--node", "n3"}),
              HasSubstr("nobody held a core of n3"));
  EXPECT_THAT(refused({"share-idle", "--allocations", allocations, "--idle-kwh", "-1"}), HasSubstr("--idle-kwh"));
  EXPECT_THAT(refused({"share-idle", "--allocations", file("e.json", "<html>"), "--idle-kwh", "1"}),
              HasSubstr("e.json"));
}

TEST_F(EnergyCommand, opencosts_zero_carbon_is_shown_as_unknown) {
  const auto allocations = file("allocation.json", R"({"code":200,"data":{"lab":{"cpuCoreHours":2}}})");
  const auto carbon = file("carbon.json", R"({"code":200,"data":{"n1":{"co2e":1.25},"n2":{"co2e":0}}})");
  const auto said = answer({"share-idle", "--allocations", allocations, "--idle-kwh", "1", "--carbon", carbon});
  EXPECT_DOUBLE_EQ(said["openCostCarbon"][0]["kilograms"], 1.25);
  EXPECT_TRUE(said["openCostCarbon"][1]["kilograms"].is_null());
  EXPECT_THAT(run_valle({"share-idle", "--allocations", allocations, "--idle-kwh", "1", "--carbon", carbon}).out,
              HasSubstr("unknown"));
}

}  // namespace
}  // namespace valle::service::cli
