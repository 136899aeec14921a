# SPDX-License-Identifier: Apache-2.0
"""What settings change: a LocalQueue a region, refusing what can't be in time, plain Jobs beside Kueue's."""
from harness.api import ApiError
from harness.jobs import carbon, job
from harness.kueue import QUEUE
from harness.scenario import Scenario, Stage, alone, main
from harness.valle import Valle


class Settings(Scenario):
    def restart_with(self, **settings):
        self.valle.stop()
        self.stage.valle = self.valle = Valle(self.plane, self.world, settings=settings,
                                              webhook_port=self.valle.webhook_port).start().wait_leading(40)

    @alone
    def test_queue_per_region(self):
        for region in ("ES", "DE"):
            self.kueue.queues(self.namespace, f"carbon-{region.lower()}", regions=[region])
        self.restart_with(sites=[{"name": region.lower(), "zone": region, "region": region,
                                  "queue": f"carbon-{region.lower()}"} for region in ("DE", "ES")])
        self.jobs.create(job("moved", carbon("30s", "DE")))
        self.wait_planned("moved")
        self.assert_holds_no_quota("moved")
        self.wait_completed("moved")
        self.assert_ran_as_planned("moved", ("DE",))
        self.assertEqual(self.jobs.get("moved")["metadata"]["labels"][QUEUE], "carbon-de")
        self.assertEqual(self.workload("moved")["status"]["admission"]["clusterQueue"], f"{self.namespace}-carbon-de")

    @alone
    def test_what_cannot_be_in_time_is_refused_where_that_is_asked_for(self):
        self.restart_with(planning={"onInfeasible": "reject"})
        with self.assertRaises(ApiError) as refused:
            self.jobs.create(job("too-late", carbon(None, "FR", duration="60s", finish_by="PT20S")))
        self.assertIn("finish-by", str(refused.exception.message))
        self.assertLess(refused.exception.status, 500)
        self.jobs.create(job("in-time", carbon("20s", "DE")))
        self.wait_completed("in-time")

    @alone
    def test_plain_jobs_beside_those_of_kueue(self):
        self.restart_with(kubernetes={"mode": ["kueue", "jobs"]})
        plain = self.jobs.create(job("plain", carbon("30s", "DE"), queue=None))
        self.assertTrue(plain["spec"]["suspend"])
        self.jobs.create(job("queued", carbon("30s", "DE")))
        self.wait_planned("plain")
        self.assertIsNone(self.workload("plain"))
        for name in ("plain", "queued"):
            self.wait_completed(name)
        self.assertEqual(self.jobs.started("plain")[1], ["DE"])
        self.assert_ran_as_planned("queued", ("DE",))
        self.assertFalse(self.jobs.get("plain")["spec"]["suspend"])


if __name__ == "__main__":
    main(Stage)
