# SPDX-License-Identifier: Apache-2.0
"""valle killed, its leader, its database: no job starts before its planned start, none is released after its latest start
while somebody leads, none is lost."""
import os
import time

from harness.jobs import carbon, job
from harness.kueue import gates
from harness.processes import wait_until
from harness.scenario import alone, main
from harness.valle import Valle, point_webhooks
from harness.waiting import WaitingJobs, quick_lease_stage


class Restarts(WaitingJobs):
    @alone
    def test_killed_again_and_again(self):
        """Just after jobs were created, when they are planned, around releases, while they run."""
        names, away = self.waiting(20, 30, 40, 50, 60, 70), []
        for pause in (0.3, 2, 4, 7, 9):
            time.sleep(pause)
            self.valle.kill()
            killed = time.time()
            self.valle.start().wait_leading(40)
            away.append((killed, time.time() + 2))
        self.assert_all_ran(names, away)

    @alone
    def test_down_over_a_planned_start(self):
        names = self.waiting(45)
        planned = self.wait_planned(names[0])
        self.valle.kill()
        time.sleep(max(0, planned - time.time()) + 3)
        self.assertEqual(self.jobs.pods(names[0]), [], "started without valle")
        self.valle.start().wait_leading(40)
        self.wait_completed(names[0], 60)

    @alone
    def test_database_lost(self):
        names = self.waiting(45, 60)
        before = {name: (self.wait_planned(name), self.jobs.at(name, "start-by")) for name in names}
        self.valle.kill()
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(self.valle.database + suffix):
                os.remove(self.valle.database + suffix)
        self.valle.start().wait_leading(40)
        for name in names:
            self.assertEqual(self.jobs.at(name, "start-by"), before[name][1], "start-by is fixed for good")
        self.assert_all_ran(names)
        for name in names:  # known again by the objects' own identities
            self.assertEqual(self.valle.rest(f"/v1/jobs/{self.jobs.get(name)['metadata']['uid']}")["state"], "finished")

    @alone
    def test_leader_killed_a_standby_takes_over(self):
        standby = Valle(self.plane, self.world, name="standby", settings=self.stage.valle_settings).start()
        try:
            names = self.waiting(40, 60)
            self.wait_planned(names[0])
            self.assertEqual((self.valle.metric("valle_leader"), standby.metric("valle_leader")), (1, 0))
            uid = self.jobs.get(names[0])["metadata"]["uid"]
            theirs, ours = standby.rest(f"/v1/jobs/{uid}"), self.valle.rest(f"/v1/jobs/{uid}")
            for key in ("state", "startBy"):
                self.assertEqual(theirs[key], ours[key], "the standby answers from the objects")
            self.assertEqual([theirs["slot"][key] for key in ("site", "start")], [ours["slot"][key] for key in ("site", "start")])
            status, out = standby.command("explain", f"{self.namespace}/{names[0]}", "--server", standby.url)
            self.assertEqual(status, 0, out)
            self.assertIs(standby.rest("/v1/jobs")["complete"], False)
            self.assertEqual(standby.rest("/readyz")["lease"]["leading"], False)
            self.valle.kill()
            killed = time.monotonic()
            point_webhooks(self.plane, standby.webhook_port)
            standby.wait_leading(40)
            self.assertLess(time.monotonic() - killed, 25, "longer than the lease and some retries")
            self.jobs.create(job("after", carbon("25s", "DE")))
            self.assert_all_ran([*names, "after"])
        finally:
            standby.stop()
            point_webhooks(self.plane, self.valle.webhook_port)
            self.valle.start().wait_leading(40)

    @alone
    def test_leader_that_ends_in_order_hands_over_at_once(self):
        standby = Valle(self.plane, self.world, name="second", settings=self.stage.valle_settings).start()
        try:
            self.assertEqual(self.valle.stop(), 0)
            standby.wait_leading(8)
        finally:
            standby.stop()
            self.valle.start().wait_leading(40)

    @alone
    def test_a_lease_that_nobody_renews_and_that_does_not_run_out_is_said(self):
        """Left by a holder that is gone and asked for 60 years: valle must not take it, but says what is wrong."""
        lease = "/apis/coordination.k8s.io/v1/namespaces/valle/leases/valle"
        self.valle.stop()
        self.api.patch(lease, {"spec": {"holderIdentity": "ghost", "leaseDurationSeconds": 2_000_000_000}})
        try:
            self.valle.start()
            told = wait_until("it is said", lambda: self.valle.rest("/readyz")["lease"].get("problem"), 30)
            self.assertIn("ghost", told)
            self.assertIn("delete the Lease", told)
            self.assertGreater(self.valle.metric("valle_lease_silent_seconds"), 6)
            self.assertEqual(self.valle.metric("valle_leader"), 0)
            wait_until("the log says it", lambda: "nobody_leads" in self.valle.log_tail(200), 75)
        finally:
            self.api.delete(lease)
        self.valle.wait_leading(15)
        self.assertNotIn("problem", self.valle.rest("/readyz")["lease"])

    @alone
    def test_released_by_hand_while_valle_is_down(self):
        """The dead-man's switch: a command that needs no service, and kubectl alone."""
        names = self.waiting(20, 21, 300)
        self.wait_planned(names[2])
        self.valle.kill()
        try:
            self.plane.kubectl("-n", self.namespace, "annotate", "job", names[1], "valle.sh/run-now=true",
                               "kueue.x-k8s.io/admission-gated-by-")
            self.wait_completed(names[1], 30)
            time.sleep(max(0, self.jobs.at(names[0], "start-by") + 1 - time.time()))
            status, out = self.valle.command("release", "--overdue", "--kubeconfig", self.plane.kubeconfig("admin"))
            self.assertEqual(status, 0, out)
            self.wait_completed(names[0], 30)
            self.assertIn("valle.sh/carbon", gates(self.jobs.get(names[2])), "this one is not overdue")
        finally:
            self.valle.start().wait_leading(40)
        self.jobs.delete(names[2])


if __name__ == "__main__":
    main(quick_lease_stage)
