# SPDX-License-Identifier: Apache-2.0
"""What the ledger keeps of runs, and what the next job like them learns from it."""
import json
import sqlite3

from harness.jobs import carbon, job
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, main


class Runs(Scenario):
    def plain(self, name, notes, **more):
        return self.jobs.create(job(name, notes, queue=None, **more))

    def run_of(self, uid):
        """(finished_at, attempts) of the run as it stands; None if there is none."""
        with sqlite3.connect(f"file:{self.valle.database}?mode=ro", uri=True) as database:
            found = database.execute("SELECT finished_at, document FROM run WHERE id = ? AND replaced_by IS NULL",
                                     (uid,)).fetchone()
        return found and (found[0], json.loads(found[1])["attempts"] if found[1] else [])

    def finished_run(self, uid):
        return wait_until("the ledger has the run", lambda: (run := self.run_of(uid)) and run[0] and run[1]
                          and run[1][-1]["outcome"] != "running" and run)

    def test_pods_of_a_job_are_kept_when_they_are_gone(self):
        uid = self.plain("kept", carbon("15s", "DE"), pods=2)["metadata"]["uid"]
        self.wait_started("kept")
        pods = {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in self.jobs.pods("kept")}
        self.wait_completed("kept")
        self.jobs.delete("kept")
        attempts = self.finished_run(uid)[1]
        self.assertEqual([attempt["outcome"] for attempt in attempts], ["finished"])
        self.assertEqual({pod["uid"]: pod["node"] for pod in attempts[0]["pods"]}, pods)

    def test_a_pod_that_was_taken_away_is_an_attempt_of_its_own(self):
        uid = self.plain("retried", carbon("15s", "DE"), runs="15s", backoffLimit=3)["metadata"]["uid"]
        self.wait_started("retried")
        first = self.jobs.pods("retried")[0]["metadata"]
        self.api.delete(f"/api/v1/namespaces/{self.namespace}/pods/{first['name']}")
        self.wait_completed("retried")
        attempts = self.finished_run(uid)[1]
        self.assertEqual([attempt["outcome"] for attempt in attempts], ["evicted", "finished"])
        self.assertEqual(attempts[0]["pods"][0]["uid"], first["uid"])

    def test_the_fourth_job_learns_from_three(self):
        for name in ("first", "second", "third"):
            self.plain(name, carbon("15s", "DE"), cpu="3", runs="4s")
        for name in ("first", "second", "third"):
            self.wait_completed(name)
            self.finished_run(self.jobs.get(name)["metadata"]["uid"])
        notes = carbon("5m", "DE")
        del notes["valle.sh/expected-duration"]
        uid = self.plain("fourth", notes, cpu="3", runs="4s")["metadata"]["uid"]
        known = wait_until("valle has the fourth", lambda: self.rest_of(uid))
        self.assertRegex(known["duration"], r"^PT([3-9]|1\d)S$", known)

    def rest_of(self, uid):
        found = self.valle.rest("/v1/jobs?limit=1000")["jobs"]
        return next((each for each in found if each["id"] == uid), None)


if __name__ == "__main__":
    main(lambda: Stage(mode="jobs", kueue=False))
