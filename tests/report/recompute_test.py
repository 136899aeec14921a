#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of the real program, recomputed row by row by recompute.py. VALLE_PROGRAM names the program."""
import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from fractions import Fraction

import recompute

PROGRAM = os.environ["VALLE_PROGRAM"]
MONDAY = datetime(2026, 3, 23, tzinfo=timezone.utc)  # its week loses an hour in Madrid
PUE = {"es": "1.31", "fr": "1.17", "de": "1"}


def text(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Recomputed(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "intensity").mkdir()
        sites = ", ".join(f"{{name: {site}, zone: {site.upper()}, pue: {pue}}}" for site, pue in PUE.items())
        (self.folder / "valle.yaml").write_text(
            f"database: valle.db\nsites: [{sites}]\nreport: {{timeZone: Europe/Madrid}}\n")
        self.random = random.Random(6)

    def valle(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write_intensity(self, zone, hole=None):
        lines = ["datetime_utc,gco2_kwh_lifecycle"]
        for hour in range(-24 * 8, 24 * 8):
            if hour != hole:
                grams = self.random.uniform(20, 480)
                lines.append(f"{(MONDAY + timedelta(hours=hour)).strftime('%Y-%m-%dT%H:%M:%S')},{grams:.3f}")
        (self.folder / "intensity" / f"{zone}.csv").write_text("\n".join(lines) + "\n")

    def a_run(self, number):
        submitted = MONDAY + timedelta(seconds=self.random.randrange(-86400 * 2, 86400 * 6))
        started = submitted + timedelta(seconds=self.random.choice([0, 7, self.random.randrange(86400)]))
        finished = started + timedelta(seconds=self.random.randrange(1, 86400))
        energy = "" if number % 17 == 0 else f"{self.random.uniform(0.000001, 50):.6f}"
        return [f"run-{number}", self.random.choice(["lab", "web", ""]), self.random.choice(list(PUE)),
                self.random.choice(list(PUE)), text(submitted), text(started), text(finished), energy]

    def write_runs(self, count):
        rows = ["id,owner,home_site,site,submitted_at,started_at,finished_at,energy_kwh"]
        rows += [",".join(self.a_run(number)) for number in range(count)]
        (self.folder / "runs.csv").write_text("\n".join(rows) + "\n")

    def test_every_row_and_sum_of_five_hundred_runs_is_the_same(self):
        for zone in ("ES", "FR"):
            self.write_intensity(zone)
        self.write_intensity("DE", hole=50)
        self.write_runs(500)
        self.valle("ingest", "--intensity", "intensity", "--database", "valle.db")
        self.assertIn("500 runs stored", self.valle("import-runs", "runs.csv", "--config", "valle.yaml"))
        self.assertIn("500 known", self.valle("import-runs", "runs.csv", "--config", "valle.yaml"))
        report = json.loads(self.valle("report", "--week", "2026-W13", "--config", "valle.yaml"), parse_float=str)
        self.assertGreater(len(report["jobs"]), 300)
        self.assertGreater(report["totals"]["notAssessed"], 0)

        with open(self.folder / "runs.csv", newline="", encoding="utf-8") as file:
            runs = list(csv.DictReader(file))
        grids = {zone: recompute.read_grid(self.folder / "intensity" / f"{zone}.csv") for zone in ("ES", "FR", "DE")}
        pue = {site: Fraction(value) for site, value in PUE.items()}
        found = recompute.differences(report, runs, {site: site.upper() for site in PUE}, pue, grids)
        self.assertEqual(found, [])

    def test_the_recomputation_notices_a_milligram(self):
        for zone in ("ES", "FR", "DE"):
            self.write_intensity(zone)
        self.write_runs(20)
        self.valle("ingest", "--intensity", "intensity", "--database", "valle.db")
        self.valle("import-runs", "runs.csv", "--config", "valle.yaml")
        path = self.folder / "report.json"
        path.write_text(self.valle("report", "--week", "2026-W13", "--config", "valle.yaml"))
        report = json.loads(path.read_text(), parse_float=str)
        assessed = next(row for row in report["jobs"] if not row["notAssessed"])
        assessed["carbonGrams"] = f"{float(assessed['carbonGrams']) + 0.001:.3f}"
        with open(self.folder / "runs.csv", newline="", encoding="utf-8") as file:
            runs = list(csv.DictReader(file))
        grids = {zone: recompute.read_grid(self.folder / "intensity" / f"{zone}.csv") for zone in ("ES", "FR", "DE")}
        pue = {site: Fraction(value) for site, value in PUE.items()}
        found = recompute.differences(report, runs, {site: site.upper() for site in PUE}, pue, grids)
        self.assertEqual(len(found), 1, found)


if __name__ == "__main__":
    unittest.main()
