# SPDX-License-Identifier: Apache-2.0
"""Without a mutating webhook: the API server gates carbon-aware Jobs by deploy/options/mutating-admission-policy.yaml, so
that they are accepted, and held, while valle is down."""
import os
import time

from harness.api import annotations
from harness.jobs import carbon, job
from harness.kueue import GATE, gates
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, alone, main
from harness.valle import ADMISSION, MANIFESTS


class Policy(Scenario):
    @alone
    def test_held_while_valle_is_down_and_released_later(self):
        self.valle.kill()
        self.jobs.create(job("held", carbon("60s", "DE")))
        self.assertEqual(gates(self.jobs.get("held")), ["valle.sh/carbon"])
        self.assert_holds_no_quota("held")
        time.sleep(2)
        self.valle.start().wait_leading(40)
        self.wait_completed("held")
        self.assert_ran_as_planned("held", ("DE",))

    @alone
    def test_another_gate_stays_and_others_are_untouched(self):
        both = self.jobs.create(job("both", {**carbon("10m", "DE"), GATE: "ops.example.org/freeze"}))
        self.assertEqual(sorted(gates(both)), ["ops.example.org/freeze", "valle.sh/carbon"])
        plain = self.jobs.create(job("plain"))
        self.assertEqual(annotations(plain), {})
        self.wait_completed("plain")


def stage():
    found = Stage(apiserver_flags=("--feature-gates=MutatingAdmissionPolicy=true",
                                   "--runtime-config=admissionregistration.k8s.io/v1beta1=true"))
    for kind in ("mutating", "validating"):
        found.api.delete(f"{ADMISSION}/{kind}webhookconfigurations/valle")
    with open(os.path.join(MANIFESTS, "options", "mutating-admission-policy.yaml")) as file:
        text = file.read().replace("admissionregistration.k8s.io/v1\n", "admissionregistration.k8s.io/v1beta1\n")
    path = os.path.join(found.plane.folder.path, "policy.yaml")
    with open(path, "w") as file:
        file.write(text)
    found.plane.kubectl("apply", "-f", path)

    def in_force():  # a policy is seen within a second or so
        item = job("canary", carbon("10m"))
        item["metadata"]["namespace"] = "default"
        made = found.api.request("POST", "/apis/batch/v1/namespaces/default/jobs?dryRun=All", item)
        return "valle.sh/carbon" in gates(made)
    wait_until("the policy is in force", in_force, 20, 0.3)
    return found


if __name__ == "__main__":
    main(stage)
