# SPDX-License-Identifier: Apache-2.0
"""valle on a real control plane in numbers. Everything shares this machine's cores, the load included."""
import json
import os
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "cluster")]
from harness.api import BATCH, annotations  # noqa: E402
from harness.control_plane import ControlPlane  # noqa: E402
from harness.intensity import STEP, World, instant, text_of  # noqa: E402
from harness.jobs import Jobs, carbon, job  # noqa: E402
from harness.kueue import GATE, Kueue  # noqa: E402
from harness.processes import Folder, free_ports, kill_all, wait_until  # noqa: E402
from harness.valle import NAMESPACE, Valle, install  # noqa: E402
from measure import Audit, Cost, Logged, create_all, quantile  # noqa: E402

HELD = int(os.environ.get("HELD_JOBS", "10000"))
STEADY = int(os.environ.get("STEADY", "120"))  # seconds


def row(what, measured, aim, met):
    print(f"| {what} | {measured} | {aim}{'' if met else ': **missed**'} |", flush=True)


class Place:
    """A cluster with valle; `hourly`: planning as it is by default, with intensity of two days."""

    def __init__(self, kueue, curves, hourly=False):
        self.audit = Audit(Folder("audit").path)
        self.plane = ControlPlane("bench", apiserver_flags=self.audit.flags).start()
        if kueue:
            self.kueue = Kueue(self.plane).install().start()
        port = free_ports(1)[0]
        install(self.plane, port)
        world = World(self.plane.folder.path, curves, future=48 * 3600 if hourly else 3600)
        settings = {"planning": {"slot": "1h", "every": "5m", "horizon": "7d", "maxWait": "7d"}} if hourly else None
        self.valle = Valle(self.plane, world, "kueue" if kueue else "jobs", settings=settings, webhook_port=port)
        self.valle.start().wait_leading()
        self.log_path = self.valle.process.log_path
        self.plane.namespace("bench")
        if kueue:
            self.kueue.queues("bench", cpu=1000)
        self.jobs = Jobs(self.plane.api, "bench")

    def planned(self):
        return sum("valle.sh/planned-start" in annotations(item) for item in self.plane.api.items(self.jobs.path))


def thousand():
    """1,000 Jobs at once, every second one without the annotation beside them; then all due in one slot."""
    count, top = 1000, int(time.time()) // STEP * STEP + 180
    place = Place(True, {"FR": lambda at: 50.0 if at == top else 300.0})
    aware = [job(f"aware-{i}", carbon(text_of(top + 60), "FR"), cpu="1m") for i in range(count)]
    plain = [job(f"plain-{i}", queue="elsewhere", cpu="1m") for i in range(count)]
    took, seconds = create_all(place.jobs, [item for pair in zip(aware, plain) for item in pair])
    held = [item for item in place.plane.api.items(place.jobs.path) if "valle.sh/carbon" in annotations(item).get(GATE, "")]
    ours, theirs = took[0::2], took[1::2]
    row("1,000 Jobs created at once: held", f"{len(held)} ({2 * count / seconds:.0f} creations/s with as many plain ones)",
        "all", len(held) == count)
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        mine, other = quantile(ours, share) * 1000, quantile(theirs, share) * 1000
        row(f"… {name} of a creation, annotated / plain", f"{mine:.1f} / {other:.1f} ms = {mine / other:.2f}", "≤ 1.10",
            mine / other <= 1.1)
    wait_until("all are planned", lambda: place.planned() == count, top - time.time(), 2)
    freed, cost = {}, Cost(place.valle.process.pid)

    def follow():
        for at, _, item in place.plane.api.watch(f"{BATCH}/namespaces/bench/jobs", top + 75 - time.time()):
            if item["metadata"]["name"].startswith("aware") and "valle.sh/carbon" not in annotations(item).get(GATE, ""):
                freed.setdefault(item["metadata"]["name"], at)
            if len(freed) == count:
                return
    watcher = threading.Thread(target=follow)
    watcher.start()
    watcher.join()
    times = sorted(freed.values())
    late = sum(instant(annotations(item)["valle.sh/released-at"]) > top + 60
               for item in place.plane.api.items(place.jobs.path) if "valle.sh/released-at" in annotations(item))
    rate = (len(times) - 1) / (times[-1] - times[0])
    row("1,000 Jobs due in one slot: release patches/s", f"{rate:.0f} (last one {times[-1] - top:.1f} s after the slot's top, "
        f"{late} late, {cost.cpu_seconds():.1f} s of a core)", "≥ 100", rate >= 100 and len(times) == count)
    return place


def webhook(place, connections=20, seconds=15):
    """A fixed rate over TLS with keep-alive, from wrk."""
    if not shutil.which("wrk"):
        print("webhook: skipped, needs wrk", file=sys.stderr)
        return
    item = job("reviewed", carbon(text_of(time.time() + 1000), "FR,ES"))
    item["metadata"]["namespace"] = "bench"
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "kind": {"group": "batch", "version": "v1", "kind": "Job"},
        "resource": {"group": "batch", "version": "v1", "resource": "jobs"}, "name": "reviewed", "namespace": "bench",
        "operation": "CREATE", "userInfo": {"username": "somebody"}, "object": item, "oldObject": None, "dryRun": False,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"}}}
    path = os.path.join(place.valle.folder, "review.json")
    with open(path, "w") as file:
        json.dump(review, file)

    def load(pause):
        done = subprocess.run(("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", os.path.join(HERE, "review.lua"),
                               f"https://127.0.0.1:{place.valle.webhook_port}/webhooks/mutate"), text=True, check=True,
                              capture_output=True, env={**os.environ, "REVIEW": path, "PAUSE": str(pause)})
        words = done.stdout.strip().splitlines()[-1].split()
        return {name: float(value) for name, value in zip(words[0::2], words[1::2])}
    name = "valle_webhook_duration_seconds"
    before = {key: place.valle.metric(f"{name}_{key}", webhook="mutate") for key in ("sum", "count")}
    cost = Cost(place.valle.process.pid)
    found = load(1000 * connections // 1000 - 1)
    used = cost.cpu_seconds()
    reviews = place.valle.metric(f"{name}_count", webhook="mutate") - before["count"]
    spent = place.valle.metric(f"{name}_sum", webhook="mutate") - before["sum"]
    row(f"webhook at {found['rate']:.0f} reviews/s over TLS: p99", f"{found['p99']:.2f} ms (p50 {found['p50']:.2f} ms; handler "
        f"{spent / reviews * 1e6:.0f} µs, process {used / reviews * 1e6:.0f} µs of a core each; {found['failed']:.0f} failed)",
        "≤ 5 ms at 1,000/s", found["p99"] <= 5 and found["rate"] >= 900 and not found["failed"])


def held():
    """Many held Jobs: the plan, the quiet life, the restart. No Kueue: Jobs are held by suspend."""
    place = Place(False, {"FR": lambda at: 50.0 + at // 3600 * 37 % 200, "ES": lambda at: 60.0 + at // 3600 * 53 % 190},
                  hourly=True)
    log, start_by = Logged(place.log_path), text_of(time.time() + 24 * 3600)
    cost = Cost(place.valle.process.pid)
    _, seconds = create_all(place.jobs, [job(f"held-{i}", carbon(start_by, "FR,ES", "1h"), queue=None, cpu="1m")
                                         for i in range(HELD)])
    print(f"{HELD} Jobs created in {seconds:.0f} s", flush=True)
    begun = time.monotonic()
    wait_until("all are planned", lambda: place.planned() == HELD, 400, 5)
    print(f"all have their plan {time.monotonic() - begun:.0f} s later; {cost.cpu_seconds():.0f} s of a core since the first",
          flush=True)
    plans = [int(line["ms"]) for line in log.all("plan_committed") if int(line["jobs"]) >= HELD]
    row(f"plan of {HELD:,} held jobs", f"{max(plans, default=0) / 1000:.2f} s", "≤ 1 s", plans and max(plans) <= 1000)
    steady(place)
    restart(place)


def steady(place):
    position, cost = place.audit.position(), Cost(place.valle.process.pid)
    time.sleep(STEADY)
    counts = place.audit.since(position)
    events = sum(number for what, number in counts.items() if "events" in what)
    others = {what: number for what, number in counts.items() if "watch" not in what and "events" not in what}
    rate = sum(others.values()) / STEADY
    row(f"{HELD:,} held jobs, {STEADY} s: share of a core", f"{cost.cpu_share() * 100:.1f} %", "< 5 %", cost.cpu_share() < 0.05)
    row("… resident memory", f"{cost.megabytes():.0f} MB (most {cost.megabytes('VmHWM'):.0f})", "< 150 MB",
        cost.megabytes() < 150)
    row("… requests/s beyond watches", f"{rate:.2f} ({', '.join(f'{number} × {what}' for what, number in others.items())}; "
        f"Events that still came of the creation: {events / STEADY:.1f}/s)", "≤ 1", rate <= 1)


def restart(place):
    lease = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/valle"

    def again(what, free):
        log = Logged(place.log_path)
        begun = time.time()
        place.valle.start(wait=False)
        cost = Cost(place.valle.process.pid)
        line = wait_until("it has taken over", lambda: log.first("took_over"), 90, 0.01)
        used = cost.cpu_seconds()
        took, planned = (wait_until("it has planned", lambda: log.first(event), 90, 0.01)["at"] - max(free, begun)
                         for event in ("took_over", "plan_committed"))
        row(what, f"{took:.1f} s ({line['jobs']} jobs; {used:.1f} s of a core; first plan after {planned:.1f} s)", "≤ 5 s",
            took <= 5)
        place.valle.wait_ready()
    place.valle.stop()
    again("restart after an orderly end, to leading and caught up", 0)
    place.valle.kill()
    spec = place.plane.api.get(lease)["spec"]
    free = instant(spec["renewTime"][:19] + "Z") + float("0" + spec["renewTime"][19:-1]) + spec["leaseDurationSeconds"]
    again("restart after kill -9, once the lease is free", free)
    place.valle.stop()
    for end in ("", "-wal", "-shm"):
        if os.path.exists(place.valle.database + end):
            os.remove(place.valle.database + end)
    again("restart without the database", 0)


def main():
    wanted = sys.argv[1:] or ["thousand", "webhook", "held"]
    print("| what | measured | aim |\n|---|---|---|", flush=True)
    if "thousand" in wanted or "webhook" in wanted:
        place = thousand() if "thousand" in wanted else Place(False, None)
        if "webhook" in wanted:
            webhook(place)
        kill_all()
    if "held" in wanted:
        held()
        kill_all()


if __name__ == "__main__":
    main()
