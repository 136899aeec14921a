# SPDX-License-Identifier: Apache-2.0
"""What Kueue and JobSet are installed from: definitions of resources and webhooks, as their own modules bring them."""
import os

from .control_plane import ASSETS

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def post_definitions(plane, project):
    """Creates a project's resource definitions; their names."""
    folder, names = os.path.join(ASSETS, project + "-manifests"), []
    for file in sorted(os.listdir(folder)):
        if file != "manifests.yaml":
            with open(os.path.join(folder, file), "rb") as text:
                names.append(plane.api.create_yaml(CRDS, text.read())["metadata"]["name"])
    return names


def post_webhooks(plane, project, client, wanted):
    """Creates those webhooks of a project whose kind (`vjob.kb.io` is of `job`) is wanted. They go to `client(path)`, a
    clientConfig, and leave the systems' own namespaces alone."""
    with open(os.path.join(ASSETS, project + "-manifests", "manifests.yaml")) as file:
        documents = [text for text in file.read().split("---\n") if "kind: " in text]
    elsewhere = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                                       "values": ["kube-system", "kueue-system"]}]}
    for text in documents:
        kind = "mutating" if "MutatingWebhookConfiguration" in text else "validating"
        path = f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations"
        found = plane.api.create_yaml(path, text.encode(), dry_run=True)  # the API server reads the YAML for us
        hooks = [hook for hook in found["webhooks"] if hook["name"].split(".")[0][1:] in wanted]
        for hook in hooks:
            hook["clientConfig"] = client(hook["clientConfig"]["service"]["path"])
            hook["namespaceSelector"] = elsewhere
        plane.api.ensure(path, {"apiVersion": found["apiVersion"], "kind": found["kind"],
                                "metadata": {"name": f"{project}-{kind}"}, "webhooks": hooks})
