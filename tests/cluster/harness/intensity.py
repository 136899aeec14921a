# SPDX-License-Identifier: Apache-2.0
"""Carbon intensity in files of 10-second steps, so that a "day" passes in a minute."""
import datetime
import os
import time

STEP = 10    # seconds: one "hour"
CYCLE = 60   # seconds: one "day" of six of them


def instant(text):
    """RFC 3339 with Z to seconds since 1970."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def text_of(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


FR_CLEAN, ES_CLEAN = 30, 50  # seconds of the minute


def _fr(at):
    return 60.0 if at % CYCLE == FR_CLEAN else 300.0


def _es(at):
    return 30.0 if at % CYCLE == ES_CLEAN else 400.0


class World:
    """FR is clean at second 30 of each minute, ES cleaner at second 50; DE gets cleaner all the time, so that the best
    start there is always the last one allowed. `curves` may give other functions (step's start -> g/kWh) by zone."""

    def __init__(self, folder, curves=None, past=600, future=3600):
        self.folder = os.path.join(folder, "intensity")
        os.makedirs(self.folder, exist_ok=True)
        now = int(time.time()) // STEP * STEP
        self._first, self._last = now - past, now + future
        first = self._first
        self.curves = {"FR": _fr, "ES": _es, "DE": lambda at: 1500.0 - (at - first) / STEP, **(curves or {})}
        for zone in self.curves:
            self.write(zone)

    def write(self, zone, curve=None):
        """Writes a zone's file anew, whole at once as a provider's download would come."""
        if curve:
            self.curves[zone] = curve
        path = os.path.join(self.folder, f"{zone}.csv")
        with open(path + ".new", "w") as file:
            file.write("datetime_utc,gco2_kwh_lifecycle\n")
            for at in range(self._first, self._last, STEP):
                file.write(f"{text_of(at)},{self.curves[zone](at):.3f}\n")
        os.replace(path + ".new", path)

    def at(self, zone, seconds):
        """g/kWh in the step that holds the instant."""
        return self.curves[zone](int(seconds) // STEP * STEP)

    def cleanest(self, zones, earliest, latest):
        """The least g/kWh of a step that starts in [earliest, latest]: what a run of one step can have at best."""
        first = -(-int(earliest) // STEP) * STEP
        return min(self.at(zone, at) for zone in zones for at in range(first, int(latest) + 1, STEP))
