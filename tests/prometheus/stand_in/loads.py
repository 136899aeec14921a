# SPDX-License-Identifier: Apache-2.0
"""Power of jobs over time, with exact integrals: the truth that figures are compared with. Seconds, watts, joules."""
import math
import random

INTERVAL = 15  # seconds between two scrapes


class Load:
    """`kind`: steady (high), square (low and high by period and duty), ramp (low to high), step (low, from `turn` on
    high)."""

    def __init__(self, kind, length, low=0.0, high=0.0, period=1.0, duty=0.5, phase=0.0, turn=0.0):
        self.kind, self.length, self.low, self.high = kind, length, low, high
        self.period, self.duty, self.phase, self.turn = period, duty, phase, turn

    def joules(self, until=None):
        """From the start to `until` seconds after it."""
        t = self.length if until is None else min(max(until, 0.0), self.length)
        if self.kind == "steady":
            return self.high * t
        if self.kind == "square":
            seconds = (self._high(t / self.period + self.phase) - self._high(self.phase)) * self.period
            return self.low * t + (self.high - self.low) * seconds
        if self.kind == "ramp":
            return self.low * t + (self.high - self.low) * t * t / (2 * self.length)
        return self.low * min(t, self.turn) + self.high * max(0.0, t - self.turn)

    def _high(self, periods):
        whole = math.floor(periods)
        return whole * self.duty + min(periods - whole, self.duty)


def random_load(kind, length, dice: random.Random):
    if kind == "steady":
        return Load(kind, length, high=dice.uniform(120, 600))
    if kind == "square":
        low = dice.uniform(60, 150)
        return Load(kind, length, low, low + dice.uniform(150, 450),
                    period=INTERVAL * dice.choice((0.13, 0.7, 1, 2, 3.3, 7, 12)), duty=dice.uniform(0.3, 0.7),
                    phase=dice.random())
    if kind == "ramp":
        low, high = dice.uniform(60, 200), dice.uniform(400, 700)
        return Load(kind, length, *((low, high) if dice.random() < 0.5 else (high, low)))
    return Load("step", length, dice.uniform(60, 120), dice.uniform(350, 650), turn=length * dice.uniform(0.1, 0.4))
