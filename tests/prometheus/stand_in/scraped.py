# SPDX-License-Identifier: Apache-2.0
"""What servers hold that scraped a world to its end. The scrapes are gone through in the order of their instants and written
as a server's own blocks: the same samples on every machine, however busy it is, and none of the world's minutes is waited
for."""
import os
import random
import subprocess

from .exporters import Dcgm, Kepler, OldKepler, Vllm
from .loads import INTERVAL
from .servers import Prometheus
from .world import SPAN

EPOCH = 1_772_433_000  # the world's 0 in seconds since 1970; a block of two hours ends within the world
JITTER = 0.005          # seconds by which a scrape may come late


def exporters_of(world):
    exporters = {f"/kepler/{node}": Kepler(world, node) for node in ("kepler", "restarting", "silent")}
    exporters["/old/old"] = OldKepler(world, "old")
    for node in ("fast", "slow", "taken", "mig", "sliced", "reloaded"):
        exporters[f"/dcgm/{node}"] = Dcgm(world, node, 30 if node == "slow" else 1)
    served = next(pod for pod in world.pods if pod.node == "taken")
    exporters["/vllm/taken"] = Vllm(served, served.start + 80)
    return exporters


def scrapes(names, paths, dice):
    """(instant, server, path) in the order of time: each server asks each exporter once an interval, at a phase of its own."""
    found = []
    for name in names:
        for path in paths:
            at = dice.uniform(0, INTERVAL)
            while at < SPAN + 200:
                found.append((at + dice.uniform(0, JITTER), name, path))
                at += INTERVAL
    return sorted(found)


def scraped(folder, world, names, seed=1):
    """A running Prometheus for each of `names`."""
    exporters = exporters_of(world)
    lines = {name: [] for name in names}
    for at, name, path in scrapes(names, exporters, random.Random(seed)):
        if not world.away(path.rsplit("/", 1)[-1], at):
            target = f'{{instance="{path}",job="{path.strip("/").replace("/", "-")}",'
            lines[name] += [text.replace("{", target, 1) for text in exporters[path].scrape(at, f"{EPOCH + at:.3f}")]
    servers = []
    for name in names:
        text = os.path.join(folder.path, name + ".om")
        with open(text, "w") as file:
            file.write("\n".join(lines[name]) + "\n# EOF\n")
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", text,
                        os.path.join(folder.path, name + "-data")], check=True, capture_output=True)
        os.remove(text)
        servers.append(Prometheus(name, folder, flags=("--storage.tsdb.retention.time=100y",)).wait_ready())
    return servers
