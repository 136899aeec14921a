# SPDX-License-Identifier: Apache-2.0
"""Serves the exporters over HTTP: /KIND/NODE. The world's clock runs SPEED times as fast as the wall's; its samples are
stamped with an epoch that lies so far back that they end before now."""
import http.server
import threading
import time

from .exporters import Dcgm, Kepler, OldKepler, Vllm
from .loads import INTERVAL
from .world import SPAN

SPEED = 30  # an interval of 15 s takes half a second
WALL_INTERVAL = INTERVAL / SPEED


class Clock:
    def __init__(self):
        self.begun = time.time() + 3
        self.epoch = int(self.begun) - SPAN - 600  # of the world's 0, in seconds since 1970

    def now(self):
        return (time.time() - self.begun) * SPEED


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a scraper that was stopped


class StandIn:
    """Begins to serve at once; before the world's 0 every scrape fails."""

    def __init__(self, world):
        self.world, self.clock = world, Clock()
        self.exporters = {f"/kepler/{node}": Kepler(world, node) for node in ("kepler", "restarting", "silent")}
        self.exporters["/old/old"] = OldKepler(world, "old")
        for node in ("fast", "slow", "taken", "mig", "sliced", "reloaded"):
            self.exporters[f"/dcgm/{node}"] = Dcgm(world, node, 30 if node == "slow" else 1)
        served = next(pod for pod in world.pods if pod.node == "taken")
        self.exporters["/vllm/taken"] = Vllm(served, served.start + 80)
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                stand_in.answer(self)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def target(self):
        return f"127.0.0.1:{self.server.server_address[1]}"

    def answer(self, request):
        at = self.clock.now()
        node = request.path.rsplit("/", 1)[-1]
        exporter = self.exporters.get(request.path)
        if exporter is None or at < 0 or self.world.away(node, at):
            return self._send(request, 503, "")
        stamp = round((self.clock.epoch + at) * 1000)
        self._send(request, 200, "\n".join(exporter.scrape(at, stamp)) + "\n")

    @staticmethod
    def _send(request, status, text):
        body = text.encode()
        request.send_response(status)
        request.send_header("Content-Type", "text/plain; version=0.0.4")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
