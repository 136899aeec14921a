# SPDX-License-Identifier: Apache-2.0
"""The ground that valle stands on: what Kueue really does with a gate, a release and a queue. No valle here; when one of
these fails with a newer Kueue, valle's way of releasing has to be thought over."""
from harness.api import condition, is_true
from harness.control_plane import REGION_LABEL
from harness.jobs import job
from harness.kueue import GATE, QUEUE, workload_flavors
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, main

OURS = {GATE: "valle.sh/carbon"}


def pinned(region, toleration):
    """The merge patch that drops the gate and pins the region."""
    spec = {"nodeSelector": {REGION_LABEL: region}}
    if toleration:
        spec["tolerations"] = [{"key": "valle.sh/region", "operator": "Equal", "value": region, "effect": "NoSchedule"}]
    return {"metadata": {"annotations": {GATE: None}}, "spec": {"template": {"spec": spec}}}


class Ground(Scenario):
    cpu = 4

    def held(self, name, **more):
        self.jobs.create(job(name, OURS, **more))
        return wait_until(f"{name} is gated", lambda: (found := self.workload(name))
                          and condition(found, "QuotaReserved").get("reason") == "AdmissionGated" and found)

    def test_gate_holds_without_quota_while_others_are_admitted(self):
        self.held("ours", cpu="4")
        self.jobs.create(job("theirs", cpu="4"))
        self.wait_completed("theirs")
        self.assert_holds_no_quota("ours")

    def test_release_with_toleration_gets_the_region_flavor(self):
        self.held("pinned")
        self.jobs.patch("pinned", pinned("ES", toleration=True))
        self.wait_completed("pinned")
        self.assertEqual(workload_flavors(self.workload("pinned")), ["region-es"])
        self.assertEqual(self.jobs.started("pinned")[1], ["ES"])

    def test_release_with_selector_alone_fails_to_start(self):
        self.held("selector-only")
        self.jobs.patch("selector-only", pinned("ES", toleration=False))
        workload = wait_until("the Workload is finished",
                              lambda: (found := self.workload("selector-only")) and is_true(found, "Finished") and found)
        self.assertEqual(condition(workload, "Finished")["reason"], "FailedToStart")
        self.assertEqual(self.jobs.pods("selector-only"), [])

    def test_queue_moves_while_gated_and_the_workload_follows(self):
        self.kueue.queues(self.namespace, "second", regions=["ES"])
        self.held("moved")
        self.jobs.patch("moved", {"metadata": {"labels": {QUEUE: "second"}}})
        wait_until("the Workload follows", lambda: self.workload("moved")["spec"]["queueName"] == "second")
        self.jobs.patch("moved", {"metadata": {"annotations": {GATE: None}}})
        self.wait_completed("moved")
        self.assertEqual(self.workload("moved")["status"]["admission"]["clusterQueue"], f"{self.namespace}-second")

    def test_unsuspended_by_hand_it_is_suspended_again(self):
        self.held("escapes", runs="60s")
        self.jobs.patch("escapes", {"spec": {"suspend": False}})
        wait_until("Kueue suspends it again", lambda: self.jobs.get("escapes")["spec"]["suspend"])
        wait_until("its pods are gone", lambda: not self.jobs.pods("escapes"))


if __name__ == "__main__":
    main(lambda: Stage(valle=False))
