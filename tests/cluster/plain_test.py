# SPDX-License-Identifier: Apache-2.0
"""Plain Jobs on kube-scheduler, without Kueue: held by suspension, unsuspended and pinned in one patch."""
import time

from harness.api import ApiError
from harness.control_plane import REGION_LABEL
from harness.intensity import ES_CLEAN
from harness.jobs import carbon, job
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, alone, main
from harness.valle import ADMISSION


class PlainJobs(Scenario):
    def plain(self, name, notes, **more):
        return self.jobs.create(job(name, notes, queue=None, **more))

    def test_suspended_until_its_planned_step_then_pinned(self):
        self.wait_before_clean(ES_CLEAN)
        created = self.plain("clean", carbon("75s", "FR,ES"))
        self.assertTrue(created["spec"]["suspend"])
        self.wait_planned("clean")
        self.assertEqual(self.jobs.pods("clean"), [])
        self.wait_completed("clean")
        self.assert_ran_as_planned("clean", ("FR", "ES"))
        selector = self.jobs.get("clean")["spec"]["template"]["spec"]["nodeSelector"]
        self.assertEqual(selector, {REGION_LABEL: "ES"})

    def test_starts_by_the_deadline(self):
        self.plain("last", carbon("30s", "DE"))
        self.wait_completed("last")
        self.assert_ran_as_planned("last", ("DE",))
        self.assert_started_in_time("last")

    def test_own_selector_and_tolerations_stay(self):
        item = job("keeps", carbon("25s", "DE"), queue=None)
        pods = item["spec"]["template"]["spec"]
        pods["nodeSelector"] = {"kubernetes.io/os": "linux"}
        pods["tolerations"] = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]
        self.jobs.create(item)
        self.wait_completed("keeps")
        pods = self.jobs.get("keeps")["spec"]["template"]["spec"]
        self.assertEqual(pods["nodeSelector"]["kubernetes.io/os"], "linux")
        self.assertIn("gpu", [one["key"] for one in pods["tolerations"]])

    def test_suspended_by_its_owner_stays_suspended(self):
        self.plain("parked", carbon("20s", "DE"), suspend=True)
        time.sleep(30)
        found = self.jobs.get("parked")
        self.assertTrue(found["spec"]["suspend"], "only what valle suspended is unsuspended by it")
        self.assertEqual(self.jobs.pods("parked"), [])

    def test_unsuspending_a_held_job_is_refused(self):
        self.plain("escape", carbon("10m", "DE"))
        with self.assertRaises(ApiError):
            self.jobs.patch("escape", {"spec": {"suspend": False}})
        self.assertEqual(self.jobs.pods("escape"), [])

    def test_run_now(self):
        self.plain("hurry", carbon("10m", "DE"))
        self.wait_planned("hurry")
        self.jobs.annotate("hurry", run_now="true")
        self.wait_completed("hurry", 20)

    def test_a_retried_pod_does_not_wait_again(self):
        self.plain("retry", carbon("20s", "DE"), runs="60s", backoffLimit=3)
        self.wait_started("retry")
        pod = self.jobs.pods("retry")[0]["metadata"]["name"]
        self.api.delete(f"/api/v1/namespaces/{self.namespace}/pods/{pod}")
        wait_until("another pod runs", lambda: [one for one in self.jobs.pods("retry") if one["metadata"]["name"] != pod
                                                and one["status"].get("startTime")], 15)

    @alone
    def test_unsuspended_where_no_policy_forbids_it(self):
        """Without the shipped policy its owner may start it; valle takes that as it is."""
        policies = [f"{ADMISSION}/{kind}/{found['metadata']['name']}"
                    for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies")
                    for found in self.api.items(f"{ADMISSION}/{kind}") if "valle" in found["metadata"]["name"]]
        self.assertTrue(policies, "deploy/ ships no ValidatingAdmissionPolicy")
        for path in policies:
            self.api.delete(path)
        uid = self.plain("started", carbon("10m", "DE"))["metadata"]["uid"]
        self.wait_planned("started")

        def unsuspended():  # the policy is forgotten within a second or two
            return self.jobs.patch("started", {"spec": {"suspend": False}})
        wait_until("it may be unsuspended", unsuspended, 20, 0.5)
        self.wait_completed("started", 20)
        self.wait_event("started", "CarbonUnsuspended")
        wait_until("valle knows", lambda: self.valle.rest(f"/v1/jobs/{uid}")["state"] == "finished")


if __name__ == "__main__":
    main(lambda: Stage(mode="jobs", kueue=False))
