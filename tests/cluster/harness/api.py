# SPDX-License-Identifier: Apache-2.0
"""A small client of the Kubernetes API. One keep-alive connection a thread."""
import http.client
import json
import ssl
import threading
import time

BATCH = "/apis/batch/v1"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
CORE = "/api/v1"

_PATCH_TYPES = {"merge": "application/merge-patch+json", "json": "application/json-patch+json"}


class ApiError(Exception):
    def __init__(self, what, status, body):
        self.status, self.body = status, body
        self.message = body.get("message", body) if isinstance(body, dict) else body
        super().__init__(f"{what}: {status} {self.message}")


class Api:
    def __init__(self, port, ca_file, token):
        self._port, self._token = port, token
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._local = threading.local()
        self.warnings = []  # of all answers so far, newest last

    def request(self, method, path, body=None, content_type="application/json", timeout=30):
        """The answer's JSON; ApiError for any status of 300 and above."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = content_type
        for fresh in (False, True):  # an idle connection may have been closed by the server
            connection = getattr(self._local, "connection", None)
            if connection is None or fresh:
                connection = self._local.connection = self._connect(timeout)
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self._local.connection = None
                if fresh:
                    raise
        self.warnings += answer.headers.get_all("Warning") or []
        try:
            document = json.loads(text) if text else {}
        except ValueError:
            document = text.decode(errors="replace")
        if answer.status >= 300:
            raise ApiError(f"{method} {path}", answer.status, document)
        return document

    def get(self, path):
        return self.request("GET", path)

    def find(self, path):
        """None where there is no such object."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def items(self, path):
        return self.get(path)["items"]

    def create(self, path, item):
        return self.request("POST", path, item)

    def create_yaml(self, path, text, dry_run=False):
        return self.request("POST", path + ("?dryRun=All" if dry_run else ""), text, "application/yaml")

    def ensure(self, path, item):
        """Created, or there already."""
        try:
            return self.create(path, item)
        except ApiError as error:
            if error.status != 409:
                raise
            return self.get(f"{path}/{item['metadata']['name']}")

    def patch(self, path, change, kind="merge"):
        return self.request("PATCH", path, change, _PATCH_TYPES[kind])

    def delete(self, path, policy="Background"):
        return self.request("DELETE", path, {"propagationPolicy": policy})

    def watch(self, path, seconds):
        """(time.time(), type, object) of what happens in a collection from now on, for so many seconds."""
        version = self.get(path + ("&" if "?" in path else "?") + "limit=1")["metadata"]["resourceVersion"]
        connection, end = self._connect(seconds + 5), time.monotonic() + seconds
        connection.request("GET", f"{path}{'&' if '?' in path else '?'}watch=1&resourceVersion={version}"
                                  f"&timeoutSeconds={max(1, int(seconds))}",
                           headers={"Authorization": f"Bearer {self._token}"})
        answer = connection.getresponse()
        try:
            while time.monotonic() < end:
                line = answer.readline()
                if not line:
                    return
                event = json.loads(line)
                yield time.time(), event["type"], event["object"]
        finally:
            connection.close()

    def _connect(self, timeout):
        return http.client.HTTPSConnection("127.0.0.1", self._port, context=self._tls, timeout=timeout)


def condition(item, kind):
    """The condition of that type as a dict; {} if it isn't there."""
    for found in item.get("status", {}).get("conditions", []):
        if found["type"] == kind:
            return found
    return {}


def is_true(item, kind):
    return condition(item, kind).get("status") == "True"


def annotations(item):
    return item["metadata"].get("annotations") or {}
