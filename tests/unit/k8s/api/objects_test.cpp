// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "k8s/api/admission_check.hpp"
#include "k8s/api/job.hpp"
#include "k8s/api/job_set.hpp"
#include "k8s/api/kueue.hpp"
#include "k8s/api/pod.hpp"
#include "k8s/api/volcano.hpp"
#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using tests::a_job;
using tests::a_job_set;
using tests::a_volcano_job;
using tests::at;

TEST(ApiJob, tells_a_pause_between_two_tries_from_the_end_by_conditions) {
  const auto phase = [](const char* status) {
    const auto job = parse_job(a_job().with("/status", Json::parse(status)).json());
    return job->phase;
  };
  EXPECT_EQ(phase(R"({"active": 0, "failed": 1, "ready": 0})"), JobPhase::running);
  EXPECT_EQ(phase(R"({"active": 0, "failed": 5, "conditions": [{"type": "Failed", "status": "True",
                      "reason": "BackoffLimitExceeded"}]})"),
            JobPhase::failed);
  EXPECT_EQ(phase(R"({"active": 0, "succeeded": 1, "conditions": [{"type": "Complete", "status": "True",
                      "reason": "CompletionsReached"}]})"),
            JobPhase::finished);
  EXPECT_EQ(phase(R"({"conditions": [{"type": "FailureTarget", "status": "True"}]})"), JobPhase::running);
  EXPECT_EQ(phase(R"({"conditions": [{"type": "Failed", "status": "False"}]})"), JobPhase::running);
}

TEST(ApiJob, suspended_is_a_phase_of_its_own) {
  EXPECT_EQ(parse_job(a_job().gated().json())->phase, JobPhase::suspended);
}

TEST(ApiJob, takes_members_of_wrong_type_for_absent) {
  const auto job = parse_job(a_job().with("/spec/parallelism", "many").with("/spec/suspend", "yes").json());
  EXPECT_EQ(job->parallelism, 1);
  EXPECT_FALSE(job->suspended);
}

TEST(ApiJob, without_a_name_is_refused_with_the_place) {
  const auto job = parse_job(Json::parse(R"({"metadata": {}})"));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().pointer, "/metadata/name");
}

TEST(ApiJob, an_endless_deadline_is_capped) {
  const auto job = parse_job(a_job().with("/spec/activeDeadlineSeconds", INT64_MAX).json());
  EXPECT_EQ(job->active_deadline, std::chrono::days{366});
}

PodTemplate pods(const char* spec) { return pod_template_of(Json{{"spec", Json::parse(spec)}}); }
std::int64_t cpu(const char* spec) { return pods(spec).requests["cpu"].base(); }

TEST(ApiPodTemplate, init_containers_run_before_and_sidecars_beside_the_others) {
  EXPECT_EQ(
      cpu(R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}, {"resources": {"requests": {"cpu": "2"}}}],
                    "initContainers": [{"resources": {"requests": {"cpu": "2500m"}}}]})"),
      3'000);
  EXPECT_EQ(cpu(R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}],
                    "initContainers": [{"resources": {"requests": {"cpu": "2500m"}}}]})"),
            2'500);
  EXPECT_EQ(cpu(R"({"containers": [{"resources": {"requests": {"cpu": "1"}}}],
                    "initContainers": [{"restartPolicy": "Always", "resources": {"requests": {"cpu": "500m"}}},
                                       {"resources": {"requests": {"cpu": "2"}}}]})"),
            2'500);
}

TEST(ApiPodTemplate, limits_stand_in_for_requests_and_the_pods_own_for_its_containers) {
  EXPECT_EQ(cpu(R"({"containers": [{"resources": {"limits": {"cpu": "3"}}}]})"), 3'000);
  EXPECT_EQ(cpu(R"({"containers": [{"resources": {"limits": {"cpu": "3"}, "requests": {"cpu": "1"}}}]})"), 1'000);
  EXPECT_EQ(
      cpu(R"({"resources": {"requests": {"cpu": "4"}}, "containers": [{"resources": {"requests": {"cpu": "1"}}}]})"),
      4'000);
  EXPECT_EQ(cpu(R"({"overhead": {"cpu": "250m"}, "containers": [{"resources": {"requests": {"cpu": "1"}}}]})"), 1'250);
}

TEST(ApiPodTemplate, requests_beyond_all_measure_do_not_overflow) {
  EXPECT_GT(pods(R"({"containers": [{"resources": {"requests": {"memory": "1000000000000000"}}},
    {"resources": {"requests": {"memory": "1000000000000000"}}}]})")
                .requests["memory"]
                .base(),
            0);
  Json many = Json::array();
  for (int i = 0; i < 20; ++i) many.push_back({{"resources", {{"requests", {{"memory", "1000000000000000"}}}}}});
  EXPECT_EQ(pod_template_of({{"spec", {{"containers", many}}}}).requests["memory"].base(), INT64_MAX);
}

TEST(ApiMeta, drops_long_annotations_but_not_those_that_decide) {
  const std::string many(2'000, 'x');
  const auto job = parse_job(a_job()
                                 .annotated("kubectl.kubernetes.io/last-applied-configuration", many)
                                 .gated("ops.example.org/" + many)
                                 .json());
  EXPECT_FALSE(job->meta.annotation("kubectl.kubernetes.io/last-applied-configuration"));
  EXPECT_TRUE(job->meta.annotation("kueue.x-k8s.io/admission-gated-by"));
}

TEST(ApiWorkload, reads_what_it_holds_and_who_has_a_say) {
  const auto workload = parse_workload(Json::parse(R"({"metadata": {"name": "job-fit-1", "namespace": "lab",
    "labels": {"kueue.x-k8s.io/job-uid": "uid-1"}, "annotations": {"kueue.x-k8s.io/admission-gated-by": "a.org/b"}},
    "spec": {"queueName": "batch", "maximumExecutionTimeSeconds": 7200},
    "status": {"clusterName": "worker-es", "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved"}],
      "admissionChecks": [{"name": "carbon", "state": "Pending"}],
      "admission": {"clusterQueue": "cq", "podSetAssignments": [
        {"name": "main", "flavors": {"cpu": "region-es"}, "resourceUsage": {"cpu": "3", "memory": "1Gi"}}]}}})"));
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->job_uid, "uid-1");
  EXPECT_TRUE(workload->active);
  EXPECT_TRUE(workload->gated);
  EXPECT_TRUE(workload->quota_reserved);
  EXPECT_FALSE(workload->evicted);
  EXPECT_EQ(workload->cluster_name, "worker-es");
  EXPECT_EQ(workload->checks, (std::vector<CheckEntry>{{"carbon", "Pending"}}));
  EXPECT_EQ(workload->usage.at("region-es").at("cpu").base(), 3'000);
  EXPECT_EQ(workload->longest_run, std::chrono::hours{2});
}

TEST(ApiQueues, cohorts_and_limits_of_borrowing_and_lending) {
  const auto spec = Json::parse(R"({"cohortName": "all", "parentName": "root", "resourceGroups": [{"flavors": [
      {"name": "fr", "resources": [{"name": "cpu", "nominalQuota": "8", "borrowingLimit": "1500m", "lendingLimit": 2},
                                   {"name": "memory", "nominalQuota": "many"}]}]}]})");
  const auto queue = parse_cluster_queue({{"metadata", {{"name", "team"}}}, {"spec", spec}});
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->cohort, "all");
  const auto& cpu = queue->quota.at("fr").at("cpu");
  EXPECT_EQ(cpu.borrowing_limit->base(), 1'500);
  EXPECT_EQ(cpu.lending_limit->base(), 2'000);
  EXPECT_FALSE(queue->quota.at("fr").contains("memory"));
  const auto cohort = parse_cohort({{"metadata", {{"name", "all"}}}, {"spec", spec}});
  ASSERT_TRUE(cohort);
  EXPECT_EQ(cohort->parent, "root");
  EXPECT_EQ(cohort->quota, queue->quota);
}

TEST(ApiQueues, are_read_with_their_quotas_and_labels) {
  const auto queue = parse_cluster_queue(Json::parse(R"({"metadata": {"name": "cq"},
    "spec": {"resourceGroups": [{"flavors": [{"name": "region-es", "resources": [{"name": "cpu", "nominalQuota": 4}]}]}],
             "admissionChecksStrategy": {"admissionChecks": [{"name": "carbon"}]}},
    "status": {"conditions": [{"type": "Active", "status": "True"}]}})"));
  EXPECT_TRUE(queue->active);
  EXPECT_EQ(queue->quota.at("region-es").at("cpu").nominal.base(), 4'000);
  EXPECT_EQ(queue->checks, std::vector<std::string>{"carbon"});
  EXPECT_EQ(
      parse_local_queue(Json::parse(R"({"metadata": {"name": "q"}, "spec": {"clusterQueue": "cq"}})"))->cluster_queue,
      "cq");
  EXPECT_EQ(parse_resource_flavor(Json::parse(R"({"metadata": {"name": "f"}, "spec": {"nodeLabels": {"a": "b"}}})"))
                ->node_labels.at("a"),
            "b");
}

TEST(ApiChecks, are_read) {
  const auto check = parse_admission_check(Json::parse(R"({"metadata": {"name": "carbon"},
    "spec": {"controllerName": "valle.sh/carbon-check", "parameters": {"name": "eu"}}})"));
  EXPECT_EQ(check->controller, "valle.sh/carbon-check");
  EXPECT_FALSE(check->active);
  EXPECT_EQ(check->parameters, "eu");
  EXPECT_EQ(parse_multikueue_config(Json::parse(R"({"metadata": {"name": "eu"}, "spec": {"clusters": ["a", 5, "b"]}})"))
                ->clusters,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(parse_multikueue_cluster(Json::parse(R"({"metadata": {"name": "a"}, "status": {"conditions": [
    {"type": "Active", "status": "True"}]}})"))
                  ->active);
  EXPECT_FALSE(parse_admission_check(Json::parse(R"({"metadata": {}})")));
}

TEST(ApiVolcano, reads_tasks_phase_and_policies) {
  const auto job =
      parse_volcano_job(a_volcano_job()
                            .with("/spec/policies", Json::parse(R"([{"event": "PodEvicted", "action": "RestartJob"}])"))
                            .with("/status", Json::parse(R"({"state": {"phase": "Running",
                                               "lastTransitionTime": "2027-06-02T07:00:00Z"}})"))
                            .json());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->tasks.size(), 2U);
  EXPECT_EQ(job->tasks[1].replicas, 3);
  EXPECT_TRUE(job->pods_run);
  EXPECT_EQ(job->changed_at, at("2027-06-02T07:00:00Z"));
  EXPECT_EQ(policy_against_waiting(*job), nullptr);
  const auto phase = [](const char* text) {
    return parse_volcano_job(a_volcano_job().with("/status/state/phase", text).json())->phase;
  };
  EXPECT_EQ(phase("Completed"), JobPhase::finished);
  EXPECT_EQ(phase("Failed"), JobPhase::failed);
  EXPECT_EQ(phase("Aborted"), JobPhase::failed);
  EXPECT_EQ(phase("Restarting"), JobPhase::running);
}

TEST(ApiVolcano, a_policy_against_waiting_is_found_in_the_job_and_in_a_task) {
  const Json policy = Json::parse(R"([{"events": ["PodPending"], "action": "AbortJob", "timeout": "10m"}])");
  const auto of_job = parse_volcano_job(a_volcano_job().with("/spec/policies", policy).json());
  ASSERT_NE(policy_against_waiting(*of_job), nullptr);
  EXPECT_EQ(policy_against_waiting(*of_job)->timeout, "10m");
  const auto of_task = parse_volcano_job(a_volcano_job().with("/spec/tasks/1/policies", policy).json());
  EXPECT_NE(policy_against_waiting(*of_task), nullptr);
}

TEST(ApiVolcano, pod_groups_are_read) {
  const auto group = parse_pod_group(
      Json::parse(R"({"metadata": {"name": "fit-uid-1"}, "spec": {"minMember": 4}, "status": {"phase": "Inqueue"}})"));
  EXPECT_EQ(group->min_member, 4);
  EXPECT_EQ(group->phase, "Inqueue");
}

TEST(ApiJobSet, reads_its_jobs_and_its_end) {
  const auto set = parse_job_set(
      a_job_set()
          .with(
              "/status/conditions",
              Json::parse(R"([{"type": "Completed", "status": "True", "lastTransitionTime": "2027-06-02T12:00:00Z"}])"))
          .json());
  ASSERT_TRUE(set);
  EXPECT_EQ(set->jobs.size(), 2U);
  EXPECT_EQ(set->jobs[1].parallelism, 3);
  EXPECT_EQ(set->phase, JobPhase::finished);
  EXPECT_EQ(set->finished_at, at("2027-06-02T12:00:00Z"));
  EXPECT_EQ(parse_job_set(a_job_set()
                              .with("/status/conditions", Json::parse(R"([{"type": "Failed", "status": "True",
      "reason": "FailedJobs"}])"))
                              .json())
                ->failure,
            "FailedJobs");
}

TEST(ApiPod, is_read_with_its_gates_and_owner) {
  const auto pod =
      parse_pod(Json::parse(R"({"metadata": {"name": "fit-0", "ownerReferences": [{"kind": "Job", "uid": "uid-1",
    "controller": true}]}, "spec": {"nodeName": "n1", "schedulingGates": [{"name": "a.org/b"}]},
    "status": {"phase": "Pending", "startTime": "2027-06-02T07:00:00Z"}})"));
  EXPECT_EQ(pod->node, "n1");
  EXPECT_TRUE(pod->gated);
  EXPECT_EQ(pod->phase, PodPhase::pending);
  EXPECT_EQ(pod->meta.controller()->uid, "uid-1");
  EXPECT_EQ(parse_pod(Json::parse(R"({"metadata": {"name": "p"}, "status": {"phase": "Odd"}})"))->phase,
            PodPhase::unknown);
}

TEST(ApiNode, is_read_with_what_it_has) {
  const auto node =
      parse_node(Json::parse(R"({"metadata": {"name": "n1", "labels": {"topology.kubernetes.io/region": "ES"}},
    "spec": {"unschedulable": true}, "status": {"allocatable": {"cpu": "64", "odd": []}}})"));
  EXPECT_FALSE(node->schedulable);
  EXPECT_EQ(node->allocatable.size(), 1U);
}

TEST(JsonAccess, texts_are_cut_between_characters) {
  EXPECT_EQ(cut_text("short", 10), "short");
  EXPECT_EQ(cut_text("abcdef", 3), "abc");
  EXPECT_EQ(cut_text("a\xC3\xA9z", 2), "a");
  EXPECT_EQ(cut_text("a\xC3\xA9z", 3), "a\xC3\xA9");
  EXPECT_EQ(cut_text("\xF0\x9F\x8C\xB1", 3), "");
}

TEST(Pod, tells_when_its_containers_ran) {
  const auto pod = [](const char* status) {
    return parse_pod(Json{{"metadata", {{"name", "p"}}},
                          {"spec", {{"containers", Json::array({{{"name", "main"}}, {{"name", "side"}}})}}},
                          {"status", Json::parse(status)}})
        .value();
  };
  const auto running = pod(R"({"phase": "Running", "containerStatuses": [
    {"state": {"running": {"startedAt": "2027-06-02T06:00:09Z"}}},
    {"state": {"terminated": {"startedAt": "2027-06-02T06:00:05Z", "finishedAt": "2027-06-02T06:01:00Z"}}}]})");
  EXPECT_EQ(running.began_at, scheduler::parse_instant("2027-06-02T06:00:05Z").value());
  EXPECT_EQ(running.ended_at, std::nullopt);
  EXPECT_EQ(running.containers, (std::vector<std::string>{"main", "side"}));
  EXPECT_FALSE(running.disrupted);
  const auto over = pod(R"({"phase": "Failed", "reason": "Evicted",
    "initContainerStatuses": [{"state": {"terminated": {"startedAt": "2027-06-02T06:00:01Z",
                                                        "finishedAt": "2027-06-02T06:00:02Z"}}}],
    "containerStatuses": [{"state": {"terminated": {"startedAt": "2027-06-02T06:00:05Z",
                                                    "finishedAt": "2027-06-02T06:01:00Z"}}}]})");
  EXPECT_EQ(over.began_at, scheduler::parse_instant("2027-06-02T06:00:01Z").value());
  EXPECT_EQ(over.ended_at, scheduler::parse_instant("2027-06-02T06:01:00Z").value());
  EXPECT_TRUE(over.disrupted);
  const auto waiting = pod(R"({"phase": "Pending", "containerStatuses": [{"state": {"waiting": {}}}],
    "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]})");
  EXPECT_EQ(waiting.began_at, std::nullopt);
  EXPECT_EQ(waiting.ended_at, std::nullopt);
  EXPECT_TRUE(waiting.disrupted);
}

}  // namespace
}  // namespace valle::k8s
