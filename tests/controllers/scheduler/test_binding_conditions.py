"""The scheduler binds a pod after the devices of its claims have reported their binding conditions."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi import FakeAPI
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames

Object = dict[str, Any]
VERSION = "resource.k8s.io/v1"
DRIVER = "fabric.example.com"


class Stage:
    """A server of a release with a frozen clock, and a node whose devices have binding conditions."""

    def __init__(self, release: str) -> None:
        self.clock = AdjustableClock(frozen_at=1_800_000_000)
        gates = dict.fromkeys(("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"), True)
        clock = SeededClockAndNames(1, self.clock)
        self.api = FakeAPI(release=release, feature_gates=gates, controllers="scheduler", clock=clock)

    def set_up(self) -> None:
        size = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
        self.api.create({**node, "status": {"capacity": size, "allocatable": size}})
        self.api.patch("Node", "n", {"spec": {"taints": None}})
        self.create("DeviceClass", "c", {})
        devices = [
            {
                "name": f"d{number}",
                "bindingConditions": ["attached"],
                "bindingFailureConditions": ["broken"],
                "bindsToNode": True,
            }
            for number in range(2)
        ]
        pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
        self.create(
            "ResourceSlice", "s", {"driver": DRIVER, "pool": pool, "allNodes": True, "devices": devices}
        )
        requests = [{"name": "r", "exactly": {"deviceClassName": "c"}}]
        self.create("ResourceClaim", "x", {"devices": {"requests": requests}})
        container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}
        reference = {"name": "x", "resourceClaimName": "x"}
        pod = {"containers": [container], "resourceClaims": [reference]}
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": pod})
        self.api.settle()

    def create(self, kind: str, name: str, spec: Object) -> None:
        self.api.create({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})

    def report(self, condition: str) -> None:
        """Sets this condition of the allocated device to True, as a DRA driver does."""
        result = self.claim()["status"]["allocation"]["devices"]["results"][0]
        since = "2027-01-15T08:00:00Z"
        found = {"type": condition, "status": "True", "reason": "Said", "message": 'so "it" is'}
        device = {key: result[key] for key in ("driver", "pool", "device")}
        devices = [{**device, "conditions": [{**found, "lastTransitionTime": since}]}]
        self.api.patch("ResourceClaim", "x", {"status": {"devices": devices}}, subresource="status")
        self.api.settle()

    def claim(self) -> Object:
        return self.api.get("ResourceClaim", "x")

    def node(self) -> str | None:
        found: str | None = self.api.get("Pod", "pod")["spec"].get("nodeName")
        return found

    def message(self) -> str:
        conditions = self.api.get("Pod", "pod")["status"].get("conditions", ())
        return next((str(each["message"]) for each in conditions if each["type"] == "PodScheduled"), "")

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.api.settle()


@pytest.fixture(params=["1.34", "1.36"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(request.param)
    with stage.api:
        stage.set_up()
        yield stage


def test_a_pod_is_bound_when_its_device_is_ready(stage: Stage) -> None:
    assert stage.node() is None
    result = stage.claim()["status"]["allocation"]["devices"]["results"][0]
    assert result["bindingConditions"] == ["attached"]
    assert [each["name"] for each in stage.claim()["status"]["reservedFor"]] == ["pod"]
    events = stage.api.list("Event", namespace="default", api_version="v1")
    assert [(each["reason"], each["message"]) for each in events] == [
        ("BindingConditionsPending", "waiting for binding conditions for device on node n")
    ]
    stage.report("attached")
    assert stage.node() == "n"


def test_a_device_that_fails_is_given_back_and_another_tried(stage: Stage) -> None:
    stage.report("broken")
    why = 'reason=Said, message="so \\"it\\" is"'
    words = {
        "1.34": f"claim x binding failed: {why}",
        "1.36": f"device binding failed: claim=x, {why}",
    }[stage.api.release or ""]
    assert stage.message() == f'running PreBind plugin "DynamicResources": {words}'
    assert "reservedFor" not in stage.claim()["status"]
    stage.advance(1)
    assert "deallocation of ResourceClaim completed" in stage.message()
    assert stage.claim()["status"].get("devices") is None
    stage.advance(2)
    stage.report("attached")
    assert stage.node() == "n"


def test_a_device_that_is_not_ready_in_time_is_given_back(stage: Stage) -> None:
    stage.advance(599)
    assert stage.message() == ""
    stage.advance(1)
    words = {
        "1.34": "claim x binding timeout",
        "1.36": "device binding timeout: claim=x",
    }[stage.api.release or ""]
    assert stage.message() == f'running PreBind plugin "DynamicResources": {words}'


def test_a_pod_that_is_deleted_while_it_waits_leaves_no_reservation(stage: Stage) -> None:
    stage.api.delete("Pod", "pod", options={"gracePeriodSeconds": 0})
    stage.api.settle()
    assert "reservedFor" not in stage.claim()["status"]
