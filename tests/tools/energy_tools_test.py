#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CodeCarbon and CarbonTracker measure a load, and valle reads what they wrote and what they posted."""
import csv
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

VALLE = os.environ.get("VALLE_PROGRAM", "build/release/valle")
if "VALLE_ENERGY_TOOLS" in os.environ:
    sys.path.insert(0, os.environ["VALLE_ENERGY_TOOLS"])
os.environ.setdefault("TZ", "UTC")
try:
    from codecarbon import OfflineEmissionsTracker
    from carbontracker.tracker import CarbonTracker
except ImportError as missing:
    print(f"skipped: {missing} (pip install --target FOLDER codecarbon carbontracker; VALLE_ENERGY_TOOLS=FOLDER)")
    sys.exit(77)

CONFIG = "sites:\n  - {name: es, zone: ES, pue: 1.3}\n"


def load(seconds):
    """Keeps one thread busy."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(i * i for i in range(10_000))


class Endpoint:
    """Takes what is posted, as valle's own endpoint would, and keeps it."""

    def __init__(self):
        bodies = self.bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(201)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/energy/codecarbon"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class EnergyTools(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "valle.yaml").write_text(CONFIG)
        self.database = str(self.folder / "valle.db")

    def imported(self, file):
        done = subprocess.run(
            [VALLE, "import-energy", str(file), "--site", "es", "--config", str(self.folder / "valle.yaml"),
             "--database", self.database],
            capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def serving(self):
        service = subprocess.Popen(
            [VALLE, "serve", "--config", str(self.folder / "valle.yaml"), "--database", self.database,
             "--listen", "127.0.0.1:0", "--log-level", "off"],
            stdout=subprocess.PIPE, text=True)

        def stop():
            service.terminate()
            service.wait(timeout=30)
            service.stdout.close()

        self.addCleanup(stop)
        return service.stdout.readline().split()[-1]

    def post(self, url, body):
        request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def test_codecarbon(self):
        endpoint = Endpoint()
        self.addCleanup(endpoint.close)
        tracker = OfflineEmissionsTracker(
            country_iso_code="ESP", project_name="nightly", measure_power_secs=1, pue=1.3, log_level="critical",
            output_dir=str(self.folder), emissions_endpoint=endpoint.url, allow_multiple_runs=True)
        tracker.start()
        load(4)
        tracker.stop()
        file = self.folder / "emissions.csv"
        with file.open() as text:
            row = list(csv.DictReader(text))[-1]
        self.assertEqual(float(row["pue"]), 1.3)
        self.assertIn("1 stored as runs of their own", self.imported(file))
        self.assertIn("1 known", self.imported(file))

        self.assertTrue(endpoint.bodies, "nothing was posted")
        url = self.serving()
        status, answer = self.post(url + "/v1/energy/codecarbon", endpoint.bodies[-1])
        self.assertEqual(status, 201, answer)
        self.assertAlmostEqual(answer["energyKwh"], float(row["energy_consumed"]) / 1.3, delta=1e-6)
        self.assertNotIn("user", answer)
        status, answer = self.post(url + "/v1/energy/codecarbon?job=nobody", endpoint.bodies[-1])
        self.assertEqual((status, answer["code"]), (404, "not-found"))

    def test_carbontracker(self):
        tracker = CarbonTracker(epochs=3, epochs_before_pred=1, monitor_epochs=3, update_interval=1, components="cpu",
                                log_dir=str(self.folder), verbose=0)
        for _ in range(3):
            tracker.epoch_start()
            load(2)
            tracker.epoch_end()
        tracker.stop()
        log = next(self.folder.glob("*_carbontracker_output.log"))
        self.assertIn("Predicted consumption", log.read_text(), "the test wants a prediction to leave out")
        self.assertIn("1 stored as runs of their own", self.imported(log))


if __name__ == "__main__":
    unittest.main()
