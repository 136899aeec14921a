// SPDX-License-Identifier: Apache-2.0
#include "scheduler/model/problem.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/support/problems.hpp"

namespace valle::tests {
namespace {

using core::Errc;
using core::Problem;
using core::ProblemLimits;
using core::validate;

/// A valid problem of three slots, two sites, two jobs, to be spoilt.
Problem good() {
  return a_problem(3)
      .with(a_site("fr", {40, 30, 20}).holding("gpu", 4).priced({10, 20, 30}))
      .with(a_site("es", {90, 80, 70}).holding("gpu", 4).priced({10, 20, 30}))
      .with(a_job("a").needing("gpu", 1))
      .with(a_job("b").modes({a_mode("fast", 2000, 1h), a_mode("slow", 900, 2h)}).interruptible());
}

TEST(Validate, accepts_what_can_be_walked) {
  EXPECT_TRUE(validate(good()).has_value());
  EXPECT_TRUE(validate(a_problem(0)).has_value());
  EXPECT_TRUE(validate(a_problem(2).with(a_site("fr", {0, 0}))).has_value());
}

struct Spoilt {
  const char* name;
  std::function<void(Problem&)> spoil;
  const char* pointer;
  Errc code = Errc::invalid_request;
};

TEST(Validate, names_the_place_of_every_fault) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto second = core::Duration{1};
  const std::vector<Spoilt> faults = {
      {"start before 1970", [&](Problem& p) { p.start = core::Instant{} - second; }, "/start"},
      {"slot of nothing", [](Problem& p) { p.slot = core::Duration{0}; }, "/slot"},
      {"slot of eight days", [](Problem& p) { p.slot = std::chrono::days{8}; }, "/slot"},
      {"too many slots", [](Problem& p) { p.slots = ProblemLimits::k_slots + 1; }, "/slots", Errc::too_large},
      {"horizon past 2261", [&](Problem& p) { p.start = ProblemLimits::k_last_instant - second; }, "/slots"},
      {"price of a tonne not a number", [&](Problem& p) { p.eur_per_tonne = nan; }, "/eurPerTonne"},
      {"negative price of a tonne", [](Problem& p) { p.eur_per_tonne = -1; }, "/eurPerTonne"},
      {"too many sites", [](Problem& p) { p.sites.resize(65, p.sites[0]); }, "/sites", Errc::too_large},
      {"site without a name", [](Problem& p) { p.sites[1].name.clear(); }, "/sites/1/name"},
      {"site with a long name", [](Problem& p) { p.sites[1].name = std::string(254, 'x'); }, "/sites/1/name"},
      {"two sites of one name", [](Problem& p) { p.sites[1].name = "FR"; }, "/sites/1/name"},
      {"PUE below one", [](Problem& p) { p.sites[0].pue = core::Ratio::of_base(999'999); }, "/sites/0/pue"},
      {"PUE above sixteen", [](Problem& p) { p.sites[0].pue = core::Ratio::of_base(16'000'001); }, "/sites/0/pue"},
      {"capacity too short", [](Problem& p) { p.sites[0].capacity[0].per_slot.pop_back(); }, "/sites/0/capacity/gpu"},
      {"negative capacity", [](Problem& p) { p.sites[0].capacity[0].per_slot[2] = core::Amount::of_base(-1); },
       "/sites/0/capacity/gpu/2"},
      {"capacity without a name", [](Problem& p) { p.sites[0].capacity[0].resource.clear(); }, "/sites/0/capacity/"},
      {"capacity given twice", [](Problem& p) { p.sites[0].capacity.push_back(p.sites[0].capacity[0]); },
       "/sites/0/capacity/gpu"},
      {"intensity too short", [](Problem& p) { p.sites[1].intensity.pop_back(); }, "/sites/1/gramsPerKwh"},
      {"negative intensity", [](Problem& p) { p.sites[1].intensity[1] = core::CarbonIntensity::of_base(-1); },
       "/sites/1/gramsPerKwh/1"},
      {"huge intensity", [](Problem& p) { p.sites[1].intensity[1] = core::CarbonIntensity::of_base(10'000'001); },
       "/sites/1/gramsPerKwh/1"},
      {"negative ramp", [](Problem& p) { p.sites[0].ramp = core::Power::of_base(-1); }, "/sites/0/rampWatts"},
      {"negative network energy", [](Problem& p) { p.sites[0].energy_per_gb = core::Energy::of_base(-1); },
       "/sites/0/kwhPerGb"},
      {"prices too short", [](Problem& p) { p.sites[0].price.pop_back(); }, "/sites/0/eurPerMwh"},
      {"huge price", [](Problem& p) { p.sites[0].price[0] = core::price_from_eur_per_mwh(-100'001); },
       "/sites/0/eurPerMwh/0"},
      {"price of a tonne but none of energy",
       [](Problem& p) {
         p.eur_per_tonne = 80;
         p.sites[1].price.clear();
       },
       "/sites/1/eurPerMwh"},
      {"too many jobs", [](Problem& p) { p.jobs.resize(ProblemLimits::k_jobs + 1, p.jobs[0]); }, "/jobs",
       Errc::too_large},
      {"job without an id", [](Problem& p) { p.jobs[0].id.clear(); }, "/jobs/0/id"},
      {"job with a long id", [](Problem& p) { p.jobs[0].id = std::string(254, 'x'); }, "/jobs/0/id"},
      {"two jobs of one id", [](Problem& p) { p.jobs[1].id = "a"; }, "/jobs/1/id"},
      {"earliest start before 1970", [&](Problem& p) { p.jobs[0].earliest_start = core::Instant{} - second; },
       "/jobs/0/earliestStart"},
      {"finish past 2261", [&](Problem& p) { p.jobs[0].finish_by = ProblemLimits::k_last_instant + second; },
       "/jobs/0/finishBy"},
      {"no mode", [](Problem& p) { p.jobs[0].modes.clear(); }, "/jobs/0/modes"},
      {"too many modes", [](Problem& p) { p.jobs[1].modes.resize(17, p.jobs[1].modes[0]); }, "/jobs/1/modes",
       Errc::too_large},
      {"mode without a name", [](Problem& p) { p.jobs[1].modes[1].name.clear(); }, "/jobs/1/modes/1/name"},
      {"two modes of one name", [](Problem& p) { p.jobs[1].modes[1].name = "fast"; }, "/jobs/1/modes/1/name"},
      {"no power", [](Problem& p) { p.jobs[0].modes[0].power = core::Power{}; }, "/jobs/0/powerWatts"},
      {"huge power in a mode", [](Problem& p) { p.jobs[1].modes[0].power = core::power_from_watts(1.1e9); },
       "/jobs/1/modes/0/powerWatts"},
      {"no duration", [](Problem& p) { p.jobs[0].modes[0].duration = core::Duration{0}; }, "/jobs/0/duration"},
      {"a year and two days", [](Problem& p) { p.jobs[1].modes[1].duration = std::chrono::days{367}; },
       "/jobs/1/modes/1/duration"},
      {"negative demand", [](Problem& p) { p.jobs[0].demand[0].amount = core::Amount::of_base(-1); },
       "/jobs/0/demand/gpu"},
      {"demand given twice", [](Problem& p) { p.jobs[0].demand.push_back(p.jobs[0].demand[0]); }, "/jobs/0/demand/gpu"},
      {"demand with an odd name",
       [](Problem& p) {
         p.jobs[0].demand.push_back({"", {}});
       },
       "/jobs/0/demand/"},
      {"no site", [](Problem& p) { p.jobs[0].sites.clear(); }, "/jobs/0/sites"},
      {"a site that is not there", [](Problem& p) { p.jobs[0].sites[1] = 2; }, "/jobs/0/sites/1", Errc::unknown_site},
      {"a site named twice", [](Problem& p) { p.jobs[0].sites[1] = 0; }, "/jobs/0/sites/1"},
      {"a home that is not there", [](Problem& p) { p.jobs[0].home_site = 2; }, "/jobs/0/homeSite", Errc::unknown_site},
      {"fixed to a site that is not there",
       [](Problem& p) {
         p.jobs[0].fixed = core::FixedStart{2, p.start};
       },
       "/jobs/0/fixed/site", Errc::unknown_site},
      {"fixed before 1970",
       [&](Problem& p) {
         p.jobs[0].fixed = core::FixedStart{0, core::Instant{} - second};
       },
       "/jobs/0/fixed/start"},
      {"fixed at a site where it may not run",
       [](Problem& p) {
         p.jobs[0].sites = {0};
         p.jobs[0].fixed = core::FixedStart{1, p.start};
       },
       "/jobs/0/fixed/site"},
      {"fixed behind the last slot",
       [](Problem& p) {
         p.jobs[0].fixed = core::FixedStart{0, p.end()};
       },
       "/jobs/0/fixed/start"},
      {"fixed and over before the first slot",
       [](Problem& p) {
         p.jobs[0].fixed = core::FixedStart{0, p.start - p.jobs[0].modes[0].duration};
       },
       "/jobs/0/fixed/start"},
      {"priority out of range", [](Problem& p) { p.jobs[0].priority = 1'000'001; }, "/jobs/0/priority"},
      {"negative shortest run", [](Problem& p) { p.jobs[1].interruption->min_run = core::Duration{-1}; },
       "/jobs/1/interruptible/minRun"},
      {"negative restart", [](Problem& p) { p.jobs[1].interruption->restart = core::Duration{-1}; },
       "/jobs/1/interruptible/restart"},
      {"negative restart energy",
       [](Problem& p) { p.jobs[1].interruption->restart_energy = core::Energy::of_base(-1); },
       "/jobs/1/interruptible/restartEnergyKwh"},
      {"fewer than no pauses", [](Problem& p) { p.jobs[1].interruption->max_pauses = -1; },
       "/jobs/1/interruptible/maxPauses"},
      {"group with a long name", [](Problem& p) { p.jobs[0].group = std::string(254, 'x'); }, "/jobs/0/group"},
      {"a group that may pause", [](Problem& p) { p.jobs[1].group = "g"; }, "/jobs/1/interruptible"},
      {"a group half fixed",
       [](Problem& p) {
         p.jobs[1].interruption.reset();
         p.jobs[0].group = p.jobs[1].group = "g";
         p.jobs[1].fixed = core::FixedStart{0, p.start};
       },
       "/jobs/1/fixed"},
      {"transfer not a number", [&](Problem& p) { p.jobs[0].transfer_gb = nan; }, "/jobs/0/transferGb"},
      {"negative transfer", [](Problem& p) { p.jobs[0].transfer_gb = -1; }, "/jobs/0/transferGb"},
      {"seventeen resources",
       [](Problem& p) {
         for (int i = 0; i < 16; ++i) p.jobs[0].demand.push_back({"r" + std::to_string(i), {}});
       },
       "/sites", Errc::too_large},
      {"more energy than can be counted",
       [](Problem& p) {
         p.jobs[0].modes[0] = {"", ProblemLimits::k_power, ProblemLimits::k_duration};
         p.sites[0].intensity[0] = ProblemLimits::k_intensity;
         for (int i = 0; i < 200; ++i) {
           p.jobs.push_back(p.jobs[0]);
           p.jobs.back().id = std::to_string(i);
         }
       },
       "/jobs", Errc::too_large},
  };
  for (const Spoilt& fault : faults) {
    Problem problem = good();
    fault.spoil(problem);
    const auto result = validate(problem);
    ASSERT_FALSE(result.has_value()) << fault.name;
    EXPECT_EQ(result.error().pointer, fault.pointer) << fault.name;
    EXPECT_EQ(result.error().code, fault.code) << fault.name;
    EXPECT_NE(result.error().detail, "") << fault.name;
  }
}

TEST(Validate, accepts_what_lies_on_the_limits) {
  Problem problem = good();
  problem.jobs[0].id = std::string(253, 'x');
  problem.jobs[0].modes[0] = {"", ProblemLimits::k_power, ProblemLimits::k_duration};
  problem.jobs[0].demand[0].amount = ProblemLimits::k_amount;
  problem.jobs[0].priority = -1'000'000;
  problem.jobs[1].modes.clear();
  for (int m = 0; m < 16; ++m) problem.jobs[1].modes.push_back(a_mode("m" + std::to_string(m), 1, 1h));
  problem.sites[0].pue = ProblemLimits::k_pue;
  problem.sites[0].intensity[0] = core::CarbonIntensity{};
  problem.sites[1].price[0] = -ProblemLimits::k_price;
  EXPECT_TRUE(validate(problem).has_value());
}

TEST(Validate, escapes_names_in_pointers) {
  Problem problem = good();
  problem.jobs[0].demand.push_back({"nvidia.com/gpu~a", core::Amount::of_base(-1)});
  EXPECT_EQ(validate(problem).error().pointer, "/jobs/0/demand/nvidia.com~1gpu~0a");
}

}  // namespace
}  // namespace valle::tests
