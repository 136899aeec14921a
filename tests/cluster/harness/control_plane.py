# SPDX-License-Identifier: Apache-2.0
"""One cluster: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok with nodes in three regions."""
import json
import os
import secrets
import subprocess

from .api import CORE, Api, ApiError, is_true
from .pki import Pki
from .processes import Folder, Process, free_ports, wait_until

ASSETS = os.environ.get("KUBEBUILDER_ASSETS", "")
REGION_LABEL = "topology.kubernetes.io/region"
REGIONS = ("FR", "ES", "DE")

_CONTROLLERS = ("job-controller,cronjob-controller,garbage-collector-controller,namespace-controller,"
                "serviceaccount-controller,serviceaccount-token-controller,root-ca-certificate-publisher-controller,"
                "ttl-after-finished-controller,pod-garbage-collector-controller")


def program(name):
    path = os.path.join(ASSETS, name)
    if not ASSETS or not os.access(path, os.X_OK):
        raise RuntimeError("KUBEBUILDER_ASSETS must name the folder that tests/cluster/tools/build prints")
    return path


class ControlPlane:
    def __init__(self, name="cluster", regions=REGIONS, runs_pods=True, pki=None, apiserver_flags=()):
        """`runs_pods` false: no scheduler and no nodes, as on a cluster that only manages others."""
        self.name, self.regions, self._runs_pods, self._apiserver_flags = name, regions, runs_pods, apiserver_flags
        self.folder = Folder(name)
        self.pki = pki or Pki(self.folder.path)
        self._etcd_port, self._etcd_peers, self.port = free_ports(3)
        self._tokens = {user: secrets.token_hex(16) for user in ("admin", "nobody")}
        self.processes = {}

    # -- life

    def start(self):
        with open(self._path("tokens.csv"), "w") as file:
            for user, token in self._tokens.items():
                file.write(f"{token},{user},{user}" + (',"system:masters"' if user == "admin" else "") + "\n")
        self.start_etcd()
        self.start_apiserver()  # it waits for etcd by itself
        self.api = self.api_as("admin")
        self.wait_for_apiserver()
        admin = f"--kubeconfig={self.kubeconfig('admin')}"
        rates = ("--kube-api-qps=300", "--kube-api-burst=500")
        self._spawn("kube-controller-manager", admin, "--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port=0",
                    f"--controllers={_CONTROLLERS}", f"--service-account-private-key-file={self.pki.path('sa.key')}",
                    f"--root-ca-file={self.pki.path('ca.crt')}", *rates)
        if self._runs_pods:
            self._spawn("kube-scheduler", admin, "--leader-elect=false", "--secure-port=0", *rates)
            self._spawn("kwok", admin, f"--config={os.path.join(ASSETS, 'stages.yaml')}", "--manage-all-nodes=true",
                        "--cidr=10.0.0.0/24", "--node-ip=10.0.0.1", "--node-lease-duration-seconds=0")
            for region in self.regions:
                self._add_node(region)
            wait_until("nodes are ready", lambda: all(is_true(node, "Ready") for node in self.api.items(f"{CORE}/nodes")))
        self.wait_for_namespace("default")
        return self

    def start_etcd(self):
        client = f"http://127.0.0.1:{self._etcd_port}"
        self._spawn("etcd", "--data-dir", self._path("etcd"), "--listen-client-urls", client,
                    "--advertise-client-urls", client, "--listen-peer-urls", f"http://127.0.0.1:{self._etcd_peers}",
                    "--unsafe-no-fsync=true", "--log-level=warn")

    def start_apiserver(self):
        pki = self.pki.path
        self._spawn("kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self._etcd_port}", "--bind-address=127.0.0.1",
                    f"--secure-port={self.port}", f"--cert-dir={self._path('certs')}",
                    f"--tls-cert-file={pki('tls.crt')}", f"--tls-private-key-file={pki('tls.key')}",
                    "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
                    f"--service-account-issuer=https://127.0.0.1:{self.port}",
                    f"--service-account-key-file={pki('sa.pub')}", f"--service-account-signing-key-file={pki('sa.key')}",
                    f"--token-auth-file={self._path('tokens.csv')}", "--authorization-mode=RBAC", "--allow-privileged",
                    "--disable-admission-plugins=TaintNodesByCondition", "--v=1", *self._apiserver_flags)

    def wait_for_apiserver(self):
        def ready():
            self.processes["kube-apiserver"].require_running()
            self.api.get("/readyz")
            return True
        wait_until("the API server is ready", ready, 90)

    def restart_apiserver(self):
        self.processes["kube-apiserver"].kill()
        self.start_apiserver()
        self.wait_for_apiserver()

    def stop(self):
        for process in reversed(list(self.processes.values())):
            process.kill()

    # -- access

    def api_as(self, user):
        return Api(self.port, self.pki.path("ca.crt"), self._tokens[user])

    def kubeconfig(self, user):
        return self.kubeconfig_of(user, self._tokens[user])

    def kubeconfig_of(self, user, token):
        """The path of a kubeconfig for a bearer token."""
        path = self._path(f"{user}.kubeconfig")
        config = {"apiVersion": "v1", "kind": "Config", "current-context": self.name,
                  "clusters": [{"name": self.name, "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                               "certificate-authority-data": self.pki.ca_base64}}],
                  "users": [{"name": user, "user": {"token": token}}],
                  "contexts": [{"name": self.name, "context": {"cluster": self.name, "user": user}}]}
        with open(path, "w") as file:
            json.dump(config, file)
        return path

    def service_account(self, namespace, name):
        """(kubeconfig, Api) of a service account, with a token as its pods would have."""
        answer = self.api.create(f"{CORE}/namespaces/{namespace}/serviceaccounts/{name}/token",
                                 {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                  "spec": {"expirationSeconds": 7200}})
        token = answer["status"]["token"]
        return self.kubeconfig_of(f"{namespace}.{name}", token), Api(self.port, self.pki.path("ca.crt"), token)

    def kubectl(self, *arguments, check=True, warnings=False):
        """What it prints; with `warnings` also what it says beside."""
        done = subprocess.run((program("kubectl"), f"--kubeconfig={self.kubeconfig('admin')}", *arguments),
                              capture_output=True, text=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr or done.stdout}")
        return done.stdout + (done.stderr if warnings else "")

    def namespace(self, name):
        self.api.ensure(f"{CORE}/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.wait_for_namespace(name)
        return name

    def wait_for_namespace(self, name):
        """Before its service account is there, pods are refused."""
        wait_until(f"namespace {name} has its service account",
                   lambda: self.api.find(f"{CORE}/namespaces/{name}/serviceaccounts/default"))

    # -- parts

    def _spawn(self, name, *arguments):
        self.processes[name] = Process(name, self.folder.path, (program(name), *arguments))

    def _path(self, name):
        return os.path.join(self.folder.path, name)

    def _add_node(self, region):
        name, room = f"node-{region.lower()}", {"cpu": "4000", "memory": "16Ti", "pods": "5000"}
        self.api.create(f"{CORE}/nodes", {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                                                  REGION_LABEL: region}},
            "status": {"allocatable": room, "capacity": room}})


__all__ = ["ASSETS", "REGIONS", "REGION_LABEL", "ApiError", "ControlPlane", "program"]
