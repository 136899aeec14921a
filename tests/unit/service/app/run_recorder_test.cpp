// SPDX-License-Identifier: Apache-2.0
#include "service/app/run_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/account/posted.hpp"
#include "tests/support/readings.hpp"

namespace valle::service::app {
namespace {

using scheduler::AttemptOutcome;
using scheduler::energy_from_kwh;
using scheduler::power_from_watts;
using tests::at;
using LedgerRun = scheduler::Run;

const std::vector<runtime::SiteConfig> k_sites{
    {.name = "es", .zone = scheduler::Zone::of("ES"), .pue = scheduler::ratio_from_number(1.3)},
    {.name = "fr", .zone = scheduler::Zone::of("FR"), .pue = scheduler::ratio_from_number(1.2)}};

Job a_job() {
  Job job;
  job.id = "j1";
  job.submitted_at = at("2027-06-14T08:00:00Z");
  job.start_by = at("2027-06-14T20:00:00Z");
  job.request.owner = "lab";
  job.request.duration = std::chrono::hours{2};
  job.request.power = power_from_watts(1000);
  job.request.home_site = "es";
  return job;
}

Job running() {
  Job job = a_job();
  job.state = JobState::running;
  job.slot = JobSlot{.site = "fr",
                     .zone = scheduler::Zone::of("FR"),
                     .segments = {{at("2027-06-14T12:00:00Z"), at("2027-06-14T14:00:00Z")}}};
  job.started_at = at("2027-06-14T12:01:00Z");
  return job;
}

Job over(JobState state) {
  Job job = running();
  job.state = state;
  job.finished_at = at("2027-06-14T14:00:00Z");
  return job;
}

TEST(RunRecorder, home_and_its_pue_are_frozen_when_the_job_is_first_seen) {
  LedgerRun run = run_after(a_job(), nullptr, k_sites);
  EXPECT_EQ(run.home_site, "es");
  EXPECT_EQ(run.home_pue, scheduler::ratio_from_number(1.3));
  EXPECT_TRUE(run.attempts.empty());
  auto later = k_sites;
  later[0].pue = scheduler::ratio_from_number(1.1);
  EXPECT_EQ(run_after(running(), &run, later).home_pue, scheduler::ratio_from_number(1.3));
}

TEST(RunRecorder, the_attempt_follows_the_job_and_ends_with_the_energy_that_was_told) {
  LedgerRun run = run_after(running(), nullptr, k_sites);
  ASSERT_EQ(run.attempts.size(), 1u);
  EXPECT_EQ(run.attempts.front().outcome, AttemptOutcome::running);
  EXPECT_EQ(run.attempts.front().site, "fr");
  EXPECT_FALSE(run.finished);
  Job ended = over(JobState::finished);
  ended.energy = energy_from_kwh(1.9);
  run = run_after(ended, &run, k_sites);
  EXPECT_EQ(run.finished, ended.finished_at);
  EXPECT_EQ(run.attempts.front().figures, std::vector{scheduler::posted_figure(energy_from_kwh(1.9))});
  EXPECT_EQ(run_after(ended, &run, k_sites), run) << "seen again, nothing changes";
}

TEST(RunRecorder, failed_and_cancelled_runs_have_used_energy_too_and_zero_is_a_failed_reading) {
  EXPECT_EQ(run_after(over(JobState::failed), nullptr, k_sites).attempts.front().outcome, AttemptOutcome::failed);
  Job cancelled = over(JobState::cancelled);
  cancelled.energy = scheduler::Energy{};
  const LedgerRun run = run_after(cancelled, nullptr, k_sites);
  EXPECT_EQ(run.attempts.front().outcome, AttemptOutcome::evicted);
  EXPECT_TRUE(run.attempts.front().figures.empty());
}

TEST(RunRecorder, a_job_that_never_ran_ends_without_attempts) {
  Job job = a_job();
  job.state = JobState::cancelled;
  job.finished_at = at("2027-06-14T09:00:00Z");
  const LedgerRun run = run_after(job, nullptr, k_sites);
  EXPECT_TRUE(run.attempts.empty());
  EXPECT_TRUE(run.finished);
}

TEST(RunRecorder, attempts_and_end_of_a_clusters_job_are_its_watchers) {
  Job job = over(JobState::finished);
  job.object = ClusterObject{.kind = "Job", .space = "lab", .name = "fit"};
  LedgerRun run = run_after(job, nullptr, k_sites);
  EXPECT_TRUE(run.attempts.empty());
  EXPECT_FALSE(run.finished);
  EXPECT_EQ(run.name, "lab/fit");
  job.started_at.reset();
  EXPECT_TRUE(run_after(job, &run, k_sites).finished) << "it never ran: nobody will see pods of it";
}

TEST(RunRecorder, a_cap_is_told_by_the_mode_that_ran_and_the_hungriest) {
  Job job = running();
  job.request.modes = {{"free", power_from_watts(700), std::chrono::hours{2}},
                       {"capped", power_from_watts(500), std::chrono::hours{3}}};
  job.slot->mode = "capped";
  const LedgerRun run = run_after(job, nullptr, k_sites);
  EXPECT_EQ(run.cap, (scheduler::PowerCap{power_from_watts(500), std::chrono::hours{3}, power_from_watts(700),
                                          std::chrono::hours{2}}));
  job.slot->mode = "free";
  EXPECT_FALSE(run_after(job, nullptr, k_sites).cap);
}

}  // namespace
}  // namespace valle::service::app
