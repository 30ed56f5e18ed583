"""The kubelet's status of pods: readiness gates, deadlines, and pods that it does not admit."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="kubelet", frozen_at="2026-01-31T12:00:00Z") as server:
        server.settle()
        yield server


def create_pod(api: FakeAPI, **spec: Any) -> None:
    spec = {"nodeName": "node", "containers": [{"name": "c", "image": "i"}], **spec}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec})
    api.settle()


def status(api: FakeAPI) -> dict[str, Any]:
    api.settle()
    found: dict[str, Any] = api.get("Pod", "pod")["status"]
    return found


def condition(api: FakeAPI, kind: str) -> dict[str, Any]:
    return next(each for each in status(api)["conditions"] if each["type"] == kind)


def report(api: FakeAPI, kind: str, value: str) -> None:
    conditions = [{"type": kind, "status": value}]
    api.patch("Pod", "pod", {"status": {"conditions": conditions}}, type="strategic", subresource="status")


def test_a_pod_is_ready_when_all_of_its_readiness_gates_are_true(api: FakeAPI) -> None:
    gates = ["example.com/a", "example.com/b"]
    create_pod(api, readinessGates=[{"conditionType": each} for each in gates])
    assert status(api)["phase"] == "Running"
    ready = condition(api, "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ReadinessGatesNotReady")
    assert condition(api, "ContainersReady")["status"] == "True"
    report(api, gates[0], "True")
    report(api, gates[1], "False")
    assert condition(api, "Ready")["message"] == (
        'the status of pod readiness gate "example.com/b" is not "True", but False'
    )
    report(api, gates[1], "True")
    ready = condition(api, "Ready")
    assert ready["status"] == "True"
    assert "reason" not in ready
    report(api, gates[0], "Unknown")
    assert condition(api, "Ready")["status"] == "False"


def test_a_pod_fails_at_its_deadline_also_at_one_that_is_set_later(api: FakeAPI) -> None:
    create_pod(api)
    api.patch("Pod", "pod", {"spec": {"activeDeadlineSeconds": 60}})
    api.settle()
    api.clock.advance(59)
    assert status(api)["phase"] == "Running"
    api.clock.advance(1)
    found = status(api)
    assert (found["phase"], found["reason"]) == ("Failed", "DeadlineExceeded")
    assert found["message"] == "Pod was active on the node longer than the specified deadline"
    assert found["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
    assert condition(api, "Ready")["reason"] == "PodFailed"


def test_a_pod_for_another_operating_system_is_rejected(api: FakeAPI) -> None:
    create_pod(api, os={"name": "windows"})
    found = status(api)
    assert (found["phase"], found["reason"]) == ("Failed", "PodOSNotSupported")
    assert found["message"] == ("Pod was rejected: Failed to admit pod as the OS field doesn't match node OS")
    [event] = [each for each in api.list("Event", api_version="v1") if each["reason"] == "PodOSNotSupported"]
    assert event["type"] == "Warning"


def test_the_lease_of_a_node_goes_with_the_node(api: FakeAPI) -> None:
    lease = api.get("Lease", "node", namespace="kube-node-lease")
    uid = api.get("Node", "node")["metadata"]["uid"]
    assert lease["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Node", "name": "node", "uid": uid}
    ]
