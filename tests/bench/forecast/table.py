#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/bench/forecast/table.py PROGRAM DATA_FOLDER [FROM [TO]]: the table of docs/FORECAST.md, for each zone of the data.

A row a zone and method: shares of the clairvoyant saving in %, decided once / asked each hour / with leave to pause;
the error of the first 24 hours; how many measured values came within the band.
"""
import json
import pathlib
import subprocess
import sys

METHODS = {"own": "**own**", "untrained": "untrained", "profile-level": "profile and level", "lag-24": "yesterday"}
ALL_METHODS_OF = ["FR", "ES", "DE"]  # of the others the first two


def cells(evaluation, method):
    shares = [
        " / ".join(f"{share[kind]:.0f}" for kind in ("oncePercent", "replannedPercent", "interruptiblePercent"))
        for share in method["shares"]
    ]
    day = method["errors"][-1]
    inside = f"{evaluation['insideBandPercent']:.1f} %" if method["method"] == "own" else ""
    return [METHODS[method["method"]], *shares, f"{day['gramsPerKwh']:.1f} ({day['percent']:.1f})", inside]


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    begin, end = (sys.argv[3:] + ["2022-01-01T00:00:00Z", "2023-01-01T00:00:00Z"][len(sys.argv) - 3 :])[:2]
    print("| zone | forecast | 4 h / 24 h | 6 h / 24 h | 12 h / 24 h | 4 h / 48 h | 6 h / 48 h | 12 h / 48 h "
          "| error, g/kWh (%) | in the band |")
    print("|" + "---|" * 10)
    zones = sorted((path.stem for path in data.glob("*.csv")), key=lambda zone: (zone not in ALL_METHODS_OF, zone))
    for zone in zones:
        asked = [program, "forecast", "--zone", zone, "--intensity", str(data), "--evaluate", "--json"]
        evaluation = json.loads(subprocess.check_output([*asked, "--from", begin, "--to", end]))
        priced = "price" in (data / f"{zone}.csv").open().readline()
        wanted = list(METHODS) if zone in ALL_METHODS_OF else list(METHODS)[:2]
        for method in evaluation["methods"]:
            if method["method"] in wanted:
                first = method["method"] == "own"
                name = (zone if priced else f"{zone} (no prices)") if first else ""
                print("| " + " | ".join([name, *cells(evaluation, method)]) + " |", flush=True)


if __name__ == "__main__":
    main()
