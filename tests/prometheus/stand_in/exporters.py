# SPDX-License-Identifier: Apache-2.0
"""What exporters answer at an instant of the world's clock, under the names and labels of the real ones: Kepler from 0.10
on and up to 0.9, dcgm-exporter, Scaphandre, vLLM. Each sample carries its instant."""
import math

ZONES = (("package", 0.85), ("dram", 0.15))
RAPL_RANGE = {"package": 65712.0, "dram": 16384.0}
JOULES_PER_TOKEN = 0.25


def line(name, labels, value, at):
    text = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return f"{name}{{{text}}} {value!r} {at}"


class Kepler:
    """From 0.10 on: refreshed every 5 s and by a scrape that finds data older than 0.5 s. Counters of pods begin at 0 with
    the pod, and with Kepler; the last values of a pod that is gone are exported once, to whoever asks first, if they
    reached 10 J."""

    def __init__(self, world, node):
        self.world, self.node = world, node
        self.pods = [pod for pod in world.pods if pod.node == node]
        self.restarts = list(world.restarts.get(node, ()))
        self.born, self.refreshed, self.tick = 0.0, 0.0, 1.7
        self.known, self.gone, self.told = {}, {}, False

    def scrape(self, at, stamp):
        while self.tick <= at:
            if not self.world.away(self.node, self.tick):
                self._refresh(self.tick)
            self.tick += 5
        if at - self.refreshed > 0.5:
            self._refresh(at)
        self.told = True
        out = []
        for state, pods in (("running", self.known), ("terminated", self.gone)):
            for pod, joules in pods.items():
                for zone, share in ZONES:
                    out.append(line("kepler_pod_cpu_joules_total",
                                    {"node_name": self.node, "pod_id": pod.uid, "pod_name": pod.name,
                                     "pod_namespace": "sim", "state": state, "zone": zone}, joules * share, stamp))
        total = sum(pod.joules_at(self.refreshed) for pod in self.pods) + 120 * self.refreshed
        for zone, share in ZONES:  # as RAPL counts: from somewhere, and round
            out.append(line("kepler_node_cpu_joules_total", {"node_name": self.node, "zone": zone},
                            (4321 + total * share) % RAPL_RANGE[zone], stamp))
        return out

    def _refresh(self, at):
        if self.restarts and at >= self.restarts[0]:
            self.born, self.known, self.gone = self.restarts.pop(0), {}, {}
        if self.told:
            self.gone = {}
        self.told = False
        alive = {pod: pod.joules_at(at) - pod.joules_at(self.born) for pod in self.pods if pod.runs_at(at)}
        for pod, joules in self.known.items():
            if pod not in alive and joules * ZONES[0][1] >= 10:
                self.gone[pod] = joules
        self.known, self.refreshed = alive, at


class OldKepler:
    """Up to 0.9: values of the last multiple of 3 s, by name, gone with the container; idle energy beside."""

    def __init__(self, world, node):
        self.pods = [pod for pod in world.pods if pod.node == node]

    def scrape(self, at, stamp):
        tick = math.floor((at - 0.4) / 3) * 3 + 0.4
        out = []
        for pod in self.pods:
            if not pod.runs_at(tick):
                continue
            labels = {"container_id": pod.uid[:8], "pod_name": pod.name, "container_name": "main", "container_namespace": "sim"}
            out.append(line("kepler_container_joules_total", {**labels, "mode": "dynamic"}, pod.joules_at(tick), stamp))
            out.append(line("kepler_container_joules_total", {**labels, "mode": "idle"}, 20.0 * (tick - pod.start), stamp))
        return out


class Dcgm:
    """Collects every `every` seconds. MIG instances repeat the board, time slices repeat it for each pod."""

    def __init__(self, world, node, every):
        self.world, self.node, self.every = world, node, every
        self.boards = [(uuid, mode, pods) for uuid, (of, mode, pods) in world.boards.items() if of == node]

    def scrape(self, at, stamp):
        collected = math.floor((at - 0.3) / self.every) * self.every + 0.3
        reloads = [back + 45 for back in self.world.reloads.get(self.node, ()) if back + 45 <= collected]
        since = reloads[-1] if reloads else 0
        out = []
        for uuid, mode, pods in self.boards:
            joules = self.world.board_joules(uuid, collected) - self.world.board_joules(uuid, since)
            watts = self.world.board_joules(uuid, collected) - self.world.board_joules(uuid, collected - 1)
            for labels in self._label_sets(mode, [pod for pod in pods if pod.runs_at(collected)]):
                host = "hostname" if self.node == "slow" else "Hostname"
                labels = {"gpu": "0", "UUID": uuid, "modelName": "SIM", host: self.node, **labels}
                out.append(line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", labels,
                                round(1000 * joules) + (0 if since else 128996013), stamp))
                out.append(line("DCGM_FI_DEV_POWER_USAGE", labels, round(watts, 3), stamp))
        return out

    @staticmethod
    def _label_sets(mode, pods):
        workload = [{"container": "main", "namespace": "sim", "pod": pod.name} for pod in pods]
        if mode == "mig":
            return [{"GPU_I_PROFILE": "2g.20gb", "GPU_I_ID": str(i), **(workload[0] if workload and i == 1 else {})}
                    for i in (1, 2, 5)]
        return workload or [{}]


class Vllm:
    """Tokens in proportion to the energy of one pod; the server restarts once."""

    def __init__(self, pod, restart):
        self.pod, self.restart = pod, restart

    def scrape(self, at, stamp):
        if not self.pod.runs_at(at):
            return []
        since = self.restart if at >= self.restart else self.pod.start
        tokens = (self.pod.joules_at(at) - self.pod.joules_at(since)) / JOULES_PER_TOKEN
        return [line("vllm:generation_tokens_total", {"model_name": "sim-8b", "engine": "0", "pod": self.pod.name, "namespace": "sim"}, tokens, stamp)]
