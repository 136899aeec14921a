// SPDX-License-Identifier: Apache-2.0
// Provider clients and chain through good and bad days, over the real HTTP client against servers on loopback.
#include <gmock/gmock.h>

#include "connectors/esios/technologies.hpp"
#include "tests/support/integration/provider_lab.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;
using tests::at;
using tests::em_forecast;
using tests::em_list;
using tests::EmRow;
using tests::four_quarters;
using tests::ProviderLab;
using Fault = tests::ScriptedReply::Fault;

const auto k_now = at("2027-05-12T09:20:00Z");

class Providers : public testing::Test {
 protected:
  /// What Electricity Maps answers is of no use: the chain goes on to Energy-Charts, whose rows are served.
  void expect_next_source(const std::string& outcome) {
    lab_.energy_charts.then_json(four_quarters("2027-05-12T08:00:00Z"));
    const auto answer = lab_.ask("FR", k_now);
    EXPECT_EQ(ProviderLab::said(answer), "electricity-maps " + outcome + "*, energy-charts data*");
    EXPECT_EQ(answer.source, "energy-charts");
    EXPECT_EQ(answer.grade, Grade::fresh);
    EXPECT_EQ(ProviderLab::rows(answer),
              "2027-05-12T08:00:00Z PT15M 31200 measured\n2027-05-12T08:15:00Z PT15M 30800 measured\n");
    EXPECT_EQ(lab_.electricity_maps.left(), 0U);
  }
  ProviderLab lab_;
};

TEST_F(Providers, a_good_day_is_served_from_the_first_source_and_asked_for_once_an_hour) {
  lab_.electricity_maps
      .then_json(em_list("FR", "data",
                         {{"FR", "2027-05-12T07", "34"}, {"FR", "2027-05-12T08", "36", "", "TIME_SLICER_AVERAGE"}}))
      .then_json(em_forecast("FR", "2027-05-12T09:12:00.000Z", {{"2027-05-12T09", "41"}, {"2027-05-12T10", "40.5"}}));
  const auto measured = lab_.ask("FR", k_now);
  EXPECT_EQ(ProviderLab::said(measured), "electricity-maps data*");
  EXPECT_EQ(ProviderLab::rows(measured),
            "2027-05-12T07:00:00Z PT1H 34000 measured\n2027-05-12T08:00:00Z PT1H 36000 measured estimated\n");
  EXPECT_EQ(measured.grade, Grade::fresh);
  EXPECT_THAT(measured.attribution, HasSubstr("Electricity Maps"));
  const auto forecast = lab_.ask("FR", k_now, Signal::forecast);
  EXPECT_EQ(ProviderLab::rows(forecast),
            "2027-05-12T09:00:00Z PT1H 41000 forecast\n2027-05-12T10:00:00Z PT1H 40500 forecast\n");
  const auto again = lab_.ask("FR", k_now + minutes{39});
  EXPECT_EQ(ProviderLab::said(again), "electricity-maps data");
  EXPECT_EQ(lab_.electricity_maps.seen().size(), 2U);
  EXPECT_EQ(lab_.electricity_maps.seen()[0].header("auth-token"), "t0k3n");
  EXPECT_EQ(lab_.electricity_maps.seen()[0].header("User-Agent"), "valle/test");
  EXPECT_THAT(lab_.electricity_maps.seen()[0].target, HasSubstr("disableCallerLookup=true"));
}

TEST_F(Providers, revised_rows_come_with_the_next_hour_and_their_date) {
  lab_.electricity_maps
      .then_json(
          em_list("FR", "data", {{"FR", "2027-05-12T07", "34", "2027-05-12T08:41:00.000Z", "TIME_SLICER_AVERAGE"}}))
      .then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "31", "2027-05-12T10:02:00.000Z"}}));
  EXPECT_TRUE(lab_.ask("FR", k_now).harvest->intensity.at(0).estimated);
  const auto revised = lab_.ask("FR", k_now + hours{1});
  EXPECT_EQ(ProviderLab::rows(revised), "2027-05-12T07:00:00Z PT1H 31000 measured\n");
  EXPECT_EQ(revised.harvest->intensity[0].updated_at, at("2027-05-12T10:02:00Z"));
}

TEST_F(Providers, nulls_leave_the_good_hours) {
  lab_.electricity_maps.then_json(
      em_list("FR", "data", {{"FR", "2027-05-12T07", "34"}, {"FR", "2027-05-12T08", "null"}}));
  const auto answer = lab_.ask("FR", k_now);
  EXPECT_EQ(ProviderLab::rows(answer), "2027-05-12T07:00:00Z PT1H 34000 measured\n");
  EXPECT_EQ(tests::table_of(answer.harvest->rejected), "2027-05-12T08:00:00Z missing\n");
  EXPECT_EQ(lab_.chain().health().at(0).rejected, 1U);
}

TEST_F(Providers, zeros_are_an_outage) {
  lab_.electricity_maps.then_json(
      em_list("FR", "data", {{"FR", "2027-05-12T07", "0"}, {"FR", "2027-05-12T08", "0.0"}}));
  expect_next_source("no-data");
  EXPECT_EQ(lab_.chain().health().at(0).rejected, 2U);
  EXPECT_THAT(lab_.chain().health().at(0).detail, HasSubstr("without usable data"));
}

TEST_F(Providers, a_404_with_broken_json_is_no_data) {
  lab_.electricity_maps.then({.status = 404, .body = "{\"error\":\"No recent data for zone \"FR\"\"}"});
  expect_next_source("no-data");
}

TEST_F(Providers, a_web_page_with_status_200_is_a_bad_answer) {
  lab_.electricity_maps.then({.type = "text/html", .body = "<html>Welcome</html>"});
  expect_next_source("bad-answer");
}

TEST_F(Providers, a_web_page_that_calls_itself_json_is_a_bad_answer) {
  lab_.electricity_maps.then_json("<html>Welcome</html>");
  expect_next_source("bad-answer");
}

TEST_F(Providers, another_zone_in_the_answer_is_refused) {
  lab_.electricity_maps.then_json(em_list("US-SE-SOCO", "data", {{"US-SE-SOCO", "2027-05-12T07", "391"}}));
  expect_next_source("bad-answer");
}

TEST_F(Providers, sandbox_numbers_are_refused) {
  lab_.electricity_maps.then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "391", "", "SANDBOX_MODE_DATA"}}));
  expect_next_source("bad-answer");
}

TEST_F(Providers, a_cut_body_is_asked_for_again_and_then_given_up) {
  for (int i = 0; i < 3; ++i) lab_.electricity_maps.then({.body = "{\"zone\":\"FR\",", .fault = Fault::cut_body});
  expect_next_source("unavailable");
  EXPECT_EQ(lab_.waiter().pauses().size(), 2U);
}

TEST_F(Providers, a_503_that_passes_is_not_noticed) {
  lab_.electricity_maps.then({.status = 503, .body = "{}"})
      .then({.fault = Fault::cut_head})
      .then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "34"}}));
  EXPECT_EQ(ProviderLab::said(lab_.ask("FR", k_now)), "electricity-maps data*");
  EXPECT_EQ(lab_.chain().health().at(0).consecutive_failures, 0U);
}

TEST_F(Providers, a_503_that_stays_sends_us_on_and_is_tried_again_after_a_pause) {
  for (int i = 0; i < 3; ++i) lab_.electricity_maps.then({.status = 503, .body = "{}"});
  expect_next_source("unavailable");
  const auto health = lab_.chain().health().at(0);
  EXPECT_EQ(health.consecutive_failures, 1U);
  ASSERT_TRUE(health.next_attempt.has_value());
  EXPECT_GE(*health.next_attempt, k_now + std::chrono::seconds{30});
  EXPECT_LE(*health.next_attempt, k_now + minutes{1});
  EXPECT_EQ(ProviderLab::said(lab_.ask("FR", k_now + std::chrono::seconds{20})),
            "electricity-maps unavailable, energy-charts data");
  lab_.electricity_maps.then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "34"}}));
  EXPECT_EQ(ProviderLab::said(lab_.ask("FR", k_now + minutes{1})), "electricity-maps data*");
}

TEST_F(Providers, a_429_is_left_alone_for_as_long_as_it_says_whichever_zone_is_asked) {
  lab_.electricity_maps.then({.status = 429, .body = "{}", .headers = {"Retry-After: 7200"}});
  expect_next_source("rate-limited");
  EXPECT_EQ(lab_.chain().health().at(0).next_attempt, k_now + hours{2});
  lab_.energy_charts.then_json(four_quarters("2027-05-12T08:00:00Z"));
  EXPECT_EQ(ProviderLab::said(lab_.ask("ES", k_now + minutes{119})).substr(0, 29), "electricity-maps rate-limited");
  EXPECT_EQ(lab_.electricity_maps.seen().size(), 1U);
  lab_.electricity_maps.then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "34"}}));
  EXPECT_EQ(ProviderLab::said(lab_.ask("FR", k_now + hours{2})), "electricity-maps data*");
}

TEST_F(Providers, a_401_for_one_zone_shuts_off_this_pair_only_and_keeps_the_token) {
  lab_.electricity_maps
      .then(
          {.status = 401,
           .body = R"({"error":"Request unauthorized for zoneKey=DE,requestType=history,dataType=carbon-intensity."})"})
      .then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "23"}}));
  const auto germany = lab_.ask("DE", k_now);
  EXPECT_EQ(ProviderLab::said(germany), "electricity-maps plan-does-not-cover*, energy-charts unavailable*");
  EXPECT_THAT(germany.said[0].detail, testing::AllOf(HasSubstr("DE"), HasSubstr("history")));
  EXPECT_EQ(ProviderLab::said(lab_.ask("FR", k_now)), "electricity-maps data*");
  EXPECT_EQ(ProviderLab::said(lab_.ask("DE", k_now + hours{1})).substr(0, 37), "electricity-maps plan-does-not-cover,");
  EXPECT_EQ(lab_.electricity_maps.seen().size(), 2U);
  lab_.electricity_maps.then_json(em_list("DE", "data", {{"DE", "2027-05-13T07", "400"}}));
  EXPECT_EQ(ProviderLab::said(lab_.ask("DE", k_now + hours{24})), "electricity-maps data*");
  EXPECT_EQ(lab_.electricity_maps.seen()[2].header("auth-token"), "t0k3n");
}

TEST_F(Providers, a_refused_key_is_kept_and_tried_again) {
  lab_.electricity_maps.then({.status = 401, .body = R"({"error":"Invalid auth-token"})"});
  expect_next_source("authentication");
  lab_.electricity_maps.then_json(em_list("FR", "data", {{"FR", "2027-05-12T07", "34"}}));
  EXPECT_EQ(ProviderLab::said(lab_.ask("FR", k_now + minutes{15})), "electricity-maps data*");
  EXPECT_EQ(lab_.electricity_maps.seen()[1].header("auth-token"), "t0k3n");
}

TEST_F(Providers, a_firewall_is_left_alone_for_an_hour) {
  lab_.electricity_maps.then({.status = 403, .type = "text/html", .body = "<html>Incident id 77</html>"});
  expect_next_source("blocked");
  EXPECT_EQ(lab_.chain().health().at(0).next_attempt, k_now + hours{1});
}

TEST_F(Providers, the_hundred_quarters_of_the_autumn_day_come_through) {
  const auto now = at("2027-10-31T22:50:00Z");
  lab_.electricity_maps.then({.status = 404, .body = "{}"});
  lab_.energy_charts.then_json(
      tests::ec_body(tests::counted(at("2027-10-30T22:00:00Z").time_since_epoch().count(), 900, 100),
                     tests::counted(300, 1, 100), tests::repeated("null", 100)));
  const auto answer = lab_.chain().ask({.zone = scheduler::Zone::of("DE"),
                                        .wanted = {at("2027-10-30T22:00:00Z"), at("2027-10-31T23:00:00Z")},
                                        .now = now,
                                        .time_left = hours{1}});
  ASSERT_EQ(answer.harvest->intensity.size(), 100U);
  for (std::size_t i = 1; i < 100; ++i)
    EXPECT_EQ(answer.harvest->intensity[i].interval.begin, answer.harvest->intensity[i - 1].interval.end);
}

TEST_F(Providers, the_twenty_three_hours_of_the_spring_day_come_through) {
  const auto now = at("2027-03-28T22:30:00Z");
  std::vector<EmRow> rows;
  for (auto hour = at("2027-03-27T23:00:00Z"); hour < at("2027-03-28T22:00:00Z"); hour += hours{1}) {
    rows.push_back({"DE", scheduler::format_instant(hour).substr(0, 13), std::to_string(300 + rows.size())});
  }
  ASSERT_EQ(rows.size(), 23U);
  lab_.electricity_maps.then_json(em_list("DE", "data", rows));
  const auto answer = lab_.ask("DE", now);
  ASSERT_EQ(answer.harvest->intensity.size(), 23U);
  EXPECT_EQ(answer.harvest->intensity.back().interval.end, at("2027-03-28T22:00:00Z"));
}

TEST(EsiosOverHttp, keeps_both_hours_of_the_autumn_night_and_sends_its_key_in_its_own_header) {
  tests::ScriptedServer server;
  tests::VirtualWaiter waiter;
  const auto transport = make_cpprest_transport({.user_agent = "valle/test"});
  const auto source = make_esios({.base_url = server.base_url(), .token = fixed_token(Secret{"k-4471-demo"})},
                                 {.transport = *transport, .waiter = waiter});
  server.then_json(tests::esios_body(
      600, {{"2027-10-31T02:00:00.000+02:00", "2027-10-31T00:00:00.000Z", "58.3"},
            {"2027-10-31T02:00:00.000+01:00", "2027-10-31T01:00:00.000Z", "51.75"},
            {"2027-10-31T03:00:00.000+01:00", "2027-10-31T02:00:00.000Z", "49.08", 3, "2027-10-31T02:00:00Z"}}));
  const auto answer = source->fetch({.zone = scheduler::Zone::of("ES"),
                                     .signal = Signal::price,
                                     .wanted = {at("2027-10-30T22:00:00Z"), at("2027-10-31T23:00:00Z")},
                                     .now = at("2027-10-30T14:00:00Z")});
  EXPECT_EQ(
      tests::table_of(answer.harvest.prices),
      "2027-10-31T00:00:00Z PT1H 58300000\n2027-10-31T01:00:00Z PT1H 51750000\n2027-10-31T02:00:00Z PT1H 49080000\n");
  EXPECT_EQ(server.seen()[0].header("x-api-key"), "k-4471-demo");
  EXPECT_EQ(server.seen()[0].header("Authorization"), "-");
  EXPECT_THAT(server.seen()[0].target, HasSubstr("/indicators/600?start_date=2027-10-30T22%3A00%3A00Z"));
  EXPECT_THAT(server.seen()[0].target, HasSubstr("geo_ids%5B%5D=3"));
}

TEST_F(Providers, seventy_two_hours_of_outage_keep_the_last_good_rows_with_their_age) {
  lab_.electricity_maps.then_json(
      em_list("FR", "data", {{"FR", "2027-05-12T07", "34"}, {"FR", "2027-05-12T08", "35"}}));
  const auto good = lab_.ask("FR", k_now);
  EXPECT_EQ(good.grade, Grade::fresh);
  // From here on both servers answer 500.
  std::size_t asked_before = lab_.electricity_maps.seen().size();
  for (hours passed{1}; passed <= hours{72}; ++passed) {
    const auto answer = lab_.ask("FR", k_now + passed);
    ASSERT_EQ(answer.source, "electricity-maps") << passed.count();
    EXPECT_EQ(ProviderLab::rows(answer), ProviderLab::rows(good));
    EXPECT_EQ(answer.fetched_at, k_now);
    EXPECT_EQ(answer.grade, passed <= hours{24} ? Grade::aged : Grade::stale) << passed.count();
    EXPECT_EQ(answer.said.at(0).outcome, Outcome::unavailable);
    EXPECT_EQ(answer.said.at(1).outcome, Outcome::unavailable);
    const std::size_t asked = lab_.electricity_maps.seen().size();
    EXPECT_LE(asked - asked_before, 3U) << "three attempts an hour at most";
    asked_before = asked;
  }
  const auto health = lab_.chain().health();
  ASSERT_EQ(health.size(), 2U);
  EXPECT_EQ(health[0].last_success, k_now);
  EXPECT_GE(health[0].consecutive_failures, 60U);
  EXPECT_FALSE(health[1].last_success.has_value());
  lab_.electricity_maps.then_json(em_list("FR", "data", {{"FR", "2027-05-15T09", "40"}}));
  const auto back = lab_.ask("FR", k_now + hours{73});
  EXPECT_EQ(back.grade, Grade::fresh);
  EXPECT_EQ(ProviderLab::rows(back), "2027-05-15T09:00:00Z PT1H 40000 measured\n");
  EXPECT_EQ(lab_.chain().health()[0].consecutive_failures, 0U);
}

}  // namespace
}  // namespace valle::connectors
