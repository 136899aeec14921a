# SPDX-License-Identifier: Apache-2.0
"""What is read off from outside: a process's cost, the API server's audit log, latencies of creations."""
import collections
import concurrent.futures
import datetime
import json
import os
import re
import time

AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Metadata", "userGroups": ["system:serviceaccounts:valle"]}, {"level": "None"}]}


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Cost:
    """Processor time of a process from now on, and its memory."""

    def __init__(self, pid):
        self._pid, self._begun = pid, time.monotonic()
        self._used = self._seconds()

    def _seconds(self):
        with open(f"/proc/{self._pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_seconds(self):
        return self._seconds() - self._used

    def cpu_share(self):
        return self.cpu_seconds() / (time.monotonic() - self._begun)

    def megabytes(self, what="VmRSS"):
        with open(f"/proc/{self._pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(what)) / 1024


class Audit:
    """valle's own requests, as the API server wrote them down."""

    def __init__(self, folder):
        self._log, policy = os.path.join(folder, "audit.log"), os.path.join(folder, "audit.json")
        with open(policy, "w") as file:
            json.dump(AUDIT_POLICY, file)
        self.flags = (f"--audit-policy-file={policy}", f"--audit-log-path={self._log}")

    def position(self):
        return os.path.getsize(self._log) if os.path.exists(self._log) else 0

    def since(self, position):
        """How many finished requests of each "verb resource"; watches are counted when they end."""
        counts = collections.Counter()
        with open(self._log) as file:
            file.seek(position)
            for line in file:
                event = json.loads(line)
                counts[f"{event['verb']} {event.get('objectRef', {}).get('resource', event['requestURI'])}"] += 1
        return counts


def create_all(jobs, items, threads=8):
    """Creates Jobs from several threads at once: seconds that each took, in the order of `items`, and all together."""
    def create(item):
        begun = time.monotonic()
        jobs.create(item)
        return time.monotonic() - begun
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        took = list(pool.map(create, items))
    return took, time.monotonic() - begun


class Logged:
    """The lines of a log from its present end on, as they come: dicts, with `at` in seconds since 1970."""

    def __init__(self, path):
        self._path, self._at, self._lines = path, os.path.getsize(path), []

    def all(self, event):
        with open(self._path) as file:
            file.seek(self._at)
            while (line := file.readline()).endswith("\n"):
                self._at = file.tell()
                self._lines.append(line)
        return [_parts(line) for line in self._lines if re.search(rf"\b{event}\b", line)]

    def first(self, event):
        found = self.all(event)
        return found[0] if found else None


def _parts(line):
    words = dict(re.findall(r"(\w+)=(\S+)", line))
    at = datetime.datetime.fromisoformat(line.split()[0].replace("Z", "+00:00")).timestamp()
    return {**words, "at": at}
