// SPDX-License-Identifier: Apache-2.0
#include "k8s/reconcile/second_wait.hpp"

#include <gtest/gtest.h>

#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using tests::after;
using tests::at;

Json a_workload(const char* conditions, const char* checks = "[]") {
  return {{"metadata", {{"name", "job-fit-1a2b3"}, {"namespace", "lab"}, {"resourceVersion", "4711"}}},
          {"spec", {{"queueName", "batch"}}},
          {"status", {{"conditions", Json::parse(conditions)}, {"admissionChecks", Json::parse(checks)}}}};
}
const Json k_preempted = a_workload(R"([{"type": "Evicted", "status": "True", "reason": "Preempted"},
  {"type": "QuotaReserved", "status": "False", "reason": "Pending"}, {"type": "Admitted", "status": "False"}])");
const Json k_running =
    a_workload(R"([{"type": "Evicted", "status": "False"}, {"type": "QuotaReserved", "status": "True"},
  {"type": "Admitted", "status": "True"}])");

Workload workload_of(const Json& object) { return parse_workload(object).value(); }
SecondWait wait(const char* until) {
  return {.until = at(until), .start_by = at("2027-06-02T14:00:00Z"), .site = "es"};
}

TEST(SecondWait, evicted_with_time_left_it_waits_deactivated_and_comes_back) {
  const auto noon = wait("2027-06-02T12:00:00Z");
  const auto actions = reconcile(workload_of(k_preempted), noon, at("2027-06-02T10:00:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions.front().events.at(0).reason, EventReason::redeferred);
  EXPECT_FALSE(actions.front().releases);
  const Json waiting = after(k_preempted, actions.front());
  EXPECT_FALSE(waiting.at("spec").at("active"));
  EXPECT_EQ(waits_again_until(workload_of(waiting)), at("2027-06-02T12:00:00Z"));
  EXPECT_TRUE(reconcile(workload_of(waiting), noon, at("2027-06-02T11:59:59Z")).empty());
  const auto back = reconcile(workload_of(waiting), noon, at("2027-06-02T12:00:00Z"));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_TRUE(back.front().releases);
  const Json active = after(waiting, back.front());
  EXPECT_TRUE(active.at("spec").at("active"));
  EXPECT_EQ(waits_again_until(workload_of(active)), std::nullopt);
  EXPECT_TRUE(reconcile(workload_of(active), noon, at("2027-06-02T12:00:00Z")).empty());
}

TEST(SecondWait, never_beyond_its_first_deadline) {
  const auto late = wait("2027-06-02T20:00:00Z");
  EXPECT_TRUE(reconcile(workload_of(k_preempted), late, at("2027-06-02T14:00:00Z")).empty());
  const Json waiting = after(k_preempted, reconcile(workload_of(k_preempted), late, at("2027-06-02T13:00:00Z")).at(0));
  EXPECT_EQ(waits_again_until(workload_of(waiting)), at("2027-06-02T14:00:00Z"));
  EXPECT_EQ(reconcile(workload_of(waiting), late, at("2027-06-02T14:00:00Z")).size(), 1U);
}

TEST(SecondWait, without_a_cleaner_start_kueue_brings_it_back) {
  EXPECT_TRUE(reconcile(workload_of(k_preempted), {.start_by = at("2027-06-02T14:00:00Z")}, at("2027-06-02T10:00:00Z"))
                  .empty());
}

TEST(SecondWait, leaves_alone_what_runs_is_over_or_was_deactivated_by_others) {
  const auto noon = wait("2027-06-02T12:00:00Z");
  const auto now = at("2027-06-02T10:00:00Z");
  EXPECT_TRUE(reconcile(workload_of(k_running), noon, now).empty());
  Json inactive = k_preempted;
  inactive["spec"]["active"] = false;
  EXPECT_TRUE(reconcile(workload_of(inactive), noon, now).empty());
  EXPECT_TRUE(reconcile(workload_of(inactive), noon, at("2027-06-02T13:00:00Z")).empty());
  Json over = k_preempted;
  over["status"]["conditions"].push_back({{"type", "Finished"}, {"status", "True"}});
  EXPECT_TRUE(reconcile(workload_of(over), noon, now).empty());
}

TEST(SecondWait, resumed_by_hand_it_loses_the_mark_and_runs) {
  Json resumed = k_running;
  resumed["metadata"]["annotations"]["valle.sh/waits-again"] = "2027-06-02T12:00:00Z";
  const auto actions = reconcile(workload_of(resumed), wait("2027-06-02T12:00:00Z"), at("2027-06-02T10:00:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  const Json now = after(resumed, actions.front());
  EXPECT_EQ(now.at("spec"), resumed.at("spec"));
  EXPECT_TRUE(reconcile(workload_of(now), wait("2027-06-02T12:00:00Z"), at("2027-06-02T10:00:00Z")).empty());
}

constexpr const char* k_pending = R"([{"name": "carbon", "state": "Pending"}])";
constexpr const char* k_reserved =
    R"([{"type": "QuotaReserved", "status": "True"}, {"type": "Evicted", "status": "False"}])";

TEST(Verdict, is_ready_at_once_under_a_lock) {
  const auto actions = verdict(workload_of(a_workload(k_reserved, k_pending)), "carbon", at("2027-05-21T08:01:00Z"));
  ASSERT_EQ(actions.size(), 1U);
  const Action& action = actions.front();
  EXPECT_EQ(action.kind, Patch::Type::apply);
  EXPECT_EQ(action.subresource, "status");
  EXPECT_EQ(action.body.at("metadata").at("resourceVersion"), "4711");
  const Json& entry = action.body.at("status").at("admissionChecks").at(0);
  EXPECT_EQ(entry.at("state"), "Ready");
  EXPECT_EQ(entry.at("requeueAfterSeconds"), 0);
  EXPECT_EQ(entry.at("lastTransitionTime"), "2027-05-21T08:01:00Z");
}

TEST(Verdict, is_not_written_while_an_eviction_is_under_way) {
  const auto evicted = a_workload(R"([{"type": "Evicted", "status": "True", "reason": "AdmissionCheck"},
    {"type": "QuotaReserved", "status": "False", "reason": "Pending"}])",
                                  k_pending);
  EXPECT_TRUE(verdict(workload_of(evicted), "carbon", at("2027-05-21T08:01:00Z")).empty());
  const auto with_quota =
      a_workload(R"([{"type": "Evicted", "status": "True"}, {"type": "QuotaReserved", "status": "True"}])", k_pending);
  EXPECT_TRUE(verdict(workload_of(with_quota), "carbon", at("2027-05-21T08:01:00Z")).empty());
}

TEST(Verdict, is_given_once_and_for_our_check_only) {
  const auto now = at("2027-05-21T08:01:00Z");
  EXPECT_TRUE(
      verdict(workload_of(a_workload(k_reserved, R"([{"name": "carbon", "state": "Ready"}])")), "carbon", now).empty());
  EXPECT_TRUE(verdict(workload_of(a_workload(k_reserved, k_pending)), "other", now).empty());
  EXPECT_TRUE(verdict(workload_of(a_workload("[]", k_pending)), "carbon", now).empty());
}

TEST(Verdict, our_check_is_made_active_once) {
  const auto check = [](const char* controller, bool active) {
    return AdmissionCheck{
        .meta = {.name = "carbon", .resource_version = "5"}, .controller = controller, .active = active};
  };
  const auto now = at("2027-05-21T08:01:00Z");
  const auto actions = activate(check("valle.sh/carbon-check", false), now);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions.front().body.at("status").at("conditions").at(0).at("status"), "True");
  EXPECT_EQ(actions.front().resource.scope, Scope::cluster);
  EXPECT_TRUE(activate(check("valle.sh/carbon-check", true), now).empty());
  EXPECT_TRUE(activate(check("other.org/check", false), now).empty());
}

}  // namespace
}  // namespace valle::k8s
