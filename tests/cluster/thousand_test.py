# SPDX-License-Identifier: Apache-2.0
"""A thousand held jobs released over one slot's top: no release early, none late."""
import concurrent.futures
import threading
import time

from harness.api import BATCH, KUEUE, annotations, condition, is_true
from harness.intensity import STEP, instant, text_of
from harness.jobs import carbon, job
from harness.kueue import GATE, workload_flavors
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, alone, main

COUNT = 1000
TOP = int(time.time()) // STEP * STEP + 120  # the one clean step


class Thousand(Scenario):
    @alone
    def test_thousand_jobs_over_one_top(self):
        start_by = TOP + 60
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: self.jobs.create(job(f"job-{number}", carbon(text_of(start_by), "FR"), cpu="1m")),
                          range(COUNT)))
        created = time.monotonic() - begun

        def planned():
            return all(annotations(item).get("valle.sh/planned-start") for item in self.api.items(self.jobs.path))
        wait_until("all are planned", planned, TOP - time.time(), 2)
        items = self.api.items(self.jobs.path)
        self.assertTrue(all("valle.sh/carbon" in annotations(item).get(GATE, "") for item in items))
        plans = {instant(annotations(item)["valle.sh/planned-start"]) for item in items}
        self.assertEqual(plans, {TOP})

        freed = {}
        watcher = threading.Thread(target=self.watch_releases, args=(freed, start_by + 15 - time.time()))
        watcher.start()
        wait_until("all are released", lambda: len(freed) == COUNT, start_by + 10 - time.time(), 0.5)
        self.assertGreaterEqual(min(freed.values()), TOP, "released before the slot's top")
        self.assertLessEqual(max(freed.values()), start_by, "released after its latest start")
        for item in self.api.items(self.jobs.path):
            self.assertLessEqual(instant(annotations(item)["valle.sh/released-at"]), start_by)
        print(f"       created in {created:.1f} s ({COUNT / created:.0f}/s); released within "
              f"{max(freed.values()) - TOP:.1f} s of the top", flush=True)
        # Kueue admits them at its own pace; none may have failed to start, and all that run do so in FR.
        wait_until("a hundred have run", lambda: sum(self.done(item) for item in self.api.items(self.jobs.path)) >= 100, 120, 2)
        for workload in self.api.items(f"{KUEUE}/namespaces/{self.namespace}/workloads"):
            self.assertNotEqual(condition(workload, "Finished").get("reason"), "FailedToStart")
            if is_true(workload, "Admitted"):
                self.assertEqual(workload_flavors(workload), ["region-fr"])

    @staticmethod
    def done(item):
        return is_true(item, "Complete")

    def watch_releases(self, freed, seconds):
        for at, _, item in self.api.watch(f"{BATCH}/namespaces/{self.namespace}/jobs", seconds):
            if "valle.sh/carbon" not in annotations(item).get(GATE, ""):
                freed.setdefault(item["metadata"]["name"], at)
            if len(freed) == COUNT:
                return


if __name__ == "__main__":
    main(lambda: Stage(curves={"FR": lambda at: 50.0 if at == TOP else 300.0}))
