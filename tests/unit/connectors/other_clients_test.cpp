// SPDX-License-Identifier: Apache-2.0
// Energy-Charts, ESIOS and RTE over a scripted transport: what is asked, how often, and what a failure does.
#include <gmock/gmock.h>

#include "connectors/energy_charts/energy_charts.hpp"
#include "connectors/esios/esios.hpp"
#include "connectors/esios/technologies.hpp"
#include "connectors/rte/rte.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"
#include "tests/support/connectors/scripted_transport.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceRequest;
using scheduler::Zone;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;
using tests::at;
using tests::counted;
using tests::ec_body;
using tests::esios_body;
using tests::EsiosRow;
using tests::header_value;
using tests::query_value;
using tests::table_of;

const auto k_now = at("2027-03-10T00:40:00Z");

class Clients : public testing::Test {
 protected:
  [[nodiscard]] Surroundings around() { return {.transport = transport_, .waiter = waiter_}; }
  static SourceRequest about(std::string_view zone, Signal signal, scheduler::Instant now = k_now) {
    const auto from = signal == Signal::measured ? now - hours{1} : now;
    return {
        .zone = Zone::of(zone), .signal = signal, .wanted = {from, from + hours{2}}, .now = now, .time_left = hours{1}};
  }
  tests::ScriptedTransport transport_;
  tests::VirtualWaiter waiter_;
};

const std::string k_four_quarters =
    ec_body(counted(1804636800, 900, 4), "[31.2,30.8,null,null]", "[null,null,29.5,28.1]");

TEST_F(Clients, energy_charts_answers_both_questions_about_a_country_from_one_request) {
  const auto source = make_energy_charts({.base_url = "https://example.test"}, around());
  transport_.then_json(k_four_quarters);
  EXPECT_EQ(source->fetch(about("DE", Signal::measured)).harvest.intensity.size(), 2U);
  EXPECT_EQ(table_of(source->fetch(about("DE", Signal::forecast)).harvest.intensity),
            "2027-03-10T00:30:00Z PT15M 29500 forecast\n2027-03-10T00:45:00Z PT15M 28100 forecast\n");
  ASSERT_EQ(transport_.requests().size(), 1U);
  EXPECT_EQ(transport_.requests()[0].path, "/co2eq");
  EXPECT_EQ(query_value(transport_.requests()[0], "country"), "de");
  EXPECT_EQ(query_value(transport_.requests()[0], "start"), "2027-03-09");
  EXPECT_EQ(query_value(transport_.requests()[0], "end"), "2027-03-14");
}

TEST_F(Clients, energy_charts_is_asked_about_a_country_once_in_fifteen_minutes) {
  const auto source = make_energy_charts({.base_url = "https://example.test"}, around());
  transport_.then_json(k_four_quarters).then_json(k_four_quarters).then_json(k_four_quarters);
  (void)source->fetch(about("DE", Signal::measured));
  (void)source->fetch(about("DE", Signal::measured, k_now + minutes{14}));
  EXPECT_EQ(transport_.requests().size(), 1U);
  auto further_back = about("DE", Signal::measured, k_now + minutes{5});
  further_back.wanted.begin -= hours{24 * 30};
  const auto too_soon = source->fetch(further_back);
  EXPECT_EQ(too_soon.outcome, Outcome::budget_spent);
  EXPECT_EQ(too_soon.retry_after, minutes{10});
  (void)source->fetch(about("FR", Signal::measured, k_now + minutes{1}));
  EXPECT_EQ(transport_.requests().size(), 2U) << "another country is another question";
  (void)source->fetch(about("DE", Signal::measured, k_now + minutes{15}));
  EXPECT_EQ(transport_.requests().size(), 3U);
}

TEST_F(Clients, energy_charts_answers_a_week_ahead_from_what_it_has) {
  const auto source = make_energy_charts({.base_url = "https://example.test"}, around());
  transport_.then_json(k_four_quarters);
  auto week = about("DE", Signal::forecast);
  (void)source->fetch(about("DE", Signal::measured));
  week.wanted.end = k_now + hours{24 * 7};
  EXPECT_EQ(source->fetch(week).outcome, Outcome::data);
  auto old = about("FR", Signal::measured);
  old.wanted = {at("2026-12-01T00:00:00Z"), at("2026-12-03T00:00:00Z")};
  (void)source->fetch(old);
  EXPECT_EQ(query_value(transport_.requests()[1], "start"), "2026-12-01");
  EXPECT_EQ(query_value(transport_.requests()[1], "end"), "2026-12-03");
}

TEST_F(Clients, energy_charts_keeps_no_failure) {
  const auto source = make_energy_charts({.base_url = "https://example.test"}, around());
  transport_.then(400, "text/plain", "unknown country").then(200, "text/html", "<html>").then_json(k_four_quarters);
  EXPECT_EQ(source->fetch(about("DE", Signal::measured)).detail, "Energy-Charts answered 400: unknown country");
  EXPECT_EQ(source->fetch(about("DE", Signal::measured)).outcome, Outcome::bad_answer);
  EXPECT_EQ(source->fetch(about("DE", Signal::measured)).outcome, Outcome::data);
}

TEST_F(Clients, energy_charts_asks_for_prices_by_bidding_zone) {
  const auto source = make_energy_charts({.base_url = "https://example.test"}, around());
  transport_.then_json(R"({"unix_seconds":[1804638600,1804639500],"price":[5,6],"unit":"EUR/MWh"})");
  EXPECT_EQ(source->fetch(about("DE", Signal::price)).harvest.prices.size(), 2U);
  EXPECT_EQ(transport_.requests()[0].path, "/price");
  EXPECT_EQ(query_value(transport_.requests()[0], "bzn"), "DE-LU");
  EXPECT_FALSE(source->offers(Zone::of("IT"), Signal::price)) << "Italy is several bidding zones";
  EXPECT_FALSE(source->offers(Zone::of("US-CAL-CISO"), Signal::measured));
  EXPECT_FALSE(source->offers(Zone::of("DE"), Signal::grid_forecast));
}

/// Hourly rows of one indicator for the two hours before k_now.
std::string generation(int id, const std::string& megawatts) {
  return esios_body(id, {{"2027-03-10T00:00:00.000+01:00", "2027-03-09T23:00:00.000Z", megawatts, 8741},
                         {"2027-03-10T01:00:00.000+01:00", "2027-03-10T00:00:00.000Z", megawatts, 8741}});
}

TEST_F(Clients, esios_sends_its_key_and_asks_each_technology_for_means_of_the_peninsula) {
  const auto source =
      make_esios({.base_url = "https://example.test", .token = fixed_token(Secret{"k-4471-demo"})}, around());
  for (const auto& technology : esios::k_technologies) transport_.then_json(generation(technology.indicator, "1000"));
  auto request = about("ES", Signal::measured);
  request.wanted = {at("2027-03-09T23:00:00Z"), at("2027-03-10T01:00:00Z")};
  const auto answer = source->fetch(request);
  ASSERT_EQ(transport_.requests().size(), esios::k_technologies.size() + 1) << "the last is the cross-check";
  EXPECT_EQ(answer.detail, "") << "whose failure changes nothing";
  const auto& first = transport_.requests()[0];
  EXPECT_EQ(first.path, "/indicators/546");
  EXPECT_EQ(header_value(first, "x-api-key"), "k-4471-demo");
  EXPECT_EQ(header_value(first, "Authorization"), "-");
  EXPECT_EQ(query_value(first, "start_date"), "2027-03-09T23:00:00Z");
  EXPECT_EQ(query_value(first, "end_date"), "2027-03-10T00:59:59Z");
  EXPECT_EQ(query_value(first, "time_agg"), "average");
  EXPECT_EQ(query_value(first, "time_trunc"), "five_minutes");
  EXPECT_EQ(query_value(first, "geo_ids[]"), "8741");
  ASSERT_EQ(answer.harvest.intensity.size(), 1U) << "the second hour has not ended";
  EXPECT_EQ(answer.harvest.intensity[0].interval.begin, at("2027-03-09T23:00:00Z"));
}

TEST_F(Clients, esios_compares_its_mix_with_the_published_emissions_once_an_hour) {
  const auto source = make_esios(
      {.base_url = "https://example.test", .token = fixed_token(Secret{"x"}), .budget_per_hour = 1000}, around());
  // 1 GW of each: what burns emits (1052.03 + 826.11 + 417.27 + 417.27) t/h of 11 GW, 246.6 g/kWh.
  const auto fetch_at = [&](scheduler::Instant now, const std::string& tonnes) {
    for (const auto& technology : esios::k_technologies) transport_.then_json(generation(technology.indicator, "1000"));
    if (!tonnes.empty()) transport_.then_json(generation(10355, tonnes));
    auto request = about("ES", Signal::measured, now);
    request.wanted = {at("2027-03-09T23:00:00Z"), at("2027-03-10T01:00:00Z")};
    return source->fetch(request);
  };
  const auto close = fetch_at(k_now, "2300");
  EXPECT_EQ(close.outcome, Outcome::data);
  EXPECT_EQ(close.detail, "") << "a seventh lower is within the tolerance";
  EXPECT_EQ(transport_.requests().back().path, "/indicators/10355");
  EXPECT_EQ(query_value(transport_.requests().back(), "time_trunc"), "hour");

  (void)fetch_at(k_now + minutes{15}, "");
  EXPECT_EQ(transport_.requests().size(), 2 * esios::k_technologies.size() + 1) << "no second check in one hour";

  const auto far = fetch_at(k_now + hours{1}, "190");  // tonnes in five minutes, say
  EXPECT_EQ(far.outcome, Outcome::data);
  EXPECT_THAT(far.detail, HasSubstr("emits 247 g/kWh, indicator 10355 says 17 g/kWh"));
  EXPECT_EQ(far.harvest.intensity.size(), 2U) << "the mix is served all the same";
}

TEST_F(Clients, esios_is_not_asked_on_once_a_firewall_or_a_bad_key_has_answered) {
  const auto source = make_esios({.base_url = "https://example.test", .token = fixed_token(Secret{"x"})}, around());
  transport_.then(403, "text/html", "<html>Incident id 77</html>")
      .then(403, "application/json", R"({"Status":403,"message":"Forbidden"})");
  EXPECT_EQ(source->fetch(about("ES", Signal::measured)).outcome, Outcome::blocked);
  EXPECT_EQ(source->fetch(about("ES", Signal::measured)).outcome, Outcome::authentication);
  EXPECT_EQ(transport_.requests().size(), 2U);
}

TEST_F(Clients, esios_gives_day_ahead_prices_by_area_and_forecasts_of_the_grid) {
  const auto source = make_esios({.base_url = "https://example.test", .token = fixed_token(Secret{"x"})}, around());
  transport_.then_json(esios_body(600, {{"2027-03-10T02:00:00.000+01:00", "2027-03-10T01:00:00.000Z", "41.2", 1},
                                        {"2027-03-10T02:00:00.000+01:00", "2027-03-10T01:00:00.000Z", "43.1", 3}}));
  EXPECT_EQ(table_of(source->fetch(about("ES", Signal::price)).harvest.prices),
            "2027-03-10T01:00:00Z PT15M 43100000\n");
  EXPECT_EQ(query_value(transport_.requests()[0], "geo_ids[]"), "3");
  for (const int id : {1775, 1777, 1779}) {
    transport_.then_json(
        esios_body(id, {{"2027-03-10T02:00:00.000+01:00", "2027-03-10T01:00:00.000Z", std::to_string(id), 8741}}));
  }
  const auto forecasts = source->fetch(about("ES", Signal::grid_forecast)).harvest.grid_forecasts;
  ASSERT_EQ(forecasts.size(), 3U);
  EXPECT_EQ(forecasts[0].quantity, scheduler::GridQuantity::demand);
  EXPECT_EQ(forecasts[0].interval.length(), hours{1});
  EXPECT_EQ(scheduler::watts(forecasts[2].value), 1779e6);
  EXPECT_FALSE(source->offers(Zone::of("ES"), Signal::forecast));
  EXPECT_FALSE(source->offers(Zone::of("FR"), Signal::measured));
  EXPECT_TRUE(source->offers(Zone::of("FR"), Signal::price));
}

TEST_F(Clients, rte_asks_page_by_page_and_keeps_the_newest_where_a_later_page_fails) {
  const auto source = make_rte({.base_url = "https://example.test"}, around());
  std::string rows;
  for (int i = 0; i < 100; ++i) {
    rows += (i == 0 ? "" : ",");
    rows += R"({"perimetre":"France","date_heure":")" +
            scheduler::format_instant(at("2027-03-10T00:30:00Z") - minutes{15 * i}) + R"(","taux_co2":)" +
            std::to_string(20 + i % 7) + "}";
  }
  transport_.then_json(R"({"total_count":150,"results":[)" + rows + "]}").then(404, "application/json", "{}");
  auto request = about("FR", Signal::measured);
  request.wanted = {at("2027-03-08T00:00:00Z"), at("2027-03-10T01:00:00Z")};
  const auto answer = source->fetch(request);
  EXPECT_EQ(answer.outcome, Outcome::data);
  EXPECT_EQ(answer.harvest.intensity.size(), 100U);
  ASSERT_EQ(transport_.requests().size(), 2U);
  EXPECT_EQ(query_value(transport_.requests()[1], "offset"), "100");
  EXPECT_THAT(
      query_value(transport_.requests()[0], "where"),
      HasSubstr(
          "date_heure>=\"2027-03-08T00:00:00Z\" and date_heure<\"2027-03-10T01:00:00Z\" and taux_co2 is not null"));
  EXPECT_FALSE(source->offers(Zone::of("FR"), Signal::forecast));
  EXPECT_FALSE(source->offers(Zone::of("ES"), Signal::measured));
}

TEST_F(Clients, every_source_names_itself_and_its_licence) {
  EXPECT_THAT(make_energy_charts({}, around())->attribution(), HasSubstr("CC BY 4.0"));
  EXPECT_THAT(make_rte({}, around())->attribution(), HasSubstr("Licence Ouverte"));
  EXPECT_THAT(make_esios({.token = fixed_token(Secret{"x"})}, around())->attribution(), HasSubstr("Red Eléctrica"));
}

}  // namespace
}  // namespace valle::connectors
