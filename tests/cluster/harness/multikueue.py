# SPDX-License-Identifier: Apache-2.0
"""Three clusters: a manager that runs no pods, and a worker in ES and one in FR."""
import concurrent.futures

from .api import CORE, KUEUE, is_true
from .control_plane import ControlPlane
from .intensity import World
from .kueue import Kueue
from .pki import Pki
from .processes import Folder, kill_all, wait_until

_VERSION = "kueue.x-k8s.io/v1beta2"


class MultiKueueStage:
    """As Stage, for MultiKueue: `plane` is the manager, `workers` are ControlPlanes by region."""

    def __init__(self):
        self._shared = Folder("pki")
        pki = Pki(self._shared.path)
        self.plane = ControlPlane("manager", runs_pods=False, pki=pki)
        self.workers = {region: ControlPlane(f"worker-{region.lower()}", [region], pki=pki) for region in ("ES", "FR")}
        planes = [self.plane, *self.workers.values()]

        def start(plane):
            plane.start()
            # Only the manager holds jobs: a worker gets what has been released.
            return Kueue(plane, gated=plane is self.plane).install().start()
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.kueue, *self.worker_kueues = pool.map(start, planes)
        self.api = self.plane.api
        self.world = World(self.plane.folder.path, {})
        self.world.curves.pop("DE")
        self.valle = None
        self._connect()

    def _connect(self):
        for region, worker in self.workers.items():
            with open(worker.kubeconfig("admin")) as file:
                self.api.create(f"{CORE}/namespaces/kueue-system/secrets", {
                    "apiVersion": "v1", "kind": "Secret", "metadata": {"name": worker.name}, "stringData": {"kubeconfig": file.read()}})
            self._create("multikueueclusters", "MultiKueueCluster", worker.name, {
                "clusterSource": {"kubeConfig": {"locationType": "Secret", "location": worker.name}}})
        self._check("anywhere", [worker.name for worker in self.workers.values()])
        for region, worker in self.workers.items():
            self._check(f"only-{region.lower()}", [worker.name])
        wait_until("the workers are connected", lambda: all(
            is_true(item, "Active") for item in self.api.items(f"{KUEUE}/multikueueclusters")), 60)

    def _check(self, name, clusters):
        self._create("multikueueconfigs", "MultiKueueConfig", name, {"clusters": clusters})
        self._create("admissionchecks", "AdmissionCheck", name, {
            "controllerName": "kueue.x-k8s.io/multikueue",
            "parameters": {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": name}})

    def _create(self, plural, kind, name, spec):
        self.api.create(f"{KUEUE}/{plural}", {"apiVersion": _VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})

    def queue(self, namespace, name, check):
        """A LocalQueue on the manager whose jobs are dispatched by a check, and its like on the workers."""
        cluster_queue = f"{namespace}-{name}"
        self._ensure_flavor()
        self._create("clusterqueues", "ClusterQueue", cluster_queue, {
            "namespaceSelector": {}, "admissionChecksStrategy": {"admissionChecks": [{"name": check}]},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                {"name": "any", "resources": [{"name": "cpu", "nominalQuota": "100"}]}]}]})
        self.api.create(f"{KUEUE}/namespaces/{namespace}/localqueues", {
            "apiVersion": _VERSION, "kind": "LocalQueue", "metadata": {"name": name}, "spec": {"clusterQueue": cluster_queue}})
        for kueue in self.worker_kueues:
            kueue.plane.namespace(namespace)
            kueue.queues(namespace, name)
        wait_until(f"{cluster_queue} is active", lambda: is_true(self.api.get(f"{KUEUE}/clusterqueues/{cluster_queue}"), "Active"))

    def _ensure_flavor(self):
        self.api.ensure(f"{KUEUE}/resourceflavors", {"apiVersion": _VERSION, "kind": "ResourceFlavor", "metadata": {"name": "any"},
                                                     "spec": {}})

    def close(self):
        kill_all()
