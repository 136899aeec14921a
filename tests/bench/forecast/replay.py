#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Weeks of the past through the running service, on its test clock, forecasting by itself.

An hour of intensity reaches the service one hour after its end, tomorrow's prices from 13:00 Europe/Paris; the archive
before the first week is there from the start. Jobs may run in one zone only, so each is a matter of time alone: what
counts is the share of the saving that a clairvoyant start would have had, and that no deadline is missed.
"""
import argparse
import csv
import datetime as dt
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zoneinfo

HOUR = dt.timedelta(hours=1)
ZONES = ["FR", "ES", "DE"]
KINDS = [(6, 24), (12, 24), (6, 48)]  # hours of run, hours of slack
PARIS = zoneinfo.ZoneInfo("Europe/Paris")
LIVE_ROWS = 48 * HOUR  # how far back the files reach that are written anew each hour


def text(instant):
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def instant(value):
    return dt.datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.timezone.utc)


def number(value):
    return float(value) if value else None


class Zone:
    """What really came, by the hour."""

    def __init__(self, name, folder):
        self.name, self.grams, self.price = name, {}, {}
        with open(os.path.join(folder, name + ".csv"), newline="") as file:
            for row in csv.DictReader(file):
                hour = instant(row["datetime_utc"])
                self.grams[hour] = number(row["gco2_kwh_lifecycle"])
                self.price[hour] = number(row["price_eur_mwh"])

    def write(self, folder, since, now):
        """Two files with what is known at `now`."""
        local = now.astimezone(PARIS)
        last_day = local.date() + dt.timedelta(days=1 if local.hour >= 13 else 0)
        rows, prices = [], []
        hour = since
        while hour < now + 60 * HOUR:
            if hour + 2 * HOUR <= now and self.grams.get(hour) is not None:
                rows.append(f"{text(hour)},{self.grams[hour]}\n")
            if hour.astimezone(PARIS).date() <= last_day and self.price.get(hour) is not None:
                prices.append(f"{text(hour)},{self.price[hour]}\n")
            hour += HOUR
        for name, column, lines in ((".csv", "gco2_kwh_lifecycle", rows), (".prices.csv", "price_eur_mwh", prices)):
            path = os.path.join(folder, self.name + name)
            with open(path + ".new", "w") as file:
                file.write(f"datetime_utc,{column}\n" + "".join(lines))
            os.replace(path + ".new", path)

    def mean(self, begin, hours):
        """Of the run, by the last known value where an hour is missing."""
        total, known = 0.0, None
        for i in range(hours):
            known = self.grams.get(begin + i * HOUR) or known
            total += known
        return total / hours


class Service:
    def __init__(self, program, folder, start):
        config = os.path.join(folder, "valle.yaml")
        with open(config, "w") as file:
            file.write("listen: 127.0.0.1:0\ndatabase: valle.db\nsources:\n  - {kind: files, path: live}\n")
        self.log = open(os.path.join(folder, "serve.log"), "w")
        self.process = subprocess.Popen([program, "serve", "--config", config, "--test-clock", text(start)],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)
        address = self.process.stdout.readline().split("http://")[1].strip()
        self.connection = http.client.HTTPConnection(address, timeout=600)

    def call(self, method, path, body=None):
        self.connection.request(method, path, json.dumps(body) if body is not None else None)
        reply = self.connection.getresponse()
        answer = reply.read()
        if reply.status >= 300:
            sys.exit(f"{method} {path}: {reply.status} {answer.decode()}")
        return json.loads(answer)

    def move_to(self, now):
        self.call("POST", "/test/clock", {"now": text(now)})

    def end(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


def jobs_of(start, hours, count, seed):
    """Spread evenly over the hours, the kinds taking turns."""
    draw = random.Random(seed)
    cells = [(zone, length, slack) for zone in ZONES for length, slack in KINDS]
    jobs = {}
    for i in range(count):
        zone, length, slack = cells[i % len(cells)]
        begin = start + (i // len(cells) * len(cells) * hours // count + draw.randrange(0, 12)) * HOUR
        jobs.setdefault(begin, []).append({"id": f"job-{i}", "zone": zone, "length": length, "slack": slack})
    return jobs


def live_through(service, zones, start, jobs, live):
    """Each job with the start that the service chose."""
    begun, running = [], []
    all_jobs = {job["id"]: job for of_hour in jobs.values() for job in of_hour}
    end = max(jobs) + 62 * HOUR
    now = start
    while now < end:
        for job in jobs.get(now, []):
            service.call("POST", "/v1/jobs", {
                "id": job["id"], "duration": f"PT{job['length']}H", "maxWait": f"PT{job['slack']}H",
                "sites": [job["zone"].lower()], "powerWatts": 1000})
            job["submitted"] = now
        for released in service.call("GET", "/v1/jobs?state=released&limit=1000")["jobs"]:
            job = all_jobs[released["id"]]
            job["released"], job["slot"] = instant(released["releasedAt"]), instant(released["slot"]["start"])
            job["start_by"] = instant(released["startBy"])
            service.call("POST", f"/v1/jobs/{job['id']}/started", {"at": text(job["released"])})
            running.append(job)
            begun.append(job)
        for job in [job for job in running if job["released"] + job["length"] * HOUR <= now]:
            running.remove(job)
            service.call("POST", f"/v1/jobs/{job['id']}/finished", {"outcome": "succeeded"})
        # What is known at the next hour is read shortly before it: the plan of that hour counts with it.
        service.move_to(now + HOUR - dt.timedelta(minutes=2))
        for zone in zones.values():
            zone.write(live, now + HOUR - LIVE_ROWS, now + HOUR)
        now += HOUR
        service.move_to(now)
        if (now - start) % (7 * 24 * HOUR) == dt.timedelta(0):
            print(f"{text(now)}: {len(begun)} jobs begun", file=sys.stderr, flush=True)
    return begun


def share(zone, jobs):
    at_once = saved = best = 0.0
    for job in jobs:
        now = zone.mean(job["submitted"], job["length"])
        least = min(zone.mean(job["submitted"] + i * HOUR, job["length"]) for i in range(job["slack"] + 1))
        at_once += now
        saved += now - zone.mean(job["released"], job["length"])
        best += now - least
    return 100 * saved / best, 100 * saved / at_once


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--data", required=True)
    options.add_argument("--start", default="2022-05-02T00:00:00Z")
    options.add_argument("--weeks", type=int, default=8)
    options.add_argument("--jobs", type=int, default=0, help="default 125 a week")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", help="a folder for the database and the log")
    asked = options.parse_args()
    start, hours = instant(asked.start), asked.weeks * 7 * 24
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or temporary
        archive, live = os.path.join(folder, "archive"), os.path.join(folder, "live")
        os.makedirs(archive)
        os.makedirs(live)
        zones = {name: Zone(name, asked.data) for name in ZONES}
        for zone in zones.values():
            zone.write(archive, min(zone.grams), start)
            zone.write(live, start - LIVE_ROWS, start)
        subprocess.run([asked.program, "ingest", "--intensity", archive, "--database",
                        os.path.join(folder, "valle.db")], check=True, stdout=subprocess.DEVNULL)
        service = Service(asked.program, folder, start)
        try:
            service.move_to(start + dt.timedelta(seconds=0))
            jobs = jobs_of(start, hours, asked.jobs or 125 * asked.weeks, asked.seed)
            begun = live_through(service, zones, start, jobs, live)
        finally:
            service.end()
        count = sum(len(of_hour) for of_hour in jobs.values())
        missed = count - len(begun) + sum(job["released"] > job["start_by"] for job in begun)
        with open(os.path.join(folder, "serve.log")) as log:
            moves = sum("event=job_moved" in line for line in log)
    print(f"{count} jobs, {asked.weeks} weeks from {asked.start}: {missed} deadlines missed, "
          f"{moves / count:.2f} moves a job, {time.monotonic() - began:.0f} s")
    print(f"{'zone':6}" + "".join(f"{f'{length} h / {slack} h':>14}" for length, slack in KINDS))
    for name, zone in zones.items():
        cells = [[job for job in begun if job["zone"] == name and (job["length"], job["slack"]) == kind]
                 for kind in KINDS]
        print(f"{name:6}" + "".join(f"{share(zone, of_cell)[0]:13.0f}%" for of_cell in cells))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
