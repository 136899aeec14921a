// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "connectors/energy_files/opencost.hpp"
#include "connectors/energy_files/priors.hpp"
#include "connectors/energy_files/ptdaemon.hpp"

namespace valle::connectors::energy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

scheduler::Result<WattmeterLog> meter(const std::string& text) {
  std::istringstream file{text};
  return read_ptdaemon(file);
}

TEST(PTDaemon, readings_are_taken_and_everything_else_is_passed_over) {
  const auto log = meter(
      "Time,02-10-2027 08:00:00.250,Watts,410.5,Volts,230.1,Amps,1.8,PF,0.98,Mark,run\n"
      "Time,02-10-2027 08:00:00.250,Watts,410.5,Volts,230.1,Amps,1.8,PF,0.98,Mark,run\n"
      "02-10-2027 08:00:01.001: NOTICE: Buffer was 12 samples\n"
      "Time,02-10-2027 08:00:02.250,Watts,-1.000000,Volts,-1,Amps,-1,PF,-1,Mark,run\n"
      "Time,02-10-2027 08:00:03.250,Watts,nan,Volts,230,Amps,1,PF,1,Mark,run\n"
      "Time,02-10-2027 08:00:01.250,Watts,420.25,Volts,-1,Amps,-1,PF,-1,Mark,run,Analyzer0,Watts,210,Volts,230\n"
      "ERROR: the meter is away\n");
  ASSERT_TRUE(log);
  ASSERT_EQ(log->samples.size(), 2u);
  EXPECT_EQ(log->samples[0].power, scheduler::power_from_watts(410.5));
  EXPECT_EQ(log->samples[1].power, scheduler::power_from_watts(420.25)) << "the combined reading, in order of time";
  EXPECT_EQ(log->samples[0].at, *scheduler::parse_instant("2027-02-10T08:00:00Z") + std::chrono::milliseconds{250});
  EXPECT_EQ(log->repeated, 1u);
  EXPECT_EQ(log->invalid, 2u);
}

TEST(PTDaemon, a_file_without_readings_is_refused) {
  EXPECT_FALSE(meter(""));
  EXPECT_FALSE(meter("Time,yesterday,Watts,12,Mark,x\nTime,2027-02-10 08:00:00.250,Watts,1,Mark,x\n"));
}

TEST(Priors, ai_energy_score_tells_a_task_of_a_thousand_queries) {
  const auto summary =
      read_ai_energy_score(R"({"units":"Wh","total":52.3,"preprocess_wh":0.1,"prefill_wh":10.0,"decode_wh":42.2})");
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->each, scheduler::query_energy_from_watt_hours(0.0523));
  EXPECT_EQ(read_ai_energy_score("52.30\n")->each, summary->each);
  EXPECT_EQ(read_ai_energy_score("5.23\n", 100)->each, summary->each);
  EXPECT_FALSE(read_ai_energy_score(R"({"units":"kWh","total":52.3})"));
  EXPECT_FALSE(read_ai_energy_score(R"({"units":"Wh"})"));
  EXPECT_THAT(read_ai_energy_score("0.00\n").error().detail, HasSubstr("unknown"));
  EXPECT_FALSE(read_ai_energy_score("52.3", 0));
}

TEST(Priors, ml_energy_tells_joules_a_request) {
  const auto prior = read_ml_energy(
      R"json({"Model":"SimianLuo/LCM_Dreamshaper_v7","GPU model":"NVIDIA A100-SXM4-40GB","Batch size":1,
          "Batch energy (J)":360.0,"Energy per image (J)":360.0})json");
  ASSERT_TRUE(prior);
  EXPECT_EQ(prior->each, scheduler::query_energy_from_watt_hours(0.1));
  EXPECT_EQ(prior->model, "SimianLuo/LCM_Dreamshaper_v7");
  EXPECT_EQ(prior->board, "NVIDIA A100-SXM4-40GB");
  EXPECT_FALSE(read_ml_energy(R"({"Model":"x"})"));
  EXPECT_FALSE(read_ml_energy(""));
}

TEST(OpenCost, allocations_share_idle_energy_to_the_last_unit) {
  const auto allocations = read_allocations(
      R"({"code":200,"data":[
        {"lab/fit":{"name":"lab/fit","properties":{"node":"n1","labels":{"a":"b"}},"start":"2027-02-10T08:00:00Z",
                    "end":"2027-02-10T09:00:00Z","minutes":60,"cpuCoreHours":2,"gpuHours":1,"ramByteHours":1073741824},
         "web/api":{"name":"web/api","properties":{"node":"n1"},"start":"2027-02-10T08:00:00Z",
                    "end":"2027-02-10T09:00:00Z","minutes":60,"cpuCoreHours":1},
         "__idle__":{"cpuCoreHours":13}},
        {"lab/fit":{"cpuCoreHours":1},"web/api":{"cpuCoreHours":null}}]})");
  ASSERT_TRUE(allocations);
  ASSERT_EQ(allocations->size(), 4u);
  EXPECT_EQ(allocations->at(0).node, "n1");
  EXPECT_DOUBLE_EQ(allocations->at(0).memory_gib_hours, 1);
  EXPECT_EQ(allocations->at(0).ran->length(), std::chrono::hours{1});
  const auto shares = shared_by_cores(scheduler::Energy::of_base(1001), *allocations);
  EXPECT_THAT(shares, ElementsAre(Pair("lab/fit", scheduler::Energy::of_base(751)),
                                  Pair("web/api", scheduler::Energy::of_base(250))));
  EXPECT_TRUE(shared_by_cores(scheduler::Energy::of_base(1001), {}).empty());
}

TEST(OpenCost, its_zero_carbon_means_unknown) {
  const auto carbon =
      read_asset_carbon(R"({"code":200,"data":{"node-a":{"co2e":1.25},"node-b":{"co2e":0},"disk":{}}})");
  ASSERT_TRUE(carbon);
  EXPECT_THAT(*carbon, ElementsAre(Pair("disk", std::nullopt), Pair("node-a", std::optional{1.25}),
                                   Pair("node-b", std::nullopt)));
}

TEST(OpenCost, answers_without_data_are_the_sources_failure) {
  for (const auto* body : {R"({"code":500,"message":"boundary error"})", R"({"code":200,"data":null})", R"({})"}) {
    EXPECT_EQ(read_allocations(body).error().code, scheduler::Errc::source_unavailable) << body;
    EXPECT_EQ(read_asset_carbon(body).error().code, scheduler::Errc::source_unavailable) << body;
  }
  EXPECT_FALSE(read_allocations("<html>"));
}

}  // namespace
}  // namespace valle::connectors::energy
