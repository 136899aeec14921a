// SPDX-License-Identifier: Apache-2.0
#include "service/api/plan_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problems.hpp"
#include "tests/support/random_problem.hpp"

namespace valle::service::api {
namespace {

using namespace std::chrono_literals;
using scheduler::Errc;
using scheduler::Problem;
using testing::ElementsAre;
using tests::hour;

constexpr std::string_view k_good = R"({
  "start": "2027-10-11T00:00:00Z", "slot": "PT1H", "slots": 3,
  "sites": [
    {"name": "fr", "zone": "FR", "pue": 1.2, "capacity": {"gpu": 4, "cpu": [10, 20.5, 30]}, "gramsPerKwh": [40, 38.25, 35]},
    {"name": "es", "zone": "ES", "gramsPerKwh": [150, 120, 90], "rampWatts": 5000, "kwhPerGb": 0.01}
  ],
  "jobs": [
    {"id": "a", "earliestStart": "2027-10-11T01:00:00+01:00", "finishBy": "2027-10-11T03:00:00Z", "duration": "PT1H30M",
     "powerWatts": 2800, "demand": {"gpu": 2}, "sites": ["FR", "es"], "homeSite": "es", "priority": 2},
    {"id": "b", "finishBy": "2027-10-11T03:00:00Z", "modes": [
       {"name": "fast", "powerWatts": 900, "duration": 3600}, {"name": "slow", "powerWatts": 400, "duration": "2h"}],
     "interruptible": {"minRun": "PT1H", "restart": "5m", "restartEnergyKwh": 0.5, "maxPauses": 2}, "transferGb": 12.5},
    {"id": "c", "finishBy": "2027-10-11T03:00:00Z", "duration": "1h", "powerWatts": 1, "fixed":
       {"site": "fr", "start": "2027-10-10T23:30:00Z"}},
    {"id": "d", "finishBy": "2027-10-11T03:00:00Z", "duration": "1h", "powerWatts": 1, "group": "gang", "sites": ["es"]}
  ]})";

/// `text` with the first `what` replaced.
std::string with(std::string_view what, std::string_view by, std::string_view text = k_good) {
  std::string changed{text};
  const auto at = changed.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return changed.replace(at, what.size(), by);
}

TEST(ProblemCodec, reads_every_member) {
  const auto problem = parse_problem(k_good, no_intensity_supply());
  ASSERT_TRUE(problem) << problem.error().detail << problem.error().pointer;
  EXPECT_EQ(problem->slots, 3U);
  EXPECT_EQ(problem->sites[0].pue, scheduler::ratio_from_number(1.2));
  EXPECT_EQ(problem->sites[0].capacity[0].resource, "cpu");
  EXPECT_EQ(problem->sites[0].capacity[0].per_slot[1].base(), 20'500);
  EXPECT_EQ(problem->sites[0].capacity[1].per_slot, std::vector(3, scheduler::Amount::of_base(4000)));
  EXPECT_EQ(problem->sites[0].intensity[1].base(), 38'250);
  EXPECT_EQ(problem->sites[1].ramp, scheduler::power_from_watts(5000));
  EXPECT_EQ(problem->sites[1].energy_per_gb, scheduler::energy_from_kwh(0.01));
  const auto& a = problem->jobs[0];
  EXPECT_EQ(a.earliest_start, hour(0));
  EXPECT_EQ(a.modes[0].duration, 90min);
  EXPECT_THAT(a.sites, ElementsAre(0U, 1U));
  EXPECT_EQ(a.home_site, 1U);
  EXPECT_EQ(a.priority, 2);
  const auto& b = problem->jobs[1];
  EXPECT_EQ(b.modes.size(), 2U);
  EXPECT_EQ(b.modes[1].duration, 2h);
  EXPECT_EQ(b.interruption->restart, 5min);
  EXPECT_EQ(b.interruption->max_pauses, 2);
  EXPECT_EQ(b.transfer_gb, 12.5);
  EXPECT_EQ(problem->jobs[2].fixed, (scheduler::FixedStart{0, hour(-0.5)}));
  EXPECT_EQ(problem->jobs[3].group, "gang");
}

TEST(ProblemCodec, fills_in_the_defaults) {
  const auto problem = parse_problem(
      R"({"start":"2027-10-11T00:00:00Z","slots":1,"sites":[{"name":"a","zone":"fr","gramsPerKwh":[1]},
          {"name":"b","zone":"fr","gramsPerKwh":[1]}],
          "jobs":[{"id":"j","finishBy":"2027-10-11T03:00:00Z","duration":60,"powerWatts":1}]})",
      no_intensity_supply());
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->slot, 1h);
  EXPECT_EQ(problem->sites[0].pue, scheduler::k_one);
  EXPECT_TRUE(problem->sites[0].capacity.empty());
  EXPECT_EQ(problem->jobs[0].earliest_start, problem->start);
  EXPECT_THAT(problem->jobs[0].sites, ElementsAre(0U, 1U));
  EXPECT_EQ(problem->jobs[0].home_site, 0U);
}

TEST(ProblemCodec, takes_a_jobs_own_duration_and_power_as_the_first_of_its_modes) {
  const auto problem = parse_problem(with(R"("modes": [)", R"("duration": "30m", "powerWatts": 2000, "modes": [)"),
                                     no_intensity_supply());
  ASSERT_TRUE(problem);
  ASSERT_EQ(problem->jobs[1].modes.size(), 3U);
  EXPECT_EQ(problem->jobs[1].modes[0], (scheduler::Mode{"", scheduler::power_from_watts(2000), 30min}));
}

TEST(ProblemCodec, asks_for_the_intensity_that_a_site_leaves_out) {
  const std::string text = with(R"("gramsPerKwh": [150, 120, 90], )", "");
  const auto problem = parse_problem(text, [](const scheduler::Zone& zone, const Problem& grid) {
    EXPECT_EQ(zone.name(), "ES");
    EXPECT_EQ(grid.start, hour(0));
    return scheduler::Result<std::vector<scheduler::CarbonIntensity>>(
        std::vector(grid.slots, scheduler::CarbonIntensity::of_base(77'000)));
  });
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->sites[1].intensity[2].base(), 77'000);
  const auto refused = parse_problem(text, no_intensity_supply());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::no_intensity_data);
  EXPECT_EQ(refused.error().pointer, "/sites/1/gramsPerKwh");
}

TEST(ProblemCodec, points_at_the_member_at_fault) {
  struct Row {
    std::string text;
    std::string pointer;
    Errc code = Errc::invalid_request;
  };
  const std::vector<Row> rows = {
      {"[]", ""},
      {"{}", "/start"},
      {with(R"("slots": 3,)", ""), "/slots"},
      {with(R"("slots": 3)", R"("slots": 3, "color": 1)"), "/color", Errc::unknown_field},
      {with(R"("slots": 3)", R"("slots": 3, "slots": 3)"), "/slots"},
      {with(R"("slots": 3)", R"("slots": 3.5)"), "/slots"},
      {with(R"("slots": 3)", R"("slots": 20001)"), "/slots"},
      {with(R"("slot": "PT1H")", R"("slot": "PT0S")"), "/slot"},
      {with(R"("slot": "PT1H")", R"("slot": "an hour")"), "/slot"},
      {with("2027-10-11T00:00:00Z", "2027-10-11T00:00:00"), "/start"},
      {with(R"("pue": 1.2)", R"("pue": 0.9)"), "/sites/0/pue"},
      {with(R"("pue": 1.2)", R"("pue": "1.2")"), "/sites/0/pue"},
      {with(R"("zone": "FR", )", ""), "/sites/0/zone"},
      {with(R"("zone": "FR")", R"("zone": "F R")"), "/sites/0/zone"},
      {with(R"("name": "es")", R"("name": "FR")"), "/sites/1/name"},
      {with("[10, 20.5, 30]", "[10, 20.5]"), "/sites/0/capacity/cpu"},
      {with("[10, 20.5, 30]", "[10, -1, 30]"), "/sites/0/capacity/cpu/1"},
      {with(R"("gpu": 4)", R"("gpu": null)"), "/sites/0/capacity/gpu"},
      {with("[40, 38.25, 35]", "[40, null, 35]"), "/sites/0/gramsPerKwh/1"},
      {with("[40, 38.25, 35]", "[40, \"38\", 35]"), "/sites/0/gramsPerKwh/1"},
      {with("[40, 38.25, 35]", "[40, 38.25, 35, 36]"), "/sites/0/gramsPerKwh"},
      {with("[40, 38.25, 35]", "[40, 1e5, 35]"), "/sites/0/gramsPerKwh/1"},
      {with(R"("id": "a", )", ""), "/jobs/0/id"},
      {with(R"("id": "b")", R"("id": "a")"), "/jobs/1/id"},
      {with(R"("finishBy": "2027-10-11T03:00:00Z", "duration": "PT1H30M")", R"("duration": "PT1H30M")"),
       "/jobs/0/finishBy"},
      {with(R"("duration": "PT1H30M",)", ""), "/jobs/0/duration"},
      {with(R"("duration": "PT1H30M")", R"("duration": "P1M")"), "/jobs/0/duration"},
      {with(R"("powerWatts": 2800)", R"("powerWatts": 0)"), "/jobs/0/powerWatts"},
      {with(R"("powerWatts": 2800)", R"("powerWatts": -5)"), "/jobs/0/powerWatts"},
      {with(R"("powerWatts": 2800)", R"("powerWats": 2800)"), "/jobs/0/powerWats", Errc::unknown_field},
      {with(R"({"gpu": 2})", R"({"gpu": -2})"), "/jobs/0/demand/gpu"},
      {with(R"({"gpu": 2})", R"({"nvidia.com/gpu": "2"})"), "/jobs/0/demand/nvidia.com~1gpu"},
      {with(R"(["FR", "es"])", R"(["FR", "pt"])"), "/jobs/0/sites/1", Errc::unknown_site},
      {with(R"(["FR", "es"])", R"(["FR", "fr"])"), "/jobs/0/sites/1"},
      {with(R"(["FR", "es"])", "[]"), "/jobs/0/sites"},
      {with(R"("homeSite": "es")", R"("homeSite": "pt")"), "/jobs/0/homeSite", Errc::unknown_site},
      {with(R"("priority": 2)", R"("priority": 2.5)"), "/jobs/0/priority"},
      {with(R"("name": "slow")", R"("name": "fast")"), "/jobs/1/modes/1/name"},
      {with(R"("powerWatts": 400)", R"("powerWatts": "400")"), "/jobs/1/modes/1/powerWatts"},
      {with(R"("minRun": "PT1H")", R"("minRun": "one hour")"), "/jobs/1/interruptible/minRun"},
      {with(R"("maxPauses": 2)", R"("maxPauses": -1)"), "/jobs/1/interruptible/maxPauses"},
      {with(R"("transferGb": 12.5)", R"("transferGb": -12.5)"), "/jobs/1/transferGb"},
      {with(R"({"site": "fr", "start": "2027-10-10T23:30:00Z"})", R"({"site": "fr"})"), "/jobs/2/fixed/start"},
      {with(R"({"site": "fr", "start")", R"({"site": "pt", "start")"), "/jobs/2/fixed/site", Errc::unknown_site},
      {with(R"("group": "gang")", R"("group": "")"), "/jobs/3/group"},
  };
  for (const Row& row : rows) {
    const auto problem = parse_problem(row.text, no_intensity_supply());
    ASSERT_FALSE(problem) << row.pointer;
    EXPECT_EQ(problem.error().pointer, row.pointer) << problem.error().detail;
    EXPECT_EQ(problem.error().code, row.code) << row.pointer;
    EXPECT_NE(problem.error().detail, "");
  }
}

TEST(ProblemCodec, writes_what_it_reads) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = tests::random_problem(seed);
    const auto again = parse_problem(write_problem(problem), no_intensity_supply());
    ASSERT_TRUE(again) << seed << again.error().pointer << again.error().detail;
    Problem expected = problem;  // resources come back in the order of their names
    for (auto& site : expected.sites)
      std::sort(site.capacity.begin(), site.capacity.end(),
                [](const auto& x, const auto& y) { return x.resource < y.resource; });
    for (auto& job : expected.jobs)
      std::sort(job.demand.begin(), job.demand.end(),
                [](const auto& x, const auto& y) { return x.resource < y.resource; });
    Problem compared = *again;
    for (std::size_t s = 0; s < compared.sites.size(); ++s) expected.sites[s].zone = compared.sites[s].zone;
    EXPECT_EQ(compared, expected) << seed;
  }
}

TEST(PlanCodec, writes_the_contracts_members) {
  const Problem problem = tests::a_problem(3)
                              .with(tests::a_site("fr", {40, 30, 20}).pue(1.2))
                              .with(tests::a_job("j1").running(90min).drawing(2000).home(0))
                              .with(tests::a_job("j9").running(4h));
  scheduler::Sequential sequential;
  const auto solution = scheduler::solve(problem, {}, sequential);
  const auto json = Json::parse(write_plan(problem, solution, {.elapsed = 12ms, .threads = 2, .seed = 7}));
  const Json& placed = json.at("placements").at(0);
  EXPECT_EQ(placed.at("job"), "j1");
  EXPECT_EQ(placed.at("site"), "fr");
  EXPECT_EQ(placed.at("start"), "2027-10-11T01:00:00Z");
  EXPECT_EQ(placed.at("end"), "2027-10-11T02:30:00Z");
  EXPECT_TRUE(placed.at("mode").is_null());
  EXPECT_EQ(placed.at("segments").at(0).at("end"), "2027-10-11T02:30:00Z");
  EXPECT_EQ(placed.at("energyKwh"), 3.0);
  EXPECT_EQ(placed.at("facilityKwh"), 3.6);
  EXPECT_EQ(placed.at("carbonGrams"), 96.0);
  const Json& unplaced = json.at("unplaced").at(0);
  EXPECT_EQ(unplaced.at("job"), "j9");
  EXPECT_EQ(unplaced.at("code"), "window-too-short");
  EXPECT_EQ(unplaced.at("finishByThatWorks"), "2027-10-11T04:00:00Z");
  EXPECT_EQ(json.at("carbonGrams"), 96.0);
  EXPECT_EQ(json.at("runNowGrams"), 132.0);
  EXPECT_EQ(json.at("savedPercent"), 27.2727);
  EXPECT_LE(json.at("lowerBoundGrams").get<double>(), 96.0);
  EXPECT_LT(json.at("gapPercent").get<double>(), 0.01);
  EXPECT_EQ(json.at("solver").at("elapsedMs"), 12);
  EXPECT_EQ(json.at("solver").at("threads"), 2);
  EXPECT_EQ(json.at("solver").at("seed"), 7);
  EXPECT_EQ(json.at("solver").at("stoppedBy"), "converged");
}

TEST(PlanCodec, tells_what_room_is_worth_and_who_is_in_the_way) {
  const Problem problem = tests::a_problem(3)
                              .with(tests::a_site("fr", {100, 10, 30}).holding("gpu", 1))
                              .with(tests::a_job("a").needing("gpu", 1).drawing(2000))
                              .with(tests::a_job("b").needing("gpu", 1));
  scheduler::Sequential sequential;
  auto solution = scheduler::solve(problem, {}, sequential);
  solution.moves = {
      {.job = 1, .reason = scheduler::MoveReason::makes_room, .saved = scheduler::Emissions::of_base(-5)}};
  const auto json = Json::parse(write_plan(problem, solution, {}));
  const Json& row = json.at("slotPrices").at("rows").at(0);
  EXPECT_EQ(json.at("slotPrices").at("slot"), "PT1H");
  EXPECT_EQ(row.at("site"), "fr");
  EXPECT_EQ(row.at("resource"), "gpu");
  EXPECT_NEAR(row.at("gramsPerUnitHour").at(1).get<double>(), 20, 2);
  const Json &first = json.at("placements").at(0), &second = json.at("placements").at(1);
  EXPECT_NEAR(first.at("priceGrams").get<double>(), 20, 2);
  EXPECT_FALSE(first.contains("blockedBy")) << "it has its best start";
  EXPECT_EQ(first.at("nextBest"), Json::parse(R"({"site":"fr","start":"2027-10-11T00:00:00Z","carbonGrams":200.0})"));
  EXPECT_EQ(second.at("blockedBy").at(0), Json::parse(R"({"site":"fr","start":"2027-10-11T01:00:00Z","carbonGrams":10.0,
      "slot":"2027-10-11T01:00:00Z","resource":"gpu","jobs":["a"]})"));
  EXPECT_EQ(json.at("moved"), Json::parse(R"([{"job":"b","reason":"makes-room","savedGrams":-0.005}])"));
}

TEST(PlanCodec, tells_where_and_how_much_room_is_missing) {
  const Problem problem = tests::a_problem(2)
                              .with(tests::a_site("fr", {100, 10}).holding("gpu", 1))
                              .with(tests::a_job("a").needing("gpu", 1))
                              .with(tests::a_job("b").needing("gpu", 1))
                              .with(tests::a_job("c").needing("gpu", 1));
  scheduler::Sequential sequential;
  const auto json = Json::parse(write_plan(problem, scheduler::solve(problem, {}, sequential), {}));
  EXPECT_EQ(json.at("overload"), Json::parse(R"({"leftOutAtLeast":1,
      "full":[{"site":"fr","resource":"gpu","start":"2027-10-11T00:00:00Z","end":"2027-10-11T02:00:00Z"}],
      "missing":[{"resource":"gpu","unitHours":1.0}]})"));
}

TEST(PlanCodec, has_no_gap_to_a_bound_of_nothing) {
  const Problem problem = tests::a_problem(1).with(tests::a_site("fr", {40})).with(tests::a_job("a"));
  scheduler::Sequential sequential;
  auto solution = scheduler::solve(problem, {}, sequential);
  solution.lower_bound = {};
  EXPECT_TRUE(Json::parse(write_plan(problem, solution, {})).at("gapPercent").is_null());
}

TEST(PlanCodec, reads_its_own_plans_and_the_verifier_accepts_them) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Problem problem = tests::random_problem(seed);
    scheduler::Sequential sequential;
    const auto solution = scheduler::solve(problem, {.effort = scheduler::Effort::quick}, sequential);
    const auto claims = parse_plan(write_plan(problem, solution, {}));
    ASSERT_TRUE(claims) << claims.error().pointer << claims.error().detail;
    EXPECT_EQ(claims->emissions, solution.plan.emissions);
    EXPECT_EQ(claims->lower_bound, solution.lower_bound);
    EXPECT_EQ(write_violations(scheduler::check(problem, *claims)), R"({"violations":[]})") << seed;
  }
}

TEST(PlanCodec, takes_start_and_end_in_the_place_of_segments) {
  const auto plan = parse_plan(R"({"placements":[{"job":"a","site":"fr","mode":"slow","start":"2027-10-11T01:00:00Z",
      "end":"2027-10-11T02:00:00Z"}]})");
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->placements[0].segments, ElementsAre(scheduler::Interval{hour(1), hour(2)}));
  EXPECT_EQ(plan->placements[0].mode, "slow");
  EXPECT_FALSE(plan->placements[0].energy);
  EXPECT_FALSE(plan->emissions);
}

TEST(PlanCodec, points_at_the_member_at_fault) {
  struct Row {
    std::string_view text;
    std::string_view pointer;
    Errc code = Errc::invalid_request;
  };
  for (const auto& [text, pointer, code] : {
           Row{"{}", "/placements"},
           Row{R"({"placements":[],"carbon":1})", "/carbon", Errc::unknown_field},
           Row{R"({"placements":{}})", "/placements"},
           Row{R"({"placements":[{"site":"fr"}]})", "/placements/0/job"},
           Row{R"({"placements":[{"job":"a"}]})", "/placements/0/site"},
           Row{R"({"placements":[{"job":"a","site":"fr"}]})", "/placements/0/start"},
           Row{R"({"placements":[{"job":"a","site":"fr","segments":[{"start":"2027-10-11T01:00:00Z"}]}]})",
               "/placements/0/segments/0/end"},
           Row{R"({"placements":[{"job":"a","site":"fr","start":"2027-10-11T02:00:00Z",
                   "segments":[{"start":"2027-10-11T01:00:00Z","end":"2027-10-11T02:00:00Z"}]}]})",
               "/placements/0/start"},
           Row{R"({"placements":[{"job":"a","site":"fr","start":"2027-10-11T01:00:00Z","end":"2027-10-11T02:00:00Z",
                   "energyKwh":-1}]})",
               "/placements/0/energyKwh"},
           Row{R"({"placements":[],"unplaced":[{"code":"contention"}]})", "/unplaced/0/job"},
           Row{R"({"placements":[],"lowerBoundGrams":"1"})", "/lowerBoundGrams"},
       }) {
    const auto plan = parse_plan(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.error().pointer, pointer) << plan.error().detail;
    EXPECT_EQ(plan.error().code, code);
  }
}

TEST(PlanCodec, refuses_text_that_is_not_json) {
  EXPECT_EQ(parse_plan("{").error().code, Errc::invalid_request);
  EXPECT_EQ(parse_problem("{", no_intensity_supply()).error().code, Errc::invalid_request);
}

}  // namespace
}  // namespace valle::service::api
