// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/estimate_runs.hpp"

#include <gtest/gtest.h>

#include "scheduler/account/posted.hpp"

namespace valle::scheduler {
namespace {

using std::chrono::hours;

Attempt an_attempt(AttemptOutcome outcome, int from, int to, double kwh) {
  Attempt attempt;
  attempt.ran = {Instant{hours{from}}, Instant{hours{to}}};
  attempt.outcome = outcome;
  attempt.figures = {posted_figure(energy_from_kwh(kwh))};
  return attempt;
}

TEST(PastRun, is_the_last_attempt_of_a_run_that_finished) {
  scheduler::Run run;
  run.attempts = {an_attempt(AttemptOutcome::evicted, 1, 2, 5), an_attempt(AttemptOutcome::finished, 3, 6, 7)};
  run.finished = Instant{hours{6}};
  const auto past = past_run_of(run);
  ASSERT_TRUE(past);
  EXPECT_EQ(past->run_time, hours{3});
  EXPECT_EQ(past->energy, (std::vector<PastRun::Reading>{{EnergyBoundary::job, energy_from_kwh(7)}}));
}

TEST(PastRun, runs_that_go_on_failed_or_took_no_time_teach_nothing) {
  scheduler::Run run;
  EXPECT_FALSE(past_run_of(run));
  run.attempts = {an_attempt(AttemptOutcome::finished, 1, 2, 1)};
  EXPECT_FALSE(past_run_of(run)) << "it goes on";
  run.finished = Instant{hours{2}};
  EXPECT_TRUE(past_run_of(run));
  run.attempts.back().outcome = AttemptOutcome::failed;
  EXPECT_FALSE(past_run_of(run));
  run.attempts = {an_attempt(AttemptOutcome::finished, 2, 2, 1)};
  EXPECT_FALSE(past_run_of(run));
}

TEST(PastRun, without_a_figure_that_may_teach_still_tells_its_time) {
  scheduler::Run run;
  run.attempts = {an_attempt(AttemptOutcome::finished, 1, 2, 1)};
  run.attempts[0].figures[0].quality = EnergyQuality::unknown;
  run.finished = Instant{hours{2}};
  EXPECT_TRUE(past_run_of(run)->energy.empty());
  EXPECT_EQ(past_run_of(run)->run_time, hours{1});
}

}  // namespace
}  // namespace valle::scheduler
