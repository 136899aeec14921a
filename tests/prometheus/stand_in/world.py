# SPDX-License-Identifier: Apache-2.0
"""Who runs when, where and with which load: pods on nodes, boards, and what goes wrong there. Times are whole seconds of a
clock that begins at 0."""
import random
import uuid

from .loads import INTERVAL, random_load

SPAN = 1500            # seconds that the world lives through
BOARD_IDLE = 50.0      # watts of a board that nobody has
LENGTHS = (2, 5, 10, 50)
KINDS = ("steady", "square", "ramp", "step")


class Pod:
    def __init__(self, name, node, start, load, intervals, boards=()):
        self.name, self.node, self.start, self.load, self.intervals = name, node, start, load, intervals
        self.uid = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        self.boards = list(boards)

    @property
    def end(self):
        return self.start + self.load.length

    def runs_at(self, at):
        return self.start <= at < self.end

    def joules_at(self, at):
        return self.load.joules(at - self.start)


class World:
    """`pods_of[node]`, `boards[uuid]` → (node, mode, pods), and events: `restarts` of a node's exporter (back at, after an
    interval away), `outages` (from, to) of scrapes, `reloads` of a node's driver."""

    def __init__(self, seed=7):
        self.dice = random.Random(seed)
        self.pods, self.boards = [], {}
        self.restarts = {"restarting": (500, 1100)}
        self.outages = {"silent": ((400, 475), (1000, 1030))}
        self.reloads = {"reloaded": (600,)}
        for node in ("kepler", "old"):
            self._fill(node, 6)
        self._fill("restarting", 2, (10, 50))
        self._fill("silent", 2, (10, 50))
        self._short("kepler", 24)
        self._boards()

    def _add(self, node, kind, intervals, start, length, boards=()):
        pod = Pod(f"{node}-{kind}-{len(self.pods)}", node, int(start), random_load(kind, int(length), self.dice), intervals,
                  boards)
        self.pods.append(pod)
        return pod

    def _fill(self, node, each, lengths=LENGTHS):
        for kind in KINDS:
            for intervals in lengths:
                for _ in range(each):
                    length = intervals * INTERVAL * self.dice.uniform(1, 1.1)
                    self._add(node, kind, intervals, self.dice.uniform(60, SPAN - length - 120), length)

    def _short(self, node, count):
        for _ in range(count):
            self._add(node, "steady", 1, self.dice.uniform(60, SPAN - 200), self.dice.uniform(3, 28))

    def _board(self, node, mode):
        board = f"GPU-{node}-{len(self.boards):04d}"
        self.boards[board] = (node, mode, [])
        return board

    def _on_board(self, board, kind, intervals, start, length):
        node = self.boards[board][0]
        pod = self._add(node, kind, intervals, start, length, (board,))
        self.boards[board][2].append(pod)
        return pod

    def _boards(self):
        for node in ("fast", "slow"):   # collected every 1 s and every 30 s; idle before and after
            for kind in KINDS:
                for intervals in (2, 5, 10, 30):
                    for _ in range(2):
                        length = intervals * INTERVAL * self.dice.uniform(1, 1.1)
                        start = self.dice.uniform(240, SPAN - length - 280)
                        self._on_board(self._board(node, "plain"), kind, intervals, start, length)
        for _ in range(6):              # the next pod takes the board at once
            board = self._board("taken", "plain")
            first = self._on_board(board, "square", 10, 240, self.dice.uniform(150, 180))
            self._on_board(board, "steady", 10, first.end, self.dice.uniform(150, 180))
        for mode in ("mig", "sliced"):
            for kind in ("steady", "square"):
                board = self._board(mode, mode)
                first = self._on_board(board, kind, 20, self.dice.uniform(240, 500), 320)
                if mode == "sliced":    # two pods share it, from start to end
                    self._on_board(board, kind, 20, first.start, 320)
        for kind in ("steady", "square"):
            self._on_board(self._board("reloaded", "plain"), kind, 20, 450, 330)

    def board_joules(self, board, at):
        """Of the whole board since 0: its pods' loads, and idle where there is none."""
        joules, busy, seen = 0.0, 0.0, set()
        for pod in self.boards[board][2]:
            joules += pod.joules_at(at)
            if (pod.start, pod.end) not in seen:
                busy += min(max(at - pod.start, 0), pod.load.length)
                seen.add((pod.start, pod.end))
        return joules + BOARD_IDLE * (at - busy)

    def away(self, node, at):
        """Whether a scrape of the node's exporter fails."""
        return (any(back - INTERVAL <= at < back for back in self.restarts.get(node, ())) or
                any(a <= at < b for a, b in self.outages.get(node, ())) or
                any(a <= at < a + 45 for a in self.reloads.get(node, ())))
