# SPDX-License-Identifier: Apache-2.0
"""Energy read through two real Prometheus servers, against exact integrals of the loads: the error of reading, not that of a
sensor."""
import collections
import statistics
import unittest

from stand_in.exporters import JOULES_PER_TOKEN
from stand_in.scraped import EPOCH, scraped
from stand_in.servers import Folder, Prometheus, kill_all, measure, run_of
from stand_in.world import World

JOULES = 3.6e6  # in a kilowatt-hour


class Stage:
    def __init__(self):
        self.folder = Folder("prometheus")
        self.world = World()
        self.servers = scraped(self.folder, self.world, ("a", "b"))
        # The boards of every other pod are learnt from the exporter's labels.
        self.runs = [run_of(pod, EPOCH, boards=index % 2 == 0) for index, pod in enumerate(self.world.pods)]
        self.both = measure(self.folder, self.servers, self.runs)
        self.one = measure(self.folder, self.servers[:1], self.runs)


def setUpModule():
    global stage
    stage = Stage()


def tearDownModule():
    kill_all()
    stage.folder.remove()


class Energy(unittest.TestCase):
    def figures(self, node, boundary="pod", answers=None, **wanted):
        """(pod, joules, uncertainty, figure) of the pods of a node that were seen."""
        found = []
        for pod in stage.world.pods:
            figure = (answers or stage.both)[pod.name]["figures"].get(boundary)
            if pod.node == node and figure and all(getattr(pod, key) == value for key, value in wanted.items()):
                found.append((pod, JOULES * figure["energyKwh"], JOULES * figure["uncertaintyKwh"], figure))
        self.assertTrue(found, f"nothing was seen of {node} {wanted}")
        return found

    def errors(self, found, truth=lambda pod: pod.load.joules()):
        return sorted(abs(joules / truth(pod) - 1) for pod, joules, _, _ in found)

    def assert_held(self, found, truth=lambda pod: pod.load.joules(), least=0.95):
        """Whole milliwatt-hours are 3.6 J. Of a few pods one may be outside: 19 of 20 says no more of them."""
        missed = sum(abs(joules - truth(pod)) > uncertainty + 4 for pod, joules, uncertainty, _ in found)
        self.assertLessEqual(missed, max(1, (1 - least) * len(found)))

    def report(self, title, found, truth=lambda pod: pod.load.joules()):
        by_length = collections.defaultdict(list)
        for entry in found:
            by_length[entry[0].intervals].append(entry)
        for intervals, entries in sorted(by_length.items()):
            errors = self.errors(entries, truth)
            steady = self.errors([e for e in entries if e[0].load.kind == "steady"] or entries, truth)
            held = sum(abs(j - truth(p)) <= u + 4 for p, j, u, _ in entries) / len(entries)
            width = statistics.median(u / truth(p) for p, _, u, _ in entries)
            print(f"{title:28} {intervals:3} T: n {len(entries):3}, steady worst {100 * steady[-1]:6.2f} %, any p95 "
                  f"{100 * errors[int(0.95 * (len(errors) - 1))]:6.2f} worst {100 * errors[-1]:6.2f} %, held "
                  f"{100 * held:5.1f} %, width {100 * width:5.1f} %", flush=True)

    def test_new_kepler_steady_within_a_percent_from_two_intervals(self):
        for answers in (stage.both, stage.one):
            found = [f for f in self.figures("kepler", answers=answers) if f[0].intervals >= 2]
            self.report("kepler, two" if answers is stage.both else "kepler, one", found)
            steady = [f for f in found if f[0].load.kind == "steady"]
            self.assertLessEqual(self.errors(steady)[-1], 0.01)
            self.assert_held(found)
            long = self.errors([f for f in found if f[0].intervals == 50])
            self.assertLessEqual(long[-1], 0.03)

    def test_pods_shorter_than_two_scrapes_are_within_what_is_stated_or_unknown(self):
        short = [pod for pod in stage.world.pods if pod.intervals == 1]
        seen = self.figures("kepler", intervals=1)
        self.assertGreater(len(seen), len(short) // 2)
        self.assert_held(seen)
        for pod in short:
            answer = stage.both[pod.name]
            if not answer["figures"]:
                self.assertEqual(answer["outcome"], "no-data")

    def test_two_replicas_count_nothing_twice(self):
        for pod, joules, uncertainty, _ in self.figures("kepler"):
            self.assertLessEqual(joules, pod.load.joules() + uncertainty + 4)

    def test_old_kepler_with_its_idle_energy_beside(self):
        found = self.figures("old")
        self.report("kepler <= 0.9", found)
        steady = [f for f in found if f[0].load.kind == "steady" and f[0].intervals >= 10]
        self.assertLessEqual(self.errors(steady)[-1], 0.01)
        self.assert_held([f for f in found if f[0].intervals >= 5])
        for pod, _, _, figure in self.figures("old", intervals=50):
            self.assertAlmostEqual(JOULES * figure["idleKwh"] / (20 * pod.load.length), 1, delta=0.05)

    def test_restarts_of_kepler_are_bridged_and_said(self):
        found = self.figures("restarting")
        hit = [f for f in found if any(f[0].start + 15 < back - 15 and back + 15 < f[0].end
                                       for back in stage.world.restarts["restarting"])]
        self.assertTrue(hit)
        self.report("kepler, restarted", hit)
        for _, _, _, figure in hit:
            self.assertTrue(any("restarted" in note for note in figure["notes"]), figure)
        self.assert_held(hit)

    def test_outages_of_an_exporter_are_bridged_by_its_counter_or_left_open(self):
        found = self.figures("silent")
        self.report("kepler, outages", found)
        self.assert_held(found)
        over = [f for f in found if f[0].start < 385 and f[0].end > 510 and f[0].intervals == 50]
        if over:
            self.assertLessEqual(self.errors(over)[-1], 0.04)

    def test_boards_that_were_idle_beside_the_run(self):
        for node in ("fast", "slow"):
            found = self.figures(node, "board")
            self.report(f"dcgm, {node}", found)
            self.assertLessEqual(self.errors(found)[-1], 0.01, node)
            self.assert_held(found)
            for _, _, _, figure in found:
                self.assertIn("wide bracket", figure["method"])

    def test_boards_that_are_taken_again_at_once_sum_to_the_counter(self):
        found = self.figures("taken", "board")
        self.report("dcgm, neighbours", found)
        self.assert_held(found)
        by_board = collections.defaultdict(list)
        for entry in found:
            by_board[entry[0].boards[0]].append(entry)
        for entries in by_board.values():
            truth = sum(pod.load.joules() for pod, _, _, _ in entries)
            self.assertAlmostEqual(sum(joules for _, joules, _, _ in entries) / truth, 1, delta=0.03)

    def test_a_token_takes_what_it_took_though_the_server_restarted(self):
        answer = stage.both[next(pod.name for pod in stage.world.pods if pod.node == "taken")]
        tokens = {figure["boundary"]: figure for figure in answer["tokens"]}["board"]
        self.assertEqual(tokens["model"], "sim-8b")
        print(f"{tokens['tokens']} tokens of {tokens['joulesPerToken']} J", flush=True)
        self.assertAlmostEqual(tokens["joulesPerToken"] / JOULES_PER_TOKEN, 1, delta=0.05)

    def test_mig_instances_repeat_the_board_and_count_once(self):
        found = self.figures("mig", "board")
        self.report("dcgm, MIG", found)
        self.assertLessEqual(self.errors(found)[-1], 0.01)

    def test_time_slices_share_their_board(self):
        by_board = collections.defaultdict(list)
        for entry in self.figures("sliced", "board"):
            by_board[entry[0].boards[0]].append(entry)
        for entries in by_board.values():
            self.assertEqual(len(entries), 2)
            truth = sum(pod.load.joules() for pod, _, _, _ in entries)
            self.assertAlmostEqual(sum(joules for _, joules, _, _ in entries) / truth, 1, delta=0.01)
            self.assertTrue(all(figure["allocated"] for _, _, _, figure in entries))

    def test_driver_reloads_are_bridged_and_said(self):
        found = self.figures("reloaded", "board")
        self.report("dcgm, driver reload", found)
        self.assert_held(found)
        for _, _, _, figure in found:
            self.assertGreater(figure["bridgedKwh"], 0)
            self.assertLess(figure["coverage"], 1)

    def test_clocks_five_minutes_apart_are_said(self):
        pods = [pod for pod in stage.world.pods if pod.node == "kepler" and pod.intervals == 10]
        answers = measure(stage.folder, stage.servers, [run_of(pod, EPOCH + 300) for pod in pods])
        for pod in pods:
            figure = answers[pod.name]["figures"]["pod"]
            self.assertIn("clocks disagree: no tail carried to the end", figure["notes"])
            self.assertLessEqual(JOULES * figure["energyKwh"], 1.01 * pod.load.joules())

    def test_profiles_sum_to_their_energy(self):
        for answer in stage.both.values():
            for figure in answer["figures"].values():
                milliwatt_hours = sum(round(1e6 * part["energyKwh"]) for part in figure["profile"])
                self.assertEqual(milliwatt_hours, round(1e6 * figure["energyKwh"]))

    def test_a_server_that_is_away_is_no_zero(self):
        stopped = Prometheus("away", stage.folder)
        stopped.process.kill()
        answers = measure(stage.folder, [stopped], stage.runs[:3])
        for answer in answers.values():
            self.assertEqual((answer["outcome"], answer["figures"]), ("unavailable", {}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
