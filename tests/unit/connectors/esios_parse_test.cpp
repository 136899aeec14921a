// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "connectors/esios/parse.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors::esios {
namespace {

using scheduler::Outcome;
using scheduler::Zone;
using tests::at;
using tests::esios_body;
using tests::EsiosRow;
using tests::table_of;

const scheduler::Instant k_now = at("2027-10-30T14:00:00Z");
constexpr AskedIndicator k_spanish_price{600, 3, std::chrono::minutes{15}};

scheduler::Harvest prices(const std::string& body) {
  const auto indicator = parse_indicator(body, k_spanish_price);
  EXPECT_TRUE(indicator.has_value());
  return indicator ? prices_of(*indicator, Zone::of("ES"), k_now) : scheduler::Harvest{};
}

TEST(EsiosParse, gives_both_hours_of_the_repeated_local_hour_their_own_instant) {
  const auto harvest = prices(esios_body(
      600, {{"2027-10-31T01:00:00.000+02:00", "2027-10-30T23:00:00.000Z", "64.12", 3, "2027-10-30T23:00:00Z"},
            {"2027-10-31T02:00:00.000+02:00", "2027-10-31T00:00:00.000Z", "58.3"},
            {"2027-10-31T02:00:00.000+01:00", "2027-10-31T01:00:00.000Z", "51.75"},
            {"2027-10-31T03:00:00.000+01:00", "2027-10-31T02:00:00.000Z", "49.08", 3, "2027-10-31T02:00:00Z"}}));
  EXPECT_EQ(table_of(harvest.prices),
            "2027-10-30T23:00:00Z PT1H 64120000\n"
            "2027-10-31T00:00:00Z PT1H 58300000\n"
            "2027-10-31T01:00:00Z PT1H 51750000\n"
            "2027-10-31T02:00:00Z PT1H 49080000\n");
  EXPECT_TRUE(harvest.rejected.empty());
  EXPECT_EQ(harvest.prices[0].updated_at, at("2027-10-30T11:40:12Z"));
}

TEST(EsiosParse, gives_the_eight_quarters_of_the_repeated_hour_one_owner_each) {
  std::vector<EsiosRow> rows;
  for (const auto* offset : {"+02:00", "+01:00"}) {
    for (const auto* minute : {"00", "15", "30", "45"}) {
      const std::string hour = std::string{offset} == "+02:00" ? "00" : "01";
      rows.push_back({std::string{"2027-10-31T02:"} + minute + ":00.000" + offset,
                      "2027-10-31T" + hour + ":" + minute + ":00.000Z", "70." + std::to_string(rows.size())});
    }
  }
  rows.push_back({"2027-10-31T03:00:00.000+01:00", "2027-10-31T02:00:00.000Z", "60.3"});
  const auto harvest = prices(esios_body(600, rows));
  ASSERT_EQ(harvest.prices.size(), 9U);
  EXPECT_EQ(harvest.duplicates, 0U);
  for (std::size_t i = 1; i < 9; ++i) EXPECT_EQ(harvest.prices[i].interval.begin, harvest.prices[i - 1].interval.end);
}

TEST(EsiosParse, reads_the_spring_night_without_a_hole) {
  const auto harvest = prices(esios_body(600, {{"2027-03-28T01:00:00.000+01:00", "2027-03-28T00:00:00.000Z", "40"},
                                               {"2027-03-28T03:00:00.000+02:00", "2027-03-28T01:00:00.000Z", "41"}}));
  EXPECT_EQ(table_of(harvest.prices), "2027-03-28T00:00:00Z PT1H 40000000\n2027-03-28T01:00:00Z PT1H 41000000\n");
}

TEST(EsiosParse, finds_the_area_by_its_id_in_the_rows_whatever_the_list_of_areas_says) {
  std::vector<EsiosRow> rows;
  for (const auto& [geo, value] : std::vector<std::pair<int, std::string>>{{1, "41.2"}, {2, "22.5"}, {3, "43.1"}}) {
    rows.push_back({"2027-06-15T08:00:00.000+02:00", "2027-06-15T06:00:00.000Z", value, geo});
    rows.push_back({"2027-06-15T09:00:00.000+02:00", "2027-06-15T07:00:00.000Z", value + "5", geo});
  }
  EXPECT_EQ(table_of(prices(esios_body(600, rows)).prices),
            "2027-06-15T06:00:00Z PT1H 43100000\n2027-06-15T07:00:00Z PT1H 43150000\n");
}

TEST(EsiosParse, never_lets_another_country_stand_in) {
  const auto answer = parse_indicator(
      esios_body(600, {{"2027-06-15T08:00:00.000+02:00", "2027-06-15T06:00:00.000Z", "41.2", 1}}), k_spanish_price);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().outcome, Outcome::no_data);
  EXPECT_EQ(parse_indicator(esios_body(600, {}), k_spanish_price).error().outcome, Outcome::no_data);
}

TEST(EsiosParse, refuses_rows_whose_times_contradict_each_other_or_have_no_offset) {
  const auto indicator =
      parse_indicator(esios_body(600, {{"2027-06-15T08:00:00.000+02:00", "2027-06-15T07:00:00.000Z", "1"},
                                       {"2027-06-15T09:00:00.000", "2027-06-15T07:00:00.000Z", "2"},
                                       {"2027-06-15T10:00:00.000+02:00", "2027-06-15T08:00:00.000Z", "3"}}),
                      k_spanish_price);
  ASSERT_TRUE(indicator.has_value());
  EXPECT_EQ(indicator->rows.size(), 1U);
  EXPECT_EQ(table_of(indicator->rejected), "2027-06-15T06:00:00Z bad-time\n? bad-time\n");
}

TEST(EsiosParse, refuses_what_is_no_answer_to_the_question) {
  EXPECT_EQ(parse_indicator("<html>", k_spanish_price).error().outcome, Outcome::bad_answer);
  EXPECT_EQ(parse_indicator("{}", k_spanish_price).error().outcome, Outcome::bad_answer);
  EXPECT_EQ(parse_indicator(R"({"indicator":{"id":600}})", k_spanish_price).error().outcome, Outcome::bad_answer);
  EXPECT_EQ(parse_indicator(esios_body(1001, {}), k_spanish_price).error().outcome, Outcome::bad_answer);
}

TEST(EsiosParse, reads_forecasts_of_the_grid_in_megawatts) {
  const auto body = esios_body(1775, {{"2027-06-15T08:00:00.000+02:00", "2027-06-15T06:00:00.000Z", "28123.5", 8741},
                                      {"2027-06-15T09:00:00.000+02:00", "2027-06-15T07:00:00.000Z", "0", 8741},
                                      {"2027-06-15T10:00:00.000+02:00", "2027-06-15T08:00:00.000Z", "-4", 8741},
                                      {"2027-06-15T11:00:00.000+02:00", "2027-06-15T09:00:00.000Z", "null", 8741}});
  const auto indicator = parse_indicator(body, {1775, 8741}).value();
  const auto demand = grid_forecast_of(indicator, Zone::of("ES"), scheduler::GridQuantity::demand, k_now);
  ASSERT_EQ(demand.grid_forecasts.size(), 1U);
  EXPECT_EQ(scheduler::watts(demand.grid_forecasts[0].value), 28123.5e6);
  EXPECT_EQ(table_of(demand.rejected),
            "2027-06-15T07:00:00Z zero\n2027-06-15T08:00:00Z implausible\n2027-06-15T09:00:00Z missing\n");
  EXPECT_EQ(grid_forecast_of(indicator, Zone::of("ES"), scheduler::GridQuantity::solar, k_now).grid_forecasts.size(),
            2U)
      << "the sun may give nothing";
}

}  // namespace
}  // namespace valle::connectors::esios
