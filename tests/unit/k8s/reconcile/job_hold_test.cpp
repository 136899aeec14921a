// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/job_hold.hpp"

#include <gtest/gtest.h>

#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using tests::a_job;
using tests::after;
using tests::at;
using tests::job_of;
using tests::released_at;
using tests::waiting_until;

constexpr const char* k_gates = "kueue.x-k8s.io/admission-gated-by";
constexpr const char* k_queue = "kueue.x-k8s.io/queue-name";
const Json::json_pointer k_pods{"/spec/template/spec"};

Json annotation(const Json& object, const std::string& name) {
  return object.at("metadata").at("annotations").value(name, Json());
}
std::vector<EventReason> reasons(const Action& action) {
  std::vector<EventReason> found;
  for (const auto& event : action.events) found.push_back(event.reason);
  return found;
}
Workload workload_in(const std::string& queue) {
  return {.meta = {.name = "job-fit-1", .space = "lab"}, .job_uid = "uid-1", .queue = queue, .gated = true};
}
/// The one action that is wanted, done.
Json step(const Json& object, const Decision& decision, const Workload* workload = nullptr) {
  const auto actions = reconcile(job_of(object), workload, decision);
  EXPECT_EQ(actions.size(), 1U);
  return actions.size() == 1 ? after(object, actions.front()) : object;
}

TEST(JobHold, a_waiting_job_says_when_where_and_why) {
  const auto object = a_job().gated().json();
  const auto actions = reconcile(job_of(object), nullptr, waiting_until("2027-06-02T11:00:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_FALSE(actions.front().releases);
  EXPECT_EQ(reasons(actions.front()), (std::vector{EventReason::held, EventReason::planned}));
  const Json told = after(object, actions.front());
  EXPECT_EQ(annotation(told, "valle.sh/planned-start"), "2027-06-02T11:00:00Z");
  EXPECT_EQ(annotation(told, "valle.sh/start-by"), "2027-06-02T14:00:00Z");
  EXPECT_EQ(annotation(told, "valle.sh/planned-region"), "eu-south-2");
  EXPECT_EQ(annotation(told, "valle.sh/planned-carbon-grams"), "250.000");
  EXPECT_EQ(annotation(told, "valle.sh/baseline-carbon-grams"), "1000.000");
  EXPECT_EQ(annotation(told, "valle.sh/reason"), "cleaner in es");
  EXPECT_EQ(annotation(told, k_gates), "valle.sh/carbon");
  EXPECT_EQ(job_of(told).phase, JobPhase::suspended);
  EXPECT_EQ(remembered(job_of(told).meta), (Remembered{.start_by = at("2027-06-02T14:00:00Z"),
                                                       .planned_start = at("2027-06-02T11:00:00Z"),
                                                       .released_at = {},
                                                       .planned_region = "eu-south-2"}));
}

TEST(JobHold, another_plan_is_told_as_such) {
  const auto told = step(a_job().gated().json(), waiting_until("2027-06-02T11:00:00Z"));
  const auto actions = reconcile(job_of(told), nullptr, waiting_until("2027-06-02T12:00:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(reasons(actions.front()), (std::vector{EventReason::replanned}));
  EXPECT_EQ(actions.front().body.at("metadata").at("annotations").size(), 1U);
}

TEST(JobHold, a_plan_that_is_gone_is_taken_from_the_object) {
  const auto told = step(a_job().gated().json(), waiting_until("2027-06-02T11:00:00Z"));
  auto unplaced = waiting_until("2027-06-02T11:00:00Z");
  unplaced.planned_start.reset();
  unplaced.planned.reset();
  const auto now = step(told, unplaced);
  EXPECT_TRUE(annotation(now, "valle.sh/planned-start").is_null());
  EXPECT_TRUE(annotation(now, "valle.sh/planned-carbon-grams").is_null());
}

TEST(JobHold, start_by_on_the_object_never_moves_back) {
  const auto told = step(a_job().gated().annotated("valle.sh/start-by", "2027-06-02T13:00:00Z").json(),
                         waiting_until("2027-06-02T11:00:00Z"));
  EXPECT_EQ(annotation(told, "valle.sh/start-by"), "2027-06-02T13:00:00Z");
}

TEST(JobHold, released_by_one_patch_of_gate_selector_toleration_and_instant) {
  const auto object = a_job().gated().json();
  const auto actions = reconcile(job_of(object), nullptr, released_at("2027-06-02T11:00:03Z"));
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_TRUE(actions.front().releases);
  EXPECT_EQ(reasons(actions.front()), std::vector{EventReason::released});
  EXPECT_EQ(actions.front().kind, Patch::Type::merge);
  const Json free = after(object, actions.front());
  EXPECT_TRUE(annotation(free, k_gates).is_null());
  EXPECT_EQ(annotation(free, "valle.sh/released-at"), "2027-06-02T11:00:03Z");
  EXPECT_EQ(free.at(k_pods).at("nodeSelector"), Json::parse(R"({"topology.kubernetes.io/region": "eu-south-2"})"));
  EXPECT_EQ(free.at(k_pods).at("tolerations"),
            Json::parse(
                R"([{"key": "valle.sh/region", "operator": "Equal", "value": "eu-south-2", "effect": "NoSchedule"}])"));
  EXPECT_TRUE(free.at("spec").at("suspend")) << "suspension of a queued Job is Kueue's";
}

TEST(JobHold, without_kueue_a_release_unsuspends_itself) {
  const auto decision = released_at("2027-06-02T11:00:03Z");
  for (const auto& object :
       {a_job().gated().json(), a_job().suspended_by_us().annotated("valle.sh/held", "queue").json()}) {
    const auto actions = reconcile(job_of(object), nullptr, decision, Starter::nobody);
    ASSERT_EQ(actions.size(), 1U);
    const Json free = after(object, actions.front());
    EXPECT_FALSE(free.at("spec").at("suspend"));
    EXPECT_TRUE(annotation(free, k_gates).is_null());
    EXPECT_EQ(free.at(k_pods).at("nodeSelector").at("topology.kubernetes.io/region"), "eu-south-2");
    EXPECT_TRUE(reconcile(job_of(free), nullptr, decision, Starter::nobody).empty()) << "done once";
  }
}

TEST(JobHold, only_our_gate_goes) {
  EXPECT_EQ(annotation(step(a_job().gated("ops.example.org/freeze,valle.sh/carbon").json(),
                            released_at("2027-06-02T11:00:00Z")),
                       k_gates),
            "ops.example.org/freeze");
  EXPECT_EQ(annotation(step(a_job().gated(" valle.sh/carbon , a.org/x").json(), released_at("2027-06-02T11:00:00Z")),
                       k_gates),
            "a.org/x");
}

TEST(JobHold, gate_lists) {
  EXPECT_EQ(with_our_gate(""), "valle.sh/carbon");
  EXPECT_EQ(with_our_gate("a.org/x"), "a.org/x,valle.sh/carbon");
  EXPECT_EQ(with_our_gate("valle.sh/carbon, a.org/x"), "valle.sh/carbon,a.org/x");
  EXPECT_EQ(without_our_gate("valle.sh/carbon"), "");
  EXPECT_EQ(without_our_gate("a.org/x"), "a.org/x");
  EXPECT_TRUE(has_our_gate("a.org/x, valle.sh/carbon"));
  EXPECT_FALSE(has_our_gate("valle.sh/carbon-dioxide"));
}

TEST(JobHold, its_owners_selector_and_tolerations_stay) {
  const auto object = a_job()
                          .gated()
                          .with("/spec/template/spec/nodeSelector", {{"disk", "fast"}})
                          .with("/spec/template/spec/tolerations", Json::parse(R"([{"key": "gpu", "operator": "Exists"},
                                {"key": "valle.sh/region", "operator": "Equal", "value": "old", "effect": "NoSchedule"}])"))
                          .json();
  const Json pods = step(object, released_at("2027-06-02T11:00:00Z")).at(k_pods);
  EXPECT_EQ(pods.at("nodeSelector").at("disk"), "fast");
  EXPECT_EQ(pods.at("tolerations").size(), 2U);
  EXPECT_EQ(pods.at("tolerations").at(0).at("key"), "gpu");
  EXPECT_EQ(pods.at("tolerations").at(1).at("value"), "eu-south-2");
}

TEST(JobHold, a_region_that_its_owner_chose_is_not_overruled) {
  const auto object =
      a_job().gated().with("/spec/template/spec/nodeSelector", {{"topology.kubernetes.io/region", "eu-west-3"}}).json();
  const Json pods = step(object, released_at("2027-06-02T11:00:00Z")).at(k_pods);
  EXPECT_EQ(pods.at("nodeSelector").at("topology.kubernetes.io/region"), "eu-west-3");
  EXPECT_FALSE(pods.contains("tolerations"));
}

TEST(JobHold, without_a_region_it_is_not_pinned) {
  auto decision = released_at("2027-06-02T11:00:00Z");
  decision.region.clear();
  EXPECT_FALSE(step(a_job().gated().json(), decision).at(k_pods).contains("nodeSelector"));
}

TEST(JobHold, moves_to_the_sites_queue_first_and_drops_the_gate_when_the_workload_has_followed) {
  auto decision = released_at("2027-06-02T11:00:00Z");
  decision.queue = "carbon-es";
  const Workload old = workload_in("batch");
  const Workload moved = workload_in("carbon-es");
  const Json queued = step(a_job().gated().json(), decision, &old);
  EXPECT_EQ(queued.at("metadata").at("labels").at(k_queue), "carbon-es");
  EXPECT_EQ(annotation(queued, k_gates), "valle.sh/carbon");
  EXPECT_TRUE(reconcile(job_of(queued), &old, decision).empty());
  const Json free = step(queued, decision, &moved);
  EXPECT_TRUE(annotation(free, k_gates).is_null());
}

TEST(JobHold, a_plain_job_is_unsuspended_and_pinned_in_one_patch) {
  const Json free = step(a_job().suspended_by_us().json(), released_at("2027-06-02T11:00:00Z"));
  EXPECT_FALSE(free.at("spec").at("suspend"));
  EXPECT_EQ(free.at(k_pods).at("nodeSelector").at("topology.kubernetes.io/region"), "eu-south-2");
  EXPECT_TRUE(annotation(free, "valle.sh/held").is_null());
  EXPECT_EQ(annotation(free, "valle.sh/released-at"), "2027-06-02T11:00:00Z");
}

TEST(JobHold, gated_and_suspended_without_a_queue_both_go) {
  const Json free =
      step(a_job().suspended_by_us().annotated(k_gates, "valle.sh/carbon").json(), released_at("2027-06-02T11:00:00Z"));
  EXPECT_FALSE(free.at("spec").at("suspend"));
  EXPECT_TRUE(annotation(free, k_gates).is_null());
}

TEST(JobHold, gated_and_suspended_with_a_queue_after_all_is_left_suspended_to_kueue) {
  const Json free = step(a_job().suspended_by_us().gated().json(), released_at("2027-06-02T11:00:00Z"));
  EXPECT_TRUE(free.at("spec").at("suspend"));
}

TEST(JobHold, what_bears_our_mark_stays_ours_when_its_owner_takes_the_annotation_away) {
  for (auto object : {a_job().gated().json(), a_job().suspended_by_us().json()}) {
    object["metadata"]["annotations"].erase("kueue.x-k8s.io/carbon-aware");
    EXPECT_EQ(care_of(job_of(object).meta), Care::ours);
    const auto free = step(object, released_at("2027-06-02T08:00:00Z"));
    EXPECT_EQ(hold_of(job_of(free)), Hold::none);
  }
}

TEST(JobHold, gated_and_taken_out_of_its_queue_it_is_unsuspended_by_us) {
  auto object = a_job().gated().annotated("valle.sh/start-by", "2027-06-02T14:00:00Z").json();
  object["metadata"]["labels"].erase(k_queue);
  EXPECT_EQ(hold_of(job_of(object)), Hold::suspend);
  const auto free = step(object, released_at("2027-06-02T08:00:00Z"));
  EXPECT_FALSE(free.at("spec").at("suspend").get<bool>());
  EXPECT_TRUE(annotation(free, k_gates).is_null());
}

TEST(JobHold, outside_its_queue_it_enters_it_pinned_and_kueue_unsuspends_it) {
  const auto object = a_job()
                          .with("/spec/suspend", true)
                          .annotated("valle.sh/held", "queue")
                          .annotated("valle.sh/queue", "batch")
                          .json();
  const Json free = step(object, released_at("2027-06-02T11:00:00Z"));
  EXPECT_EQ(free.at("metadata").at("labels").at(k_queue), "batch");
  EXPECT_TRUE(free.at("spec").at("suspend"));
  EXPECT_TRUE(annotation(free, "valle.sh/held").is_null());
  EXPECT_TRUE(annotation(free, "valle.sh/queue").is_null());
  auto elsewhere = released_at("2027-06-02T11:00:00Z");
  elsewhere.queue = "carbon-es";
  EXPECT_EQ(step(object, elsewhere).at("metadata").at("labels").at(k_queue), "carbon-es");
}

TEST(JobHold, says_why_it_was_released) {
  const auto reason = [](const Json& object, const Decision& decision) {
    return reconcile(job_of(object), nullptr, decision).at(0).events.at(0).reason;
  };
  auto forced = released_at("2027-06-02T14:00:00Z");
  EXPECT_EQ(reason(a_job().gated().json(), forced), EventReason::released);
  forced.warning = "its latest start has come";
  EXPECT_EQ(reason(a_job().gated().json(), forced), EventReason::deadline);
  EXPECT_EQ(reason(a_job().gated().annotated("valle.sh/run-now", "true").json(), forced), EventReason::run_now);
}

TEST(JobHold, somebody_elses_start_is_recorded_once) {
  const auto told = step(a_job().suspended_by_us().json(), waiting_until("2027-06-02T11:00:00Z"));
  Json started = told;
  started["spec"]["suspend"] = false;
  EXPECT_TRUE(reconcile(job_of(started), nullptr, waiting_until("2027-06-02T11:00:00Z")).empty());
  const auto decision = released_at("2027-06-02T09:00:00Z");
  const auto actions = reconcile(job_of(started), nullptr, decision);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_FALSE(actions.front().releases);
  EXPECT_FALSE(actions.front().body.contains("spec"));
  EXPECT_EQ(annotation(after(started, actions.front()), "valle.sh/released-at"), "2027-06-02T09:00:00Z");
  EXPECT_TRUE(reconcile(job_of(after(started, actions.front())), nullptr, decision).empty());
}

TEST(JobHold, a_job_that_runs_already_is_not_pinned) {
  const Json free = step(a_job().gated().with("/spec/suspend", false).json(), released_at("2027-06-02T11:00:00Z"));
  EXPECT_FALSE(free.at(k_pods).contains("nodeSelector"));
}

TEST(JobHold, nothing_is_done_to_what_is_not_ours_or_over) {
  const Json done = Json::parse(R"([{"type": "Complete", "status": "True"}])");
  for (const Json& object : {a_job().gated().labelled("kueue.x-k8s.io/multikueue-origin", "multikueue").json(),
                             a_job().gated().with("/metadata/deletionTimestamp", "2027-06-02T10:00:00Z").json(),
                             a_job().gated().with("/status/conditions", done).json(), a_job().json(),
                             a_job().gated().labelled("kueue.x-k8s.io/prebuilt-workload-name", "w").json(),
                             a_job().with("/spec/suspend", true).json(),  // suspended by its owner
                             a_job().gated().annotated("kueue.x-k8s.io/admission-gated-by", "a.org/x").json()}) {
    EXPECT_TRUE(reconcile(job_of(object), nullptr, released_at("2027-06-02T11:00:00Z")).empty()) << object.dump();
  }
}

TEST(JobHold, after_its_release_a_retried_pod_waits_for_nothing) {
  const auto object = a_job().gated().annotated("kueue.x-k8s.io/carbon-deadline", "PT6H").json();
  Json free = step(object, released_at("2027-06-02T09:40:00Z"));
  free["spec"]["suspend"] = false;
  free["status"] = {{"active", 0}, {"failed", 1}};
  EXPECT_EQ(hold_of(job_of(free)), Hold::none);
  EXPECT_TRUE(reconcile(job_of(free), nullptr, released_at("2027-06-02T09:40:00Z")).empty());
  EXPECT_EQ(annotation(free, "valle.sh/start-by"), "2027-06-02T14:00:00Z");
}

TEST(JobHold, everything_needed_to_go_on_is_on_the_object) {
  const Json free =
      step(step(a_job().gated().json(), waiting_until("2027-06-02T11:00:00Z")), released_at("2027-06-02T11:00:02Z"));
  const auto back = remembered(job_of(free).meta);
  EXPECT_EQ(back.released_at, at("2027-06-02T11:00:02Z"));
  EXPECT_EQ(back.start_by, at("2027-06-02T14:00:00Z"));
  EXPECT_EQ(remembered(job_of(a_job().annotated("valle.sh/start-by", "soon").json()).meta), Remembered{});
}

}  // namespace
}  // namespace valle::k8s
