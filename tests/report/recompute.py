#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes every row of a weekly report from raw inputs, by docs/ACCOUNTING.md and nothing of valle's own code.

  recompute.py REPORT.json --intensity FOLDER --runs RUNS.csv [--pue SITE=1.3 ...] [--zone SITE=ES ...]

Prints each difference and exits 1 if there is one. All arithmetic is in whole numbers and fractions.
"""
import argparse
import csv
import json
import pathlib
import sys
from datetime import datetime, timezone
from fractions import Fraction


def instant(text):
    """Whole seconds since 1970."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return int(moment.astimezone(timezone.utc).timestamp())


def rounded(value):
    """To the nearest whole number, halves away from zero."""
    value = Fraction(value)
    sign = -1 if value < 0 else 1
    return sign * ((abs(value) * 2 + 1) // 2)


def base(text, decimals):
    """A decimal number as a count of its last digit: 1.25 with 3 decimals is 1250."""
    return rounded(Fraction(str(text)) * 10**decimals)


class Grid:
    """Realised intensity of one zone, in mg/kWh by hour."""

    def __init__(self, rows):
        self.hours = dict(rows)

    def grams_seconds(self, start, end):
        """The integral over [start, end) in mg s/kWh; None if an hour is missing."""
        total = 0
        hour = start - start % 3600
        while hour < end:
            if hour not in self.hours:
                return None
            total += self.hours[hour] * (min(end, hour + 3600) - max(start, hour))
            hour += 3600
        return total


def read_grid(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        return Grid((instant(row["datetime_utc"] + "Z"), base(row["gco2_kwh_lifecycle"], 3)) for row in rows)


def emissions(grid, start, end, milliwatt_hours, pue):
    """mg CO2e of energy spread evenly over [start, end), exactly; None without intensity."""
    integral = grid.grams_seconds(start, end)
    if integral is None:
        return None
    return Fraction(milliwatt_hours) * pue * integral / ((end - start) * 10**6)


def recompute(run, site_zone, site_pue, grids):
    """The members of a row that follow from the run, grams as whole mg and kWh as whole mWh."""
    submitted, start, end = (instant(run[name]) for name in ("submitted_at", "started_at", "finished_at"))
    home = run.get("home_site") or run["site"]
    site = run["site"]
    row = {"wait": start - submitted, "energyKwh": None}
    if not run["energy_kwh"]:
        return row
    energy = base(run["energy_kwh"], 6)
    row["energyKwh"] = energy
    row["facilityKwh"] = rounded(energy * site_pue[site])
    length = end - start
    b0 = emissions(grids[site_zone[home]], submitted, submitted + length, energy, site_pue[home])
    b1 = emissions(grids[site_zone[home]], start, end, energy, site_pue[home])
    real = emissions(grids[site_zone[site]], start, end, energy, site_pue[site])
    if b0 is None or b1 is None or real is None:
        return row
    b0, b1, real = rounded(b0), rounded(b1), rounded(real)
    row.update(
        carbonGrams=real, baselineGrams=b0, savedGrams=b0 - real, savedByTimeGrams=b0 - b1,
        savedByPlaceGrams=b1 - real, savedByEfficiencyGrams=0)
    return row


GRAMS = ("carbonGrams", "baselineGrams", "savedGrams", "savedByTimeGrams", "savedByPlaceGrams", "savedByEfficiencyGrams")


def seconds_of(duration):
    """PT1H30M, P1DT2H as seconds."""
    total, number, in_time = 0, "", False
    for letter in duration[1:]:
        if letter == "T":
            in_time = True
        elif letter.isdigit():
            number += letter
        else:
            total += int(number) * {"D": 86400, "H": 3600, "M": 60 if in_time else None, "S": 1}[letter]
            number = ""
    return total


def differences(report, runs, site_zone, site_pue, grids):
    """What the report and the recomputation do not agree on, one sentence each."""
    found = []
    start, end = instant(report["from"]), instant(report["to"])
    by_id = {run["id"]: run for run in runs if start <= instant(run["finished_at"]) < end}
    rows = {row["id"]: row for row in report["jobs"]}
    if set(rows) != set(by_id):
        found.append(f"other jobs: {sorted(set(rows) ^ set(by_id))[:5]}")
    sums = {name: 0 for name in GRAMS + ("energyKwh", "facilityKwh")}
    assessed = 0
    for name in sorted(set(rows) & set(by_id)):
        row, ours = rows[name], recompute(by_id[name], site_zone, site_pue, grids)
        if seconds_of(row["wait"]) != ours["wait"]:
            found.append(f"{name}: wait {row['wait']}, recomputed {ours['wait']} s")
        for member in ("energyKwh", "facilityKwh") + GRAMS:
            told = row.get(member)
            told = None if told is None else base(told, 6 if member.endswith("Kwh") else 3)
            if told != ours.get(member):
                found.append(f"{name}: {member} {told}, recomputed {ours.get(member)}")
            if ours.get(member) is not None:
                sums[member] += ours[member]
        assessed += "savedGrams" in ours
    for member, total in sums.items():
        told = base(report["totals"][member], 6 if member.endswith("Kwh") else 3)
        if told != total:
            found.append(f"totals: {member} {told}, recomputed {total}")
    if report["totals"]["notAssessed"] != len(by_id) - assessed:
        found.append(f"totals: notAssessed {report['totals']['notAssessed']}, recomputed {len(by_id) - assessed}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--runs", type=pathlib.Path, required=True)
    parser.add_argument("--intensity", type=pathlib.Path, required=True)
    parser.add_argument("--pue", action="append", default=[])
    parser.add_argument("--zone", action="append", default=[])
    asked = parser.parse_args()
    grids = {path.name.split(".")[0].upper(): read_grid(path) for path in asked.intensity.glob("*.csv")}
    site_zone = {zone.lower(): zone for zone in grids} | dict(each.split("=") for each in asked.zone)
    site_pue = {site: Fraction(1) for site in site_zone}
    site_pue |= {site: Fraction(pue) for site, pue in (each.split("=") for each in asked.pue)}
    with open(asked.runs, newline="", encoding="utf-8-sig") as file:
        runs = list(csv.DictReader(file))
    report = json.loads(asked.report.read_text(encoding="utf-8"), parse_float=str)
    found = differences(report, runs, site_zone, site_pue, grids)
    for difference in found[:50]:
        print(difference)
    print(f"{len(report['jobs'])} rows, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
