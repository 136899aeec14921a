// SPDX-License-Identifier: Apache-2.0
// Jobs of several kinds of pods: Volcano's vcjobs, held pod by pod, and JobSets.
#include <gtest/gtest.h>

#include "k8s/reconcile/job_set_hold.hpp"
#include "k8s/reconcile/volcano_hold.hpp"
#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using tests::a_job_set;
using tests::a_volcano_job;
using tests::after;
using tests::released_at;
using tests::waiting_until;

const Json k_gate{{"name", "valle.sh/carbon"}};

Json gated_gang() {
  return a_volcano_job()
      .with("/spec/tasks/0/template/spec/schedulingGates", Json::array({k_gate}))
      .with("/spec/tasks/1/template/spec/schedulingGates/1", k_gate)
      .json();
}
Json a_pod(const std::string& name, const Json& gates, const std::string& owner = "uid-1") {
  return {
      {"metadata",
       {{"name", name},
        {"namespace", "lab"},
        {"resourceVersion", "3"},
        {"ownerReferences", Json::array({{{"kind", "Job"}, {"name", "fit"}, {"uid", owner}, {"controller", true}}})}}},
      {"spec", {{"schedulingGates", gates}}},
      {"status", {{"phase", "Pending"}}}};
}
VolcanoJob gang_of(const Json& object) { return parse_volcano_job(object).value(); }
Pod pod_of(const Json& object) { return parse_pod(object).value(); }

TEST(VolcanoHold, a_waiting_gang_says_when_and_no_pod_is_touched) {
  const Json object = gated_gang();
  const std::vector pods{pod_of(a_pod("fit-master-0", Json::array({k_gate})))};
  const auto actions = reconcile(gang_of(object), pods, waiting_until("2027-06-02T11:00:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions.front().resource.group, "batch.volcano.sh");
  const Json told = after(object, actions.front());
  EXPECT_EQ(told.at("metadata").at("annotations").at("valle.sh/planned-start"), "2027-06-02T11:00:00Z");
  EXPECT_TRUE(reconcile(gang_of(told), pods, waiting_until("2027-06-02T11:00:00Z")).empty());
}

TEST(VolcanoHold, the_release_is_recorded_first_and_then_each_pod_freed_and_pinned) {
  const Json object = gated_gang();
  Json picky = a_pod("fit-worker-1", Json::array({{{"name", "other.org/gate"}}, k_gate}));
  picky["spec"]["nodeSelector"] = {{"disk", "fast"}};
  const std::vector raw{a_pod("fit-master-0", Json::array({k_gate})), picky, a_pod("fit-worker-2", Json::array()),
                        a_pod("alien-0", Json::array({k_gate}), "uid-2")};
  std::vector<Pod> pods;
  for (const auto& each : raw) pods.push_back(pod_of(each));
  const auto actions = reconcile(gang_of(object), pods, released_at("2027-06-02T11:00:00Z"));
  ASSERT_EQ(actions.size(), 3U);
  EXPECT_TRUE(actions[0].releases);
  const Json recorded = after(object, actions[0]);
  EXPECT_EQ(recorded.at("metadata").at("annotations").at("valle.sh/released-at"), "2027-06-02T11:00:00Z");
  EXPECT_EQ(recorded.at("spec"), object.at("spec"));
  EXPECT_EQ(actions[1].name, "fit-master-0");
  const Json master = after(raw[0], actions[1]);
  EXPECT_EQ(master.at("spec").at("schedulingGates"), Json::array());
  EXPECT_EQ(master.at("spec").at("nodeSelector").at("topology.kubernetes.io/region"), "eu-south-2");
  const Json worker = after(raw[1], actions[2]);
  EXPECT_EQ(worker.at("spec").at("schedulingGates").dump(), R"([{"name":"other.org/gate"}])");
  EXPECT_EQ(worker.at("spec").at("nodeSelector").at("disk"), "fast");
  EXPECT_EQ(worker.at("spec").at("nodeSelector").at("topology.kubernetes.io/region"), "eu-south-2");
  const std::vector freed{pod_of(master), pod_of(worker), pods[2], pods[3]};
  EXPECT_TRUE(reconcile(gang_of(recorded), freed, released_at("2027-06-02T11:00:00Z")).empty());
}

TEST(VolcanoHold, a_pod_whose_gates_changed_meanwhile_is_not_patched_blindly) {
  const Json raw = a_pod("fit-0", Json::array({{{"name", "other.org/gate"}}, k_gate}));
  const auto actions = reconcile(gang_of(gated_gang()), std::vector{pod_of(raw)}, released_at("2027-06-02T11:00:00Z"));
  ASSERT_EQ(actions.size(), 2U);
  Json changed = raw;
  changed["spec"]["schedulingGates"] = Json::array({k_gate, {{"name", "other.org/gate"}}});
  EXPECT_THROW((void)changed.patch(actions[1].body), Json::exception);
}

TEST(VolcanoHold, pods_that_come_after_the_release_are_freed_too_whatever_the_plan_says_now) {
  const Json object =
      tests::ObjectBuilder{gated_gang()}.annotated("valle.sh/released-at", "2027-06-02T11:00:00Z").json();
  const std::vector pods{pod_of(a_pod("fit-master-0", Json::array({k_gate})))};
  EXPECT_EQ(reconcile(gang_of(object), pods, waiting_until("2027-06-02T13:00:00Z")).size(), 1U);
}

TEST(VolcanoHold, a_pod_of_a_region_of_its_own_is_freed_but_not_pinned) {
  Json raw = a_pod("fit-0", Json::array({k_gate}));
  raw["spec"]["nodeSelector"] = {{"topology.kubernetes.io/region", "eu-west-3"}};
  const auto actions = reconcile(gang_of(gated_gang()), std::vector{pod_of(raw)}, released_at("2027-06-02T11:00:00Z"));
  EXPECT_EQ(after(raw, actions.at(1)).at("spec").at("nodeSelector"), raw.at("spec").at("nodeSelector"));
}

TEST(VolcanoHold, nothing_is_done_to_a_job_that_was_not_held_or_is_over) {
  const std::vector pods{pod_of(a_pod("fit-0", Json::array({k_gate})))};
  const auto decision = released_at("2027-06-02T11:00:00Z");
  EXPECT_TRUE(reconcile(gang_of(a_volcano_job().json()), pods, decision).empty());
  EXPECT_TRUE(reconcile(gang_of(tests::ObjectBuilder{gated_gang()}.with("/status/state/phase", "Completed").json()),
                        pods, decision)
                  .empty());
}

JobSet set_of(const Json& object) { return parse_job_set(object).value(); }

TEST(JobSetHold, is_released_by_one_guarded_patch_that_pins_each_template) {
  const Json object = a_job_set().gated("a.org/x,valle.sh/carbon").json();
  const auto actions = reconcile(set_of(object), nullptr, released_at("2027-06-02T11:00:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions.front().kind, Patch::Type::json);
  const Json free = after(object, actions.front());
  EXPECT_EQ(free.at("metadata").at("annotations").at("kueue.x-k8s.io/admission-gated-by"), "a.org/x");
  EXPECT_EQ(free.at("metadata").at("annotations").at("valle.sh/released-at"), "2027-06-02T11:00:00Z");
  EXPECT_TRUE(free.at("spec").at("suspend"));
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& pods = free.at("spec").at("replicatedJobs").at(i).at("template").at("spec").at("template").at("spec");
    EXPECT_EQ(pods.at("nodeSelector").at("topology.kubernetes.io/region"), "eu-south-2");
    EXPECT_EQ(pods.at("tolerations").size(), i + 1);
  }
  EXPECT_EQ(free.at(Json::json_pointer{"/spec/replicatedJobs/1/template/spec/template/spec/nodeSelector/disk"}),
            "fast");
  EXPECT_TRUE(reconcile(set_of(free), nullptr, released_at("2027-06-02T11:00:00Z")).empty());
  Json changed = object;
  changed["metadata"]["resourceVersion"] = "8";
  EXPECT_THROW((void)changed.patch(actions.front().body), Json::exception);
}

TEST(JobSetHold, held_by_suspension_it_is_unsuspended) {
  const Json object = a_job_set().suspended_by_us().json();
  const auto told = reconcile(set_of(object), nullptr, waiting_until("2027-06-02T11:00:00Z"));
  ASSERT_EQ(told.size(), 1U);
  const Json waiting = after(object, told.front());
  const Json free = after(waiting, reconcile(set_of(waiting), nullptr, released_at("2027-06-02T11:00:00Z")).at(0));
  EXPECT_FALSE(free.at("spec").at("suspend"));
  EXPECT_FALSE(free.at("metadata").at("annotations").contains("valle.sh/held"));
}

TEST(JobSetHold, outside_its_queue_it_enters_it) {
  const Json object = a_job_set()
                          .with("/spec/suspend", true)
                          .annotated("valle.sh/held", "queue")
                          .annotated("valle.sh/queue", "batch")
                          .json();
  const Json free = after(object, reconcile(set_of(object), nullptr, released_at("2027-06-02T11:00:00Z")).at(0));
  EXPECT_EQ(free.at("metadata").at("labels").at("kueue.x-k8s.io/queue-name"), "batch");
  EXPECT_FALSE(free.at("metadata").at("annotations").contains("valle.sh/queue"));
  EXPECT_TRUE(free.at("spec").at("suspend"));
}

}  // namespace
}  // namespace valle::k8s
