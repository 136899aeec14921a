# SPDX-License-Identifier: Apache-2.0
"""Kueue without its admission gate (older, or switched off): jobs are held suspended outside their queue instead, and
that is said."""
from harness.jobs import carbon, job
from harness.kueue import QUEUE, workload_flavors
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, main


class GateOff(Scenario):
    cpu = 4

    def test_held_outside_the_queue_and_entered_late(self):
        self.jobs.create(job("held", carbon("35s", "DE"), cpu="4"))
        self.wait_planned("held")
        self.jobs.create(job("theirs", cpu="4"))
        self.wait_completed("theirs")
        self.assertEqual(self.jobs.pods("held"), [])
        workload = self.workload("held")
        self.assertFalse(workload and workload_flavors(workload), "a held job holds quota")
        self.wait_completed("held")
        started, regions = self.jobs.started("held")
        self.assertEqual(regions, ["DE"])
        self.assertGreaterEqual(started, self.jobs.at("held", "planned-start"))
        self.assert_started_in_time("held")
        self.assertEqual(self.jobs.get("held")["metadata"]["labels"][QUEUE], "queue")
        self.assertEqual(workload_flavors(self.workload("held")), ["region-de"])

    def test_it_is_said(self):
        wait_until("the log says it", lambda: "gate" in self.valle.process.log_tail(500), 30)


if __name__ == "__main__":
    main(lambda: Stage(gated=False))
