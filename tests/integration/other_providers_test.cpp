// SPDX-License-Identifier: Apache-2.0
// ESIOS and RTE over the real HTTP client against a server on loopback.
#include <gmock/gmock.h>

#include "connectors/esios/technologies.hpp"
#include "connectors/rte/rte.hpp"
#include "tests/support/integration/provider_lab.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using std::chrono::hours;
using testing::HasSubstr;
using tests::at;
using tests::esios_body;
using tests::EsiosRow;
using Fault = tests::ScriptedReply::Fault;

class OtherProviders : public testing::Test {
 protected:
  [[nodiscard]] Surroundings around() { return {.transport = *transport_, .waiter = waiter_}; }
  SourceAnswer ask(scheduler::IntensitySource& source, std::string_view zone, std::string_view from,
                   std::string_view until) {
    return source.fetch({.zone = scheduler::Zone::of(zone),
                         .signal = Signal::measured,
                         .wanted = {at(from), at(until)},
                         .now = at(until) + std::chrono::minutes{20},
                         .time_left = hours{1}});
  }
  std::unique_ptr<scheduler::IntensitySource> esios() {
    return make_esios(
        {.base_url = server_.base_url(), .token = fixed_token(Secret{"k-2208-demo"}), .budget_per_hour = 1000},
        around());
  }
  std::unique_ptr<scheduler::IntensitySource> rte() { return make_rte({.base_url = server_.base_url()}, around()); }

  /// One hour an entry, of nuclear and combined cycle in MW; the other technologies stand still.
  struct Hour {
    std::string local;
    std::string utc;
    int nuclear;
    int gas;
  };
  void script_mix(const std::vector<Hour>& generated) {
    for (const auto& technology : esios::k_technologies) {
      std::vector<EsiosRow> rows;
      for (const Hour& hour : generated) {
        const int megawatts = technology.indicator == 549 ? hour.nuclear : technology.indicator == 550 ? hour.gas : 0;
        rows.push_back({hour.local, hour.utc, std::to_string(megawatts), 8741});
      }
      server_.then_json(esios_body(technology.indicator, rows));
    }
    server_.then({.status = 404, .body = "{}"});  // the cross-check has nothing to say
  }

  tests::ScriptedServer server_;
  tests::VirtualWaiter waiter_;
  std::unique_ptr<HttpTransport> transport_ = make_cpprest_transport({.user_agent = "valle/test"});
};

TEST_F(OtherProviders, esios_makes_an_intensity_of_what_each_technology_generates) {
  script_mix({{"2027-03-10T09:00:00.000+01:00", "2027-03-10T08:00:00.000Z", 6000, 2000},
              {"2027-03-10T10:00:00.000+01:00", "2027-03-10T09:00:00.000Z", 6000, 0}});
  const auto source = esios();
  const auto answer = ask(*source, "ES", "2027-03-10T08:00:00Z", "2027-03-10T10:00:00Z");
  // (6 · 5.13 + 2 · 537.27) / 8 = 138.165; nuclear alone 5.13.
  EXPECT_EQ(tests::table_of(answer.harvest.intensity),
            "2027-03-10T08:00:00Z PT1H 138165 measured\n2027-03-10T09:00:00Z PT1H 5130 measured\n");
  EXPECT_EQ(server_.left(), 0U);
  EXPECT_EQ(server_.seen()[0].header("x-api-key"), "k-2208-demo");
  EXPECT_EQ(server_.seen()[0].header("User-Agent"), "valle/test");
  EXPECT_THAT(server_.seen().back().path(), HasSubstr("/indicators/10355"));
}

TEST_F(OtherProviders, esios_tells_the_two_hours_of_the_autumn_night_apart) {
  script_mix({{"2027-10-31T02:00:00.000+02:00", "2027-10-31T00:00:00.000Z", 1000, 0},
              {"2027-10-31T02:00:00.000+01:00", "2027-10-31T01:00:00.000Z", 1000, 1000}});
  const auto source = esios();
  const auto answer = ask(*source, "ES", "2027-10-31T00:00:00Z", "2027-10-31T02:00:00Z");
  EXPECT_EQ(tests::table_of(answer.harvest.intensity),
            "2027-10-31T00:00:00Z PT1H 5130 measured\n2027-10-31T01:00:00Z PT1H 271200 measured\n");
}

TEST_F(OtherProviders, esios_serves_no_hour_without_a_technology_that_carries_the_mix) {
  for (const auto& technology : esios::k_technologies) {
    if (technology.indicator == 549) {
      server_.then({.status = 404, .body = R"({"message":"no values"})"});
      continue;
    }
    server_.then_json(esios_body(technology.indicator, {{"2027-03-10T09:00:00.000+01:00", "2027-03-10T08:00:00.000Z",
                                                         technology.indicator == 550 ? "2000" : "0", 8741}}));
  }
  const auto source = esios();
  const auto answer = ask(*source, "ES", "2027-03-10T08:00:00Z", "2027-03-10T09:00:00Z");
  EXPECT_EQ(answer.outcome, Outcome::no_data);
  ASSERT_EQ(answer.harvest.rejected.size(), 1U);
  EXPECT_EQ(answer.harvest.rejected[0].reason, scheduler::RejectionReason::incomplete);
  EXPECT_THAT(answer.harvest.rejected[0].detail, HasSubstr("nuclear"));
}

TEST_F(OtherProviders, esios_bad_days_end_in_their_outcomes) {
  const auto outcome = [this](tests::ScriptedReply reply, int times = 1) {
    for (int i = 0; i < times; ++i) server_.then(reply);
    const auto source = esios();
    return ask(*source, "ES", "2027-03-10T08:00:00Z", "2027-03-10T09:00:00Z").outcome;
  };
  EXPECT_EQ(outcome({.status = 401, .body = R"({"message":"bad key"})"}), Outcome::authentication);
  EXPECT_EQ(outcome({.status = 403, .type = "text/html", .body = "<html>firewall</html>"}), Outcome::blocked);
  EXPECT_EQ(outcome({.type = "text/html", .body = "<html>welcome</html>"}), Outcome::bad_answer);
  EXPECT_EQ(outcome({.body = R"({"indicator":{"id":546,"values":[)"}), Outcome::bad_answer);
  EXPECT_EQ(outcome({.status = 503}, 3), Outcome::unavailable);
  EXPECT_EQ(outcome({.body = "{}", .fault = Fault::cut_body}, 3), Outcome::unavailable);
  EXPECT_EQ(outcome({.status = 429, .headers = {"Retry-After: 7200"}}), Outcome::rate_limited);
  EXPECT_EQ(server_.left(), 0U);
}

std::string rte_row(const std::string& time, const std::string& value) {
  return R"({"perimetre":"France","date_heure":")" + time + R"(","taux_co2":)" + value + "}";
}

TEST_F(OtherProviders, rte_serves_quarters_newest_first_and_leaves_out_what_is_null) {
  server_.then_json(R"({"total_count":3,"results":[)" + rte_row("2027-03-10T09:30:00+00:00", "null") + "," +
                    rte_row("2027-03-10T09:15:00+00:00", "21") + "," + rte_row("2027-03-10T10:00:00+01:00", "19") +
                    "]}");
  const auto source = rte();
  const auto answer = ask(*source, "FR", "2027-03-10T09:00:00Z", "2027-03-10T10:00:00Z");
  EXPECT_EQ(answer.outcome, Outcome::data);
  EXPECT_EQ(tests::table_of(answer.harvest.intensity),
            "2027-03-10T09:00:00Z PT15M 19000 measured\n2027-03-10T09:15:00Z PT15M 21000 measured\n");
  EXPECT_THAT(server_.seen()[0].path(), HasSubstr("eco2mix-national-tr/records"));
}

TEST_F(OtherProviders, rte_bad_days_end_in_their_outcomes) {
  const auto outcome = [this](tests::ScriptedReply reply, int times = 1) {
    for (int i = 0; i < times; ++i) server_.then(reply);
    const auto source = rte();
    return ask(*source, "FR", "2027-03-10T09:00:00Z", "2027-03-10T10:00:00Z").outcome;
  };
  EXPECT_EQ(outcome({.type = "text/html", .body = "<html>maintenance</html>"}), Outcome::bad_answer);
  EXPECT_EQ(outcome({.body = R"({"total_count":0,"results":[]})"}), Outcome::no_data);
  EXPECT_EQ(outcome({.status = 503}, 3), Outcome::unavailable);
  EXPECT_EQ(outcome({.status = 429, .headers = {"Retry-After: 7200"}}), Outcome::rate_limited);
  EXPECT_EQ(server_.left(), 0U);
}

}  // namespace
}  // namespace valle::connectors
