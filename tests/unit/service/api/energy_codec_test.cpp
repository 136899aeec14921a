// SPDX-License-Identifier: Apache-2.0
#include "service/api/energy_codec.hpp"

#include <gtest/gtest.h>

namespace valle::service::api {
namespace {

using namespace scheduler;

Result<std::vector<AskedAttempt>> read(const std::string& text) { return read_asked_attempts(Json::parse(text)); }

TEST(EnergyCodec, reads_runs_with_their_pods) {
  const auto asked = read(R"({"runs":[{"id":"train","start":"2027-02-10T08:00:00Z","end":"2027-02-10T09:00:00Z","pods":[
      {"uid":"u1","namespace":"lab","name":"train-0","node":"n","gpuUuids":["GPU-1","GPU-2"]},
      {"name":"train-1","namespace":"lab","start":"2027-02-10T08:10:00Z","end":"2027-02-10T08:50:00Z"}]}]})");
  ASSERT_TRUE(asked) << asked.error().detail;
  ASSERT_EQ(asked->size(), 1U);
  const auto& [id, question] = asked->front();
  EXPECT_EQ(id, "train");
  ASSERT_EQ(question.pods.size(), 2U);
  EXPECT_EQ(question.pods[0].gpu_uuids.size(), 2U);
  EXPECT_EQ(question.pods[0].ran, question.ran);
  EXPECT_EQ(question.pods[1].ran.length(), std::chrono::minutes{40});
}

TEST(EnergyCodec, refuses_with_the_place) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "/runs"},
      {R"({"runs":[{}]})", "/runs/0/id"},
      {R"({"runs":[{"id":"a","start":"2027-02-10T08:00:00Z","end":"2027-02-10T08:00:00Z","pods":[]}]})", "/runs/0/end"},
      {R"({"runs":[{"id":"a","start":"2027-02-10T08:00:00Z","end":"2027-02-10T09:00:00Z","pods":[{}]}]})",
       "/runs/0/pods/0/uid"},
      {R"({"runs":[{"id":"a","start":"soon","end":"2027-02-10T09:00:00Z","pods":[]}]})", "/runs/0/start"},
      {R"({"runs":[{"id":"a","start":"2027-02-10T08:00:00Z","end":"2027-02-10T09:00:00Z","pods":[{"uid":"u","gpu":1}]}]})",
       "/runs/0/pods/0/gpu"},
  };
  for (const auto& [text, pointer] : wrong) {
    const auto asked = read(text);
    ASSERT_FALSE(asked) << text;
    EXPECT_EQ(asked.error().pointer, pointer) << asked.error().detail;
  }
}

TEST(EnergyCodec, writes_what_is_unknown_as_null) {
  EnergyFigure figure;
  figure.source = "prometheus";
  JsonWriter json;
  write_figure(json, figure);
  const Json written = Json::parse(json.text());
  EXPECT_EQ(written["quality"], "unknown");
  EXPECT_TRUE(written["energyKwh"].is_null());
  EXPECT_TRUE(written["idleKwh"].is_null());
}

TEST(EnergyCodec, writes_a_figure_with_all_that_stands_beside_it) {
  EnergyFigure figure;
  figure.boundary = EnergyBoundary::board;
  figure.quality = EnergyQuality::measured;
  figure.energy = energy_from_kwh(0.35);
  figure.uncertainty = energy_from_kwh(0.01);
  figure.coverage = Ratio::of_base(950'000);
  figure.notes = {"a note"};
  const Instant eight{std::chrono::seconds{1802246400}};
  figure.profile = {{{eight, eight + std::chrono::hours{1}}, energy_from_kwh(0.35)}};
  figure.uncovered = {{{eight, eight + std::chrono::seconds{9}}, "no samples"}};
  JsonWriter json;
  write_figure(json, figure);
  const Json written = Json::parse(json.text());
  EXPECT_EQ(written["boundary"], "board");
  EXPECT_EQ(written["energyKwh"], 0.35);
  EXPECT_EQ(written["coverage"], 0.95);
  EXPECT_EQ(written["profile"][0]["end"], "2027-02-10T09:00:00Z");
  EXPECT_EQ(written["uncovered"][0]["reason"], "no samples");
  EXPECT_EQ(written["notes"][0], "a note");
}

}  // namespace
}  // namespace valle::service::api
