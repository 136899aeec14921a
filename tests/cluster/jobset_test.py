# SPDX-License-Identifier: Apache-2.0
"""JobSets in Kueue: held and released as a whole, pinned as a whole, and not held again when they restart."""
from harness.api import CORE, annotations, condition, is_true
from harness.control_plane import REGION_LABEL
from harness.intensity import ES_CLEAN, instant
from harness.jobs import carbon
from harness.jobset import JOBSETS, JobSets, job_set
from harness.kueue import gates, workload_flavors
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, main


class Sets(Scenario):
    def setUp(self):
        super().setUp()
        self.path = f"{JOBSETS}/namespaces/{self.namespace}/jobsets"

    def get(self, name):
        return self.api.get(f"{self.path}/{name}")

    def note(self, name, key):
        return annotations(self.get(name)).get("valle.sh/" + key)

    def pods(self, name):
        return self.api.items(f"{CORE}/namespaces/{self.namespace}/pods?labelSelector=jobset.sigs.k8s.io%2Fjobset-name%3D{name}")

    def set_workload(self, name):
        return self.kueue.workload(self.namespace, name, "JobSet")

    def wait_running(self, name, timeout):
        wait_until(f"four pods of {name} run", lambda: sum(
            bool(pod["status"].get("startTime")) for pod in self.pods(name)) >= 4, timeout, 0.2)

    def regions(self, name):
        nodes = {node["metadata"]["name"]: node["metadata"]["labels"][REGION_LABEL] for node in self.api.items(f"{CORE}/nodes")}
        return {nodes[pod["spec"]["nodeName"]] for pod in self.pods(name)}

    def test_ordinary_set_runs(self):
        self.api.create(self.path, job_set("ordinary"))
        wait_until("it completes", lambda: is_true(self.get("ordinary"), "Completed"), 60)

    def test_held_and_released_as_a_whole(self):
        self.wait_before_clean(ES_CLEAN)
        created = self.api.create(self.path, job_set("whole", carbon("75s", "FR,ES")))
        self.assertIn("valle.sh/carbon", gates(created))
        planned = instant(wait_until("planned", lambda: self.note("whole", "planned-start"), 20))
        workload = wait_until("it has a Workload", lambda: self.set_workload("whole"))
        self.assertEqual(condition(workload, "QuotaReserved").get("status", "False"), "False")
        self.assertEqual(self.pods("whole"), [])
        self.wait_running("whole", 100)
        self.assertGreaterEqual(min(instant(pod["status"]["startTime"]) for pod in self.pods("whole")), planned)
        self.assertEqual(self.regions("whole"), {"ES"})
        self.assertEqual(workload_flavors(self.set_workload("whole")), ["region-es"])
        wait_until("it completes", lambda: is_true(self.get("whole"), "Completed"), 60)
        self.assertLessEqual(instant(self.note("whole", "released-at")), instant(self.note("whole", "start-by")))

    def test_restarted_after_release_it_does_not_wait_again(self):
        self.api.create(self.path, job_set("restarts", carbon("25s", "DE"), runs="40s"))
        self.wait_running("restarts", 60)
        before = {pod["metadata"]["uid"] for pod in self.pods("restarts")}
        # A failed pod fails its Job, and that restarts the whole set.
        pod = self.pods("restarts")[0]["metadata"]["name"]
        self.api.patch(f"{CORE}/namespaces/{self.namespace}/pods/{pod}/status", {"status": {"phase": "Failed"}})
        wait_until("it restarts", lambda: self.get("restarts")["status"].get("restarts") == 1, 30)
        wait_until("new pods run", lambda: sum(
            bool(pod["status"].get("startTime")) and pod["metadata"]["uid"] not in before for pod in self.pods("restarts")) >= 4, 40)
        self.assertEqual(self.regions("restarts"), {"DE"})


if __name__ == "__main__":
    main(lambda: Stage(frameworks=("batch/job", "jobset.x-k8s.io/jobset"), before_kueue=lambda plane: JobSets(plane).start()))
