// SPDX-License-Identifier: Apache-2.0
// Runs in, reports out, through the routes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/api/run_codec.hpp"
#include "tests/support/planning_world.hpp"

namespace valle::service::report {
namespace {

using api::Json;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using tests::a_reading;
using tests::hours;
using tests::PlanningWorld;

constexpr std::string_view k_now = "2027-06-21T08:00:00Z";
constexpr auto k_week = "/v1/reports/weekly/2027-W24";

std::vector<scheduler::IntensityReading> both(std::vector<scheduler::IntensityReading> a,
                                              const std::vector<scheduler::IntensityReading>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// ES and FR, eight hours of a Monday.
std::vector<scheduler::IntensityReading> a_monday() {
  return both(hours("ES", "2027-06-14T08:00:00Z", {240, 300, 260, 220, 190, 120, 90, 150}),
              hours("FR", "2027-06-14T08:00:00Z", {40, 41, 42, 43, 44, 45, 46, 47}));
}

Json a_run(const std::string& id, const char* started = "2027-06-14T13:00:00Z",
           const char* finished = "2027-06-14T15:00:00Z") {
  return {{"id", id},
          {"owner", "lab"},
          {"homeSite", "es"},
          {"site", "es"},
          {"submittedAt", "2027-06-14T08:00:00Z"},
          {"startedAt", started},
          {"finishedAt", finished},
          {"energyKwh", 2.4}};
}

class Reports : public ::testing::Test {
 protected:
  tests::Answer post(const Json& body) { return world_.call("POST", "/v1/runs", body.dump()); }
  /// In braces: an array, also of one.
  tests::Answer post(std::initializer_list<Json> runs) { return post(Json(Json::array_t(runs))); }
  Json report(const std::string& query = "") { return world_.call("GET", k_week + query).json; }

  PlanningWorld world_{k_now, a_monday()};
};

TEST_F(Reports, the_run_is_priced_window_against_window) {
  ASSERT_EQ(post({a_run("r1")}).json, (Json{{"stored", 1}, {"unchanged", 0}}));
  const Json made = report();
  const Json& row = made.at("jobs").at(0);
  EXPECT_EQ(row.at("id"), "r1");
  EXPECT_EQ(row.at("energyKwh"), 2.4);
  EXPECT_EQ(row.at("baselineGrams"), 648.0);
  EXPECT_EQ(row.at("carbonGrams"), 252.0);
  EXPECT_EQ(row.at("savedGrams"), 396.0);
  EXPECT_EQ(row.at("savedByTimeGrams"), 396.0);
  EXPECT_EQ(row.at("savedPercent"), 61.1111);
  EXPECT_EQ(row.at("wait"), "PT5H");
  EXPECT_EQ(made.at("totals").at("savedGrams"), 396.0);
  EXPECT_EQ(made.at("totals").at("shifted"), 1);
  EXPECT_EQ(made.at("groups").at(0).at("owner"), "lab");
  EXPECT_EQ(made.at("from"), "2027-06-14T00:00:00Z");
  EXPECT_EQ(made.at("inventory").at("sites").at(0).at("energyMwh"), 0.0024);
  EXPECT_EQ(made.at("inventory").at("locationBasedKg"), 0.252);
  EXPECT_TRUE(made.at("inventory").at("marketBasedKg").is_null()) << "not given is not zero";
  EXPECT_EQ(made.at("coverage").at("intensityMeasuredPercent"), 100.0);
  EXPECT_EQ(made.at("method").at("intensity").at(0).at("source"), "files");
}

TEST_F(Reports, the_same_end_seen_again_is_one_row_and_another_content_is_a_conflict) {
  ASSERT_EQ(post({a_run("r1")}).status, 200);
  EXPECT_EQ(post({a_run("r1"), a_run("r1")}).json.at("unchanged"), 2);
  Json other = a_run("r1");
  other["energyKwh"] = 3;
  const auto refused = post({a_run("r9"), other});
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.json.at("pointer"), "/1/id");
  EXPECT_EQ(report().at("totals").at("jobs"), 1) << "all or none";
}

TEST_F(Reports, a_failed_run_has_used_its_energy) {
  Json failed = a_run("r1");
  failed["outcome"] = "failed";
  ASSERT_EQ(post({failed}).status, 200);
  EXPECT_EQ(report().at("totals").at("energyKwh"), 2.4);
}

TEST_F(Reports, a_run_without_energy_is_counted_and_in_no_sum) {
  Json unknown = a_run("b");
  unknown.erase("energyKwh");
  ASSERT_EQ(post({a_run("a"), unknown}).status, 200);
  const Json made = report();
  EXPECT_EQ(made.at("totals").at("jobs"), 2);
  EXPECT_EQ(made.at("totals").at("notAssessed"), 1);
  EXPECT_EQ(made.at("totals").at("energyKwh"), 2.4);
  const Json& row = made.at("jobs").at(1);
  EXPECT_TRUE(row.at("energyKwh").is_null());
  EXPECT_TRUE(row.at("savedGrams").is_null());
  EXPECT_EQ(row.at("why"), "energy-unknown");
  EXPECT_EQ(made.at("coverage").at("energyUnknownPercent"), 50.0);
}

TEST_F(Reports, rows_sum_to_groups_and_totals_to_the_milligram) {
  Json runs = Json::array();
  for (int i = 0; i < 60; ++i) {
    Json run = a_run("r" + std::to_string(i), "2027-06-14T10:07:31Z", "2027-06-14T13:03:07Z");
    run["energyKwh"] = 0.001 * (i * i + 1) / 7;
    run["site"] = i % 3 == 0 ? "fr" : "es";
    run["owner"] = i % 2 == 0 ? "lab" : "web";
    runs.push_back(run);
  }
  ASSERT_EQ(post(runs).status, 200);
  const Json made = report();
  const auto milligrams = [](const Json& number) { return std::llround(number.get<double>() * 1000); };
  for (const char* member : {"carbonGrams", "baselineGrams", "savedGrams", "savedByTimeGrams", "savedByPlaceGrams",
                             "savedByEfficiencyGrams", "uncertaintyGrams"}) {
    long long rows = 0;
    for (const Json& row : made.at("jobs")) rows += milligrams(row.at(member));
    long long groups = 0;
    for (const Json& group : made.at("groups")) groups += milligrams(group.at(member));
    EXPECT_EQ(rows, milligrams(made.at("totals").at(member))) << member;
    EXPECT_EQ(groups, rows) << member;
  }
  for (const Json& row : made.at("jobs")) {
    EXPECT_EQ(milligrams(row.at("savedByTimeGrams")) + milligrams(row.at("savedByPlaceGrams")) +
                  milligrams(row.at("savedByEfficiencyGrams")),
              milligrams(row.at("savedGrams")));
  }
  long long kilograms = 0;
  for (const Json& site : made.at("inventory").at("sites")) {
    kilograms += std::llround(site.at("locationBasedKg").get<double>() * 1e6);
  }
  EXPECT_EQ(kilograms, milligrams(made.at("totals").at("carbonGrams")));
}

TEST_F(Reports, an_owners_report_holds_only_his_rows_and_makes_no_revision_of_its_own) {
  Json other = a_run("b");
  other["owner"] = "web";
  ASSERT_EQ(post({a_run("a"), other}).status, 200);
  EXPECT_EQ(report().at("revision"), 1);
  const Json his = report("?owner=web");
  EXPECT_EQ(his.at("revision"), 1);
  ASSERT_EQ(his.at("jobs").size(), 1u);
  EXPECT_EQ(his.at("jobs").at(0).at("id"), "b");
  EXPECT_EQ(his.at("totals").at("jobs"), 1);
  EXPECT_EQ(report("?owner=nobody").at("totals").at("jobs"), 0);
}

TEST_F(Reports, a_measured_value_that_replaces_an_estimate_restates_the_week_and_the_first_report_stays) {
  const auto with = [](double grams, bool estimated) {
    auto reading = a_reading("ES", "2027-06-17T10:00:00Z", grams);
    return tests::a_book({estimated ? reading.estimated() : reading});
  };
  world_.book.publish(with(120, true));
  Json run = a_run("r1", "2027-06-17T10:00:00Z", "2027-06-17T11:00:00Z");
  run["submittedAt"] = "2027-06-17T10:00:00Z";
  run["energyKwh"] = 4;
  ASSERT_EQ(post({run}).status, 200);
  Json first = report();
  EXPECT_EQ(first.at("revision"), 1);
  EXPECT_TRUE(first.at("supersedes").is_null());
  EXPECT_EQ(first.at("totals").at("carbonGrams"), 480.0);
  EXPECT_EQ(first.at("coverage").at("estimatedIntensityPercent"), 100.0);
  EXPECT_EQ(report().at("revision"), 1) << "nothing changed";

  world_.book.publish(with(135, false));
  const Json second = report();
  EXPECT_EQ(second.at("revision"), 2);
  EXPECT_EQ(second.at("supersedes"), 1);
  EXPECT_EQ(second.at("totals").at("carbonGrams"), 540.0);
  EXPECT_EQ(second.at("coverage").at("estimatedIntensityPercent"), 0.0);
  EXPECT_EQ(report("?revision=1"), first) << "to the letter";
}

TEST_F(Reports, tells_what_runs_cost_and_of_how_many_and_as_it_was_said_then) {
  const auto with = [](double first, double second) {
    auto harvest = tests::a_harvest(a_monday());
    for (const auto& [hour, eur] : {std::pair{"2027-06-14T13:00:00Z", first}, {"2027-06-14T14:00:00Z", second}}) {
      const scheduler::Interval step{tests::at(hour), tests::at(hour) + std::chrono::hours{1}};
      harvest.prices.push_back({scheduler::Zone::of("ES"), step, scheduler::price_from_eur_per_mwh(eur)});
    }
    return app::IntensityBook{}.with("files", "made up", harvest).value();
  };
  Json in_france = a_run("r2");
  in_france["site"] = "fr";
  ASSERT_EQ(post({a_run("r1"), in_france}).status, 200);
  EXPECT_FALSE(report().at("totals").contains("costEur"));

  world_.book.publish(with(50, 100));
  const Json made = report();
  EXPECT_EQ(made.at("totals").at("costEur"), 0.18);
  EXPECT_EQ(made.at("totals").at("jobsWithCost"), 1);
  EXPECT_EQ(made.at("jobs").at(0).at("costEur"), 0.18);
  EXPECT_FALSE(made.at("jobs").at(1).contains("costEur"));
  EXPECT_EQ(made.at("method").at("prices").at(0).at("source"), "files");
  const std::string csv = world_.call("GET", std::string{k_week} + "?format=csv").text;
  EXPECT_THAT(csv, HasSubstr(",0.180000\r\n"));
  EXPECT_THAT(world_.call("GET", std::string{k_week} + "?format=html").text, HasSubstr("0.18\u00a0€ (Jobs: 1)"));
  EXPECT_THAT(world_.call("GET", std::string{k_week} + "?format=md").text, HasSubstr("0.18\u00a0€ (Jobs: 1)"));

  world_.book.publish(with(50, 10));
  EXPECT_EQ(report().at("totals").at("costEur"), 0.072);
  EXPECT_EQ(report("?revision=" + std::to_string(made.at("revision").get<int>())), made) << "to the letter";
}

TEST_F(Reports, a_run_that_comes_later_is_not_in_an_earlier_revision) {
  ASSERT_EQ(post({a_run("a")}).status, 200);
  const Json first = report();
  ASSERT_EQ(post({a_run("b")}).status, 200);
  EXPECT_EQ(report().at("revision"), 2);
  EXPECT_EQ(report("?revision=1"), first);
  EXPECT_EQ(world_.call("GET", std::string{k_week} + "?revision=3").status, 404);
}

TEST_F(Reports, a_week_without_jobs_is_a_report_of_zeros) {
  const Json made = world_.call("GET", "/v1/reports/weekly/2027-W20").json;
  EXPECT_EQ(made.at("totals").at("jobs"), 0);
  EXPECT_EQ(made.at("totals").at("savedGrams"), 0.0);
  EXPECT_EQ(made.at("jobs"), Json::array());
  EXPECT_EQ(made.at("revision"), 1);
}

TEST_F(Reports, a_zone_without_realised_hours_leaves_its_runs_unassessed_with_their_energy_in_the_inventory) {
  ASSERT_EQ(post({a_run("late", "2027-06-14T20:00:00Z", "2027-06-14T22:00:00Z")}).status, 200);
  const Json made = report();
  const Json& row = made.at("jobs").at(0);
  EXPECT_EQ(row.at("why"), "no-realised-intensity");
  EXPECT_EQ(row.at("energyKwh"), 2.4);
  EXPECT_TRUE(row.at("carbonGrams").is_null());
  EXPECT_EQ(made.at("inventory").at("energyWithoutIntensityMwh"), 0.0024);
  EXPECT_EQ(made.at("coverage").at("intensityUnknownPercent"), 100.0);
}

TEST_F(Reports, the_csv_holds_the_rows_and_no_formula_of_anyones) {
  Json evil = a_run("=HYPERLINK(\"x\")");
  evil["owner"] = "a,b";
  ASSERT_EQ(post({evil}).status, 200);
  const std::string csv = world_.call("GET", std::string{k_week} + "?format=csv").text;
  EXPECT_THAT(csv, StartsWith("id,name,owner,"));
  EXPECT_THAT(csv, HasSubstr("\r\n\"'=HYPERLINK(\"\"x\"\")\""));
  EXPECT_THAT(csv, HasSubstr(",\"a,b\","));
  EXPECT_THAT(csv, HasSubstr(",252.000,648.000,396.000,61.1111,396.000,0.000,0.000,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

TEST_F(Reports, markdown_speaks_four_languages_and_lets_no_name_become_markup) {
  Json run = a_run("r1");
  run["owner"] = "<b>|lab";
  ASSERT_EQ(post({run}).status, 200);
  for (const char* language : {"en", "es", "fr", "de"}) {
    const auto page = world_.call("GET", std::string{k_week} + "?format=md&lang=" + language);
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.text, HasSubstr("396")) << language;
    EXPECT_THAT(page.text, HasSubstr("\\<b\\>\\|lab")) << language;
    EXPECT_THAT(page.text, ::testing::Not(HasSubstr("{0}"))) << language;
  }
}

TEST_F(Reports, what_is_wrong_in_a_question_is_named) {
  const auto code = [&](const std::string& target) { return world_.call("GET", target).json.value("pointer", "?"); };
  EXPECT_EQ(code("/v1/reports/weekly/2027-W54"), "week");
  EXPECT_THAT(code(std::string{k_week} + "?format=pdf"), HasSubstr("format"));
  EXPECT_THAT(code(std::string{k_week} + "?lang=it"), HasSubstr("lang"));
  EXPECT_THAT(code(std::string{k_week} + "?revision=0"), HasSubstr("revision"));
}

struct Wrong {
  const char* member;
  Json value;
  const char* code;
};

TEST_F(Reports, a_run_that_can_not_be_is_refused_with_its_place) {
  for (const Wrong& wrong :
       {Wrong{"site", "mars", "unknown-site"}, Wrong{"homeSite", "mars", "unknown-site"},
        Wrong{"energyKwh", 0, "invalid-request"}, Wrong{"energyKwh", -1, "invalid-request"},
        Wrong{"energyKwh", 1.1e9, "invalid-request"}, Wrong{"energyKwh", nullptr, "invalid-request"},
        Wrong{"energyKwh", "2", "invalid-request"}, Wrong{"startedAt", "2027-06-14T07:00:00Z", "invalid-request"},
        Wrong{"finishedAt", "2027-06-14T13:00:00Z", "invalid-request"},
        Wrong{"finishedAt", "2027-06-21T08:00:01Z", "invalid-request"},
        Wrong{"finishedAt", "2027-06-14T15:00:00", "invalid-request"}, Wrong{"id", "", "invalid-request"},
        Wrong{"id", nullptr, "invalid-request"}, Wrong{"power", 5, "unknown-field"}}) {
    Json run = a_run("r1");
    run[wrong.member] = wrong.value;
    const auto refused = post({a_run("ok"), run});
    EXPECT_EQ(refused.json.value("code", ""), wrong.code) << wrong.member << " " << wrong.value;
    EXPECT_EQ(refused.json.value("pointer", ""), std::string{"/1/"} + wrong.member) << wrong.value;
  }
  EXPECT_EQ(post(Json::object()).status, 400);
  EXPECT_EQ(post(Json::array()).status, 400);
  EXPECT_EQ(world_.call("POST", "/v1/runs", R"([{"id":"x","energyKwh":NaN}])").status, 400);
  EXPECT_EQ(report().at("totals").at("jobs"), 0);
}

TEST_F(Reports, at_most_ten_thousand_runs_come_at_a_time) {
  Json many = Json::array();
  for (std::size_t i = 0; i <= api::k_most_posted_runs; ++i) many.push_back(Json::object());
  EXPECT_EQ(post(many).status, 413);
}

TEST_F(Reports, uneven_power_is_told_by_a_profile_that_must_fit) {
  Json run = a_run("r1");
  run["profile"] = {{{"start", "2027-06-14T13:00:00Z"}, {"end", "2027-06-14T14:00:00Z"}, {"energyKwh", 0.4}},
                    {{"start", "2027-06-14T14:00:00Z"}, {"end", "2027-06-14T15:00:00Z"}, {"energyKwh", 2.0}}};
  ASSERT_EQ(post({run}).status, 200);
  EXPECT_EQ(report().at("jobs").at(0).at("carbonGrams"), 0.4 * 120 + 2.0 * 90);
  run["id"] = "r2";
  run["energyKwh"] = 2.5;
  EXPECT_EQ(post({run}).json.at("pointer"), "/0/profile");
}

TEST_F(Reports, a_job_of_ours_that_ends_is_a_row_with_its_baseline_frozen) {
  world_.book.publish(tests::a_book(tests::as_forecast(hours("FR", k_now, {50, 50, 40, 40, 60, 60}), k_now)));
  const auto job =
      world_.call("POST", "/v1/jobs", R"({"id":"j1","owner":"web","duration":"1h","powerWatts":1000,"maxWait":"4h"})");
  ASSERT_EQ(job.status, 201) << job.text;
  world_.advance_to("2027-06-21T10:00:00Z");
  ASSERT_EQ(world_.call("POST", "/v1/jobs/j1/started", "{}").status, 200);
  world_.advance_to("2027-06-21T11:00:00Z");
  ASSERT_EQ(world_.call("POST", "/v1/jobs/j1/finished", R"({"outcome":"succeeded","energyKwh":0.9})").status, 200);
  world_.book.publish(tests::a_book(hours("FR", k_now, {52, 50, 41, 40})));
  const Json made = world_.call("GET", "/v1/reports/weekly/2027-W25").json;
  const Json& row = made.at("jobs").at(0);
  EXPECT_EQ(row.at("id"), "j1");
  EXPECT_EQ(row.at("owner"), "web");
  EXPECT_EQ(row.at("baselineGrams"), 46.8) << "0.9 kWh at once, on what the grid really was";
  EXPECT_EQ(row.at("carbonGrams"), 36.9);
  EXPECT_EQ(row.at("plannedSavedGrams"), 10.0) << "as promised, on the forecast and the stated power";
  EXPECT_EQ(row.at("deadlineMet"), true);
}

TEST_F(Reports, a_job_that_never_ran_and_one_that_still_runs_are_in_no_report) {
  ASSERT_EQ(world_.call("POST", "/v1/jobs", R"({"id":"j1","duration":"1h","maxWait":"2h"})").status, 201);
  ASSERT_EQ(world_.call("DELETE", "/v1/jobs/j1").status, 200);
  ASSERT_EQ(world_.call("POST", "/v1/jobs", R"({"id":"j2","duration":"1h","maxWait":"0h"})").status, 201);
  (void)world_.call("POST", "/v1/jobs/j2/started", "{}");
  EXPECT_EQ(world_.call("GET", "/v1/reports/weekly/2027-W25").json.at("totals").at("jobs"), 0);
}

TEST(ReportsBySite, market_factors_fallbacks_and_the_time_zone_come_from_the_configuration) {
  runtime::Config config;
  config.report.time_zone = "Europe/Madrid";
  config.sites = {{.name = "es", .zone = scheduler::Zone::of("ES"), .pue = scheduler::ratio_from_number(1.25)}};
  config.report.fallback.emplace(
      scheduler::Zone::of("ES"),
      runtime::YearlyFactor{scheduler::intensity_from_grams_per_kwh(165), "yearly factor", 2026});
  config.report.market.emplace(
      "es", runtime::MarketFactor{scheduler::intensity_from_grams_per_kwh(20), "GO", "supplier", 2026});
  PlanningWorld world{k_now, hours("ES", "2027-06-14T08:00:00Z", {150}), config};
  Json a = a_run("a", "2027-06-14T08:00:00Z", "2027-06-14T09:00:00Z");
  Json b = a_run("b", "2027-06-20T20:00:00Z", "2027-06-20T21:00:00Z");
  Json monday_in_madrid = a_run("c", "2027-06-20T21:30:00Z", "2027-06-20T22:00:00Z");
  for (Json* run : {&a, &b, &monday_in_madrid}) {
    (*run)["energyKwh"] = 2;
    (*run)["submittedAt"] = (*run)["startedAt"];
  }
  ASSERT_EQ(world.call("POST", "/v1/runs", Json{a, b, monday_in_madrid}.dump()).status, 200);
  const Json made = world.call("GET", k_week).json;
  ASSERT_EQ(made.at("jobs").size(), 2u);
  EXPECT_EQ(made.at("jobs").at(0).at("carbonGrams"), 2 * 1.25 * 150);
  EXPECT_EQ(made.at("jobs").at(0).at("fallback"), false);
  EXPECT_EQ(made.at("jobs").at(1).at("carbonGrams"), 2 * 1.25 * 165);
  EXPECT_EQ(made.at("jobs").at(1).at("fallback"), true);
  EXPECT_EQ(made.at("jobs").at(1).at("source"), "yearly factor");
  EXPECT_EQ(made.at("coverage").at("intensityMeasuredPercent"), 50.0);
  EXPECT_EQ(made.at("coverage").at("fallbackPercent"), 50.0);
  EXPECT_EQ(made.at("inventory").at("sites").at(0).at("marketBasedKg"), 5 * 20 / 1000.0);
  EXPECT_EQ(made.at("inventory").at("marketBasedKg"), 0.1);
}

}  // namespace
}  // namespace valle::service::report
