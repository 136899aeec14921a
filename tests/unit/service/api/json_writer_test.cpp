// SPDX-License-Identifier: Apache-2.0
#include "service/api/json_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "service/api/json_reader.hpp"

namespace valle::service::api {
namespace {

using namespace std::chrono_literals;
using scheduler::CarbonIntensity;
using scheduler::Emissions;
using scheduler::Energy;

TEST(JsonWriter, writes_members_in_their_order_with_the_decimals_of_the_contract) {
  JsonWriter json;
  json.begin_object()
      .member("zone", "FR")
      .member("start", scheduler::Instant{1623279600s})
      .member("gramsPerKwh", CarbonIntensity::of_base(32'478))
      .member("energyKwh", Energy::of_base(12'000'000))
      .member("carbonGrams", Emissions::of_base(389'740))
      .member("savedPercent", percent_of(2'214'680 - 389'740, 2'214'680))
      .member("wait", scheduler::Duration{6h})
      .member("ok", true)
      .member("count", std::int64_t{-3})
      .null_member("none");
  json.key("list").begin_array().value("a").begin_object().end_object().end_array();
  json.end_object();
  EXPECT_EQ(json.text(),
            R"({"zone":"FR","start":"2021-06-09T23:00:00Z","gramsPerKwh":32.478,"energyKwh":12.000000,)"
            R"("carbonGrams":389.740,"savedPercent":82.4020,"wait":"PT6H","ok":true,"count":-3,"none":null,)"
            R"("list":["a",{}]})");
}

TEST(JsonWriter, writes_small_negative_and_extreme_numbers) {
  JsonWriter json;
  json.begin_array()
      .value(Emissions::of_base(-5))
      .value(Emissions::of_base(0))
      .value(Emissions::of_base(std::numeric_limits<std::int64_t>::min()))
      .end_array();
  EXPECT_EQ(json.text(), "[-0.005,0.000,-9223372036854775.808]");
}

TEST(JsonWriter, escapes_so_that_the_reader_gets_the_same_text) {
  const std::string text = "a\"b\\c\n\t\x01é";
  JsonWriter json;
  json.value(text);
  EXPECT_EQ(parse_json(json.text(), k_request_limits).value().get<std::string>(), text);
}

TEST(PercentOf, rounds_to_four_decimals_and_is_zero_of_nothing) {
  EXPECT_EQ(percent_of(1, 3).base(), 333'333);
  EXPECT_EQ(percent_of(-1, 3).base(), -333'333);
  EXPECT_EQ(percent_of(1, -3).base(), -333'333);
  EXPECT_EQ(percent_of(5, 0).base(), 0);
}

}  // namespace
}  // namespace valle::service::api
