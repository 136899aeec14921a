// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "connectors/electricity_maps/parse.hpp"
#include "connectors/electricity_maps/zones.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors::electricity_maps {
namespace {

using scheduler::Outcome;
using scheduler::ReadingKind;
using scheduler::Zone;
using testing::HasSubstr;
using tests::at;
using tests::em_forecast;
using tests::em_list;
using tests::EmRow;
using tests::table_of;

const scheduler::Instant k_now = at("2027-09-15T16:20:00Z");

scheduler::SourceAnswer read(std::string_view zone, std::string_view body, ReadingKind kind = ReadingKind::measured) {
  return parse_intensity(body, {Zone::of(zone), kind, k_now}, Door{});
}

TEST(ElectricityMapsParse, takes_the_list_under_either_key) {
  const std::vector<EmRow> rows{{"ES", "2027-01-20T00", "151"}, {"ES", "2027-01-20T01", "147"}};
  const auto v3 = read("ES", em_list("ES", "history", rows));
  const auto v4 = read("ES", em_list("ES", "data", rows));
  EXPECT_EQ(v3.outcome, Outcome::data);
  EXPECT_EQ(v3.harvest.intensity, v4.harvest.intensity);
  EXPECT_EQ(table_of(v3.harvest.intensity),
            "2027-01-20T00:00:00Z PT1H 151000 measured\n"
            "2027-01-20T01:00:00Z PT1H 147000 measured\n");
}

TEST(ElectricityMapsParse, keeps_null_fraction_and_negative_apart) {
  const auto answer = read("FR", em_list("FR", "data",
                                         {{"FR", "2027-02-03T00", "44"},
                                          {"FR", "2027-02-03T01", "null"},
                                          {"FR", "2027-02-03T02", "47.312"},
                                          {"FR", "2027-02-03T03", "-1"},
                                          {"FR", "2027-02-03T04", "39"},
                                          {"FR", "2027-02-03T05", "\"41\""},
                                          {"FR", "2027-02-03T06", "2001"}}));
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-02-03T00:00:00Z PT1H 44000 measured\n"
            "2027-02-03T02:00:00Z PT1H 47312 measured\n"
            "2027-02-03T04:00:00Z PT1H 39000 measured\n");
  EXPECT_EQ(table_of(answer.harvest.rejected),
            "2027-02-03T01:00:00Z missing\n"
            "2027-02-03T03:00:00Z implausible\n"
            "2027-02-03T05:00:00Z not-a-number\n"
            "2027-02-03T06:00:00Z implausible\n");
}

TEST(ElectricityMapsParse, serves_the_good_hours_where_the_newest_are_null) {
  const auto answer = read("DE", em_list("DE", "history",
                                         {{"DE", "2027-02-05T06", "381"},
                                          {"DE", "2027-02-05T07", "377"},
                                          {"DE", "2027-02-05T08", "null", "", "TIME_SLICER_AVERAGE"},
                                          {"DE", "2027-02-05T09", "null", "", "TIME_SLICER_AVERAGE"}}));
  EXPECT_EQ(answer.outcome, Outcome::data);
  EXPECT_EQ(answer.harvest.intensity.size(), 2U);
  EXPECT_EQ(answer.harvest.rejected.size(), 2U);
}

TEST(ElectricityMapsParse, takes_no_row_of_an_outage_that_answers_zeros) {
  const auto answer = read("ES",
                           em_forecast("ES", "2027-09-14T06:11:00.000Z",
                                       {{"2027-09-14T06", "0.0"}, {"2027-09-14T07", "0.0"}, {"2027-09-14T08", "0"}}),
                           ReadingKind::forecast);
  EXPECT_EQ(answer.outcome, Outcome::no_data);
  EXPECT_TRUE(answer.harvest.intensity.empty());
  EXPECT_EQ(table_of(answer.harvest.rejected),
            "2027-09-14T06:00:00Z zero\n2027-09-14T07:00:00Z zero\n2027-09-14T08:00:00Z zero\n");
  EXPECT_EQ(answer.detail, "Electricity Maps: without usable data, all 3 rows were refused, the first as zero");
}

TEST(ElectricityMapsParse, sorts_shuffled_rows_and_drops_a_repeated_one) {
  const auto answer = read("ES", em_list("ES", "data",
                                         {{"ES", "2027-05-30T03", "101"},
                                          {"ES", "2027-05-30T00", "96"},
                                          {"ES", "2027-05-30T02", "99"},
                                          {"ES", "2027-05-30T00", "96"},
                                          {"ES", "2027-05-30T01", "97"}}));
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-05-30T00:00:00Z PT1H 96000 measured\n"
            "2027-05-30T01:00:00Z PT1H 97000 measured\n"
            "2027-05-30T02:00:00Z PT1H 99000 measured\n"
            "2027-05-30T03:00:00Z PT1H 101000 measured\n");
  EXPECT_EQ(answer.harvest.duplicates, 1U);
}

TEST(ElectricityMapsParse, lets_the_later_revision_win_whatever_its_place) {
  const auto answer = read("ES", em_list("ES", "data",
                                         {{"ES", "2027-07-01T06", "187", "2027-07-03T09:30:00.000Z"},
                                          {"ES", "2027-07-01T06", "212", "2027-07-01T12:05:00.000Z"}}));
  ASSERT_EQ(answer.harvest.intensity.size(), 1U);
  EXPECT_EQ(answer.harvest.intensity[0].value.base(), 187'000);
  EXPECT_EQ(answer.harvest.intensity[0].updated_at, at("2027-07-03T09:30:00Z"));
}

TEST(ElectricityMapsParse, keeps_estimates_with_a_method_nobody_has_seen_and_members_nobody_knows) {
  const std::string strange = R"({"zone":"FR","futureMember":{"a":1},"data":[
      {"zone":"FR","carbonIntensity":49,"datetime":"2027-11-11T06:00:00.000Z","isEstimated":true,"estimationMethod":"SEASONAL_BLEND_V9"},
      {"zone":"FR","carbonIntensity":47,"datetime":"2027-11-11T07:00:00.000Z","isEstimated":true,"estimationMethod":null,"more":[]}]})";
  const auto answer = read("FR", strange);
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-11-11T06:00:00Z PT1H 49000 measured estimated\n"
            "2027-11-11T07:00:00Z PT1H 47000 measured estimated\n");
  EXPECT_EQ(answer.harvest.intensity[0].estimation_method, "SEASONAL_BLEND_V9");
  EXPECT_EQ(answer.harvest.intensity[0].updated_at, k_now) << "where the provider says nothing, when it was read";
}

TEST(ElectricityMapsParse, keeps_lifecycle_direct_and_untraced_values_as_series_of_their_own) {
  const auto answer = read("DE", em_list("DE", "data",
                                         {{"DE", "2027-03-04T12", "412"},
                                          {"DE", "2027-03-04T12", "371", "", "", "direct"},
                                          {"DE", "2027-03-04T13", "405"},
                                          {"DE", "2027-03-04T14", "399", "", "", "wellToWheel"}}));
  ASSERT_EQ(answer.harvest.intensity.size(), 3U);
  EXPECT_EQ(answer.harvest.intensity[0].identity.accounting.scope, scheduler::Scope::lifecycle);
  EXPECT_EQ(answer.harvest.intensity[2].identity.accounting.scope, scheduler::Scope::direct);
  EXPECT_EQ(answer.harvest.intensity[2].value.base(), 371'000);
  EXPECT_EQ(table_of(answer.harvest.rejected), "2027-03-04T14:00:00Z wrong-identity\n");

  const auto untraced = read("DE", R"({"zone":"DE","carbonIntensity":75,"datetime":"2027-03-04T12:00:00.000Z",
      "emissionFactorType":"lifecycle","flowTraced":false,"temporalGranularity":"hourly"})");
  ASSERT_EQ(untraced.harvest.intensity.size(), 1U);
  EXPECT_EQ(untraced.harvest.intensity[0].identity.accounting.method, scheduler::Method::production);
}

TEST(ElectricityMapsParse, dates_a_forecast_by_its_issue_and_marks_it_as_such) {
  const auto answer =
      read("FR", em_forecast("FR", "2027-08-22T10:12:00.000Z", {{"2027-08-22T10", "41"}, {"2027-08-22T11", "40.5"}}),
           ReadingKind::forecast);
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-08-22T10:00:00Z PT1H 41000 forecast\n"
            "2027-08-22T11:00:00Z PT1H 40500 forecast\n");
  EXPECT_EQ(answer.harvest.intensity[1].updated_at, at("2027-08-22T10:12:00Z"));
}

TEST(ElectricityMapsParse, refuses_an_answer_about_another_zone) {
  const auto answer = read("FR", EmRow{"US-SE-SOCO", "2027-04-23T07", "391"}.json());
  EXPECT_EQ(answer.outcome, Outcome::bad_answer);
  EXPECT_TRUE(answer.harvest.intensity.empty());
  EXPECT_EQ(table_of(answer.harvest.rejected), "? wrong-zone\n");
  EXPECT_EQ(answer.detail, "Electricity Maps: asked for FR, the answer is about US-SE-SOCO");

  const auto one_row =
      read("FR", em_list("FR", "data", {{"FR", "2027-04-23T07", "30"}, {"DE", "2027-04-23T08", "391"}}));
  EXPECT_EQ(table_of(one_row.harvest.intensity), "2027-04-23T07:00:00Z PT1H 30000 measured\n");
  EXPECT_EQ(table_of(one_row.harvest.rejected), "2027-04-23T08:00:00Z wrong-zone\n");
}

TEST(ElectricityMapsParse, refuses_sandbox_numbers_but_not_every_disclaimer) {
  const auto by_method = read(
      "FR",
      em_list("FR", "data", {{"FR", "2027-04-23T06", "30"}, {"FR", "2027-04-23T07", "31", "", "SANDBOX_MODE_DATA"}}));
  EXPECT_EQ(by_method.outcome, Outcome::bad_answer);
  EXPECT_EQ(table_of(by_method.harvest.rejected), "? sandbox\n");
  const auto by_words = read(
      "FR",
      R"({"zone":"FR","_disclaimer":"SANDBOX MODE: these are random","carbonIntensity":30,"datetime":"2027-04-23T06:00:00.000Z"})");
  EXPECT_EQ(by_words.outcome, Outcome::bad_answer);
  const auto ordinary = read(
      "FR",
      R"({"zone":"FR","_disclaimer":"This data is the property of somebody","carbonIntensity":30,"datetime":"2027-04-23T06:00:00.000Z"})");
  EXPECT_EQ(ordinary.outcome, Outcome::data);
}

TEST(ElectricityMapsParse, reads_no_data_in_all_its_forms_without_a_value) {
  const auto home_assistant =
      R"({"status":"no-data","countryCode":"ES","data":{},"units":{"carbonIntensity":"gCO2eq/kWh"}})";
  EXPECT_EQ(read("ES", home_assistant).outcome, Outcome::no_data);
  EXPECT_EQ(read("ES", R"({"zone":"ES","data":[]})").outcome, Outcome::no_data);
  EXPECT_EQ(read("ES", EmRow{"ES", "2027-04-23T07", "null"}.json()).outcome, Outcome::no_data);
  EXPECT_EQ(read("ES", R"({"status":"who-knows","countryCode":"ES","data":{}})").outcome, Outcome::bad_answer);
}

TEST(ElectricityMapsParse, reads_the_home_assistant_form_with_its_unit) {
  const auto answer = read(
      "DE",
      R"({"status":"ok","countryCode":"DE","data":{"datetime":"2027-10-02T08:00:00.000Z","carbonIntensity":474,"fossilFuelPercentage":42.22},"units":{"carbonIntensity":"gCO2eq/kWh"}})");
  EXPECT_EQ(table_of(answer.harvest.intensity), "2027-10-02T08:00:00Z PT1H 474000 measured\n");
  const auto pounds = read(
      "DE",
      R"({"status":"ok","countryCode":"DE","data":{"datetime":"2027-10-02T08:00:00.000Z","carbonIntensity":474},"units":{"carbonIntensity":"bananas"}})");
  EXPECT_EQ(table_of(pounds.harvest.rejected), "2027-10-02T08:00:00Z unknown-unit\n");
  EXPECT_EQ(
      read("FR",
           R"({"status":"ok","countryCode":"DE","data":{"datetime":"2027-10-02T08:00:00.000Z","carbonIntensity":474}})")
          .outcome,
      Outcome::bad_answer);
}

TEST(ElectricityMapsParse, refuses_what_it_can_not_read_with_the_place) {
  EXPECT_THAT(read("FR", "<html>Bad gateway</html>").detail, HasSubstr("broken JSON at line 1, column 1"));
  EXPECT_THAT(read("FR", R"({"zone":"FR","data":[{"carbonInt)").detail, HasSubstr("broken JSON at line 1"));
  EXPECT_EQ(read("FR", "[]").detail, "Electricity Maps: the answer holds neither rows nor a value");
  EXPECT_EQ(read("FR", R"({"zone":"FR"})").outcome, Outcome::bad_answer);
  EXPECT_EQ(read("FR", R"({"carbonIntensity":4,"datetime":"2027-10-02T08:00:00.000Z"})").detail,
            "Electricity Maps: the answer names no zone");
  EXPECT_EQ(read("FR", R"({"zone":"FR","temporalGranularity":"daily","data":[]})").detail,
            "Electricity Maps: rows of an unknown granularity");
  const auto no_time = read(
      "FR",
      R"({"zone":"FR","data":[{"carbonIntensity":4},{"carbonIntensity":4,"datetime":"2027-10-02"},{"carbonIntensity":4,"datetime":7},7]})");
  EXPECT_EQ(table_of(no_time.harvest.rejected), "? bad-time\n? bad-time\n? bad-time\n? bad-time\n");
}

TEST(ElectricityMapsParse, reads_finer_rows_by_their_granularity) {
  const auto answer = read(
      "DE",
      R"({"zone":"DE","temporalGranularity":"15_minutes","data":[{"carbonIntensity":310,"datetime":"2027-10-02T08:15:00.000Z"}]})");
  EXPECT_EQ(table_of(answer.harvest.intensity), "2027-10-02T08:15:00Z PT15M 310000 measured\n");
}

TEST(ElectricityMapsParse, reads_prices_in_euro_only) {
  const auto answer = parse_prices(R"({"zone":"FR","unit":"EUR/MWh","source":"nordpool.com","data":[
      {"datetime":"2027-10-02T08:00:00.000Z","value":-12.5},{"datetime":"2027-10-02T09:00:00.000Z","value":null},
      {"datetime":"2027-10-02T10:00:00.000Z","value":80,"unit":"GBP/MWh"},{"value":3}]})",
                                   {.zone = Zone::of("FR"), .now = k_now});
  EXPECT_EQ(table_of(answer.harvest.prices), "2027-10-02T08:00:00Z PT1H -12500000\n");
  EXPECT_EQ(table_of(answer.harvest.rejected),
            "2027-10-02T09:00:00Z missing\n2027-10-02T10:00:00Z unknown-unit\n? bad-time\n");
}

HttpReply reply(int status, std::string type, std::string body) {
  return {.status = status, .content_type = std::move(type), .headers = {}, .body = std::move(body)};
}

TEST(ElectricityMapsRefusal, tells_a_plan_from_a_bad_token_and_names_zone_and_call) {
  const auto plan = refusal(
      reply(
          401, "application/json",
          R"({"error":"Request unauthorized for zoneKey=DE,requestType=past-range,dataType=carbon-intensity.","message":"You do not have access to this zone."})"),
      Zone::of("DE"), "past-range");
  EXPECT_EQ(plan.outcome, Outcome::not_covered);
  EXPECT_THAT(plan.detail, HasSubstr("DE"));
  EXPECT_THAT(plan.detail, HasSubstr("past-range"));
  EXPECT_EQ(
      refusal(reply(401, "application/json", R"({"error":"Token unauthorized for zoneKey"})"), Zone::of("DE"), "latest")
          .outcome,
      Outcome::not_covered);
  const Secret token{"s3cr3t-token"};
  const auto bad = refusal(reply(401, "application/json", R"({"error":"Invalid auth-token s3cr3t-token"})"),
                           Zone::of("DE"), "latest", &token);
  EXPECT_EQ(bad.outcome, Outcome::authentication);
  EXPECT_THAT(bad.detail, HasSubstr("Invalid auth-token ***"));
  EXPECT_THAT(bad.detail, HasSubstr("the key is kept"));
}

TEST(ElectricityMapsRefusal, lets_the_status_decide_where_the_body_is_broken) {
  EXPECT_EQ(refusal(reply(404, "application/json", "{\"error\":\"No recent data for zone \"ES-CE\"\"}"),
                    Zone::of("ES-CE"), "latest")
                .outcome,
            Outcome::no_data);
  EXPECT_EQ(refusal(reply(404, "application/json", R"({"message":"no Route matched with those values"})"),
                    Zone::of("FR"), "latest")
                .outcome,
            Outcome::misconfigured);
  EXPECT_EQ(refusal(reply(400, "application/json", R"({"error":"Missing or invalid date parameter \"start\""})"),
                    Zone::of("FR"), "past-range")
                .outcome,
            Outcome::bad_answer);
  EXPECT_EQ(refusal(reply(403, "text/html", "<html>"), Zone::of("FR"), "latest").outcome, Outcome::blocked);
}

TEST(ElectricityMapsZones, reads_both_forms_of_the_list) {
  const auto v4 =
      parse_zones(
          R"([{"zoneKey":"FR","zoneName":"France","access":["carbon-intensity/latest"]},{"zoneKey":"DE","zoneName":"Germany","access":"*"},{"zoneName":"no key"}])")
          .value();
  ASSERT_EQ(v4.size(), 2U);
  EXPECT_EQ(v4[0], (ZoneListing{"DE", "Germany", {"*"}}));
  EXPECT_EQ(v4[1], (ZoneListing{"FR", "France", {"carbon-intensity/latest"}}));
  const auto v3 =
      parse_zones(R"({"FR":{"zoneName":"France"},"ES-CN-TE":{"countryName":"Spain","zoneName":"Tenerife"}})").value();
  EXPECT_EQ(v3[0], (ZoneListing{"ES-CN-TE", "Tenerife", {}}));
  EXPECT_FALSE(parse_zones("7").has_value());
  EXPECT_FALSE(parse_zones("{").has_value());
}

}  // namespace
}  // namespace valle::connectors::electricity_maps
