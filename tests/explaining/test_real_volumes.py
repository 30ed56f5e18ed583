"""On a real cluster, whose scheduler handles volumes, a pod waits for its PersistentVolumeClaims."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from tests.explaining.manifests import node, pod

VOLUME = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"


@pytest.fixture
def api() -> Any:
    with FakeAPI(release="1.34", controllers="") as server:
        node(server, "a")
        pod(server, "train", volumes=[VOLUME])
        yield server


def explain(api: FakeAPI) -> dict[str, Any]:
    arguments = ["explain", "pod", "train", "--kubeconfig", str(api.kubeconfig), "--output", "json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def test_a_pod_waits_for_a_missing_volume_claim(api: FakeAPI) -> None:
    why = explain(api)
    assert (why["verdict"], why["summary"]) == ("pending", "volume claim default/data does not exist")
    assert why["nodes"] == []


def test_the_message_of_the_scheduler_about_an_unbound_volume_claim_is_the_reason(api: FakeAPI) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": "data", "namespace": "default"}
    api.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
    assert explain(api)["summary"] == "it fits on node a, and no scheduler has bound it yet"
    preemption = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    message = f"0/1 nodes are available: {UNBOUND}. {preemption}"
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    api.patch("Pod", "train", {"status": {"conditions": [condition]}}, subresource="status")
    why = explain(api)
    assert why["summary"] == f"the last attempt failed: {UNBOUND}"
    assert [reason["code"] for reason in why["reasons"]] == ["LastAttemptFailed", "VolumeNotBound"]
