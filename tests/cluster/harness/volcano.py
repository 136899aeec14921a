# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Volcano: its kinds, and a controller and a gang scheduler that act on a held, released or restarted job
as the real ones (1.15) were seen to act. Small on purpose: one queue, no plugins, no preemption."""
import threading
import time

from .api import CORE, ApiError, condition
from .control_plane import REGION_LABEL
from .intensity import text_of
from .processes import wait_until

VCJOBS = "/apis/batch.volcano.sh/v1alpha1"
PODGROUPS = "/apis/scheduling.volcano.sh/v1beta1"
CYCLE = 1.0  # seconds between two rounds of the scheduler

_ANY = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _definition(group, version, kind, plural, scope="Namespaced", status=False):
    served = {"name": version, "served": True, "storage": True,
              "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _ANY, "status": _ANY}}}}
    if status:
        served["subresources"] = {"status": {}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": scope, "versions": [served],
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": kind + "List"}}}


class Volcano:
    def __init__(self, plane):
        self.api, self._stop = plane.api, threading.Event()

    def install(self):
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        # As in Volcano, a PodGroup has no status subresource.
        for one in (_definition("batch.volcano.sh", "v1alpha1", "Job", "jobs", status=True),
                    _definition("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"),
                    _definition("scheduling.volcano.sh", "v1beta1", "Queue", "queues", "Cluster", status=True)):
            self.api.create(path, one)
        wait_until("Volcano's kinds are served", lambda: self.api.items(f"{VCJOBS}/jobs") == []
                   and self.api.items(f"{PODGROUPS}/podgroups") == [] and self.api.items(f"{PODGROUPS}/queues") == [])
        self.api.create(f"{PODGROUPS}/queues", {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
                                                "metadata": {"name": "default"}, "spec": {"weight": 1}})
        return self

    def start(self):
        for step, pause in ((self._control, 0.1), (self._schedule, CYCLE)):
            threading.Thread(target=self._loop, args=(step, pause), daemon=True).start()
        return self

    def stop(self):
        self._stop.set()

    def _loop(self, step, pause):
        while not self._stop.wait(pause):
            try:
                step()
            except (ApiError, OSError):
                pass  # a conflict, or the API server is away: the next round sees it again

    # -- the job controller

    def _control(self):
        pods = self.api.items(f"{CORE}/pods")
        groups = {(one["metadata"]["namespace"], one["metadata"]["name"]): one for one in self.api.items(f"{PODGROUPS}/podgroups")}
        for job in self.api.items(f"{VCJOBS}/jobs"):
            uid = job["metadata"]["uid"]
            own = [pod for pod in pods if any(owner["uid"] == uid for owner in pod["metadata"].get("ownerReferences", []))]
            self._control_one(job, own, groups.get((job["metadata"]["namespace"], _group_name(job))))

    def _control_one(self, job, pods, group):
        phase = job.get("status", {}).get("state", {}).get("phase")
        if phase is None:
            return self._set_phase(job, "Pending")
        if phase == "Completed":
            return None
        if group is None:
            return self._create_group(job)
        if phase == "Restarting":
            if pods:
                return [self._delete(pod) for pod in pods if "deletionTimestamp" not in pod["metadata"]]
            return self._set_phase(job, "Pending")
        if group.get("status", {}).get("phase") not in ("Inqueue", "Running"):
            return None  # no pods before the scheduler takes the group in
        wanted = {f"{job['metadata']['name']}-{task['name']}-{number}": task
                  for task in job["spec"]["tasks"] for number in range(task["replicas"])}
        there = {pod["metadata"]["name"]: pod for pod in pods}
        lost = [name for name in wanted if name not in there or "deletionTimestamp" in there[name]["metadata"]]
        if phase == "Running" and lost:
            return self._evicted(job)
        for name in lost:
            if name not in there:
                self._create_pod(job, wanted[name], name)
        phases = [pod["status"].get("phase") for pod in pods]
        least = job["spec"].get("minAvailable", len(wanted))
        if phases and all(each == "Succeeded" for each in phases) and len(pods) == len(wanted):
            self._set_phase(job, "Completed")
            return self.api.delete(_path(PODGROUPS, "podgroups", group))
        if phase == "Pending" and sum(each in ("Running", "Succeeded") for each in phases) >= least:
            return self._set_phase(job, "Running")
        return None

    def _evicted(self, job):
        """Policy PodEvicted → RestartJob: all pods go and come anew, gates and all."""
        restarts = any(policy.get("event") == "PodEvicted" and policy.get("action") == "RestartJob"
                       for policy in job["spec"].get("policies", []))
        if restarts:
            self._set_phase(job, "Restarting", retryCount=job["status"].get("retryCount", 0) + 1)

    def _set_phase(self, job, phase, **more):
        status = {**job.get("status", {}), **more, "state": {"phase": phase, "lastTransitionTime": text_of(time.time())}}
        self.api.patch(_path(VCJOBS, "jobs", job) + "/status", {"status": status})

    def _create_group(self, job):
        tasks = job["spec"]["tasks"]
        self.api.create(f"{PODGROUPS}/namespaces/{job['metadata']['namespace']}/podgroups", {
            "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
            "metadata": {"name": _group_name(job), "annotations": job["metadata"].get("annotations", {}),
                         "ownerReferences": [_owner(job)]},
            "spec": {"queue": job["spec"].get("queue", "default"),
                     "minMember": job["spec"].get("minAvailable", sum(task["replicas"] for task in tasks)),
                     "minTaskMember": {task["name"]: task["replicas"] for task in tasks},
                     "minResources": {"pods": str(sum(task["replicas"] for task in tasks))}}})

    def _create_pod(self, job, task, name):
        template, meta = task["template"], task["template"].get("metadata", {})
        self.api.create(f"{CORE}/namespaces/{job['metadata']['namespace']}/pods", {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "ownerReferences": [_owner(job)],
                         "labels": {**meta.get("labels", {}), "volcano.sh/job-name": job["metadata"]["name"]},
                         "annotations": {**meta.get("annotations", {}), "scheduling.k8s.io/group-name": _group_name(job),
                                         "volcano.sh/job-name": job["metadata"]["name"]}},
            "spec": {**template["spec"], "schedulerName": "volcano"}})

    def _delete(self, item):
        self.api.delete(_path(CORE, "pods", item))

    # -- the scheduler

    def _schedule(self):
        pods = self.api.items(f"{CORE}/pods")
        regions = {node["metadata"]["labels"][REGION_LABEL]: node["metadata"]["name"] for node in self.api.items(f"{CORE}/nodes")}
        for group in self.api.items(f"{PODGROUPS}/podgroups"):
            name, space = group["metadata"]["name"], group["metadata"]["namespace"]
            own = [pod for pod in pods if pod["metadata"]["namespace"] == space and "deletionTimestamp" not in pod["metadata"]
                   and (pod["metadata"].get("annotations") or {}).get("scheduling.k8s.io/group-name") == name]
            self._schedule_group(group, own, regions)

    def _schedule_group(self, group, pods, regions):
        phase = group.get("status", {}).get("phase")
        if not phase:
            return self._patch_group(group, phase="Inqueue")
        if not pods:
            return None
        bound = [pod for pod in pods if pod["spec"].get("nodeName")]
        free = [pod for pod in pods if pod not in bound and not pod["spec"].get("schedulingGates")]
        least = group["spec"]["minMember"]
        if len(bound) + len(free) < least:
            gated = len(pods) - len(bound) - len(free)
            return self._patch_group(group, "Unschedulable", reason="NotEnoughResources", message=(
                f"{gated}/{len(pods)} tasks in gang unschedulable: pod group is not ready, "
                f"{len(pods)} Pending, {least} minAvailable; Pending: {gated} Unschedulable"))
        for pod in free:
            region = pod["spec"].get("nodeSelector", {}).get(REGION_LABEL) or next(iter(regions))
            self.api.create(_path(CORE, "pods", pod) + "/binding", {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod["metadata"]["name"]},
                "target": {"apiVersion": "v1", "kind": "Node", "name": regions[region]}})
        if free:
            return self._patch_group(group, "Scheduled", reason="tasks in gang are ready to be scheduled")
        if phase == "Inqueue" and all(pod["status"].get("phase") != "Pending" for pod in pods):
            return self._patch_group(group, phase="Running")
        return None

    def _patch_group(self, group, kind=None, phase=None, **more):
        """A condition of a kind is replaced; one of another kind stays in the list, as in Volcano."""
        status = dict(group.get("status", {}))
        if phase:
            status["phase"] = phase
        if kind:
            new = {"type": kind, "status": "True", **more}
            if all(condition(group, kind).get(key) == value for key, value in new.items()):
                return
            status["conditions"] = [one for one in status.get("conditions", []) if one["type"] != kind] + [new]
        self.api.patch(_path(PODGROUPS, "podgroups", group), {"status": status})


def vcjob(name, template, tasks, notes=None, policies=()):
    """A vcjob of `tasks` {name: replicas} that all have to start together."""
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
            "metadata": {"name": name, "annotations": dict(notes or {})},
            "spec": {"schedulerName": "volcano", "queue": "default", "minAvailable": sum(tasks.values()), "maxRetry": 3,
                     "policies": list(policies),
                     "tasks": [{"name": task, "replicas": replicas, "template": template} for task, replicas in tasks.items()]}}


def _group_name(job):
    return f"{job['metadata']['name']}-{job['metadata']['uid']}"


def _path(base, plural, item):
    return f"{base}/namespaces/{item['metadata']['namespace']}/{plural}/{item['metadata']['name']}"


def _owner(job):
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "controller": True, "blockOwnerDeletion": False,
            "name": job["metadata"]["name"], "uid": job["metadata"]["uid"]}
