# SPDX-License-Identifier: Apache-2.0
"""The API server, Kueue or the webhook is away while jobs wait: what can't be written is tried again, and nothing is lost."""
import time

from harness.api import ApiError
from harness.jobs import carbon, job
from harness.kueue import gates
from harness.scenario import alone, main
from harness.waiting import WaitingJobs, quick_lease_stage


class Outages(WaitingJobs):
    @alone
    def test_api_server_restarted(self):
        names = self.waiting(40, 55)
        self.wait_planned(names[0])
        self.plane.restart_apiserver()
        self.valle.wait_leading(40)
        self.jobs.create(job("after", carbon("25s", "DE")))
        self.assert_all_ran([*names, "after"])

    @alone
    def test_kueue_restarted(self):
        names = self.waiting(30, 45)
        self.wait_planned(names[0])
        self.kueue.kill()
        self.kueue.start()
        self.assert_all_ran(names)

    @alone
    def test_kueue_down_at_release(self):
        """Its webhook refuses every patch then: the release is tried again, and counts from when it could be done."""
        names = self.waiting(30)
        planned = self.wait_planned(names[0])
        self.kueue.kill()
        time.sleep(max(0, planned - time.time()) + 4)
        self.assertIn("valle.sh/carbon", gates(self.jobs.get(names[0])))
        self.kueue.start()
        self.wait_completed(names[0], 60)
        self.assertEqual(self.jobs.started(names[0])[1], ["DE"])

    @alone
    def test_webhook_down(self):
        """Jobs that ask for valle are refused while no replica answers (the shipped failure policy); others never are."""
        self.valle.kill()
        try:
            with self.assertRaises(ApiError) as refused:
                self.jobs.create(job("asks", carbon("30s", "DE")))
            self.assertGreaterEqual(refused.exception.status, 500)
            self.jobs.create(job("plain"))
            self.wait_completed("plain")
        finally:
            self.valle.start().wait_leading(40)
        self.jobs.create(job("asks", carbon("30s", "DE")))
        self.assert_all_ran(["asks"])


if __name__ == "__main__":
    main(quick_lease_stage)
