# SPDX-License-Identifier: Apache-2.0
"""valle set up for Kueue on a cluster where Kueue is not installed, or only later: nothing starts early, nothing waits for
ever."""
from harness.intensity import ES_CLEAN
from harness.jobs import carbon, job
from harness.kueue import Kueue, gates, workload_flavors
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, alone, main


class WithoutKueue(Scenario):
    def test_held_by_suspension_and_released_as_planned(self):
        self.wait_before_clean(ES_CLEAN)
        created = self.jobs.create(job("clean", carbon("75s", "FR,ES")))
        self.assertTrue(created["spec"]["suspend"], "there is no Kueue to suspend it")
        self.wait_planned("clean")
        self.assertEqual(self.jobs.pods("clean"), [])
        self.wait_completed("clean")
        self.assert_ran_as_planned("clean", ("FR", "ES"))
        self.assertEqual(gates(self.jobs.get("clean")), [])

    def test_starts_by_the_deadline(self):
        self.jobs.create(job("last", carbon("30s", "DE")))
        self.wait_completed("last", 60)
        self.assert_ran_as_planned("last", ("DE",))
        self.assert_started_in_time("last")

    def test_run_now(self):
        self.jobs.create(job("hurry", carbon("10m", "DE")))
        self.wait_planned("hurry")
        self.jobs.annotate("hurry", run_now="true")
        self.wait_completed("hurry", 20)

    def test_released_by_hand(self):
        self.jobs.create(job("by-hand", carbon("10m", "DE")))
        self.wait_planned("by-hand")
        status, out = self.valle.command("release", f"{self.namespace}/by-hand", "--kubeconfig",
                                         self.plane.kubeconfig("admin"))
        self.assertEqual(status, 0, out)
        self.wait_completed("by-hand", 20)

    def test_it_is_said(self):
        wait_until("the log says it", lambda: "Kueue (kueue.x-k8s.io/v1beta2) is not installed" in
                   self.valle.process.log_tail(1000), 30)

    @alone
    def test_kueue_comes_later(self):
        """What was held without it goes through its queue."""
        self.wait_before_clean(ES_CLEAN, least=35)  # Kueue needs some seconds to come, and valle to see it
        self.jobs.create(job("early", carbon("90s", "ES")))
        self.wait_planned("early")
        kueue = Kueue(self.plane).install().start()
        kueue.queues(self.namespace)
        wait_until("it has a gated Workload", lambda: kueue.workload(self.namespace, "early"), 30)
        self.assertEqual(self.jobs.pods("early"), [])
        self.wait_completed("early", 120)
        started, regions = self.jobs.started("early")
        self.assertEqual(regions, ["ES"])
        self.assertGreaterEqual(started, self.jobs.at("early", "planned-start"))
        self.assert_started_in_time("early")
        self.assertEqual(workload_flavors(kueue.workload(self.namespace, "early")), ["region-es"])


if __name__ == "__main__":
    main(lambda: Stage(kueue=False))
