// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/run_attempts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace valle::service::cluster {
namespace {

using scheduler::AttemptOutcome;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::Run;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

const Instant k_nine = *scheduler::parse_instant("2027-06-02T09:00:00Z");

const std::vector<runtime::SiteConfig>& sites() {
  static const std::vector<runtime::SiteConfig> sites{
      {.name = "fr", .zone = scheduler::Zone::of("FR"), .pue = scheduler::Ratio::of_base(1'200'000)},
      {.name = "es", .zone = scheduler::Zone::of("ES"), .pue = scheduler::Ratio::of_base(1'300'000)}};
  return sites;
}

SeenPod a_pod(const std::string& uid, int from_minute, int to_minute,
              AttemptOutcome outcome = AttemptOutcome::finished) {
  SeenPod seen;
  seen.pod.uid = uid;
  seen.pod.ran = {k_nine + std::chrono::minutes{from_minute}, k_nine + std::chrono::minutes{to_minute}};
  seen.outcome = outcome;
  return seen;
}

app::Job a_job() {
  app::Job job{.id = "job-1", .request = {}};
  job.request.owner = "lab";
  job.request.home_site = "es";
  job.request.demand = std::vector<scheduler::ResourceDemand>{{"gpu", scheduler::Amount::of_base(2000)}};
  job.object = app::ClusterObject{.kind = "Job", .space = "lab", .name = "fit", .start_by = k_nine + 2h};
  job.submitted_at = k_nine - 1h;
  job.slot = app::JobSlot{.site = "fr",
                          .zone = scheduler::Zone::of("FR"),
                          .segments = {{k_nine, k_nine + 1h}},
                          .emissions = scheduler::Emissions::of_base(300)};
  job.state = app::JobState::running;
  job.started_at = k_nine;
  return job;
}

app::Job ended(app::JobState state, std::chrono::minutes after) {
  app::Job job = a_job();
  job.state = state;
  job.finished_at = k_nine + after;
  return job;
}

Run looked_at(Run run, std::vector<SeenPod> pods, int minute) {
  return with_pods(std::move(run), std::move(pods), "fr", k_nine + std::chrono::minutes{minute});
}

Run unseen() {
  Run run;
  run.id = "job-1";
  return run;
}

std::vector<AttemptOutcome> outcomes(const Run& run) {
  std::vector<AttemptOutcome> outcomes;
  for (const auto& attempt : run.attempts) outcomes.push_back(attempt.outcome);
  return outcomes;
}

k8s::Pod an_object(k8s::PodPhase phase) {
  k8s::Pod pod{.meta = {.name = "fit-x7", .space = "lab", .uid = "pod-1"}, .node = "n1", .phase = phase};
  pod.containers = {"main"};
  pod.began_at = k_nine;
  return pod;
}

TEST(SeenPod, runs_until_now_and_ends_with_its_last_container) {
  auto pod = an_object(k8s::PodPhase::running);
  const auto running = seen_pod(pod, false, k_nine + 5min);
  EXPECT_EQ(running->outcome, AttemptOutcome::running);
  EXPECT_EQ(running->pod.ran, (Interval{k_nine, k_nine + 5min}));
  EXPECT_EQ(running->pod.node, "n1");
  pod.phase = k8s::PodPhase::succeeded;
  pod.ended_at = k_nine + 3min;
  const auto over = seen_pod(pod, false, k_nine + 5min);
  EXPECT_EQ(over->outcome, AttemptOutcome::finished);
  EXPECT_EQ(over->pod.ran.end, k_nine + 3min);
}

TEST(SeenPod, that_was_taken_away_is_evicted_and_not_failed) {
  auto pod = an_object(k8s::PodPhase::failed);
  EXPECT_EQ(seen_pod(pod, false, k_nine)->outcome, AttemptOutcome::failed);
  pod.disrupted = true;
  EXPECT_EQ(seen_pod(pod, false, k_nine)->outcome, AttemptOutcome::evicted);
  EXPECT_EQ(seen_pod(an_object(k8s::PodPhase::running), true, k_nine + 5min)->outcome, AttemptOutcome::evicted)
      << "deleted while it ran";
  EXPECT_EQ(seen_pod(an_object(k8s::PodPhase::succeeded), true, k_nine)->outcome, AttemptOutcome::finished);
}

TEST(SeenPod, is_none_before_a_container_has_begun) {
  auto pod = an_object(k8s::PodPhase::pending);
  pod.began_at.reset();
  pod.started_at = k_nine;
  EXPECT_EQ(seen_pod(pod, false, k_nine), std::nullopt);
  pod.phase = k8s::PodPhase::running;
  EXPECT_EQ(seen_pod(pod, false, k_nine)->pod.ran.begin, k_nine) << "states of containers may not be told";
}

TEST(SeenPod, shows_its_boards_where_a_device_plugin_wrote_them_down) {
  auto pod = an_object(k8s::PodPhase::running);
  pod.meta.annotations = {
      {"hami.io/vgpu-devices-allocated", "GPU-5a01b2c3-1111-2222-3333-444455556666,NVIDIA,4000,30:;"},
      {"valle.sh/gpu-uuids", "GPU-5a01b2c3-1111-2222-3333-444455556666, MIG-9f00aa11-0000-1111-2222-333344445555"},
      {"note", "wants a GPU-based node"}};
  EXPECT_THAT(seen_pod(pod, false, k_nine)->pod.gpu_uuids,
              ElementsAre("GPU-5a01b2c3-1111-2222-3333-444455556666", "MIG-9f00aa11-0000-1111-2222-333344445555"));
}

TEST(NewRun, freezes_what_the_baseline_needs) {
  const auto run = new_run(a_job(), sites(), scheduler::Emissions::of_base(1000));
  EXPECT_EQ(run.id, "job-1");
  EXPECT_EQ(run.name, "lab/fit");
  EXPECT_EQ(run.home_site, "es");
  EXPECT_EQ(run.home_pue, scheduler::Ratio::of_base(1'300'000));
  EXPECT_EQ(run.planned_saved, scheduler::Emissions::of_base(700));
  EXPECT_EQ(run.start_by, k_nine + 2h);
  EXPECT_EQ(run.gpus, scheduler::Amount::of_base(2000));
  EXPECT_EQ(new_run(a_job(), sites(), {}).planned_saved, std::nullopt);
  auto anywhere = a_job();
  anywhere.request.home_site.reset();
  EXPECT_EQ(new_run(anywhere, sites(), {}).home_site, "fr") << "the first site";
}

TEST(Attempts, pods_that_run_together_are_one_attempt) {
  const auto run =
      looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::running), a_pod("b", 1, 10, AttemptOutcome::running)}, 10);
  ASSERT_EQ(run.attempts.size(), 1u);
  EXPECT_EQ(run.attempts[0].pods.size(), 2u);
  EXPECT_EQ(run.attempts[0].site, "fr");
  EXPECT_EQ(run.attempts[0].ran, (Interval{k_nine, k_nine + 10min}));
  EXPECT_EQ(run.attempts[0].outcome, AttemptOutcome::running);
}

TEST(Attempts, a_retry_after_a_failure_is_a_new_attempt_of_the_same_job) {
  auto run = looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::running)}, 10);
  run = looked_at(run, {a_pod("a", 0, 12, AttemptOutcome::failed)}, 13);
  run = looked_at(run, {a_pod("a", 0, 12, AttemptOutcome::failed), a_pod("b", 22, 30, AttemptOutcome::running)}, 30);
  EXPECT_THAT(outcomes(run), ElementsAre(AttemptOutcome::failed, AttemptOutcome::running));
  EXPECT_EQ(run.attempts[1].number, 2);
  const auto closed = closed_run(run, ended(app::JobState::finished, 40min), sites());
  EXPECT_THAT(outcomes(*closed), ElementsAre(AttemptOutcome::failed, AttemptOutcome::finished));
  EXPECT_EQ(closed->attempts[0].ran.end, k_nine + 12min);
  EXPECT_EQ(closed->finished, k_nine + 40min);
}

TEST(Attempts, all_of_it_is_the_same_when_seen_at_once_after_a_restart) {
  const std::vector<SeenPod> pods{a_pod("a", 0, 12, AttemptOutcome::failed), a_pod("b", 22, 30)};
  auto step_by_step = looked_at({}, {pods[0]}, 13);
  step_by_step = looked_at(step_by_step, pods, 31);
  EXPECT_EQ(looked_at({}, {pods[1], pods[0]}, 31), step_by_step);
}

TEST(Attempts, one_of_several_that_fails_does_not_end_the_attempt) {
  auto run = looked_at({}, {a_pod("a", 0, 5, AttemptOutcome::failed), a_pod("b", 0, 10, AttemptOutcome::running)}, 10);
  run = looked_at(run,
                  {a_pod("a", 0, 5, AttemptOutcome::failed), a_pod("b", 0, 12, AttemptOutcome::running),
                   a_pod("c", 6, 12, AttemptOutcome::running)},
                  12);
  ASSERT_EQ(run.attempts.size(), 1u);
  EXPECT_EQ(run.attempts[0].pods.size(), 3u);
  EXPECT_EQ(run.attempts[0].outcome, AttemptOutcome::running);
}

TEST(Attempts, pods_one_after_the_other_that_all_succeed_are_one_attempt) {
  const auto run = looked_at({}, {a_pod("a", 0, 5), a_pod("b", 6, 9), a_pod("c", 10, 12)}, 12);
  EXPECT_THAT(outcomes(run), ElementsAre(AttemptOutcome::finished));
  EXPECT_EQ(run.attempts[0].ran, (Interval{k_nine, k_nine + 12min}));
}

TEST(Attempts, an_eviction_belongs_to_the_job) {
  auto run = looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::evicted)}, 11);
  run = looked_at(run, {a_pod("b", 60, 70, AttemptOutcome::running)}, 70);
  EXPECT_THAT(outcomes(run), ElementsAre(AttemptOutcome::evicted, AttemptOutcome::running));
  EXPECT_EQ(run.attempts[0].pods.at(0).uid, "a") << "its object is long gone";
}

TEST(Attempts, looking_again_changes_nothing_and_keeps_figures_and_boards) {
  const std::vector<SeenPod> pods{a_pod("a", 0, 12)};
  auto run = looked_at({}, pods, 12);
  run.attempts[0].figures.push_back({.quality = scheduler::EnergyQuality::measured});
  run.attempts[0].pods[0].gpu_uuids = {"GPU-learnt"};
  EXPECT_EQ(looked_at(run, pods, 20), run);
}

TEST(Attempts, pods_that_vanished_unwatched_ended_when_they_were_last_known_to_run) {
  const auto run = looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::running)}, 10);
  EXPECT_EQ(without_lost_pods(run, {"a"}), run);
  const auto lost = without_lost_pods(run, {"other"});
  EXPECT_THAT(outcomes(lost), ElementsAre(AttemptOutcome::evicted));
  EXPECT_EQ(lost.attempts[0].ran.end, k_nine + 10min);
  EXPECT_EQ(abandoned_run(run), std::nullopt) << "it runs";
  EXPECT_EQ(abandoned_run(lost)->finished, k_nine + 10min);
  EXPECT_EQ(abandoned_run(unseen()), std::nullopt);
}

TEST(Attempts, of_which_no_pod_was_seen_yet_takes_them_in) {
  scheduler::Run run = unseen();
  run.attempts.push_back({.number = 1, .site = "fr", .ran = {k_nine, k_nine}, .pods = {}, .figures = {}});
  EXPECT_EQ(without_lost_pods(run, {}), run) << "nothing was lost";
  const auto seen = looked_at(run, {a_pod("a", 1, 10, AttemptOutcome::running)}, 10);
  EXPECT_THAT(outcomes(seen), ElementsAre(AttemptOutcome::running));
  EXPECT_EQ(seen.attempts[0].ran, (Interval{k_nine + 1min, k_nine + 10min}));
}

TEST(ClosedRun, pods_that_still_seem_to_run_end_with_the_job) {
  const auto run = looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::running)}, 10);
  const auto closed = closed_run(run, ended(app::JobState::failed, 8min), sites());
  EXPECT_THAT(outcomes(*closed), ElementsAre(AttemptOutcome::failed));
  EXPECT_EQ(closed->attempts[0].pods[0].ran.end, k_nine + 8min);
  EXPECT_EQ(closed->attempts[0].ran.end, k_nine + 8min);
  EXPECT_EQ(closed->finished, k_nine + 8min);
  EXPECT_EQ(closed->attempts[0].pue, scheduler::Ratio::of_base(1'200'000));
}

TEST(ClosedRun, of_pods_that_nobody_saw_has_one_attempt) {
  const auto closed = closed_run(unseen(), ended(app::JobState::finished, 40min), sites());
  ASSERT_EQ(closed->attempts.size(), 1u);
  EXPECT_EQ(closed->attempts[0].ran, (Interval{k_nine, k_nine + 40min}));
  EXPECT_EQ(closed->attempts[0].site, "fr");
  EXPECT_THAT(closed->attempts[0].pods, IsEmpty());
}

TEST(ClosedRun, of_a_job_that_never_ran_is_none) {
  auto job = ended(app::JobState::cancelled, 0min);
  job.started_at.reset();
  EXPECT_EQ(closed_run(unseen(), job, sites()), std::nullopt);
}

TEST(ClosedRun, of_a_job_that_was_deleted_keeps_what_it_used) {
  const auto run = looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::running)}, 10);
  const auto closed = closed_run(run, ended(app::JobState::cancelled, 11min), sites());
  EXPECT_THAT(outcomes(*closed), ElementsAre(AttemptOutcome::evicted));
  EXPECT_EQ(closed->finished, k_nine + 11min);
}

TEST(ClosedRun, of_a_job_that_finished_unwatched_ends_with_the_job) {
  const auto lost = without_lost_pods(looked_at({}, {a_pod("a", 0, 10, AttemptOutcome::running)}, 10), {});
  const auto closed = closed_run(lost, ended(app::JobState::finished, 35min), sites());
  EXPECT_THAT(outcomes(*closed), ElementsAre(AttemptOutcome::finished));
  EXPECT_EQ(closed->attempts[0].pods[0].ran.end, k_nine + 35min);
  EXPECT_EQ(closed->finished, k_nine + 35min);
}

TEST(ClosedRun, keeps_what_its_pods_showed) {
  const auto run = looked_at({}, {a_pod("a", 0, 10)}, 12);
  const auto closed = closed_run(run, ended(app::JobState::finished, 13min), sites());
  EXPECT_EQ(closed->attempts[0].ran.end, k_nine + 10min) << "the job's record is written a little later";
  EXPECT_EQ(closed_run(*closed, ended(app::JobState::finished, 13min), sites()), closed) << "looking again";
}

TEST(Attempts, of_thousands_of_pods_the_first_are_kept) {
  std::vector<SeenPod> pods;
  for (std::size_t i = 0; i <= k_most_pods_of_run; ++i) pods.push_back(a_pod("p" + std::to_string(i), 0, 10));
  EXPECT_EQ(looked_at({}, pods, 10).attempts.at(0).pods.size(), k_most_pods_of_run);
}

}  // namespace
}  // namespace valle::service::cluster
