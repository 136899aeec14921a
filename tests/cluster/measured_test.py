# SPDX-License-Identifier: Apache-2.0
"""From the annotation to the report: jobs wait in Kueue, run, are measured by a real Prometheus that scrapes a stand-in of
Kepler, and stand in the weekly report with what an outsider computes from watts, times and the intensity files."""
import http.server
import os
import shutil
import sys
import threading
import time

from harness.api import CORE
from harness.intensity import ES_CLEAN, STEP, instant
from harness.jobs import carbon, job
from harness.processes import wait_until
from harness.scenario import SKIPPED, Scenario, Stage, main

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "prometheus"))
from stand_in.servers import Prometheus  # noqa: E402

PUE = {"fr": 1.17, "es": 1.31, "de": 1.0}
WATTS = {"night": 180.0, "wide": 420.0, "short": 90.0, "stuck": 250.0}  # of each pod, by its job's name
JOULES = 3.6e6  # of a kWh


def ran(pod):
    """(start, end or None) of its container."""
    state = (pod.get("status", {}).get("containerStatuses") or [{}])[0].get("state", {})
    done = state.get("terminated")
    if done:
        return instant(done["startedAt"]), instant(done["finishedAt"])
    return (instant(state["running"]["startedAt"]), None) if "running" in state else None


class Kepler:
    """Counts the joules of every pod of a cluster, each at a steady power, and goes on to tell of those that have ended."""

    def __init__(self, plane):
        kepler = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                try:
                    text = kepler.metrics().encode()
                except OSError:  # the control plane does not answer yet, or no more
                    self.send_error(503)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.api, self.seen = plane.api, {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.prometheus = Prometheus("energy", plane.folder, f"127.0.0.1:{self.server.server_address[1]}", ("/metrics",)).wait_ready()

    def metrics(self):
        now = int(time.time())  # as a pod's times are whole seconds: its counter must not fall when its end is known
        lines = ["# TYPE kepler_pod_cpu_joules_total counter"]
        for pod in self.api.items(f"{CORE}/pods"):
            name = pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name")
            if name in WATTS and ran(pod):
                self.seen[pod["metadata"]["uid"]] = (name, pod, *ran(pod))
        for uid, (name, pod, start, end) in self.seen.items():
            labels = {"pod_id": uid, "pod_name": pod["metadata"]["name"], "pod_namespace": pod["metadata"]["namespace"],
                      "state": "terminated" if end else "running", "zone": "package", "node_name": pod["spec"]["nodeName"]}
            joules = WATTS[name] * max(0, (end or now) - start)
            lines.append("kepler_pod_cpu_joules_total{" + ",".join(f'{key}="{value}"' for key, value in labels.items()) +
                         f"}} {joules:.6f}")
        return "\n".join(lines) + "\n"


def week_of(seconds):
    return time.strftime("%G-W%V", time.gmtime(seconds))


class Measured(Scenario):
    def test_what_was_saved_is_what_an_outsider_computes(self):
        self.wait_before_clean(ES_CLEAN)
        begun = time.time()
        for name, regions, home, runs, pods in (("night", "FR,ES", "FR", "7s", 1), ("wide", "DE,ES", "DE", "7s", 2),
                                                ("short", "DE", "DE", "5s", 1)):
            notes = carbon("75s" if "ES" in regions else "30s", regions, duration=runs, home_region=home)
            self.jobs.create(job(name, notes, runs=runs, pods=pods))
        for name in ("night", "wide", "short"):
            self.wait_completed(name)
            self.assert_started_in_time(name)
        time.sleep(STEP)  # until the hours of the runs are over
        for zone in ("FR", "ES", "DE"):
            self.world.write(zone)
        rows = wait_until("all three are assessed", lambda: self.assessed_rows(begun), 90, 2)
        self.assertEqual(len(rows), 3)
        for name, row in rows.items():
            with self.subTest(name):
                self.assert_recomputed(name, row)
        night = rows["night"]
        self.assertEqual((night["site"], night["homeSite"]), ("es", "fr"))
        self.assertGreater(rows["wide"]["savedGrams"], 0)  # Spain at its worst is cleaner than Germany here
        status, page = self.valle.command("report", "--week", week_of(begun), "--format", "html", "--config",
                                          os.path.join(self.valle.folder, "valle.yaml"))
        self.assertEqual(status, 0, page)
        self.assertIn("night", page)

    def assessed_rows(self, begun):
        """Of our jobs, by name, once all are assessed."""
        rows = {}
        for week in {week_of(begun), week_of(time.time())}:
            for row in self.valle.rest(f"/v1/reports/weekly/{week}")["jobs"]:
                space, _, name = row["name"].partition("/")
                if space == self.namespace:
                    rows[name] = row
        return rows if len(rows) == 3 and not any(row["notAssessed"] for row in rows.values()) else None

    def grams(self, site, start, joules_by_second):
        """What is emitted from `start` on, second by second at the intensity of its step."""
        zone = site.upper()
        return sum(joules / JOULES * PUE[site] * self.world.at(zone, start + second)
                   for second, joules in enumerate(joules_by_second))

    def band(self, site, start, joules):
        """(least, most) grams: to a percent (the meter's promise), and each joule known to a second only, for scrapes are
        that far apart; where a step ends in the run, that is more than a percent."""
        grams = [self.grams(site, start + late, joules) for late in (-1, 0, 1)]
        return 0.99 * min(grams) - 0.002, 1.01 * max(grams) + 0.002

    def assert_within(self, value, least, most, what):
        self.assertTrue(least <= value <= most, f"{what}: {value} is not within {least:.3f} and {most:.3f}")

    def assert_recomputed(self, name, row):
        """Energy and carbon from watts and the times that Kubernetes tells, sums to the milligram."""
        item = self.jobs.get(name)
        pods = [ran(pod) for pod in self.jobs.pods(name)]
        start, end = min(pod[0] for pod in pods), max(pod[1] for pod in pods)
        joules = [sum(WATTS[name] for pod in pods if pod[0] <= start + second < pod[1]) for second in range(int(end - start))]
        truth = sum(joules) / JOULES
        self.assertAlmostEqual(row["energyKwh"], truth, delta=0.01 * truth + 1e-6)
        site, home = row["site"], row["homeSite"]
        submitted = instant(item["metadata"]["creationTimestamp"])
        real, waited, at_once = (self.band(site, start, joules), self.band(home, start, joules),
                                 self.band(home, submitted, joules))
        self.assert_within(row["carbonGrams"], *real, "carbonGrams")
        self.assert_within(row["baselineGrams"], *at_once, "baselineGrams")
        self.assert_within(row["savedByTimeGrams"], at_once[0] - waited[1], at_once[1] - waited[0], "savedByTimeGrams")
        self.assert_within(row["savedByPlaceGrams"], waited[0] - real[1], waited[1] - real[0], "savedByPlaceGrams")
        milligrams = {key: round(1000 * row[key]) for key in row if key.endswith("Grams") and row[key] is not None}
        self.assertEqual(milligrams["savedGrams"], milligrams["baselineGrams"] - milligrams["carbonGrams"])
        self.assertEqual(milligrams["savedGrams"], milligrams["savedByTimeGrams"] + milligrams["savedByPlaceGrams"] +
                         milligrams["savedByEfficiencyGrams"])
        print(f"       {name}: {1000 * row['energyKwh']:.3f} Wh, truth {1000 * truth:.3f}; saved {row['savedGrams']:.3f} g, "
              f"recomputed {at_once[0] - real[1]:.3f} to {at_once[1] - real[0]:.3f}", flush=True)


def stage():
    settings = {"sites": [{"name": site, "zone": site.upper(), "region": site.upper(), "pue": pue} for site, pue in PUE.items()]}

    def before(plane):
        kepler = Kepler(plane)
        settings["energy"] = {"prometheus": kepler.prometheus.url, "sources": ["kepler"], "every": "2s", "scrapeInterval": "1s",
                              "collectInterval": "1s"}
        return kepler
    return Stage(settings=settings, before=before)


if __name__ == "__main__":
    if not shutil.which("prometheus"):
        print("skipped: the package prometheus is not installed", flush=True)
        sys.exit(SKIPPED)
    main(stage)
