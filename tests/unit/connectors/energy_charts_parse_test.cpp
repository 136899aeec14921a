// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "connectors/energy_charts/parse.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors::energy_charts {
namespace {

using scheduler::Outcome;
using scheduler::Zone;
using tests::at;
using tests::counted;
using tests::ec_body;
using tests::repeated;
using tests::table_of;

const std::string k_six_quarters = counted(1804636800, 900, 6);

scheduler::SourceAnswer read(std::string_view body) {
  return parse_intensity(body, Zone::of("DE"), at("2027-03-10T00:40:00Z"), Door{});
}

TEST(EnergyChartsParse, takes_measured_then_forecast_and_never_the_empty_tail) {
  const auto answer =
      read(ec_body(k_six_quarters, "[31.2,30.8,null,null,null,null]", "[null,null,29.5,28.1,null,null]"));
  EXPECT_EQ(answer.outcome, Outcome::data);
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-03-10T00:00:00Z PT15M 31200 measured\n"
            "2027-03-10T00:15:00Z PT15M 30800 measured\n"
            "2027-03-10T00:30:00Z PT15M 29500 forecast\n"
            "2027-03-10T00:45:00Z PT15M 28100 forecast\n");
  EXPECT_EQ(table_of(answer.harvest.rejected), "2027-03-10T01:00:00Z missing\n2027-03-10T01:15:00Z missing\n");
  EXPECT_EQ(answer.harvest.intensity[0].identity.accounting.method, scheduler::Method::production);
}

TEST(EnergyChartsParse, refuses_arrays_of_unequal_length_as_a_whole) {
  const auto answer =
      read(ec_body(k_six_quarters, "[388.0,391.5,null,null,null]", "[null,null,380.1,377.4,372.0,369.9]"));
  EXPECT_EQ(answer.outcome, Outcome::bad_answer);
  EXPECT_TRUE(answer.harvest.intensity.empty());
  EXPECT_EQ(answer.detail, "Energy-Charts: co2eq and unix_seconds are not of one length");
}

TEST(EnergyChartsParse, leaves_a_hole_open) {
  const auto answer = read(ec_body("[1804636800,1804637700,1804638600,1804640400,1804641300]",
                                   "[402.0,398.5,395.0,391.0,388.5]", repeated("null", 5)));
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-03-10T00:00:00Z PT15M 402000 measured\n"
            "2027-03-10T00:15:00Z PT15M 398500 measured\n"
            "2027-03-10T00:30:00Z PT15M 395000 measured\n"
            "2027-03-10T01:00:00Z PT15M 391000 measured\n"
            "2027-03-10T01:15:00Z PT15M 388500 measured\n");
}

TEST(EnergyChartsParse, reads_the_hundred_quarters_of_the_autumn_day) {
  const auto answer = read(ec_body(counted(1824933600, 900, 100), repeated("null", 100), counted(300, 1, 100)));
  const auto& rows = answer.harvest.intensity;
  ASSERT_EQ(rows.size(), 100U);
  EXPECT_EQ(rows.front().interval.begin, at("2027-10-30T22:00:00Z"));
  EXPECT_EQ(rows.back().interval.end, at("2027-10-31T23:00:00Z"));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += rows[i].value.base();
    if (i > 0) {
      EXPECT_EQ(rows[i].interval.begin, rows[i - 1].interval.end);
    }
  }
  EXPECT_EQ(sum, 34'950'000);
  EXPECT_EQ(rows[11].value.base(), 311'000);
  EXPECT_EQ(rows[11].interval.begin, at("2027-10-31T00:45:00Z"));
}

TEST(EnergyChartsParse, reads_the_ninety_two_quarters_of_the_spring_day) {
  const auto first = at("2027-03-27T23:00:00Z").time_since_epoch().count();
  const auto answer = read(ec_body(counted(first, 900, 92), counted(100, 1, 92), repeated("null", 92)));
  ASSERT_EQ(answer.harvest.intensity.size(), 92U);
  EXPECT_EQ(answer.harvest.intensity.back().interval.end, at("2027-03-28T22:00:00Z"));
}

TEST(EnergyChartsParse, derives_the_step_from_the_times) {
  EXPECT_EQ(read(ec_body(counted(1804636800, 3600, 3), "[1,2,3]", "null")).harvest.intensity[0].interval.length(),
            std::chrono::hours{1});
  EXPECT_EQ(read(ec_body(counted(1804636800, 7200, 3), "[1,2,3]", "null")).harvest.intensity[0].interval.length(),
            std::chrono::hours{1});
  EXPECT_EQ(read(ec_body("[1804636800]", "[5]", "[null]")).harvest.intensity[0].interval.length(),
            std::chrono::minutes{15});
}

TEST(EnergyChartsParse, lets_measured_win_where_both_are_set_and_refuses_a_flat_forecast_beside_it) {
  const auto answer = read(ec_body(k_six_quarters, "[16.5,10.5,10.6,null,null,null]", repeated("37.7", 6)));
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-03-10T00:00:00Z PT15M 16500 measured\n"
            "2027-03-10T00:15:00Z PT15M 10500 measured\n"
            "2027-03-10T00:30:00Z PT15M 10600 measured\n");
  EXPECT_EQ(table_of(answer.harvest.rejected),
            "2027-03-10T00:45:00Z stale\n2027-03-10T01:00:00Z stale\n2027-03-10T01:15:00Z stale\n");
  const auto moving = read(ec_body(k_six_quarters, "[16.5,10.5,10.6,null,null,null]", "[37.7,37.7,37.7,37.7,37.7,38]"));
  EXPECT_EQ(moving.harvest.intensity.size(), 6U);
}

TEST(EnergyChartsParse, takes_a_measured_zero_as_an_outage_not_as_a_forecast) {
  const auto answer = read(ec_body(counted(1804636800, 900, 2), "[0,300]", "[200,200]"));
  EXPECT_EQ(table_of(answer.harvest.intensity), "2027-03-10T00:15:00Z PT15M 300000 measured\n");
  EXPECT_EQ(table_of(answer.harvest.rejected), "2027-03-10T00:00:00Z zero\n");
}

TEST(EnergyChartsParse, refuses_what_it_can_not_read) {
  for (const auto& body : {std::string{"<html>"}, std::string{"{}"}, std::string{R"({"unix_seconds":7})"},
                           ec_body("[1.5,2]", "[1,2]", "null"), ec_body("[\"a\",2]", "[1,2]", "null"),
                           ec_body("[-1,2]", "[1,2]", "null"), ec_body("[1,99999999999999]", "[1,2]", "null"),
                           ec_body("[1,2]", "null", "null"), ec_body("[1,2]", "{}", "null")}) {
    EXPECT_EQ(read(body).outcome, Outcome::bad_answer) << body;
  }
  EXPECT_EQ(read(ec_body("[]", "[]", "[]")).outcome, Outcome::no_data);
}

TEST(EnergyChartsParse, reads_prices_in_euro_only) {
  const auto read_price = [](const std::string& unit) {
    return parse_prices(
        R"({"license_info":"CC BY 4.0","unix_seconds":[1804636800,1804637700,1804638600],"price":[-3.2,null,60],"unit":")" +
            unit + R"(","deprecated":false})",
        Zone::of("DE"), at("2027-03-10T00:40:00Z"));
  };
  const auto answer = read_price("EUR/MWh");
  EXPECT_EQ(table_of(answer.harvest.prices),
            "2027-03-10T00:00:00Z PT15M -3200000\n2027-03-10T00:30:00Z PT15M 60000000\n");
  EXPECT_EQ(table_of(answer.harvest.rejected), "2027-03-10T00:15:00Z missing\n");
  EXPECT_EQ(read_price("No Unit").outcome, Outcome::no_data);
}

}  // namespace
}  // namespace valle::connectors::energy_charts
