// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "connectors/rte/parse.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors::rte {
namespace {

using scheduler::Outcome;
using scheduler::Zone;
using tests::at;
using tests::table_of;

scheduler::SourceAnswer read(std::string_view body) {
  return parse_intensity(body, Zone::of("FR"), at("2027-09-21T06:00:00Z"), Door{});
}

TEST(RteParse, reads_quarter_hours_in_any_order_and_drops_the_empty_future) {
  const auto answer = read(R"({"total_count":4,"results":[
      {"perimetre":"France","date_heure":"2027-09-21T02:45:00+02:00","taux_co2":13,"eolien_offshore":"489"},
      {"perimetre":"France","date_heure":"2027-09-21T02:30:00+02:00","taux_co2":14},
      {"perimetre":"France","date_heure":"2027-09-21T23:45:00+02:00","taux_co2":null,"prevision_j":36200},
      {"perimetre":"France","date_heure":"2027-09-21T03:00:00+02:00","taux_co2":12}]})");
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-09-21T00:30:00Z PT15M 14000 measured\n"
            "2027-09-21T00:45:00Z PT15M 13000 measured\n"
            "2027-09-21T01:00:00Z PT15M 12000 measured\n");
  EXPECT_EQ(table_of(answer.harvest.rejected), "2027-09-21T21:45:00Z missing\n");
}

TEST(RteParse, says_that_it_counts_combustion_of_french_plants_only) {
  const auto answer = read(R"({"total_count":1,"results":[{"date_heure":"2027-09-21T02:45:00+02:00","taux_co2":13}]})");
  const auto& accounting = answer.harvest.intensity.at(0).identity.accounting;
  EXPECT_EQ(accounting.scope, scheduler::Scope::direct);
  EXPECT_EQ(accounting.method, scheduler::Method::combustion);
}

TEST(RteParse, reads_the_older_form) {
  const auto answer = read(
      R"({"nhits":1,"parameters":{},"records":[{"recordid":"a","fields":{"date_heure":"2027-10-31T02:00:00+01:00","taux_co2":20,"perimetre":"France"}}]})");
  EXPECT_EQ(table_of(answer.harvest.intensity), "2027-10-31T01:00:00Z PT15M 20000 measured\n");
}

TEST(RteParse, refuses_other_places_and_unreadable_rows_one_by_one) {
  const auto answer = read(
      R"({"total_count":3,"results":[{"perimetre":"Bretagne","date_heure":"2027-09-21T02:45:00+02:00","taux_co2":13},
      {"date_heure":"2027-09-21T02:45:00","taux_co2":13},{"taux_co2":13}]})");
  EXPECT_EQ(answer.outcome, Outcome::no_data);
  EXPECT_EQ(table_of(answer.harvest.rejected), "? wrong-zone\n? bad-time\n? bad-time\n");
  EXPECT_EQ(read("{}").outcome, Outcome::bad_answer);
  EXPECT_EQ(read("<html>").outcome, Outcome::bad_answer);
}

TEST(RteParse, counts_rows_for_asking_on) {
  EXPECT_EQ(page_of(R"({"total_count":250,"results":[{},{}]})")->total, 250U);
  EXPECT_EQ(page_of(R"({"total_count":250,"results":[{},{}]})")->rows, 2U);
  EXPECT_FALSE(page_of(R"({"results":[]})").has_value());
  EXPECT_FALSE(page_of("x").has_value());
}

}  // namespace
}  // namespace valle::connectors::rte
