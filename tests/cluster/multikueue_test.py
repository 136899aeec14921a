# SPDX-License-Identifier: Apache-2.0
"""MultiKueue with a manager and two workers: a job waits on the manager and runs on the worker of its planned region."""
from harness.intensity import ES_CLEAN, FR_CLEAN
from harness.jobs import Jobs, carbon, job
from harness.kueue import QUEUE
from harness.multikueue import MultiKueueStage
from harness.processes import free_ports, wait_until
from harness.scenario import Scenario, alone, main
from harness.valle import Valle, install


class MultiKueue(Scenario):
    def setUp(self):
        self.plane, self.api, self.kueue, self.valle = self.stage.plane, self.stage.api, self.stage.kueue, self.stage.valle
        self.world, self.namespace = self.stage.world, self._testMethodName.removeprefix("test_").replace("_", "-")
        self.plane.namespace(self.namespace)
        self.jobs = Jobs(self.api, self.namespace)
        self.stage.queue(self.namespace, "queue", "anywhere")

    def remote(self, region):
        return Jobs(self.stage.workers[region].api, self.namespace)

    def assert_ran_on(self, name, region):
        """On that worker and no other, after its planned start, and it is over on the manager too."""
        other = self.remote("FR" if region == "ES" else "ES")
        started = wait_until(f"{name} runs in {region}", lambda: self.remote(region).started(name), 100, 0.2)
        copy = self.remote(region).get(name)
        self.assertIn("kueue.x-k8s.io/multikueue-origin", copy["metadata"]["labels"])
        self.assertNotIn("kueue.x-k8s.io/admission-gated-by", copy["metadata"]["annotations"], "the copy was gated again")
        self.assertEqual(started[1], [region])
        self.assertGreaterEqual(started[0], self.jobs.at(name, "planned-start"))
        self.assertEqual(other.pods(name), [])
        self.wait_completed(name, 60)
        self.assertEqual(self.jobs.note(name, "planned-region"), region)
        self.assertLessEqual(self.jobs.at(name, "released-at"), self.jobs.at(name, "start-by"))

    def held(self, name, notes):
        created = self.jobs.create(job(name, notes, runs="4s"))
        self.assertEqual(created["spec"]["managedBy"], "kueue.x-k8s.io/multikueue")
        self.wait_planned(name)
        self.assert_holds_no_quota(name)
        for region in self.stage.workers:
            self.assertIsNone(self.remote(region).find(name))

    def test_pin_steers_to_es(self):
        self.wait_before_clean(ES_CLEAN)
        self.held("to-es", carbon("75s", "FR,ES"))
        self.assert_ran_on("to-es", "ES")

    def test_pin_steers_to_fr(self):
        self.wait_before_clean(FR_CLEAN)
        self.held("to-fr", carbon("75s", "FR"))
        self.assert_ran_on("to-fr", "FR")

    @alone
    def test_queue_per_region(self):
        for region in ("ES", "FR"):
            self.stage.queue(self.namespace, f"carbon-{region.lower()}", f"only-{region.lower()}")
        self.valle.stop()
        self.stage.valle = self.valle = Valle(
            self.plane, self.world, webhook_port=self.valle.webhook_port,
            settings={"sites": [{"name": region.lower(), "zone": region, "region": region, "queue": f"carbon-{region.lower()}"}
                                for region in ("ES", "FR")]}).start().wait_leading(40)
        self.wait_before_clean(ES_CLEAN)
        self.held("by-queue", carbon("75s", "FR,ES"))
        self.assert_ran_on("by-queue", "ES")
        self.assertEqual(self.jobs.get("by-queue")["metadata"]["labels"][QUEUE], "carbon-es")


def stage():
    found = MultiKueueStage()
    port = free_ports(1)[0]
    # The workers have valle's webhook too: it must leave the copies alone.
    for plane in (found.plane, *found.workers.values()):
        install(plane, port)
    found.valle = Valle(found.plane, found.world, webhook_port=port).start().wait_leading()
    return found


if __name__ == "__main__":
    main(stage)
