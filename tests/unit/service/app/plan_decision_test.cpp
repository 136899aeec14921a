// SPDX-License-Identifier: Apache-2.0
#include "service/app/plan_decision.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "service/runtime/executors.hpp"
#include "tests/support/best_slot_questions.hpp"

namespace valle::service::app {
namespace {

using scheduler::Ratio;
using tests::at;

constexpr std::string_view k_now = "2027-10-11T00:00:00Z";

/// One site in FR with 4 GPUs and the hours of a night.
class Decision : public ::testing::Test {
 protected:
  Decision() {
    snapshot_.now = at(k_now);
    snapshot_.sites = {
        {.name = "fr", .zone = scheduler::Zone::of("FR"), .capacity = {{"gpu", scheduler::Amount::of_base(4'000)}}}};
    know({50, 50, 50, 50});
    snapshot_.planning.min_gain = Ratio::of_base(10'000);  // 1 %
  }
  void know(std::initializer_list<double> grams) {
    snapshot_.book = tests::a_book(tests::as_forecast(tests::hours("FR", k_now, grams), k_now));
  }
  /// A job of one hour and 1 kW that may run until 04:00.
  Job& add(const std::string& id) {
    Job job;
    job.id = id;
    job.sequence = static_cast<std::int64_t>(snapshot_.jobs.size()) + 1;
    job.request.duration = std::chrono::hours{1};
    job.request.power = scheduler::power_from_watts(1000);
    job.request.demand = std::vector<scheduler::ResourceDemand>{{"gpu", scheduler::Amount::of_base(4'000)}};
    job.request.finish_by = at("2027-10-11T04:00:00Z");
    job.submitted_at = job.earliest_start = at(k_now);
    job.start_by = at("2027-10-11T03:00:00Z");
    job.finish_by = at("2027-10-11T04:00:00Z");
    snapshot_.jobs.push_back(job);
    return snapshot_.jobs.back();
  }
  static JobSlot slot(std::string_view start) {
    return {
        .site = "fr", .zone = scheduler::Zone::of("FR"), .segments = {{at(start), at(start) + std::chrono::hours{1}}}};
  }
  std::optional<PlanDecision> decided(PlanKind kind) { return decide(snapshot_, kind, parallel_, {}); }
  /// The start of a job's slot after the decision, `-` if it has none.
  static std::string start_of(const PlanDecision& decision, const Job& before) {
    const Job* job = &before;
    for (const Job& changed : decision.changed) {
      if (changed.id == before.id) job = &changed;
    }
    return job->slot ? scheduler::format_instant(job->slot->start()) : "-";
  }

  PlanningSnapshot snapshot_;
  runtime::WorkQueue queue_{{.name = "solver"}};
  runtime::QueueParallel parallel_{queue_};
};

TEST_F(Decision, one_job_that_cannot_be_planned_does_not_keep_the_others_from_it) {
  add("a");
  add("poison").request.power = scheduler::Power{};
  const Job last = add("z");
  const auto decision = decided(PlanKind::settle);
  ASSERT_TRUE(decision);
  EXPECT_NE(start_of(*decision, last), "-");
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[1]), "-");
  EXPECT_NE(start_of(*decision, snapshot_.jobs[0]), "-");
}

TEST_F(Decision, what_others_hold_until_some_time_is_not_promised) {
  know({50, 60, 70, 80});
  add("a");
  add("b");
  // 1 GPU until the middle of the second hour: all four are free from the third on.
  snapshot_.reservations = {{"fr", "gpu", scheduler::Amount::of_base(1'000), at("2027-10-11T01:30:00Z")}};
  const auto decision = decided(PlanKind::replan);
  std::vector<std::string> starts{start_of(*decision, snapshot_.jobs[0]), start_of(*decision, snapshot_.jobs[1])};
  std::sort(starts.begin(), starts.end());
  EXPECT_EQ(starts, (std::vector<std::string>{"2027-10-11T02:00:00Z", "2027-10-11T03:00:00Z"}));
}

TEST_F(Decision, a_job_whose_room_others_have_taken_since_is_moved_whatever_that_costs) {
  know({50, 10, 70, 80});
  add("first").slot = slot("2027-10-11T01:00:00Z");
  add("other").slot = slot("2027-10-11T00:00:00Z");
  snapshot_.jobs[1].request.demand.reset();
  snapshot_.reservations = {{"fr", "gpu", scheduler::Amount::of_base(1'000), at("2027-10-11T02:00:00Z")}};
  for (const auto kind : {PlanKind::settle, PlanKind::replan}) {
    const auto decision = decided(kind);
    EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T02:00:00Z");
    EXPECT_EQ(decision->moved, kind == PlanKind::settle ? 1U : 2U) << "one that asks for none is free to stay";
  }
}

TEST_F(Decision, of_two_jobs_in_room_for_one_the_earlier_submitted_keeps_its_slot) {
  know({50, 10, 70, 80});
  add("earlier").slot = slot("2027-10-11T01:00:00Z");
  add("later").slot = slot("2027-10-11T01:00:00Z");
  const auto decision = decided(PlanKind::settle);
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T01:00:00Z");
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[1]), "2027-10-11T00:00:00Z");
}

TEST_F(Decision, a_job_draws_on_what_is_observed_in_place_of_what_it_asked_for) {
  know({50, 60, 70, 80});
  add("a");
  add("b");
  snapshot_.sites[0].capacity["gpu@team"] = scheduler::Amount::of_base(4'000);
  for (const auto& job : snapshot_.jobs) {
    snapshot_.demands[job.id] = {{"gpu", scheduler::Amount::of_base(1'000)},
                                 {"gpu@team", scheduler::Amount::of_base(3'000)}};
  }
  const auto decision = decided(PlanKind::replan);
  EXPECT_NE(start_of(*decision, snapshot_.jobs[0]), start_of(*decision, snapshot_.jobs[1]));
}

TEST_F(Decision, a_job_larger_than_every_site_is_told_so_however_short_its_window) {
  auto& job = add("giant");
  job.request.demand = std::vector<scheduler::ResourceDemand>{{"gpu", scheduler::Amount::of_base(5'000)}};
  job.request.finish_by = job.finish_by = at("2027-10-11T00:30:00Z");
  job.start_by = at("2027-10-11T00:00:00Z");
  const auto decision = decided(PlanKind::replan);
  ASSERT_EQ(decision->changed.size(), 1U);
  EXPECT_EQ(decision->changed.front().state, JobState::waiting);
  EXPECT_EQ(decision->changed.front().reason,
            "waiting for room: it needs 5 gpu and no allowed site ever has more than 4");
}

TEST_F(Decision, a_job_stays_where_moving_it_saves_less_than_the_least_gain) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  know({60, 50, 49.6, 60});  // 0.8 %
  const auto decision = decided(PlanKind::replan);
  ASSERT_TRUE(decision);
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T01:00:00Z");
  EXPECT_EQ(decision->moved, 0U);
}

TEST_F(Decision, a_job_is_moved_where_that_saves_the_least_gain_exactly) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  know({60, 50, 49.5, 60});  // 1 %
  const auto decision = decided(PlanKind::replan);
  ASSERT_TRUE(decision);
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T02:00:00Z");
  EXPECT_EQ(decision->moved, 1U);
}

TEST_F(Decision, a_job_whose_best_remaining_start_is_now_starts_however_little_that_saves) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  know({49.9, 50, 60, 60});
  const auto decision = decided(PlanKind::replan);
  ASSERT_TRUE(decision);
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T00:00:00Z");
  ASSERT_EQ(decision->moves.size(), 1U);
  EXPECT_EQ(decision->moves[0].saved, scheduler::Emissions::of_base(100));
  EXPECT_EQ(decision->moves[0].reason, "now is its best remaining start, 0.2 % cleaner by the newest numbers");
  know({50, 50, 60, 60});
  EXPECT_EQ(start_of(*decided(PlanKind::replan), snapshot_.jobs[0]), "2027-10-11T01:00:00Z") << "equal is no better";
}

TEST_F(Decision, a_moved_job_says_from_where_and_why_as_long_as_it_stays_there) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  know({60, 50, 40, 60});
  const auto decision = decided(PlanKind::replan);
  ASSERT_TRUE(decision);
  ASSERT_EQ(decision->changed.size(), 1U);
  EXPECT_EQ(decision->changed[0].reason,
            "planned in fr from 2027-10-11T02:00:00Z; moved from fr at 2027-10-11T01:00:00Z: it is 20.0 % cleaner by "
            "the newest numbers");
  snapshot_.jobs[0] = decision->changed[0];
  EXPECT_TRUE(decided(PlanKind::replan)->changed.empty());
}

TEST_F(Decision, a_job_waits_only_for_the_least_saving) {
  add("a");
  snapshot_.planning.min_saving = Ratio::of_base(100'000);  // 10 %
  know({50, 50, 45.1, 50});
  EXPECT_EQ(start_of(*decided(PlanKind::replan), snapshot_.jobs[0]), "2027-10-11T00:00:00Z");
  know({50, 50, 45, 50});
  EXPECT_EQ(start_of(*decided(PlanKind::replan), snapshot_.jobs[0]), "2027-10-11T02:00:00Z");
  add("b");  // there is room for one at a time
  know({50, 49, 49, 50});
  const auto decision = decided(PlanKind::replan);
  EXPECT_NE(start_of(*decision, snapshot_.jobs[0]), "-") << "no job loses its place for it";
  EXPECT_NE(start_of(*decision, snapshot_.jobs[1]), "-");
}

TEST_F(Decision, without_a_forecast_a_job_starts_once_the_present_is_clean_enough) {
  Job& job = add("a");
  job.request.duration = std::chrono::hours{2};
  job.start_by = at("2027-10-11T02:00:00Z");
  std::vector<double> past(47, 60);
  past.front() = 40;
  past.back() = 160;
  // The present hour is the last measured one; of the next nothing is known.
  const auto present = [&](double grams) {
    auto values = past;
    values.push_back(grams);
    snapshot_.book = tests::a_book(tests::steps("FR", "2027-10-09T01:00:00Z", std::chrono::hours{1}, values));
    snapshot_.now = at("2027-10-11T00:30:00Z");
    return decided(PlanKind::replan).value();
  };
  EXPECT_EQ(start_of(present(81), snapshot_.jobs[0]), "-");
  const auto decision = present(80);
  ASSERT_EQ(decision.changed.size(), 1U);
  const Job& after = decision.changed[0];
  EXPECT_EQ(after.state, JobState::released);
  EXPECT_EQ(after.slot->start(), at("2027-10-11T00:30:00Z"));
  EXPECT_NE(after.reason.find("at most 2.0 times"), std::string::npos) << after.reason;
}

TEST_F(Decision, with_no_least_gain_any_saving_moves_a_job_but_an_equal_hour_does_not) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  snapshot_.planning.min_gain = Ratio{};
  know({60, 50, 49.999, 60});
  EXPECT_EQ(start_of(*decided(PlanKind::replan), snapshot_.jobs[0]), "2027-10-11T02:00:00Z");
  know({60, 50, 50, 60});
  EXPECT_EQ(start_of(*decided(PlanKind::replan), snapshot_.jobs[0]), "2027-10-11T01:00:00Z");
}

TEST_F(Decision, settling_moves_nobody_however_much_it_would_save) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  add("b");
  know({60, 50, 5, 40});
  const auto decision = decided(PlanKind::settle);
  ASSERT_TRUE(decision);
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T01:00:00Z");
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[1]), "2027-10-11T02:00:00Z");
}

TEST_F(Decision, room_for_one_more_job_moves_another_even_at_a_loss) {
  add("a").slot = slot("2027-10-11T01:00:00Z");
  Job& urgent = add("urgent");
  urgent.request.earliest_start = urgent.earliest_start = at("2027-10-11T01:00:00Z");
  urgent.request.finish_by = urgent.finish_by = at("2027-10-11T02:00:00Z");
  urgent.start_by = at("2027-10-11T01:00:00Z");
  know({60, 50, 55, 70});
  const auto decision = decided(PlanKind::settle);
  ASSERT_TRUE(decision);
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[1]), "2027-10-11T01:00:00Z");
  EXPECT_EQ(start_of(*decision, snapshot_.jobs[0]), "2027-10-11T02:00:00Z");
  EXPECT_EQ(decision->moved, 1U);
}

TEST_F(Decision, a_start_fixed_beyond_what_is_known_is_kept_as_promised) {
  Job& job = add("later");
  job.request.fixed = JobRequest::FixedAt{"FR", at("2027-10-12T06:00:00Z")};
  job.request.finish_by = job.finish_by = at("2027-10-12T07:00:00Z");
  job.start_by = at("2027-10-12T06:00:00Z");
  const auto decision = decided(PlanKind::replan);
  ASSERT_TRUE(decision);
  EXPECT_TRUE(decision->planned.problem.jobs.empty()) << "it holds nothing within the horizon";
  ASSERT_EQ(decision->changed.size(), 1U);
  const Job& after = decision->changed[0];
  ASSERT_TRUE(after.slot);
  EXPECT_EQ(after.slot->site, "fr");
  EXPECT_EQ(after.slot->start(), at("2027-10-12T06:00:00Z"));
  EXPECT_FALSE(after.slot->emissions) << "of which nothing is known is not zero";
  EXPECT_EQ(after.reason, "fixed in fr from 2027-10-12T06:00:00Z, a time of which nothing is known yet");
}

TEST_F(Decision, a_running_job_stays_in_the_plan_where_its_site_has_been_ruled_out_since) {
  snapshot_.sites.push_back({.name = "es", .zone = scheduler::Zone::of("ES")});
  Job& job = add("runs");
  job.state = JobState::running;
  job.started_at = at("2027-10-10T23:30:00Z");
  job.slot = slot("2027-10-10T23:30:00Z");
  job.request.sites = std::vector<std::string>{"es"};
  const auto decision = decided(PlanKind::replan);
  ASSERT_TRUE(decision);
  ASSERT_EQ(decision->solution.plan.placements.size(), 1U);
  EXPECT_EQ(decision->planned.problem.sites[decision->solution.plan.placements[0].site].name, "fr");
}

}  // namespace
}  // namespace valle::service::app
