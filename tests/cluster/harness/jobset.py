# SPDX-License-Identifier: Apache-2.0
"""The JobSet controller on a control plane."""
import http.client
import json
import os

from .control_plane import program
from .jobs import pod_template
from .kueue import QUEUE
from .manifests import post_definitions, post_webhooks
from .processes import Process, free_ports, wait_until

JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2"


class JobSets:
    def __init__(self, plane):
        self.plane = plane
        self._port, self._health, self._metrics = free_ports(3)

    def start(self):
        plane = self.plane
        plane.namespace("jobset-system")
        post_definitions(plane, "jobset")
        wait_until("JobSets are served", lambda: plane.api.items(f"{JOBSETS}/jobsets") == [])
        config = {"apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration",
                  "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
                  "webhook": {"host": "127.0.0.1", "port": self._port, "certDir": plane.pki.folder},
                  "metrics": {"bindAddress": f"127.0.0.1:{self._metrics}", "certDir": plane.pki.folder},
                  "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health}"}}
        path = os.path.join(plane.folder.path, "jobset.yaml")
        with open(path, "w") as file:
            json.dump(config, file)
        self.process = plane.processes["jobset"] = Process(
            "jobset", plane.folder.path, (program("jobset"), f"--config={path}"),
            environment={"KUBECONFIG": plane.kubeconfig("admin")})
        wait_until("JobSet is ready", self._ready, 60)
        post_webhooks(plane, "jobset", lambda path: {"url": f"https://127.0.0.1:{self._port}{path}",
                                                     "caBundle": plane.pki.ca_base64}, ("jobset",))
        return self

    def _ready(self):
        self.process.require_running()
        connection = http.client.HTTPConnection("127.0.0.1", self._health, timeout=2)
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200


def job_set(name, notes=None, queue="queue", replicas=None, runs="3s"):
    """A JobSet of one Job with one pod for each of `replicas` {name: count}."""
    jobs = [{"name": part, "replicas": count, "template": {"spec": {"backoffLimit": 0, "template": pod_template(runs=runs)}}}
            for part, count in (replicas or {"leader": 1, "worker": 3}).items()]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": name, "labels": {QUEUE: queue} if queue else {}, "annotations": dict(notes or {})},
            "spec": {"replicatedJobs": jobs, "failurePolicy": {"maxRestarts": 2}}}

