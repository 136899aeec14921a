# SPDX-License-Identifier: Apache-2.0
"""Jobs as users write them, and what became of them."""
from .api import BATCH, CORE, annotations, is_true
from .control_plane import REGION_LABEL
from .intensity import instant
from .kueue import QUEUE

AWARE = "kueue.x-k8s.io/carbon-aware"
DEADLINE = "kueue.x-k8s.io/carbon-deadline"


def carbon(deadline=None, regions=None, duration="10s", **more):
    """Annotations of a carbon-aware job; `more` are names under valle.sh/ with _ for -. It uses so much energy that no
    two steps of a curve emit the same number of milligrams: equal ones would start as early as they can."""
    found = {AWARE: "true", "valle.sh/expected-duration": duration}
    if "power_watts" not in more:
        found["valle.sh/energy-kwh"] = "0.5"
    if deadline:
        found[DEADLINE] = deadline
    if regions:
        found["valle.sh/regions"] = regions
    return {**found, **{"valle.sh/" + key.replace("_", "-"): value for key, value in more.items()}}


def pod_template(cpu="1", runs="2s", selector=None):
    spec = {"restartPolicy": "Never",
            "containers": [{"name": "work", "image": "none", "resources": {"requests": {"cpu": cpu}}}]}
    if selector:
        spec["nodeSelector"] = selector
    return {"metadata": {"annotations": {"valle.sh/sim-runtime": runs}}, "spec": spec}


def job(name, notes=None, queue="queue", cpu="1", runs="2s", pods=1, labels=None, **spec):
    """A batch/v1 Job; `notes` are its annotations, `runs` is how long its pods run, `queue` None: without Kueue."""
    labels = {**({QUEUE: queue} if queue else {}), **(labels or {})}
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "labels": labels, "annotations": dict(notes or {})},
            "spec": {"parallelism": pods, "completions": pods, "backoffLimit": 0,
                     "template": pod_template(cpu, runs), **spec}}


class Jobs:
    """The Jobs of one namespace."""

    def __init__(self, api, namespace):
        self.api, self.namespace = api, namespace
        self.path = f"{BATCH}/namespaces/{namespace}/jobs"

    def create(self, item):
        return self.api.create(self.path, item)

    def get(self, name):
        return self.api.get(f"{self.path}/{name}")

    def find(self, name):
        return self.api.find(f"{self.path}/{name}")

    def patch(self, name, change):
        return self.api.patch(f"{self.path}/{name}", change)

    def annotate(self, name, **notes):
        return self.patch(name, {"metadata": {"annotations": {f"valle.sh/{key.replace('_', '-')}": value
                                                              for key, value in notes.items()}}})

    def delete(self, name):
        return self.api.delete(f"{self.path}/{name}")

    def note(self, name, key):
        """The value of valle.sh/<key>; None if not there."""
        return annotations(self.get(name)).get("valle.sh/" + key)

    def at(self, name, key):
        """The instant in valle.sh/<key> in seconds; None if not there."""
        text = self.note(name, key)
        return instant(text) if text else None

    def pods(self, name):
        return self.api.items(f"{CORE}/namespaces/{self.namespace}/pods?labelSelector=job-name%3D{name}")

    def started(self, name):
        """(when the first pod ran, regions of the nodes of all) or None before it ran."""
        pods = [pod for pod in self.pods(name) if pod["status"].get("startTime")]
        if not pods:
            return None
        nodes = {node["metadata"]["name"]: node["metadata"]["labels"][REGION_LABEL]
                 for node in self.api.items(f"{CORE}/nodes")}
        return (min(instant(pod["status"]["startTime"]) for pod in pods),
                sorted({nodes[pod["spec"]["nodeName"]] for pod in pods}))

    def completed(self, name):
        return is_true(self.get(name), "Complete")

    def events(self, name):
        """Reasons of the Events about an object of that name."""
        return [event["reason"] for event in self.event_items() if event["regarding"]["name"] == name]

    def event_items(self):
        return sorted(self.api.items(f"/apis/events.k8s.io/v1/namespaces/{self.namespace}/events"),
                      key=lambda event: event["metadata"]["creationTimestamp"])
