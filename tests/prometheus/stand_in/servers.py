# SPDX-License-Identifier: Apache-2.0
"""Prometheus servers on loopback, and valle asked about what they hold."""
import json
import os
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cluster"))
from harness.processes import Folder, Process, free_ports, kill_all, wait_until  # noqa: E402

VALLE = os.environ.get("VALLE_PROGRAM", "build/release/valle")
__all__ = ["Folder", "Prometheus", "kill_all", "measure", "wait_until"]


class Prometheus:
    """Scrapes `paths` of one target, each as its own job."""

    def __init__(self, name, folder, target="", paths=(), interval=0.5, flags=()):
        self.url = f"http://127.0.0.1:{free_ports(1)[0]}"
        config = os.path.join(folder.path, name + ".yml")
        jobs = [{"job_name": path.strip("/").replace("/", "-"), "metrics_path": path,
                 "static_configs": [{"targets": [target], "labels": {"instance": path}}]} for path in paths]
        with open(config, "w") as file:  # JSON is YAML
            json.dump({"global": {"scrape_interval": f"{round(interval * 1000)}ms",
                                  "scrape_timeout": f"{round(interval * 900)}ms", "external_labels": {"replica": name}},
                       "scrape_configs": jobs}, file)
        self.process = Process(name, folder.path, [
            "prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder.path}/{name}-data",
            f"--web.listen-address={self.url[7:]}", *flags])

    def wait_ready(self):
        wait_until("prometheus is ready", lambda: "eady" in self.get("/-/ready"))
        return self

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return answer.read().decode()


def run_of(pod, epoch, boards=True):
    """A run of one pod, as `valle measure` reads it."""
    def text(at):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch + at))
    described = {"uid": pod.uid, "namespace": "sim", "name": pod.name, "node": pod.node}
    if boards and pod.boards:
        described["gpuUuids"] = pod.boards
    return {"id": pod.name, "start": text(pod.start), "end": text(pod.end), "pods": [described]}


def measure(folder, servers, runs, flags=(), environment=None):
    """Answers by run id; `figures` by boundary."""
    path = os.path.join(folder.path, "runs.json")
    with open(path, "w") as file:
        json.dump({"runs": runs}, file)
    addresses = [flag for server in servers for flag in ("--prometheus", server.url)]
    done = subprocess.run([VALLE, "measure", "--runs", path, "--json", *addresses, *flags], capture_output=True, text=True,
                          timeout=300, env={**os.environ, **(environment or {})})
    if not done.stdout:
        raise RuntimeError(done.stderr)
    answers = {}
    for run in json.loads(done.stdout)["runs"]:
        answers[run["id"]] = {**run, "figures": {figure["boundary"]: figure for figure in run["figures"]}}
    return answers
