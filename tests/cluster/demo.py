# SPDX-License-Identifier: Apache-2.0
"""./dev demo cluster: a real control plane with Kueue, valle installed from deploy/, and a morning's batch of Jobs that
wait for clean hours. An "hour" takes ten seconds."""
import math
import time

from harness.api import annotations, condition
from harness.control_plane import ControlPlane
from harness.intensity import STEP, World, instant
from harness.jobs import Jobs, carbon, job
from harness.kueue import Kueue
from harness.processes import free_ports, wait_until
from harness.valle import NAMESPACE, Valle, install

NOW = int(time.time()) // STEP * STEP
DAWN = NOW + 3 * STEP  # six o'clock


def hour(at):
    return (6 + (at - DAWN) / STEP) % 24


def spain(at):
    """Sun: cleanest at half past one."""
    return 260 - 190 * max(0.0, math.sin(math.pi * (hour(at) - 7.5) / 12))


def france(at):
    """Nuclear: low all day, with a peak in the morning and one in the evening."""
    return 75 + 60 * math.exp(-((hour(at) - 8.5) / 2) ** 2) + 70 * math.exp(-((hour(at) - 19.5) / 2) ** 2)


def germany(at):
    """Wind that picks up in the afternoon."""
    return 430 - 330 / (1 + math.exp(-(hour(at) - 15) / 1.2))


JOBS = {  # name: (may run in, latest start in hours, runs hours, cpu)
    "nightly-report": ("FR,ES,DE", 4, 2, 2), "train-small": ("FR,ES,DE", 8, 2, 4), "train-large": ("FR,ES,DE", 12, 3, 8),
    "video-encode": ("ES,DE", 9, 2, 4), "index-rebuild": ("FR,ES", 6, 2, 4), "render-1": ("ES,DE", 11, 2, 4),
    "render-2": ("ES,DE", 11, 2, 4), "genome": ("DE", 12, 2, 6), "backup-verify": ("FR", 3, 1, 2),
    "hyper-search": ("FR,ES,DE", 10, 2, 4)}


def clock(seconds):
    found = hour(seconds)
    return f"{int(found):02d}:{int(found % 1 * 60):02d}"


def submit(jobs):
    for name, (regions, latest, runs, cpu) in JOBS.items():
        notes = carbon(f"{latest * STEP}s", regions, duration=f"{runs * STEP}s", power_watts="400", home_region=regions.split(",")[-1])
        jobs.create(job(name, notes, cpu=str(cpu), runs=f"{runs * STEP}s"))
    print(f"{len(JOBS)} Jobs submitted; each waits inside Kueue without holding quota\n", flush=True)


def watch(jobs, world):
    """One line an hour until all are complete."""
    print("hour   g/kWh:  FR   ES   DE   waiting  running")
    at = int(time.time()) // STEP * STEP
    while True:
        items = jobs.api.items(jobs.path)
        done = [item for item in items if condition(item, "Complete").get("status") == "True"]
        running = {item["metadata"]["name"]: annotations(item).get("valle.sh/planned-region", "?") for item in items
                   if item["status"].get("active") and not item["spec"].get("suspend")}
        waiting = len(items) - len(done) - len(running)
        grams = "".join(f"{world.at(zone, at):5.0f}" for zone in ("FR", "ES", "DE"))
        print(f"{clock(at)}        {grams}   {waiting:7d}  " + ", ".join(f"{name} ({region})" for name, region in running.items()),
              flush=True)
        if len(done) == len(items):
            return
        at += STEP
        time.sleep(max(0.0, at + 3 - time.time()))


def table(jobs):
    print("\njob               region  planned  started  start-by  saved  in time")
    planned_grams = baseline_grams = 0.0
    for name in JOBS:
        notes = annotations(jobs.get(name))
        planned, start_by = (instant(notes[f"valle.sh/{key}"]) for key in ("planned-start", "start-by"))
        started, regions = jobs.started(name)
        run, baseline = (float(notes[f"valle.sh/{key}-carbon-grams"]) for key in ("planned", "baseline"))
        planned_grams, baseline_grams = planned_grams + run, baseline_grams + baseline
        print(f"{name:17s} {','.join(regions):6s}  {clock(planned):7s}  {clock(started):7s}  {clock(start_by):8s}  "
              f"{100 * (1 - run / baseline):4.0f} %  {'yes' if started <= start_by else 'NO'}")
    print(f"\n{baseline_grams:.1f} g if each had run at once in its home region, {planned_grams:.1f} g as planned: "
          f"{100 * (1 - planned_grams / baseline_grams):.0f} % saved")


def main():
    print("starting etcd, kube-apiserver, controllers, scheduler, kwok and Kueue", flush=True)
    plane = ControlPlane("demo").start()
    kueue = Kueue(plane).install().start()
    world = World(plane.folder.path, {"FR": france, "ES": spain, "DE": germany})
    port = free_ports(1)[0]
    install(plane, port)
    valle = Valle(plane, world, webhook_port=port, settings={"planning": {"horizon": "30m"}})
    plane.namespace("team")
    kueue.queues("team", cpu=12)
    valle.start().wait_leading()
    print(f"valle serves on {valle.url}, its account is {NAMESPACE}/valle; quota: 12 cpu in each of FR, ES, DE", flush=True)
    jobs = Jobs(plane.api, "team")
    time.sleep(max(0.0, DAWN - time.time()))
    submit(jobs)
    wait_until("all are planned", lambda: all(jobs.note(name, "planned-start") for name in JOBS), 20, 0.3)
    print(plane.kubectl("-n", "team", "get", "jobs", "-o", "custom-columns=JOB:.metadata.name,"
                        r"PLANNED:.metadata.annotations.valle\.sh/planned-start,REGION:.metadata.annotations.valle\.sh/planned-region,"
                        r"WHY:.metadata.annotations.valle\.sh/reason"), flush=True)
    watch(jobs, world)
    table(jobs)


if __name__ == "__main__":
    main()
