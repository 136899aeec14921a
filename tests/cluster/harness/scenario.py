# SPDX-License-Identifier: Apache-2.0
"""Scenarios: test methods that share a cluster, each in a namespace of its own, run side by side where that is safe."""
import concurrent.futures
import json
import os
import sys
import time
import traceback
import unittest

from .api import BATCH, CORE, KUEUE, annotations, condition
from .control_plane import ASSETS, REGIONS, ControlPlane
from .intensity import CYCLE, STEP, World, instant, text_of
from .jobs import Jobs
from .kueue import Kueue, workload_flavors
from .processes import free_ports, kill_all, wait_until
from .valle import Valle, install

SKIPPED = 77  # ctest's return code for a test that can't run here
AT_ONCE = 12  # scenarios side by side: they mostly wait


def alone(method):
    """Marks a scenario that stops or restarts something shared: it runs when the others are over."""
    method.alone = True
    return method


class Stage:
    """What the scenarios of one file share: a control plane, Kueue and valle."""

    def __init__(self, mode="kueue", kueue=True, valle=True, curves=None, settings=None, gated=True, name="cluster",
                 frameworks=("batch/job",), regions=REGIONS, before_kueue=None, before=None, apiserver_flags=()):
        """`before_kueue(plane)` and `before(plane)` add what has to be there when Kueue, or valle, starts."""
        self.plane = ControlPlane(name, regions, apiserver_flags=apiserver_flags).start()
        self.api = self.plane.api
        if before_kueue:
            before_kueue(self.plane)
        self.kueue = Kueue(self.plane, frameworks, gated).install().start() if kueue else None
        self.world = World(self.plane.folder.path, curves)
        if before:
            self.extra = before(self.plane)
        self.valle = None
        if valle:
            port = free_ports(1)[0]
            install(self.plane, port)
            self.valle = Valle(self.plane, self.world, mode, settings=settings, webhook_port=port).start().wait_leading()

    def close(self):
        kill_all()


class Scenario(unittest.TestCase):
    """`self.jobs` are those of an own namespace with LocalQueue `queue`; see Stage for the rest."""
    stage = None
    cpu = 1000  # quota of the own ClusterQueue in each region

    def setUp(self):
        self.plane, self.api, self.kueue, self.valle = self.stage.plane, self.stage.api, self.stage.kueue, self.stage.valle
        self.world = self.stage.world
        self.namespace = self._testMethodName.removeprefix("test_").replace("_", "-")[:50].strip("-")
        self.plane.namespace(self.namespace)
        self.jobs = Jobs(self.api, self.namespace)
        if self.kueue:
            self.kueue.queues(self.namespace, cpu=self.cpu)

    # -- what is asked again and again

    @staticmethod
    def wait_before_clean(second, least=12):
        """Until the clean step at that second of each minute is some time away, so that a new job has to wait."""
        while not least <= (second - time.time()) % CYCLE <= CYCLE - STEP:
            time.sleep(0.5)

    def workload(self, name):
        return self.kueue.workload(self.namespace, name)

    def wait_planned(self, name, timeout=20):
        """The planned start, in seconds."""
        return wait_until(f"{name} has a planned start", lambda: self.jobs.at(name, "planned-start"), timeout)

    def wait_known(self, zone, start):
        """Until valle has read of the zone's step that begins then what its file says by now."""
        def known():
            query = f"/v1/intensity?zone={zone}&from={text_of(start)}&to={text_of(start + STEP)}"
            rows = self.valle.rest(query)["rows"]
            return rows and rows[0]["gramsPerKwh"] == self.world.at(zone, start)
        wait_until(f"the file of {zone} is read", known, 20)

    def wait_released(self, name, timeout=100):
        return wait_until(f"{name} is released", lambda: self.jobs.at(name, "released-at"), timeout, 0.2)

    def wait_started(self, name, timeout=100):
        """(when, regions)"""
        return wait_until(f"{name}'s pods run", lambda: self.jobs.started(name), timeout, 0.2)

    def wait_completed(self, name, timeout=130):
        wait_until(f"{name} completes", lambda: self.jobs.completed(name), timeout, 0.2)

    def wait_event(self, name, reason, timeout=20):
        wait_until(f"event {reason} about {name}", lambda: reason in self.jobs.events(name), timeout, 0.2)

    def assert_holds_no_quota(self, name):
        workload = wait_until(f"{name} has a Workload", lambda: self.workload(name))
        self.assertEqual(condition(workload, "QuotaReserved").get("status", "False"), "False", "a held job holds quota")
        self.assertEqual(self.jobs.pods(name), [], "a held job has pods")

    def assert_ran_as_planned(self, name, zones=("FR", "ES", "DE"), steps=1):
        """After completion: released not before the planned start nor after start-by, in the region of the plan, by the
        flavor of that region, and in as clean a step as could be had when it was planned."""
        item = self.jobs.get(name)
        planned, start_by, released = (self.jobs.at(name, key) for key in ("planned-start", "start-by", "released-at"))
        region = annotations(item)["valle.sh/planned-region"]
        started, regions = self.wait_started(name)
        self.assertEqual(regions, [region], "nodes of the pods against the planned region")
        if self.kueue:
            workload = self.workload(name)
            self.assertEqual(workload_flavors(workload), [f"region-{region.lower()}"])
            selector = workload["spec"]["podSets"][0]["template"]["spec"].get("nodeSelector", {})
            self.assertEqual(selector.get("topology.kubernetes.io/region"), region, "the Workload's own pin")
        self.assertGreaterEqual(released, planned, "released before the planned start")
        self.assertLessEqual(released, start_by, "released after start-by")
        self.assertGreaterEqual(started, int(planned), "a pod before the planned start")
        if steps == 1:
            created = instant(item["metadata"]["creationTimestamp"])
            # What admission has been seen to take leads start-by, by a quarter of the wait at most.
            lead = max(self.admission_time, (start_by - created) / 4)
            best = self.world.cleanest(zones, created + self.planning_time, start_by - lead)
            self.assertLessEqual(self.world.at(region, planned), best,
                                 f"planned {text_of(planned)} in {region}; something cleaner could be had")

    planning_time = 8  # seconds from creation until a plan must be there
    admission_time = 8  # seconds that Kueue's admission may take here, and so valle may lead start-by

    def assert_started_in_time(self, name):
        """A release by start-by is exact (see above); the pods follow as quickly as this machine can."""
        self.assertLessEqual(self.jobs.at(name, "released-at"), self.jobs.at(name, "start-by"))
        self.assertLessEqual(self.wait_started(name)[0], self.jobs.at(name, "start-by") + self.admission_time)

    def dump(self):
        """What a person needs to see why this failed."""
        def short(item):
            meta = item["metadata"]
            return {"name": meta["name"], "annotations": meta.get("annotations"), "labels": meta.get("labels"),
                    "spec": {key: value for key, value in item.get("spec", {}).items() if key not in ("template", "podSets")},
                    "status": item.get("status")}
        out = []
        for path in (BATCH + "/namespaces/{}/jobs", CORE + "/namespaces/{}/pods",
                     *([KUEUE + "/namespaces/{}/workloads"] if self.kueue else [])):
            for item in self.api.items(path.format(self.namespace))[:20]:
                out.append(f"{path.rsplit('/', 1)[1]}: {json.dumps(short(item))[:2500]}")
        for event in self.jobs.event_items()[-60:]:
            out.append(f"event {event['metadata']['creationTimestamp']} {event['regarding']['kind']}/"
                       f"{event['regarding']['name']} {event['reason']}: {event.get('note', '')[:300]}")
        if self.valle:
            out += ["valle's log:", self.valle.log_tail()]
        return "\n".join(out)


def _run(test):
    """(name, None or the text of the failure, seconds)"""
    result, begun = unittest.TestResult(), time.monotonic()
    test.run(result)
    problems = result.failures + result.errors
    text = None
    if problems:
        text = problems[0][1]
        try:
            text += test.dump()
        except Exception:
            text += "no dump: " + traceback.format_exc(limit=3)
    if result.skipped:
        print(f"skipped {test._testMethodName}: {result.skipped[0][1]}", flush=True)
    return test._testMethodName, text, time.monotonic() - begun


def main(make_stage):
    """Runs all Scenarios of the calling file, or those named as arguments, on what make_stage() gives."""
    if not os.path.exists(os.path.join(ASSETS, "complete")):
        print("skipped: no control plane (KUBEBUILDER_ASSETS); tests/cluster/tools/build makes one", flush=True)
        sys.exit(SKIPPED)
    begun = time.monotonic()
    tests = [test for suite in unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]) for test in suite]
    if len(sys.argv) > 1:
        tests = [test for test in tests if any(word in test._testMethodName for word in sys.argv[1:])]
    try:
        stage = make_stage()
    except unittest.SkipTest as skipped:
        print(f"skipped: {skipped}", flush=True)
        sys.exit(SKIPPED)
    print(f"up in {time.monotonic() - begun:.1f} s: {stage.plane.folder.path}", flush=True)
    failed = 0

    def report(name, text, seconds):
        nonlocal failed
        failed += text is not None
        print(f"{'ok    ' if text is None else 'FAILED'} {name}  {seconds:.1f} s" + (f"\n{text}" if text else ""), flush=True)

    Scenario.stage = stage
    together = [test for test in tests if not hasattr(getattr(test, test._testMethodName), "alone")]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done in concurrent.futures.as_completed([pool.submit(_run, test) for test in together]):
            report(*done.result())
    for test in tests:
        if test not in together:
            report(*_run(test))
    stage.plane.folder.keep |= bool(failed)
    stage.close()
    print(f"{len(tests) - failed} of {len(tests)} scenarios passed in {time.monotonic() - begun:.0f} s", flush=True)
    sys.exit(1 if failed else 0)
