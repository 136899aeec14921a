# SPDX-License-Identifier: Apache-2.0
"""Volcano's jobs (by stand-ins for its controller and scheduler): each pod is created gated, all are ungated and pinned
at the planned start, and pods that come later in a released job are not left behind."""
from harness.api import CORE, annotations
from harness.control_plane import REGION_LABEL
from harness.intensity import ES_CLEAN, instant
from harness.jobs import carbon, job, pod_template
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, main
from harness.volcano import PODGROUPS, VCJOBS, Volcano, vcjob

GATE = {"name": "valle.sh/carbon"}


class Gang(Scenario):
    def setUp(self):
        super().setUp()
        self.path = f"{VCJOBS}/namespaces/{self.namespace}/jobs"

    def create(self, name, notes, runs="3s", policies=()):
        return self.api.create(self.path, vcjob(name, pod_template(runs=runs), {"master": 1, "worker": 3}, notes, policies))

    def pods(self, name):
        return self.api.items(f"{CORE}/namespaces/{self.namespace}/pods?labelSelector=volcano.sh%2Fjob-name%3D{name}")

    def phase(self, name):
        return self.api.get(f"{self.path}/{name}").get("status", {}).get("state", {}).get("phase")

    def note(self, name, key):
        text = annotations(self.api.get(f"{self.path}/{name}")).get("valle.sh/" + key)
        return instant(text) if text and key.endswith(("start", "-by", "-at")) else text

    def regions(self, name):
        nodes = {node["metadata"]["name"]: node["metadata"]["labels"][REGION_LABEL] for node in self.api.items(f"{CORE}/nodes")}
        return {nodes[pod["spec"]["nodeName"]] for pod in self.pods(name)}

    def test_stand_in_runs_an_ordinary_gang(self):
        self.create("ordinary", {})
        wait_until("it completes", lambda: self.phase("ordinary") == "Completed", 30)
        self.assertEqual(len(self.pods("ordinary")), 4)
        wait_until("its group is gone", lambda: self.api.items(f"{PODGROUPS}/namespaces/{self.namespace}/podgroups") == [])

    def test_stand_in_binds_no_pod_of_a_gang_while_one_is_gated(self):
        item = vcjob("gated", pod_template(), {"worker": 2})
        item["spec"]["tasks"][0]["template"]["spec"]["schedulingGates"] = [{"name": "test.example.org/gate"}]
        self.api.create(self.path, item)
        wait_until("pods are there", lambda: len(self.pods("gated")) == 2)
        drop = [{"op": "remove", "path": "/spec/schedulingGates/0"}]
        first, second = (f"{CORE}/namespaces/{self.namespace}/pods/gated-worker-{number}" for number in (0, 1))
        self.api.patch(first, drop, "json")
        wait_until("the group says why", lambda: "1/2 tasks" in str(
            self.api.items(f"{PODGROUPS}/namespaces/{self.namespace}/podgroups")[0]["status"]))
        self.assertNotIn("nodeName", self.api.get(first)["spec"])
        self.api.patch(second, drop, "json")
        wait_until("it completes", lambda: self.phase("gated") == "Completed", 30)

    def test_gang_waits_and_starts_as_one_in_the_planned_region(self):
        self.wait_before_clean(ES_CLEAN)
        created = self.create("gang", carbon("75s", "FR,ES"))
        for task in created["spec"]["tasks"]:
            self.assertIn(GATE, task["template"]["spec"]["schedulingGates"])
        planned = wait_until("planned", lambda: self.note("gang", "planned-start"), 20)
        wait_until("pods wait gated", lambda: len(self.pods("gang")) == 4 and all(
            pod["spec"].get("schedulingGates") for pod in self.pods("gang")))
        wait_until("it completes", lambda: self.phase("gang") == "Completed", 110)
        self.assertEqual(self.regions("gang"), {"ES"})
        starts = [instant(pod["status"]["startTime"]) for pod in self.pods("gang")]
        self.assertGreaterEqual(min(starts), self.note("gang", "planned-start") or planned)
        self.assertLessEqual(max(starts) - min(starts), 2, "not started as one")
        self.assertLessEqual(self.note("gang", "released-at"), self.note("gang", "start-by"))

    def test_pods_of_a_restarted_job_are_ungated_again(self):
        self.create("restarts", carbon("25s", "DE"), runs="20s", policies=[{"event": "PodEvicted", "action": "RestartJob"}])
        wait_until("it runs", lambda: self.phase("restarts") == "Running", 60)
        before = {pod["metadata"]["uid"] for pod in self.pods("restarts")}
        self.api.delete(f"{CORE}/namespaces/{self.namespace}/pods/restarts-worker-0")
        wait_until("new pods run", lambda: self.phase("restarts") == "Running" and len(self.pods("restarts")) == 4 and not (
            before & {pod["metadata"]["uid"] for pod in self.pods("restarts")}), 30)
        self.assertEqual(self.regions("restarts"), {"DE"})

    def test_run_now(self):
        self.create("hurry", carbon("10m", "DE", run_now="true"))
        wait_until("it completes", lambda: self.phase("hurry") == "Completed", 40)

    def test_plain_job_for_the_default_scheduler_is_none_of_its_business(self):
        self.jobs.create(job("plain", queue=None))
        self.wait_completed("plain")


def stage():
    return Stage(mode="volcano", kueue=False, before=lambda plane: Volcano(plane).install().start())


if __name__ == "__main__":
    main(stage)
