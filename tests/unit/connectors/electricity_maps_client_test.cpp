// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "connectors/electricity_maps/electricity_maps.hpp"
#include "connectors/electricity_maps/zones.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"
#include "tests/support/connectors/scripted_transport.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using scheduler::Zone;
using std::chrono::hours;
using tests::at;
using tests::em_forecast;
using tests::em_list;
using tests::header_value;
using tests::query_value;
using tests::table_of;
using Version = ElectricityMapsOptions::Version;

const auto k_now = at("2027-09-15T16:20:00Z");
constexpr const char* k_denied =
    R"({"error":"Request unauthorized for zoneKey=FR,requestType=past-range,dataType=carbon-intensity."})";

class ElectricityMapsClient : public testing::Test {
 protected:
  std::unique_ptr<scheduler::IntensitySource> make(Version version = Version::v4,
                                                   std::string base_url = "https://example.test/v4/") {
    return make_electricity_maps(
        {.base_url = std::move(base_url), .version = version, .token = fixed_token(Secret{"t0k3n"})},
        {.transport = transport_, .waiter = waiter_});
  }
  static scheduler::SourceRequest about(std::string_view from, std::string_view to, Signal signal = Signal::measured,
                                        scheduler::Instant now = k_now) {
    return {.zone = Zone::of("FR"), .signal = signal, .wanted = {at(from), at(to)}, .now = now, .time_left = hours{1}};
  }
  [[nodiscard]] std::string asked(std::size_t i) const {
    const auto& request = transport_.requests().at(i);
    return request.path + " " + query_value(request, "start") + " " + query_value(request, "end");
  }
  tests::ScriptedTransport transport_;
  tests::VirtualWaiter waiter_;
};

TEST_F(ElectricityMapsClient, names_the_zone_switches_the_callers_place_off_and_sends_its_token) {
  (void)make(Version::v4)->fetch(about("2027-09-15T10:00:00Z", "2027-09-15T16:00:00Z"));
  (void)make(Version::v3, "https://example.test")->fetch(about("2027-09-15T10:00:00Z", "2027-09-15T16:00:00Z"));
  const auto& v4 = transport_.requests().front();
  const auto& v3 = transport_.requests().back();
  EXPECT_EQ(v4.base_url, "https://example.test");
  EXPECT_EQ(v4.path, "/v4/carbon-intensity/history");
  EXPECT_EQ(query_value(v4, "zone"), "FR");
  EXPECT_EQ(query_value(v4, "disableCallerLookup"), "true");
  EXPECT_EQ(query_value(v4, "emissionFactorType"), "lifecycle");
  EXPECT_EQ(header_value(v4, "auth-token"), "t0k3n");
  EXPECT_EQ(v3.path, "/v3/carbon-intensity/history");
  EXPECT_EQ(query_value(v3, "shouldUseFallbackCallerLookup"), "false");
  EXPECT_EQ(query_value(v3, "flowTraced"), "-");
  for (const auto* name : {"countryCode", "lat", "lon"}) EXPECT_EQ(query_value(v4, name), "-");
}

TEST_F(ElectricityMapsClient, asks_latest_for_this_hour_and_history_for_the_last_day) {
  (void)make()->fetch(about("2027-09-15T16:00:00Z", "2027-09-15T17:00:00Z"));
  EXPECT_EQ(transport_.requests().back().path, "/v4/carbon-intensity/latest");
  (void)make()->fetch(about("2027-09-14T17:00:00Z", "2027-09-15T17:00:00Z"));
  EXPECT_EQ(transport_.requests().back().path, "/v4/carbon-intensity/history");
}

TEST_F(ElectricityMapsClient, spends_no_request_on_the_hour_by_which_history_falls_short_of_a_day) {
  transport_.then_json(em_list("FR", "data", {{"FR", "2027-09-15T15", "50"}}));
  EXPECT_EQ(make()->fetch(about("2027-09-14T16:00:00Z", "2027-09-15T18:00:00Z")).outcome, Outcome::data);
  EXPECT_EQ(transport_.requests().size(), 1U);
  (void)make()->fetch(about("2027-09-13T16:00:00Z", "2027-09-13T17:00:00Z"));
  EXPECT_EQ(asked(1), "/v4/carbon-intensity/past-range 2027-09-13T16:00:00Z 2027-09-13T17:00:00Z");
}

TEST_F(ElectricityMapsClient, cuts_long_pasts_into_ten_days_newest_first_and_filters_to_what_was_wanted) {
  transport_.then_json(em_list("FR", "data", {{"FR", "2027-09-15T15", "50"}}))
      .then_json(em_list("FR", "data", {{"FR", "2027-09-14T16", "51"}, {"FR", "2027-09-14T17", "59"}}))
      .then_json(em_list("FR", "data", {{"FR", "2027-08-25T23", "52"}, {"FR", "2027-08-26T00", "53"}}))
      .then_json(em_list("FR", "data", {}));
  const auto answer = make()->fetch(about("2027-08-20T00:00:00Z", "2027-09-15T17:00:00Z"));
  ASSERT_EQ(transport_.requests().size(), 4U);
  EXPECT_EQ(asked(1), "/v4/carbon-intensity/past-range 2027-09-04T17:00:00Z 2027-09-14T17:00:00Z");
  EXPECT_EQ(asked(2), "/v4/carbon-intensity/past-range 2027-08-25T17:00:00Z 2027-09-04T17:00:00Z");
  EXPECT_EQ(asked(3), "/v4/carbon-intensity/past-range 2027-08-20T00:00:00Z 2027-08-25T17:00:00Z");
  EXPECT_EQ(answer.harvest.intensity.size(), 5U);
}

TEST_F(ElectricityMapsClient, leaves_out_rows_beyond_what_was_wanted_and_says_what_was_refused_inside) {
  transport_.then_json(em_list("FR", "data",
                               {{"FR", "2027-09-15T09", "58"},
                                {"FR", "2027-09-15T12", "61"},
                                {"FR", "2027-09-15T13", "0"},
                                {"FR", "2027-09-15T14", "57"},
                                {"FR", "2027-09-15T15", "55"}}));
  const auto answer = make()->fetch(about("2027-09-15T12:00:00Z", "2027-09-15T15:00:00Z"));
  EXPECT_EQ(table_of(answer.harvest.intensity),
            "2027-09-15T12:00:00Z PT1H 61000 measured\n2027-09-15T14:00:00Z PT1H 57000 measured\n");
  EXPECT_EQ(table_of(answer.harvest.rejected), "2027-09-15T13:00:00Z zero\n");
}

TEST_F(ElectricityMapsClient, serves_the_last_day_where_the_plan_has_no_past_and_asks_for_the_past_again_after_a_day) {
  const auto history = em_list("FR", "data", {{"FR", "2027-09-15T15", "50"}});
  transport_.then_json(history).then(401, "application/json", k_denied);
  const auto source = make();
  const auto wanted = about("2027-09-10T00:00:00Z", "2027-09-15T17:00:00Z");
  const auto first = source->fetch(wanted);
  EXPECT_EQ(first.outcome, Outcome::data);
  EXPECT_EQ(first.harvest.intensity.size(), 1U);
  EXPECT_THAT(first.detail, testing::HasSubstr("past-range"));
  EXPECT_EQ(transport_.requests().size(), 2U);

  transport_.then_json(history);
  EXPECT_EQ(source->fetch(wanted).outcome, Outcome::data);
  EXPECT_EQ(transport_.requests().size(), 3U) << "past-range is not asked for again at once";

  auto next_day = wanted;
  next_day.now += hours{24};
  next_day.wanted.end += hours{24};
  transport_.then_json(history).then(401, "application/json", k_denied);
  (void)source->fetch(next_day);
  EXPECT_EQ(transport_.requests().size(), 5U);
}

TEST_F(ElectricityMapsClient, says_that_the_plan_does_not_cover_it_where_nothing_else_came) {
  transport_.then(401, "application/json", k_denied);
  const auto answer = make()->fetch(about("2027-09-01T00:00:00Z", "2027-09-02T00:00:00Z"));
  EXPECT_EQ(answer.outcome, Outcome::not_covered);
  EXPECT_THAT(answer.detail, testing::AllOf(testing::HasSubstr("FR"), testing::HasSubstr("past-range")));
}

TEST_F(ElectricityMapsClient, asks_for_no_more_horizon_than_it_needs) {
  const auto horizon_for = [&](hours ahead) {
    (void)make()->fetch({.zone = Zone::of("FR"),
                         .signal = Signal::forecast,
                         .wanted = {k_now, k_now + ahead},
                         .now = k_now,
                         .time_left = hours{1}});
    return query_value(transport_.requests().back(), "horizonHours");
  };
  EXPECT_EQ(horizon_for(hours{5}), "6");
  EXPECT_EQ(horizon_for(hours{6}), "6");
  EXPECT_EQ(horizon_for(hours{7}), "24");
  EXPECT_EQ(horizon_for(hours{48}), "48");
  EXPECT_EQ(horizon_for(hours{168}), "72");
}

TEST_F(ElectricityMapsClient, keeps_the_token_through_a_401_and_reads_a_new_one_from_the_file) {
  const tests::TemporaryFolder folder;
  const auto file = folder / "token";
  std::ofstream{file} << "first";
  const auto source = make_electricity_maps({.base_url = "https://example.test", .token = token_from_file(file)},
                                            {.transport = transport_, .waiter = waiter_});
  const auto wanted = about("2027-09-15T10:00:00Z", "2027-09-15T16:00:00Z");
  transport_.then(401, "application/json", R"({"error":"Invalid auth-token"})")
      .then_json(em_list("FR", "data", {{"FR", "2027-09-15T15", "50"}}));
  EXPECT_EQ(source->fetch(wanted).outcome, Outcome::authentication);
  EXPECT_EQ(source->fetch(wanted).outcome, Outcome::data);
  EXPECT_EQ(header_value(transport_.requests().back(), "auth-token"), "first");
  std::filesystem::remove(file);
  const auto unreadable = source->fetch(wanted);
  EXPECT_EQ(unreadable.outcome, Outcome::misconfigured);
  EXPECT_EQ(unreadable.detail, file.string() + ": the token file is not there or is no file");
  EXPECT_EQ(transport_.requests().size(), 2U);
}

TEST_F(ElectricityMapsClient, asks_for_prices_in_two_parts) {
  transport_.then_json(R"({"zone":"FR","unit":"EUR/MWh","data":[{"datetime":"2027-09-15T16:00:00.000Z","value":60}]})")
      .then_json(R"({"zone":"FR","unit":"EUR/MWh","data":[{"datetime":"2027-09-15T15:00:00.000Z","value":50}]})");
  const auto answer = make()->fetch(about("2027-09-15T15:00:00Z", "2027-09-16T15:00:00Z", Signal::price));
  EXPECT_EQ(asked(0), "/v4/price-day-ahead/combined - -");
  EXPECT_EQ(asked(1), "/v4/price-day-ahead/past-range 2027-09-15T15:00:00Z 2027-09-15T16:00:00Z");
  EXPECT_EQ(table_of(answer.harvest.prices),
            "2027-09-15T15:00:00Z PT1H 50000000\n2027-09-15T16:00:00Z PT1H 60000000\n");
}

TEST_F(ElectricityMapsClient, offers_what_it_is_configured_for) {
  const auto source = make_electricity_maps({.token = fixed_token(Secret{"x"}), .zones = {Zone::of("ES")}},
                                            {.transport = transport_, .waiter = waiter_});
  EXPECT_TRUE(source->offers(Zone::of("ES"), Signal::forecast));
  EXPECT_FALSE(source->offers(Zone::of("FR"), Signal::forecast));
  EXPECT_FALSE(source->offers(Zone::of("ES"), Signal::grid_forecast));
  EXPECT_TRUE(make()->offers(Zone::of("US-CAL-CISO"), Signal::measured));
  EXPECT_EQ(source->fetch(about("2027-09-15T10:00:00Z", "2027-09-15T16:00:00Z")).outcome, Outcome::not_offered);
}

TEST_F(ElectricityMapsClient, lists_zones) {
  transport_.then_json(R"([{"zoneKey":"FR","zoneName":"France"}])")
      .then(401, "application/json", R"({"error":"Invalid auth-token"})");
  const ElectricityMapsOptions options{.base_url = "https://example.test", .token = fixed_token(Secret{"x"})};
  EXPECT_EQ(electricity_maps::list_zones(options, {.transport = transport_, .waiter = waiter_}, k_now)->size(), 1U);
  EXPECT_EQ(transport_.requests().back().path, "/v4/zones");
  EXPECT_EQ(electricity_maps::list_zones(options, {.transport = transport_, .waiter = waiter_}, k_now).error().code,
            scheduler::Errc::source_unavailable);
}

}  // namespace
}  // namespace valle::connectors
