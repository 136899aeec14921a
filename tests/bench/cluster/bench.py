# SPDX-License-Identifier: Apache-2.0
"""valle's figures on a real control plane. Each part brings up its own cluster."""
import concurrent.futures
import http.client
import json
import multiprocessing
import os
import re
import ssl
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cluster"))
from harness.api import annotations  # noqa: E402
from harness.jobs import Jobs, carbon, job  # noqa: E402
from harness.kueue import GATE  # noqa: E402
from harness.processes import wait_until  # noqa: E402
from harness.scenario import Stage  # noqa: E402


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def create_all(jobs, items):
    """Seconds of each creation, eight at a time."""
    def timed(item):
        begun = time.monotonic()
        jobs.create(item)
        return time.monotonic() - begun
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(timed, items))


def create(stage, count=1000):
    """A thousand gated Jobs at once, by turns with and without valle's webhooks in the way."""
    times = {"plain": [], "carbon": []}
    stage.plane.namespace("bench")
    stage.kueue.queues("bench")
    jobs = Jobs(stage.api, "bench")
    for turn in range(10):
        for kind in ("plain", "carbon"):
            notes = carbon("60m", "DE") if kind == "carbon" else {GATE: "bench.example.org/gate"}
            times[kind] += create_all(jobs, [job(f"{kind}-{turn}-{number}", notes) for number in range(count // 10)])
    held = sum("valle.sh/carbon" in annotations(item).get(GATE, "") for item in stage.api.items(jobs.path))
    plain, with_valle = (sum(times[kind]) / count for kind in ("plain", "carbon"))
    print(f"create: {held} of {count} held; mean {1000 * with_valle:.1f} ms against {1000 * plain:.1f} ms without valle's "
          f"webhooks ({100 * (with_valle / plain - 1):+.0f} %), p99 {1000 * percentile(times['carbon'], .99):.0f} ms "
          f"against {1000 * percentile(times['plain'], .99):.0f} ms")


def ask(port, ca, rate, seconds, results):
    """Reviews at a steady rate on one connection; seconds of each answer, counted from when it was due."""
    review = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "namespace": "bench", "kind": {"group": "batch", "version": "v1", "kind": "Job"},
        "object": job("one", carbon("8h"))}}).encode()
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=ssl.create_default_context(cafile=ca))
    times, begun = [], time.monotonic()
    for number in range(int(rate * seconds)):
        due = begun + number / rate
        time.sleep(max(0.0, due - time.monotonic()))
        connection.request("POST", "/webhooks/mutate", review, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert b'"allowed":true' in answer.read(), answer.status
        times.append(time.monotonic() - due)
    results.put(times)


def webhook(stage, rate=1000, seconds=10, processes=2):
    results = multiprocessing.Queue()
    askers = [multiprocessing.Process(target=ask, args=(stage.valle.webhook_port, stage.plane.pki.path("ca.crt"),
                                                        rate / processes, seconds, results)) for _ in range(processes)]
    for one in askers:
        one.start()
    times = sum((results.get() for _ in askers), [])
    inside = stage.valle.metric("valle_webhook_duration_seconds_sum") / stage.valle.metric("valle_webhook_duration_seconds_count")
    print(f"webhook: {rate} reviews/s for {seconds} s from {processes} processes: p50 {1000 * percentile(times, .5):.2f} ms, "
          f"p99 {1000 * percentile(times, .99):.2f} ms from outside; {1000 * inside:.3f} ms inside on average")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


def requests_to_api(stage):
    text = stage.api.request("GET", "/metrics")
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith("apiserver_request_total") and 'verb="WATCH"' not in line)


def held(stage, count=10000, watched=30):
    """Ten thousand held Jobs on a cluster without Kueue: what a quiet minute costs, and a restart."""
    stage.plane.namespace("bench")
    jobs = Jobs(stage.api, "bench")
    begun = time.monotonic()
    create_all(jobs, [job(f"job-{number}", carbon("55m", "DE"), queue=None, cpu="1m") for number in range(count)])
    print(f"held: {count} created in {time.monotonic() - begun:.0f} s", flush=True)

    def planned():
        return stage.valle.metric("valle_jobs", state="waiting") == count
    wait_until("all are known", planned, 300, 1)
    wait_until("all are annotated", lambda: all(annotations(item).get("valle.sh/planned-start") for item in
                                                stage.api.items(jobs.path)), 300, 5)
    time.sleep(10)
    pid, cpu, asked = stage.valle.process.pid, cpu_seconds(stage.valle.process.pid), requests_to_api(stage)
    time.sleep(watched)
    cpu, asked = cpu_seconds(pid) - cpu, requests_to_api(stage) - asked
    print(f"held: at rest {100 * cpu / watched:.1f} % of a core, {resident_mb(pid):.0f} MB", flush=True)
    stage.valle.kill()
    others = requests_to_api(stage)
    time.sleep(watched)
    others = requests_to_api(stage) - others
    print(f"held: {(asked - others) / watched:.2f} requests/s to the API server beyond watches")
    begun = time.monotonic()
    stage.valle.start().wait_leading(60)
    leading = time.monotonic()
    wait_until("caught up", lambda: "took_over" in stage.valle.log_tail(100), 60)
    print(f"held: restarted: ready and leading after {leading - begun:.1f} s (the lease was free), caught up after "
          f"{time.monotonic() - begun:.1f} s")
    plans = re.findall(r"plan_committed .*? ms=(\d+)", stage.valle.log_tail(2000))
    print(f"held: plans of {count} jobs took {', '.join(plans[-5:])} ms")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["create", "webhook", "held"]
    if "create" in wanted or "webhook" in wanted:
        queued = Stage()
        for part in (create, webhook):
            if part.__name__ in wanted:
                part(queued)
        queued.plane.stop()
    if "held" in wanted:
        held(Stage(mode="jobs", kueue=False, settings={"planning": {"slot": "60s", "every": "10s", "horizon": "60m",
                                                                      "maxWait": "60m"}}))
