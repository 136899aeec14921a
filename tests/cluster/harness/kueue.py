# SPDX-License-Identifier: Apache-2.0
"""Kueue on a control plane: installed, started, stopped; flavors, queues and workloads."""
import http.client
import json
import os
import secrets

from .api import BATCH, CORE, KUEUE, annotations, is_true
from .control_plane import REGION_LABEL, program
from .manifests import CRDS, post_definitions, post_webhooks
from .processes import Process, free_ports, wait_until

GATE = "kueue.x-k8s.io/admission-gated-by"
QUEUE = "kueue.x-k8s.io/queue-name"

_CONVERTED = ("workloads", "clusterqueues", "localqueues", "cohorts", "multikueueclusters")
_WEBHOOKS = ("job", "workload", "clusterqueue", "resourceflavor", "cohort", "localqueue", "admissioncheck", "multikueuecluster")

# Without its own certificate management Kueue reads /etc/kueue/metrics/certs: it gets a view of /etc with that added.
_WITH_CERTIFICATES = """
mount -t tmpfs none /mnt && mkdir /mnt/upper /mnt/work &&
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc &&
mkdir -p /etc/kueue/metrics/certs && cp "$0/tls.crt" "$0/tls.key" /etc/kueue/metrics/certs/ && exec "$@"
"""


class Kueue:
    def __init__(self, plane, frameworks=("batch/job",), gated=True, settings=None):
        """`gated` false: the feature gate AdmissionGatedBy is off. `settings`: more members of Kueue's configuration."""
        self.plane, self.frameworks, self.gated, self._settings = plane, frameworks, gated, settings or {}
        self._port, self._health, self._metrics = free_ports(3)

    def install(self):
        api, names = self.plane.api, post_definitions(self.plane, "kueue")
        hook = {"conversionReviewVersions": ["v1"], "clientConfig": self._client("/convert")}
        for name in names:
            if name.split(".")[0] in _CONVERTED:
                api.patch(f"{CRDS}/{name}", {"spec": {"conversion": {"strategy": "Webhook", "webhook": hook}}})
        api.create(f"{CORE}/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}})
        wanted = {name.split(".")[0] for name in names if name.endswith(".kueue.x-k8s.io")}
        wait_until("Kueue's kinds are served", lambda: wanted <= {
            found["name"] for found in api.get(KUEUE)["resources"]}, every=0.1)
        return self

    def start(self):
        """Returns when webhooks and controllers work."""
        config = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "namespace": "kueue-system",
                  "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health}"},
                  "metrics": {"bindAddress": f"127.0.0.1:{self._metrics}"},
                  "webhook": {"host": "127.0.0.1", "port": self._port, "certDir": self.plane.pki.folder},
                  "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
                  "clientConnection": {"qps": 300, "burst": 500},
                  "integrations": {"frameworks": list(self.frameworks)},
                  "featureGates": {"AdmissionGatedBy": self.gated, "VisibilityOnDemand": False}, **self._settings}
        path = os.path.join(self.plane.folder.path, "kueue.yaml")
        with open(path, "w") as file:
            json.dump(config, file)
        self.process = Process("kueue", self.plane.folder.path,
                               (program("kueue"), f"--config={path}", f"--kubeconfig={self.plane.kubeconfig('admin')}"),
                               before=self._own_view_of_etc())
        self.plane.processes["kueue"] = self.process
        wait_until("Kueue is ready", self._ready, 60)
        self._post_webhooks()
        self._wait_for_controllers()
        return self

    def kill(self):
        """Its webhooks stay, so that each write of a Job is refused until it is back."""
        self.process.kill()

    # -- objects

    def queues(self, namespace, queue="queue", cluster_queue=None, cpu=1000, regions=None, checks=(), nodes=True):
        """A flavor a region, a ClusterQueue with `cpu` (a number, or one a region) for each, and a LocalQueue to it."""
        api, regions = self.plane.api, regions or self.plane.regions
        cluster_queue = cluster_queue or f"{namespace}-{queue}"
        cpu = cpu if isinstance(cpu, dict) else {region: cpu for region in regions}
        for region in regions:
            labels = {"nodeLabels": {REGION_LABEL: region}} if nodes else {}
            api.ensure(f"{KUEUE}/resourceflavors", _kueue("ResourceFlavor", flavor(region), spec=labels))
        quotas = [{"name": flavor(region), "resources": [{"name": "cpu", "nominalQuota": str(cpu[region])}]}
                  for region in regions]
        spec = {"namespaceSelector": {}, "resourceGroups": [{"coveredResources": ["cpu"], "flavors": quotas}],
                "preemption": {"withinClusterQueue": "LowerPriority"}}
        if checks:
            spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
        api.ensure(f"{KUEUE}/clusterqueues", _kueue("ClusterQueue", cluster_queue, spec=spec))
        api.ensure(f"{KUEUE}/namespaces/{namespace}/localqueues",
                   _kueue("LocalQueue", queue, namespace, {"clusterQueue": cluster_queue}))
        wait_until(f"{cluster_queue} is active",
                   lambda: is_true(api.get(f"{KUEUE}/clusterqueues/{cluster_queue}"), "Active"))
        return queue

    def workload(self, namespace, job, kind="Job"):
        """The Workload of a Job; None before there is one."""
        for found in self.plane.api.items(f"{KUEUE}/namespaces/{namespace}/workloads"):
            if any(owner["name"] == job and owner["kind"] == kind
                   for owner in found["metadata"].get("ownerReferences", [])):
                return found
        return None

    def reserved_cpu(self, cluster_queue):
        """CPU held in a ClusterQueue over all flavors. Kueue writes it about once a second."""
        status = self.plane.api.get(f"{KUEUE}/clusterqueues/{cluster_queue}").get("status", {})
        return sum(_number(resource["total"]) for usage in status.get("flavorsReservation", [])
                   for resource in usage["resources"] if resource["name"] == "cpu")

    # -- parts

    def _client(self, path):
        return {"url": f"https://127.0.0.1:{self._port}{path}", "caBundle": self.plane.pki.ca_base64}

    def _own_view_of_etc(self):
        root = [] if os.geteuid() == 0 else ["--map-root-user"]
        return ("unshare", *root, "--mount", "sh", "-c", _WITH_CERTIFICATES, self.plane.pki.folder)

    def _ready(self):
        self.process.require_running()
        connection = http.client.HTTPConnection("127.0.0.1", self._health, timeout=2)
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200

    def _post_webhooks(self):
        wanted = _WEBHOOKS + (("jobset",) if "jobset.x-k8s.io/jobset" in self.frameworks else ())
        post_webhooks(self.plane, "kueue", self._client, wanted)

    def _wait_for_controllers(self):
        """Kueue calls itself ready before its controllers run. A Job that it takes in shows that they do."""
        namespace, name = "kueue-canary", f"canary-{secrets.token_hex(3)}"
        self.plane.namespace(namespace)
        jobs = f"{BATCH}/namespaces/{namespace}/jobs"
        self.plane.api.ensure(f"{KUEUE}/namespaces/{namespace}/localqueues",
                              _kueue("LocalQueue", "canary", namespace, {"clusterQueue": "canary"}))
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "none"}]}}
        wait_until("Kueue's webhooks answer", lambda: self.plane.api.create(
            jobs, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "labels": {QUEUE: "canary"}},
                   "spec": {"suspend": True, "template": template}}))
        wait_until("Kueue makes Workloads", lambda: self.workload(namespace, name))
        self.plane.api.delete(f"{jobs}/{name}")


def flavor(region):
    return f"region-{region.lower()}"


def workload_flavors(workload):
    """The flavors that a Workload was admitted with."""
    sets = workload.get("status", {}).get("admission", {}).get("podSetAssignments", [])
    return sorted({name for one in sets for name in one.get("flavors", {}).values()})


def gates(item):
    return [name for name in annotations(item).get(GATE, "").split(",") if name]


def _kueue(kind, name, namespace=None, spec=None):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": metadata, "spec": spec or {}}


def _number(quantity):
    return int(quantity[:-1]) / 1000 if quantity.endswith("m") else float(quantity)
