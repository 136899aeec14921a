// SPDX-License-Identifier: Apache-2.0
#include "service/api/best_slot_codec.hpp"

#include <gtest/gtest.h>

namespace valle::service::api {
namespace {

using namespace std::chrono_literals;
using scheduler::Errc;
using scheduler::Result;

Result<app::BestSlotRequest> read(std::string_view body) {
  return parse_json(body, k_request_limits).and_then([](const Json& json) { return read_best_slot(json); });
}

TEST(BestSlotCodec, reads_every_form_of_a_duration) {
  struct Row {
    std::string_view text;
    std::chrono::seconds seconds;
    std::string_view written;
  };
  for (const auto& [text, seconds, written] : {
           Row{"P2DT3H30M", 185400s, "P2DT3H30M"},
           Row{"PT0.5H", 1800s, "PT30M"},
           Row{"PT90M", 5400s, "PT1H30M"},
           Row{"P1D", 86400s, "P1D"},
           Row{"6h30m", 23400s, "PT6H30M"},
           Row{"5400", 5400s, "PT1H30M"},
           Row{"7d", 604800s, "P7D"},
       }) {
    const auto body = read(R"({"duration":")" + std::string{text} + R"("})");
    ASSERT_TRUE(body) << text;
    EXPECT_EQ(body->duration, seconds);
    const std::vector<MemberReader::Parameter> query{{"duration", std::string{text}}};
    EXPECT_EQ(read_best_slot_query(query)->duration, seconds);
    EXPECT_EQ(scheduler::format_duration(seconds), written);
  }
  EXPECT_EQ(read(R"({"duration":5400})")->duration, 5400s);
}

TEST(BestSlotCodec, refuses_what_is_no_duration_at_its_place) {
  for (const std::string text : {"P1M", "P1Y", "PT", "-PT1H", "3 hours", "", "1 day", "PT0S", "P31D", "1e3", "∞"}) {
    const auto body = read(R"({"duration":")" + text + R"("})");
    ASSERT_FALSE(body) << text;
    EXPECT_EQ(body.error().code, Errc::invalid_request);
    EXPECT_EQ(body.error().pointer, "/duration");
    const std::vector<MemberReader::Parameter> query{{"duration", text}};
    EXPECT_EQ(read_best_slot_query(query).error(), body.error()) << text;
  }
}

TEST(BestSlotCodec, refuses_bad_requests_with_code_and_place) {
  struct Row {
    std::string_view body;
    Errc code;
    std::string_view pointer;
  };
  for (const auto& [body, code, pointer] : {
           Row{R"({})", Errc::invalid_request, "/duration"},
           Row{R"([])", Errc::invalid_request, ""},
           Row{R"({"duration":"1h","duratoin":"1h"})", Errc::unknown_field, "/duratoin"},
           Row{R"({"duration":"1h","duration":"2h"})", Errc::invalid_request, "/duration"},
           Row{R"({"duration":"1h","finishBy":"2027-01-01T00:00:00Z","maxWait":"1h"})", Errc::invalid_request,
               "/maxWait"},
           Row{R"({"duration":"1h","finishBy":"2027-01-01T00:00:00Z","latestStart":"2027-01-01T00:00:00Z"})",
               Errc::invalid_request, "/latestStart"},
           Row{R"({"duration":"1h","energyKwh":1,"powerWatts":1})", Errc::invalid_request, "/powerWatts"},
           Row{R"({"duration":"1h","energyKwh":NaN})", Errc::invalid_request, ""},
           Row{R"({"duration":"1h","energyKwh":1e10})", Errc::invalid_request, "/energyKwh"},
           Row{R"({"duration":"1h","powerWatts":-5})", Errc::invalid_request, "/powerWatts"},
           Row{R"({"duration":"1h","options":0})", Errc::invalid_request, "/options"},
           Row{R"({"duration":"1h","options":25})", Errc::invalid_request, "/options"},
           Row{R"({"duration":"1h","minSavingPercent":101})", Errc::invalid_request, "/minSavingPercent"},
           Row{R"({"duration":"1h","earliestStart":"2027-01-01T00:00:00"})", Errc::invalid_request, "/earliestStart"},
           Row{R"({"duration":"1h","zones":[]})", Errc::invalid_request, "/zones"},
           Row{R"({"duration":"1h","zones":["FR","fr"]})", Errc::invalid_request, "/zones/1"},
           Row{R"({"duration":"1h","homeZone":["FR"]})", Errc::invalid_request, "/homeZone"},
           Row{R"({"duration":"1h","interruptible":true})", Errc::invalid_request, "/interruptible"},
           Row{R"({"duration":"1h","interruptible":{"minrun":"1h"}})", Errc::unknown_field, "/interruptible/minrun"},
           Row{R"({"duration":"1h","interruptible":{"maxPauses":-1}})", Errc::invalid_request,
               "/interruptible/maxPauses"},
           Row{R"({"duration":"1h","interruptible":{"restartEnergyKwh":"1"}})", Errc::invalid_request,
               "/interruptible/restartEnergyKwh"},
       }) {
    const auto request = read(body);
    ASSERT_FALSE(request) << body;
    EXPECT_EQ(request.error().code, code) << body;
    EXPECT_EQ(request.error().pointer, pointer) << body << ": " << request.error().detail;
  }
}

TEST(BestSlotCodec, points_into_an_array_of_requests) {
  const auto member = read_best_slot(Json::parse(R"({"duration":true})"), "/7");
  EXPECT_EQ(member.error().pointer, "/7/duration");
  const auto pair = read_best_slot(Json::parse(R"({"duration":"1h","energyKwh":1,"powerWatts":1})"), "/7");
  EXPECT_EQ(pair.error().pointer, "/7/powerWatts");
  EXPECT_EQ(read_best_slot(Json::parse("3"), "/7").error().pointer, "/7");
}

TEST(BestSlotCodec, reads_an_interruption_from_body_and_query) {
  const auto body =
      read(R"({"duration":"1h","interruptible":{"minRun":"PT1H","restart":300,"restartEnergyKwh":0.5,"maxPauses":2}})");
  const std::vector<MemberReader::Parameter> query{
      {"duration", "1h"}, {"interruptible", R"({"minRun":"PT1H","restart":300,"restartEnergyKwh":0.5,"maxPauses":2})"}};
  for (const auto& request : {body, read_best_slot_query(query)}) {
    ASSERT_TRUE(request);
    ASSERT_TRUE(request->interruption);
    EXPECT_EQ(request->interruption->min_run, 1h);
    EXPECT_EQ(request->interruption->restart, 5min);
    EXPECT_EQ(request->interruption->restart_energy, scheduler::energy_from_kwh(0.5));
    EXPECT_EQ(request->interruption->max_pauses, 2);
  }
}

TEST(BestSlotCodec, does_not_lose_an_energy_below_its_unit) {
  EXPECT_EQ(read(R"({"duration":"1h","energyKwh":1e-12})")->energy, scheduler::Energy::of_base(1));
}

}  // namespace
}  // namespace valle::service::api
