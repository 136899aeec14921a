# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive the tests, and ports and folders for them."""
import atexit
import concurrent.futures
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time


PATIENCE = 2  # upper limits only: nobody waits longer because of it


class Timeout(AssertionError):
    """Something did not come true in time."""


def wait_until(what, condition, timeout=30.0, every=0.05):
    """The first true value of condition(); an exception in it counts as not yet. Fails with `what` after `timeout` s, of
    which a busy machine gets more."""
    end, last = time.monotonic() + timeout * PATIENCE, None
    while True:
        try:
            value = condition()
            if value:
                return value
            last = None
        except Exception as error:  # the world may be half up: only the time limit decides
            last = error
        if time.monotonic() > end:
            raise Timeout(f"not within {timeout * PATIENCE:.0f} s: {what}" + (f" ({type(last).__name__}: {last})" if last else ""))
        time.sleep(every)


# A child gets the kernel's signal when the *thread* that made it ends, so all are made by one thread that stays.
_spawner = concurrent.futures.ThreadPoolExecutor(1)
_children, _lock = set(), threading.Lock()


class Process:
    """A child with its own process group and a log file. It is killed when this program ends in whatever way."""

    def __init__(self, name, folder, arguments, before=(), environment=None):
        self.name, self.log_path = name, os.path.join(folder, name + ".log")
        command = [*before, "setpriv", "--pdeathsig", "KILL", *arguments]
        with open(self.log_path, "ab") as log:
            self._child = _spawner.submit(
                subprocess.Popen, command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, **(environment or {})}).result()
        with _lock:
            _children.add(self)

    @property
    def pid(self):
        return self._child.pid

    def running(self):
        return self._child.poll() is None

    def signal(self, number):
        if self.running():
            os.killpg(self.pid, number)

    def kill(self):
        """As a crash would end it."""
        self.signal(signal.SIGKILL)
        self._child.wait()
        with _lock:
            _children.discard(self)

    def stop(self, timeout=10):
        """Asks it to end; returns its exit status, None if it had to be killed."""
        self.signal(signal.SIGTERM)
        try:
            status = self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        return status

    def require_running(self):
        if not self.running():
            raise RuntimeError(f"{self.name} ended with {self._child.returncode}:\n{self.log_tail(15)}")
        return True

    def log_tail(self, lines=40):
        with open(self.log_path, errors="replace") as log:
            return "".join(log.readlines()[-lines:])


def kill_all():
    with _lock:
        left = list(_children)
    for child in left:
        child.kill()


_folders = []


def _leave():
    kill_all()
    for folder in _folders:
        folder.remove()


atexit.register(_leave)
for _number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(_number, lambda number, frame: os._exit(_leave() or 128 + number))


def free_ports(count):
    """Ports that nobody listens on, below those which the kernel gives to outgoing connections: a server can come
    back to its port after a restart."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first_outgoing = int(file.read().split()[0])
    held, ports = [], []
    while len(ports) < count:
        port, probe = random.randrange(10000, first_outgoing), socket.socket()
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            probe.close()
            continue
        held.append(probe)
        if port not in ports:
            ports.append(port)
    for probe in held:
        probe.close()
    return ports


class Folder:
    """A temporary folder, kept where a test failed or VALLE_KEEP is set."""

    def __init__(self, name):
        self.path, self.keep = tempfile.mkdtemp(prefix=f"valle-{name}-"), bool(os.environ.get("VALLE_KEEP"))
        _folders.append(self)

    def remove(self):
        if self.keep:
            print(f"kept: {self.path}", flush=True)
        else:
            shutil.rmtree(self.path, ignore_errors=True)
