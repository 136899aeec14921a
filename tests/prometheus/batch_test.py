# SPDX-License-Identifier: Apache-2.0
"""Ten thousand pods measured at once: queries, memory and time, on samples that are written into Prometheus directly.
VALLE_BATCH_SAMPLES=120 makes it half an hour of samples, as docs/PERFORMANCE.md quotes; the default is six minutes."""
import os
import subprocess
import time
import unittest
import uuid

from stand_in.servers import Folder, Prometheus, kill_all, measure

PODS = 10_000
SAMPLES = int(os.environ.get("VALLE_BATCH_SAMPLES", "24"))
BEGIN = int(time.time()) // 7200 * 7200 - 7200
WATTS = 120.0


def uid(index):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"pod-{index}"))


def write_samples(path):
    with open(path, "w") as file:
        file.write("# TYPE kepler_pod_cpu_joules_total counter\n")
        for index in range(PODS):
            for zone, share in (("package", 0.85), ("dram", 0.15)):
                labels = f'{{pod_id="{uid(index)}",pod_name="p-{index}",pod_namespace="sim",state="running",zone="{zone}",instance="n"}}'
                file.writelines(f"kepler_pod_cpu_joules_total{labels} {WATTS * share * 15 * i:.3f} {BEGIN + 15 * i}\n"
                                for i in range(1, SAMPLES + 1))
        file.write("# EOF\n")


def queries(server):
    return sum(float(line.rsplit(" ", 1)[1]) for line in server.get("/metrics").splitlines()
               if line.startswith("prometheus_http_requests_total") and 'handler="/api/v1/query"' in line)


class Batch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("batch")
        text = os.path.join(cls.folder.path, "samples.om")
        write_samples(text)
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", text,
                        os.path.join(cls.folder.path, "batch-data")], check=True, capture_output=True)
        os.remove(text)
        cls.server = Prometheus("batch", cls.folder, flags=("--storage.tsdb.retention.time=10y",)).wait_ready()

    @classmethod
    def tearDownClass(cls):
        kill_all()
        cls.folder.remove()

    def test_ten_queries_for_ten_thousand_jobs(self):
        def text(at):
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        length = 15 * SAMPLES
        runs = [{"id": str(index), "start": text(BEGIN), "end": text(BEGIN + length),
                 "pods": [{"uid": uid(index), "namespace": "sim", "name": f"p-{index}"}]} for index in range(PODS)]
        before, begun = queries(self.server), time.monotonic()
        answers = measure(self.folder, [self.server], runs)
        seconds = time.monotonic() - begun
        asked = queries(self.server) - before
        print(f"{PODS} pods, {2 * SAMPLES * PODS} samples: {asked:.0f} queries, {seconds:.1f} s", flush=True)
        self.assertLessEqual(asked, PODS * max(1, 2 * (SAMPLES + 4) * 1000 / 500_000) / 1000 + 1)
        for answer in answers.values():
            self.assertAlmostEqual(3.6e6 * answer["figures"]["pod"]["energyKwh"], WATTS * length, delta=WATTS * length * 0.001 + 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
