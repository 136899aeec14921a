# SPDX-License-Identifier: Apache-2.0
"""The recording rules that give nodes and namespaces their grid zone, by promtool; and that the dashboard asks only for what
they, valle and the exporters have."""
import json
import os
import re
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ENERGY = os.path.join(HERE, "..", "..", "deploy", "options", "energy")


class Rules(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run(["promtool", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_are_well_formed(self):
        self.promtool("check", "rules", os.path.join(ENERGY, "zones.rules.yml"))

    def test_give_what_they_should(self):
        self.promtool("test", "rules", os.path.join(HERE, "rules_test.yml"))


class Dashboard(unittest.TestCase):
    def test_asks_for_metrics_that_there_are(self):
        with open(os.path.join(ENERGY, "zones.rules.yml")) as file:
            recorded = set(re.findall(r"record: (\S+)", file.read()))
        with open(os.path.join(ENERGY, "dashboard.json")) as file:
            dashboard = json.load(file)
        asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
        self.assertGreater(len(asked), 8)
        for query in asked:
            for name in re.findall(r"valle:[a-z_:]+", query):
                self.assertIn(name, recorded)
            self.promql(query)

    def promql(self, query):
        """A query is well formed if a rule of it is."""
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"valle-query-{os.getpid()}.yml")
        try:
            with open(path, "w") as file:
                json.dump({"groups": [{"name": "q", "rules": [{"record": "q", "expr": query.replace("$__range", "1h")}]}]}, file)
            done = subprocess.run(["promtool", "check", "rules", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, query + "\n" + done.stdout + done.stderr)
        finally:
            os.remove(path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
