# SPDX-License-Identifier: Apache-2.0
"""`webhook: {selfManaged: true}` with the rights of deploy/options/self-managed.yaml: valle makes, shows and renews its
certificate, and the API server trusts it."""
import base64
import json
import os
import ssl
import urllib.error

from harness.api import CORE
from harness.jobs import carbon, job
from harness.kueue import gates
from harness.processes import free_ports, wait_until
from harness.scenario import Scenario, Stage, alone, main
from harness.valle import ADMISSION, MANIFESTS, NAMESPACE, Valle, install

SECRET = f"{CORE}/namespaces/{NAMESPACE}/secrets/valle-webhook"
KINDS = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
SELF_MANAGED = {"webhook": {"selfManaged": True, "names": ["127.0.0.1"], "certFile": None, "keyFile": None}}


def shown_by(valle):
    """The certificate that this replica shows."""
    return ssl.get_server_certificate(("127.0.0.1", valle.webhook_port)).strip()


def stored(api, name):
    return base64.b64decode(api.get(SECRET)["data"][name]).decode().strip()


def bundles(api):
    return {hook["clientConfig"].get("caBundle")
            for kind in KINDS for hook in api.get(f"{ADMISSION}/{kind}/valle")["webhooks"]}


def admits(api, namespace="default"):
    """Whether a carbon-aware Job passes the webhooks now, and is gated."""
    item = job("canary", carbon("10m"))
    item["metadata"]["namespace"] = namespace
    return "valle.sh/carbon" in gates(api.request("POST", f"/apis/batch/v1/namespaces/{namespace}/jobs?dryRun=All", item))


class WebhookCertificates(Scenario):
    def assert_held_and_released(self, name):
        self.jobs.create(job(name, carbon("30s", "DE")))
        self.assertEqual(gates(self.jobs.get(name)), ["valle.sh/carbon"])
        self.assert_holds_no_quota(name)
        self.wait_completed(name)
        self.assert_ran_as_planned(name, ("DE",))

    def test_a_job_is_held_and_released(self):
        self.assertEqual(bundles(self.api), {self.api.get(SECRET)["data"]["ca.crt"]})
        self.assertEqual(shown_by(self.valle), stored(self.api, "tls.crt"))
        self.assert_held_and_released("held")

    @alone
    def test_a_follower_shows_the_same_certificate(self):
        second = Valle(self.plane, self.world, name="second", settings=SELF_MANAGED).start()
        try:
            self.assertEqual(second.metric("valle_leader"), 0)
            self.assertEqual(shown_by(second), shown_by(self.valle))
        finally:
            second.stop()

    @alone
    def test_a_leaf_that_is_lost_is_replaced(self):
        leaf, authority = stored(self.api, "tls.crt"), stored(self.api, "ca.crt")
        self.api.patch(SECRET, {"data": {"tls.crt": "", "tls.key": ""}})
        wait_until("there is another leaf", lambda: stored(self.api, "tls.crt") not in ("", leaf), 20)
        wait_until("it is shown", lambda: shown_by(self.valle) == stored(self.api, "tls.crt"), 20)
        self.assertEqual(stored(self.api, "ca.crt"), authority)
        self.assertTrue(admits(self.api), "no moment without trust: the authority is the same")
        self.assert_held_and_released("later")

    @alone
    def test_a_secret_that_is_deleted_and_bundles_that_are_emptied_are_made_good(self):
        authority = stored(self.api, "ca.crt")
        self.api.delete(SECRET)
        wait_until("there is another authority",
                   lambda: self.api.find(SECRET) and stored(self.api, "ca.crt") != authority, 20)
        wait_until("it is trusted", lambda: admits(self.api), 20, 0.3)
        for kind in KINDS:
            found = self.api.get(f"{ADMISSION}/{kind}/valle")
            for hook in found["webhooks"]:
                hook["clientConfig"].pop("caBundle")
            self.api.patch(f"{ADMISSION}/{kind}/valle", {"webhooks": found["webhooks"]})
        wait_until("the bundles are back", lambda: bundles(self.api) == {self.api.get(SECRET)["data"]["ca.crt"]}, 20)
        wait_until("it is trusted again", lambda: admits(self.api), 20, 0.3)
        self.assert_held_and_released("after")


def readiness(valle):
    valle.url = valle._served_url()
    try:
        return valle.rest("/readyz")["status"]
    except urllib.error.HTTPError as refused:
        return json.loads(refused.read())["status"]


def stage():
    found, port = Stage(valle=False), free_ports(1)[0]
    install(found.plane, port)
    found.valle = Valle(found.plane, found.world, settings=SELF_MANAGED, webhook_port=port).start(wait=False)
    wait_until("valle waits for the right to keep a certificate", lambda: readiness(found.valle) == "without certificate")
    found.plane.kubectl("apply", "-f", os.path.join(MANIFESTS, "options", "self-managed.yaml"))
    found.valle.wait_ready().wait_leading()
    wait_until("the API server trusts it", lambda: admits(found.api), 20, 0.3)
    return found


if __name__ == "__main__":
    main(stage)
