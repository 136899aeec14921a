# SPDX-License-Identifier: Apache-2.0
"""Jobs in Kueue on one cluster: held without quota, released in the planned step and region, never late."""
import json
import time

from harness.api import BATCH, KUEUE, ApiError, annotations, condition, is_true
from harness.control_plane import REGION_LABEL, REGIONS
from harness.intensity import ES_CLEAN, FR_CLEAN, STEP, instant
from harness.jobs import AWARE, DEADLINE, carbon, job
from harness.kueue import GATE, QUEUE, gates
from harness.processes import wait_until
from harness.scenario import Scenario, Stage, main

OURS = "valle.sh/carbon"


class Dip:
    """PT: 300 g/kWh but for one clean step, which a scenario moves."""
    at = int(time.time()) // STEP * STEP + 3000

    def __call__(self, seconds):
        return 50.0 if seconds == self.at else 300.0


DIP = Dip()


def write(scenario, item):
    """The object in a file of its own, for kubectl."""
    path = f"{scenario.plane.folder.path}/{scenario.namespace}.json"
    item["metadata"]["namespace"] = scenario.namespace
    with open(path, "w") as file:
        json.dump(item, file)
    return path


class HoldAndRelease(Scenario):
    cpu = 4

    def test_held_without_quota_while_others_run(self):
        self.jobs.create(job("ours", carbon("50s", "DE"), cpu="4"))
        self.assertIn(OURS, gates(self.jobs.get("ours")))
        self.jobs.create(job("theirs", cpu="4"))
        self.wait_completed("theirs")
        self.assert_holds_no_quota("ours")
        self.assertEqual(condition(self.workload("ours"), "QuotaReserved").get("reason"), "AdmissionGated")
        self.wait_event("ours", "CarbonHeld")
        self.wait_event("ours", "CarbonPlanned")
        self.wait_completed("ours")

    def test_released_in_the_planned_step_and_region(self):
        self.wait_before_clean(ES_CLEAN)
        created = instant(self.jobs.create(job("clean", carbon("75s", "FR,ES", home_region="FR")))
                          ["metadata"]["creationTimestamp"])
        self.wait_planned("clean")
        self.assert_holds_no_quota("clean")
        self.assertEqual(self.jobs.at("clean", "start-by"), created + 75)
        self.wait_completed("clean")
        self.assert_ran_as_planned("clean", ("FR", "ES"))
        self.assertEqual(self.jobs.note("clean", "planned-region"), "ES")
        self.assertLess(float(self.jobs.note("clean", "planned-carbon-grams")),
                        float(self.jobs.note("clean", "baseline-carbon-grams")))
        self.wait_event("clean", "CarbonReleased")
        ours = [reason for reason in self.jobs.events("clean") if reason.startswith("Carbon")]
        self.assertEqual(sorted(ours), sorted(set(ours)), "something was said twice")
        self.assertEqual(gates(self.jobs.get("clean")), [])

    def test_clean_step_of_the_only_region_that_it_may_use(self):
        self.jobs.create(job("french", carbon("70s", "FR")))
        self.wait_completed("french")
        self.assert_ran_as_planned("french", ("FR",))

    def test_no_clean_step_starts_by_the_deadline(self):
        self.jobs.create(job("last", carbon("35s", "DE")))
        self.wait_completed("last")
        self.assert_ran_as_planned("last", ("DE",))
        self.assert_started_in_time("last")

    def test_done_by_finish_by(self):
        created = time.time()
        self.jobs.create(job("done-by", carbon(None, "DE", finish_by="PT50S"), runs="8s"))
        self.wait_completed("done-by")
        self.assert_ran_as_planned("done-by", ("DE",))
        finished = instant(self.jobs.get("done-by")["status"]["completionTime"])
        self.assertLessEqual(finished, created + 51 + self.admission_time)
        self.assertLessEqual(self.jobs.at("done-by", "start-by"), created + 41)

    def test_the_earlier_of_two_limits_holds(self):
        created = instant(self.jobs.create(job("both", carbon("60s", "DE", finish_by="PT30S")))["metadata"]["creationTimestamp"])
        self.wait_planned("both")
        self.assertEqual(self.jobs.at("both", "start-by"), created + 20)
        self.wait_completed("both")

    def test_infeasible_runs_at_once_with_a_warning(self):
        created = time.time()
        self.jobs.create(job("too-late", carbon(None, "FR", duration="60s", finish_by="PT20S")))
        released = self.wait_released("too-late", 15)
        self.assertLess(released, created + 15)
        wait_until("a warning says why", lambda: any(
            event["type"] == "Warning" and event["reason"].startswith("Carbon") for event in self.jobs.event_items()))
        self.wait_completed("too-late")

    def test_gang_of_pods_starts_as_one(self):
        self.jobs.create(job("gang", carbon("40s", "DE"), pods=4, cpu="500m"))
        self.wait_completed("gang")
        self.assert_ran_as_planned("gang", ("DE",))
        self.assertEqual(len(self.jobs.pods("gang")), 4)

    def test_another_gate_is_left_alone(self):
        self.jobs.create(job("two-gates", {**carbon("25s", "DE"), GATE: "ops.example.org/freeze"}))
        self.assertEqual(sorted(gates(self.jobs.get("two-gates"))), ["ops.example.org/freeze", OURS])
        self.wait_released("two-gates")
        self.assertEqual(gates(self.jobs.get("two-gates")), ["ops.example.org/freeze"])
        self.assertEqual(self.jobs.pods("two-gates"), [])
        self.jobs.patch("two-gates", {"metadata": {"annotations": {GATE: None}}})
        self.wait_completed("two-gates")

    def test_full_quota_at_start_by_is_said(self):
        self.jobs.create(job("blocker", cpu="4", runs="50s"))
        self.wait_started("blocker")
        self.api.patch(f"{KUEUE}/clusterqueues/{self.namespace}-queue", {"spec": {"resourceGroups": [
            {"coveredResources": ["cpu"], "flavors": [{"name": f"region-{region.lower()}", "resources": [
                {"name": "cpu", "nominalQuota": "0"}]} for region in REGIONS]}]}})
        self.jobs.create(job("stuck", carbon("20s", "FR")))
        released = self.wait_released("stuck", 40)
        self.assertLessEqual(released, self.jobs.at("stuck", "start-by"))
        self.wait_event("stuck", "CarbonLate", 40)


class Owners(Scenario):
    """What the owner of a job does to it while it waits."""
    cpu = 4

    def test_run_now(self):
        self.jobs.create(job("hurry", carbon("10m", "DE")))
        self.wait_planned("hurry")
        self.jobs.annotate("hurry", run_now="true")
        asked = time.time()
        released = self.wait_released("hurry", 10)
        self.assertLess(released, asked + 10)
        self.wait_event("hurry", "CarbonRunNow")
        self.wait_completed("hurry", 30)

    def test_run_now_from_the_start(self):
        self.jobs.create(job("at-once", carbon("10m", "DE", run_now="true")))
        self.wait_completed("at-once", 30)
        self.assertEqual(self.jobs.started("at-once")[1], ["DE"], "where it may run holds for it too")

    def test_deleted_while_held(self):
        uid = self.jobs.create(job("gone", carbon("10m", "DE")))["metadata"]["uid"]
        self.wait_planned("gone")
        self.jobs.delete("gone")
        wait_until("the job is gone", lambda: self.jobs.find("gone") is None)
        wait_until("valle knows", lambda: self.valle.rest(f"/v1/jobs/{uid}")["state"] == "cancelled")
        again = self.jobs.create(job("gone", carbon("25s", "DE")))  # the same name, another job
        self.wait_completed("gone")
        self.assertNotEqual(again["metadata"]["uid"], uid)
        self.assert_ran_as_planned("gone", ("DE",))

    def test_carbon_aware_taken_away_starts_it_at_once(self):
        for name, word in (("taken-away", None), ("taken-back", "false")):
            with self.subTest(name):
                self.jobs.create(job(name, carbon("10m", "DE")))
                self.wait_planned(name)
                self.jobs.patch(name, {"metadata": {"annotations": {AWARE: word}}})
                asked = time.time()
                self.assertLess(self.wait_released(name, 10), asked + 10)
                self.assertEqual(gates(self.jobs.get(name)), [])
                self.assertIn("no longer", self.jobs.note(name, "reason"))
                self.wait_completed(name, 30)

    def test_taken_out_of_its_queue_it_waits_on_and_starts_as_planned(self):
        self.wait_before_clean(ES_CLEAN)
        self.jobs.create(job("unqueued", carbon("75s", "ES")))
        self.wait_planned("unqueued")
        self.jobs.patch("unqueued", {"metadata": {"labels": {QUEUE: None}}})
        time.sleep(5)
        self.assertEqual(self.jobs.pods("unqueued"), [], "it has started though nobody asked for that")
        self.wait_completed("unqueued", 100)
        started, regions = self.jobs.started("unqueued")
        self.assertEqual(regions, ["ES"])
        self.assertGreaterEqual(started, self.jobs.at("unqueued", "planned-start"))
        self.assert_started_in_time("unqueued")

    def test_unsuspending_a_held_job_is_refused(self):
        self.jobs.create(job("escape", carbon("40s", "DE")))
        self.wait_planned("escape")
        with self.assertRaises(ApiError) as refused:
            self.jobs.patch("escape", {"spec": {"suspend": False}})
        self.assertIn("valle", str(refused.exception.message))
        self.assertEqual(self.jobs.pods("escape"), [])
        self.wait_completed("escape")
        self.assert_ran_as_planned("escape", ("DE",))

    def test_dropping_the_gate_by_hand_is_refused(self):
        self.jobs.create(job("ungated", carbon("10m", "DE")))
        with self.assertRaises(ApiError):
            self.jobs.patch("ungated", {"metadata": {"annotations": {GATE: None}}})
        self.assert_holds_no_quota("ungated")

    def test_a_wait_can_only_be_shortened(self):
        self.jobs.create(job("shorter", carbon("10m", "DE")))
        self.wait_planned("shorter")
        before = self.jobs.at("shorter", "start-by")
        with self.assertRaises(ApiError):
            self.jobs.patch("shorter", {"metadata": {"annotations": {DEADLINE: "20m"}}})
        self.jobs.patch("shorter", {"metadata": {"annotations": {DEADLINE: "40s"}}})
        wait_until("start-by moves", lambda: self.jobs.at("shorter", "start-by") == before - 560)
        self.wait_completed("shorter", 60)
        self.assertLessEqual(self.jobs.at("shorter", "released-at"), before - 560)

    def test_malformed_annotations_are_refused(self):
        for key, value in ((DEADLINE, "1 day"), (DEADLINE, "8 hours"), (DEADLINE, "-2h"), (DEADLINE, ""), (DEADLINE, "P1M"),
                           (AWARE, "yes"), ("valle.sh/finish-by", "soon"), ("valle.sh/expected-duration", "0s"),
                           ("valle.sh/energy-kwh", "much"), ("valle.sh/run-now", "now")):
            with self.subTest(key=key, value=value), self.assertRaises(ApiError) as refused:
                self.jobs.create(job("malformed", {**carbon(), key: value}))
            self.assertIn(key, str(refused.exception.message))
            self.assertEqual(refused.exception.status, 400)
        self.assertIsNone(self.jobs.find("malformed"))

    def test_other_jobs_never_see_valle(self):
        plain = self.jobs.create(job("plain"))
        self.assertEqual(annotations(plain), {})
        self.wait_completed("plain")
        self.assertEqual([reason for reason in self.jobs.events("plain") if reason.startswith("Carbon")], [])
        self.jobs.create(job("declined", {AWARE: "false"}))
        self.wait_completed("declined")
        self.assertIsNone(self.jobs.note("declined", "start-by"))

    def test_kubectl_shows_the_planned_start(self):
        self.wait_before_clean(ES_CLEAN)
        out = self.plane.kubectl("create", "--dry-run=server", "-o", "json", "-f", write(self, job("seen", carbon("70s", "ES"))))
        self.assertIn(OURS, out)
        self.assertIsNone(self.jobs.find("seen"))
        self.api.warnings.clear()
        self.jobs.create(job("seen", carbon("70s", "ES")))
        self.assertTrue(any("starts by" in warning for warning in self.api.warnings), self.api.warnings)
        self.assertTrue(any("saves" in warning for warning in self.api.warnings), self.api.warnings)

    def test_rest_and_explain_show_the_job(self):
        uid = self.jobs.create(job("shown", carbon("10m", "DE")))["metadata"]["uid"]
        planned = self.wait_planned("shown")
        found = self.valle.rest(f"/v1/jobs/{uid}")
        self.assertEqual(found["state"], "waiting")
        self.assertEqual(instant(found["slot"]["start"]), planned)
        self.assertIn(uid, [one["id"] for one in self.valle.rest("/v1/jobs?limit=1000")["jobs"]])
        status, out = self.valle.command("explain", f"{self.namespace}/shown", "--server", self.valle.url)
        self.assertEqual(status, 0, out)
        self.assertIn("DE", out.upper())


class Changes(Scenario):
    cpu = 4

    def test_a_new_forecast_moves_a_waiting_job(self):
        DIP.at = int(time.time()) // STEP * STEP + 90
        self.world.write("PT")
        self.wait_known("PT", DIP.at)
        self.jobs.create(job("moves", carbon("110s", "PT")))
        wait_until("planned into the dip", lambda: self.jobs.at("moves", "planned-start") == DIP.at, 20)
        DIP.at = int(time.time()) // STEP * STEP + 40
        self.world.write("PT")
        wait_until("moved to the new dip", lambda: self.jobs.at("moves", "planned-start") == DIP.at, 20)
        self.wait_event("moves", "CarbonReplanned")
        self.wait_completed("moves")
        self.assert_ran_as_planned("moves", ("PT",))

    def preempt(self, name, deadline, region, runs="9s", no_slack=False):
        """Has a job of higher priority take the quota of carbon job NAME for 15 s, as soon as that runs or when its
        slack is over."""
        for priority, value in (("low", 1), ("high", 100)):
            self.api.ensure(f"{KUEUE}/workloadpriorityclasses", {
                "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass", "metadata": {"name": priority},
                "value": value})
        label = "kueue.x-k8s.io/priority-class"
        self.jobs.create(job(name, carbon(deadline, region), cpu="4", runs=runs, labels={label: "low"}))
        self.wait_started(name, 90)
        while no_slack and time.time() < self.jobs.at(name, "start-by"):
            time.sleep(0.2)
        other = job("urgent", cpu="4", runs="15s", labels={label: "high"})
        other["spec"]["template"]["spec"]["nodeSelector"] = {REGION_LABEL: region}
        self.jobs.create(other)
        wait_until("preempted", lambda: is_true(self.workload(name), "Preempted"), 20)

    def test_preempted_with_slack_waits_again(self):
        self.preempt("slack", "150s", "FR")  # clean once a minute
        self.wait_event("slack", "CarbonRedeferred", 20)
        self.assertIs(self.workload("slack")["spec"].get("active"), False)
        wait_until("urgent is over", lambda: self.jobs.completed("urgent"), 30)
        self.assertFalse(self.jobs.completed("slack"), "it takes the quota that is free again, in a dirty hour")
        self.wait_completed("slack", 120)
        started, _ = self.jobs.started("slack")
        self.assert_started_in_time("slack")
        self.assertEqual(self.world.at("FR", started), 60.0, "the next clean step")

    def test_preempted_without_slack_is_left_to_kueue(self):
        self.preempt("no-slack", "20s", "DE", runs="25s", no_slack=True)
        self.wait_completed("urgent", 40)
        self.assertNotEqual(self.workload("no-slack")["spec"].get("active"), False)
        self.wait_completed("no-slack", 60)
        self.assertNotIn("CarbonRedeferred", self.jobs.events("no-slack"))


class Quotas(Scenario):
    """A plan counts with what Kueue has room for."""
    cpu = 4

    def test_room_that_others_hold_is_not_promised(self):
        theirs = job("theirs", cpu="4", runs="60s", labels={"kueue.x-k8s.io/max-exec-time-seconds": "600"})
        theirs["spec"]["template"]["spec"]["nodeSelector"] = {REGION_LABEL: "FR"}
        self.jobs.create(theirs)
        self.wait_started("theirs")
        self.wait_before_clean(FR_CLEAN)
        self.jobs.create(job("ours", carbon("50s", "FR,DE"), cpu="4"))
        self.wait_planned("ours")
        self.assertEqual(self.jobs.note("ours", "planned-region"), "DE", "FR is cleaner, but taken for ten minutes")
        self.wait_completed("ours")
        self.assert_started_in_time("ours")

    def test_each_queue_has_a_quota_of_its_own(self):
        """FR is clean for one step a minute, with room for one of them; other ClusterQueues have room in FR as well."""
        self.wait_before_clean(FR_CLEAN)
        for name in ("first", "second"):
            self.jobs.create(job(name, carbon("50s", "FR"), cpu="4"))
        self.wait_planned("first")
        self.wait_planned("second")
        time.sleep(3)
        starts = {self.jobs.at(name, "planned-start") for name in ("first", "second")}
        self.assertEqual(len(starts), 2, "both in the room of one")
        for name in ("first", "second"):
            self.wait_completed(name)
            self.assert_started_in_time(name)

    def test_a_queue_that_is_not_there_is_told(self):
        self.jobs.create(job("lost", carbon("20s", "DE"), queue="nowhere"))
        told = f"there is no LocalQueue nowhere in namespace {self.namespace}"
        self.assertTrue(any(told in warning for warning in self.api.warnings), self.api.warnings)
        self.wait_event("lost", "CarbonNoQueue")

    def test_a_job_larger_than_every_quota_is_told(self):
        self.jobs.create(job("giant", carbon("25s", "DE"), cpu="5"))
        told = f"more cpu than ClusterQueue {self.namespace}-queue has"
        self.assertTrue(any(told in warning for warning in self.api.warnings), self.api.warnings)
        self.wait_event("giant", "CarbonNoQueue")
        wait_until("its reason says so", lambda: "it needs 5 cpu" in (self.jobs.note("giant", "reason") or ""), 15)
        self.wait_event("giant", "CarbonDeadline", 40)
        said = next(event["note"] for event in self.jobs.event_items() if event["reason"] == "CarbonDeadline")
        self.assertIn("it needs", said)


class Checks(Scenario):
    """AdmissionChecks of controller valle.sh/carbon-check."""

    def test_our_check_is_answered_at_once_for_whomever(self):
        self.api.ensure(f"{KUEUE}/admissionchecks", {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "AdmissionCheck", "metadata": {"name": "carbon"},
            "spec": {"controllerName": "valle.sh/carbon-check"}})
        self.kueue.queues(self.namespace, queue="checked", checks=("carbon",))  # waits until the queue is active
        self.jobs.create(job("plain", queue="checked"))
        self.wait_completed("plain", 30)
        self.jobs.create(job("held", carbon("25s", "DE"), queue="checked"))
        self.wait_planned("held")
        self.assert_holds_no_quota("held")
        self.wait_completed("held", 60)
        self.assert_ran_as_planned("held", ("DE",))
        for name in ("plain", "held"):
            checks = self.workload(name)["status"]["admissionChecks"]
            self.assertEqual([(check["name"], check["state"]) for check in checks], [("carbon", "Ready")])


class CronJobs(Scenario):
    cpu = 4

    @staticmethod
    def cron_job(name, notes, **spec):
        one = job("unused", notes)
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name},
                "spec": {"schedule": "* * * * *", "jobTemplate": {
                    "metadata": {key: one["metadata"][key] for key in ("labels", "annotations")}, "spec": one["spec"]},
                    **spec}}

    def test_kubectl_warns_of_what_does_not_go_with_waiting(self):
        def said(item):
            path = write(self, item)
            return self.plane.kubectl("create", "--dry-run=server", "-f", path, warnings=True)
        self.assertIn("concurrencyPolicy Forbid", said(self.cron_job("forbids", carbon("8h"), concurrencyPolicy="Forbid")))
        misplaced = self.cron_job("misplaced", {})
        misplaced["metadata"]["annotations"] = carbon("8h")
        self.assertIn("spec.jobTemplate.metadata", said(misplaced))
        self.assertNotIn("Warning", said(self.cron_job("fine", carbon("8h"))))
        with self.assertRaises(RuntimeError) as refused:
            said(self.cron_job("malformed", carbon("8 hours")))
        self.assertIn(DEADLINE, str(refused.exception))

    def test_each_occurrence_waits_on_its_own(self):
        item = self.cron_job("minutely", carbon("25s", "DE"))
        path = f"{BATCH}/namespaces/{self.namespace}/cronjobs"
        self.api.create(path, item)
        generation = self.api.get(f"{path}/minutely")["metadata"]["generation"]
        wait_until("two occurrences", lambda: len(self.api.items(self.jobs.path)) >= 2, 130, 0.5)
        for occurrence in sorted(found["metadata"]["name"] for found in self.api.items(self.jobs.path))[:2]:
            self.wait_completed(occurrence, 60)
            self.assert_ran_as_planned(occurrence, ("DE",))
            created = instant(self.jobs.get(occurrence)["metadata"]["creationTimestamp"])
            self.assertEqual(self.jobs.at(occurrence, "start-by"), created + 25)
        after = self.api.get(f"{path}/minutely")
        self.assertEqual(after["metadata"]["generation"], generation, "the CronJob was changed")
        self.assertFalse(after["spec"]["suspend"])


if __name__ == "__main__":
    main(lambda: Stage(regions=(*REGIONS, "PT"), curves={"PT": DIP}))
