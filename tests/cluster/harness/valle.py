# SPDX-License-Identifier: Apache-2.0
"""valle itself as a local process, installed on a cluster from deploy/: its RBAC, its policies, its webhook by URL."""
import glob
import json
import os
import re
import time
import urllib.error
import urllib.request

from .api import CORE, ApiError
from .control_plane import REGION_LABEL
from .processes import Process, free_ports, wait_until

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.environ.get("VALLE_PROGRAM", os.path.join(SOURCE, "build", "release", "valle"))
MANIFESTS = os.environ.get("VALLE_MANIFESTS", os.path.join(SOURCE, "deploy"))
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
NAMESPACE = "valle"


def install(plane, webhook_port):
    """Applies deploy/ and points its webhooks to a local port. No pod of the Deployment runs here: nothing makes one."""
    plane.namespace(NAMESPACE)
    files = sorted(glob.glob(os.path.join(MANIFESTS, "*.yaml")))
    if not files:
        raise FileNotFoundError("deploy/ has no manifests: there is nothing to install valle from")
    plane.kubectl("apply", "--server-side", *[part for file in files for part in ("-f", file)])
    point_webhooks(plane, webhook_port)
    time.sleep(2)  # a ValidatingAdmissionPolicy is in force a second or so after it is there


def point_webhooks(plane, port):
    """All webhooks of valle go to 127.0.0.1:port."""
    for kind in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
        for found in plane.api.items(f"{ADMISSION}/{kind}"):
            if not found["metadata"]["name"].startswith("valle"):
                continue
            for hook in found["webhooks"]:
                path = hook["clientConfig"].get("service", {}).get("path") or _path_of(hook["clientConfig"]["url"])
                hook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": plane.pki.ca_base64}
            plane.api.patch(f"{ADMISSION}/{kind}/{found['metadata']['name']}", {"webhooks": found["webhooks"]})


def _path_of(url):
    return "/" + url.split("/", 3)[3]


class Valle:
    """One replica. `settings` are merged over the configuration (two levels); `name` keeps replicas apart."""

    def __init__(self, plane, world, mode="kueue", name="valle", settings=None, kubeconfig=None, webhook_port=None):
        self.plane, self.name = plane, name
        self.webhook_port = webhook_port or free_ports(1)[0]
        self.folder = os.path.join(plane.folder.path, name)
        os.makedirs(self.folder, exist_ok=True)
        self.database = os.path.join(self.folder, "valle.db")
        self._config = {
            "listen": "127.0.0.1:0", "database": self.database,
            "sites": [{"name": region.lower(), "zone": region, "region": region} for region in sorted(world.curves)],
            "sources": [{"kind": "files", "path": world.folder}],
            "planning": {"slot": "10s", "every": "2s", "horizon": "20m", "maxWait": "20m"},
            "kubernetes": {"mode": mode, "kubeconfig": kubeconfig or self._kubeconfig(),
                           "lease": {"namespace": NAMESPACE, "name": "valle"}},
            "webhook": {"listen": f"127.0.0.1:{self.webhook_port}", "certFile": plane.pki.path("tls.crt"),
                        "keyFile": plane.pki.path("tls.key")}}
        for key, value in (settings or {}).items():
            inner = self._config.get(key)
            self._config[key] = {**inner, **value} if isinstance(inner, dict) and isinstance(value, dict) else value
        self.process = None

    def start(self, wait=True):
        config = os.path.join(self.folder, "valle.yaml")
        with open(config, "w") as file:
            json.dump(self._config, file, indent=1)
        log = os.path.join(self.folder, "serve.log")
        self._log_start = os.path.getsize(log) if os.path.exists(log) else 0
        self.process = Process("serve", self.folder, (PROGRAM, "serve", "--config", config))
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        self.url = wait_until(f"{self.name} serves", self._served_url)
        wait_until(f"{self.name} is ready", lambda: self.rest("/readyz") is not None, 30)
        return self

    def wait_leading(self, timeout=30):
        wait_until(f"{self.name} leads", lambda: self.metric("valle_leader") == 1, timeout)
        return self

    def kill(self):
        self.process.kill()

    def stop(self):
        return self.process.stop()

    def rest(self, path, method="GET", body=None):
        """The answer's JSON (or text); raises urllib.error.HTTPError for a refusal."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read().decode()
        try:
            return json.loads(text)
        except ValueError:
            return text

    def metric(self, name, **labels):
        """The sum of a metric's samples with these labels; None if there is none."""
        found = []
        for line in self.rest("/metrics").splitlines():
            match = re.fullmatch(rf"{name}(?:\{{(.*)\}})? (\S+)", line)
            if match and all(f'{key}="{value}"' in (match[1] or "") for key, value in labels.items()):
                found.append(float(match[2]))
        return sum(found) if found else None

    def command(self, *arguments):
        """Another call of the program: (exit status, its output and errors)."""
        import subprocess
        done = subprocess.run((PROGRAM, *arguments), capture_output=True, text=True, cwd=self.folder, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def log_tail(self, lines=60):
        return self.process.log_tail(lines) if self.process else ""

    def _kubeconfig(self):
        return self.plane.service_account(NAMESPACE, "valle")[0]

    def _served_url(self):
        self.process.require_running()
        with open(self.process.log_path, errors="replace") as log:
            log.seek(self._log_start)
            found = re.search(r"valle serves on (http\S+)", log.read())
        return found and found[1]


__all__ = ["ADMISSION", "ApiError", "CORE", "NAMESPACE", "PROGRAM", "REGION_LABEL", "SOURCE", "Valle", "install",
           "point_webhooks", "urllib"]
