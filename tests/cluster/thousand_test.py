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
SOME = 50  # jobs that show how quick this machine is today


class OneCleanStep:
    top = int(time.time()) // STEP * STEP + 3000

    def __call__(self, at):
        return 50.0 if at == self.top else 300.0


CLEAN = OneCleanStep()


class Thousand(Scenario):
    def create(self, names, notes):
        """Seconds that it took."""
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda name: self.jobs.create(job(name, notes, cpu="1m")), names))
        return time.monotonic() - begun

    def ours(self):
        return [item for item in self.api.items(self.jobs.path) if item["metadata"]["name"].startswith("job-")]

    @alone
    def test_thousand_jobs_over_one_top(self):
        guess = COUNT / SOME * self.create([f"other-{number}" for number in range(SOME)], {GATE: "test.example.org/gate"})
        CLEAN.top = top = int(time.time() + min(300, 5 * guess)) // STEP * STEP + 40
        self.world.write("FR")
        start_by = top + 60 + min(100, int(2 * guess))
        question = f"/v1/best-slot?duration=PT{STEP}S&finishBy={text_of(start_by)}&zones=FR"
        wait_until("the file is read", lambda: self.valle.rest(question)["best"]["start"] == text_of(top), 20, 0.2)
        created = self.create([f"job-{number}" for number in range(COUNT)], carbon(text_of(start_by), "FR", power_watts="400"))
        wait_until("all are planned for the clean step", lambda: all(
            annotations(item).get("valle.sh/planned-start") == text_of(top) for item in self.ours()), max(1, top - time.time()), 2)
        self.assertTrue(all("valle.sh/carbon" in annotations(item).get(GATE, "") for item in self.ours()), "too slow for its plan")

        freed = {}
        watcher = threading.Thread(target=self.watch_releases, args=(freed, start_by + 15 - time.time()))
        watcher.start()
        wait_until("all are released", lambda: len(freed) == COUNT, start_by + 10 - time.time(), 0.5)
        self.assertGreaterEqual(min(freed.values()), top, "released before the slot's top")
        self.assertLessEqual(max(freed.values()), start_by, "released after its latest start")
        for item in self.ours():
            self.assertLessEqual(instant(annotations(item)["valle.sh/released-at"]), start_by)
        print(f"       created in {created:.1f} s ({COUNT / created:.0f}/s); released within "
              f"{max(freed.values()) - top:.1f} s of the top", flush=True)
        # Kueue admits them at its own pace; none may have failed to start, and all that run do so in FR.
        wait_until("a hundred have run", lambda: sum(self.done(item) for item in self.ours()) >= 100, 120, 2)
        for workload in self.api.items(f"{KUEUE}/namespaces/{self.namespace}/workloads"):
            self.assertNotEqual(condition(workload, "Finished").get("reason"), "FailedToStart")
            if is_true(workload, "Admitted"):
                self.assertEqual(workload_flavors(workload), ["region-fr"])

    @staticmethod
    def done(item):
        return is_true(item, "Complete")

    def watch_releases(self, freed, seconds):
        for at, _, item in self.api.watch(f"{BATCH}/namespaces/{self.namespace}/jobs", seconds):
            name = item["metadata"]["name"]
            if name.startswith("job-") and "valle.sh/carbon" not in annotations(item).get(GATE, ""):
                freed.setdefault(name, at)
            if len(freed) == COUNT:
                return


if __name__ == "__main__":
    main(lambda: Stage(curves={"FR": CLEAN}))
