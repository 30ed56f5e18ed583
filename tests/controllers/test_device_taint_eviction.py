"""Pods are evicted if one of their devices gets a NoExecute taint that the claim does not tolerate."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi import FakeAPI
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames

Object = dict[str, Any]
VERSIONS = {"1.33": "v1beta2", "1.36": "v1"}
RULES = {"1.33": "v1alpha3", "1.36": "v1beta2"}
TAINT = {"key": "broken", "effect": "NoExecute"}


class Stage:
    """A server of a release with a frozen clock and two pods, each with its own device."""

    def __init__(self, release: str) -> None:
        self.clock = AdjustableClock(frozen_at=1_800_000_000)
        gates = dict.fromkeys(("DynamicResourceAllocation", "DRADeviceTaints"), True)
        if release == "1.36":
            gates["DRADeviceTaintRules"] = True
        self.api = FakeAPI(
            release=release,
            feature_gates=gates,
            controllers="scheduler,resourceclaim,devicetainteviction",
            clock=SeededClockAndNames(1, self.clock),
        )
        self.version = f"resource.k8s.io/{VERSIONS[release]}"
        self.rules = f"resource.k8s.io/{RULES[release]}"

    def set_up(self) -> None:
        size = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
        self.api.create({**node, "status": {"capacity": size, "allocatable": size}})
        self.api.patch("Node", "n", {"spec": {"taints": None}})
        self.create("DeviceClass", "c", {})
        pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": name} for name in ("a", "b")]
        spec = {"driver": "d.example.com", "pool": pool, "nodeName": "n", "devices": devices}
        self.create("ResourceSlice", "s", spec)

    def create(self, kind: str, name: str, spec: Object) -> None:
        self.api.create({"apiVersion": self.version, "kind": kind, "metadata": {"name": name}, "spec": spec})

    def add_pod(self, name: str, *tolerations: Object) -> None:
        exactly: Object = {"deviceClassName": "c", "tolerations": list(tolerations)}
        self.create("ResourceClaim", name, {"devices": {"requests": [{"name": "r", "exactly": exactly}]}})
        container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}
        spec = {
            "containers": [container],
            "resourceClaims": [{"name": "x", "resourceClaimName": name}],
            "terminationGracePeriodSeconds": 0,
        }
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
        self.api.settle()
        assert self.api.get("Pod", name)["spec"]["nodeName"] == "n"

    def taint(self, device: str) -> None:
        found = self.api.get("ResourceSlice", "s", api_version=self.version)
        for each in found["spec"]["devices"]:
            if each["name"] == device:
                each["taints"] = [TAINT]
        found["spec"]["pool"]["generation"] += 1
        self.api.update(found)
        self.api.settle()

    def add_rule(self, device: str, effect: str = "NoExecute") -> None:
        selector = {"driver": "d.example.com", "pool": "p", "device": device}
        spec = {"deviceSelector": selector, "taint": {**TAINT, "effect": effect}}
        metadata = {"name": "rule"}
        self.api.create(
            {"apiVersion": self.rules, "kind": "DeviceTaintRule", "metadata": metadata, "spec": spec}
        )
        self.api.settle()

    def pods(self) -> list[str]:
        return [each["metadata"]["name"] for each in self.api.list("Pod", namespace="default")]

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.api.settle()

    def condition(self) -> tuple[str, str, str]:
        rule = self.api.get("DeviceTaintRule", "rule", api_version=self.rules)
        [found] = rule["status"]["conditions"]
        return found["status"], found["reason"], found["message"]


@pytest.fixture(params=VERSIONS)
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(request.param)
    with stage.api:
        stage.set_up()
        yield stage


def test_the_pod_of_a_tainted_device_goes_and_others_stay(stage: Stage) -> None:
    stage.add_pod("one")
    stage.add_pod("two")
    stage.taint("a")
    assert stage.pods() == ["two"]
    events = stage.api.list("Event", namespace="default", api_version="v1")
    found = [
        (each["involvedObject"]["name"], each["message"]) for each in events if "Taint" in each["reason"]
    ]
    assert found == [("one", "Marking for deletion")]


def test_a_rule_taints_as_a_driver_does(stage: Stage) -> None:
    stage.add_pod("one")
    stage.add_pod("two")
    stage.add_rule("b")
    assert stage.pods() == ["one"]


@pytest.mark.parametrize("stage", ["1.36"], indirect=True)
def test_a_toleration_delays_or_prevents_it(stage: Stage) -> None:
    tolerated = {"key": "broken", "operator": "Exists", "effect": "NoExecute"}
    stage.add_pod("later", {**tolerated, "tolerationSeconds": 30})
    stage.add_pod("never", tolerated)
    stage.taint("a")
    stage.taint("b")
    assert stage.pods() == ["later", "never"]
    stage.advance(29)
    assert stage.pods() == ["later", "never"]
    stage.advance(1)
    assert stage.pods() == ["never"]
    stage.advance(3600)
    assert stage.pods() == ["never"]


@pytest.mark.parametrize("stage", ["1.36"], indirect=True)
def test_a_rule_says_how_far_eviction_is(stage: Stage) -> None:
    stage.add_pod("one")
    stage.add_rule("a")
    assert stage.pods() == []
    stage.advance(10)
    assert stage.condition() == ("False", "Completed", "1 pod evicted since starting the controller.")


@pytest.mark.parametrize("stage", ["1.36"], indirect=True)
def test_a_rule_without_effect_tells_what_it_would_do(stage: Stage) -> None:
    stage.add_pod("one")
    stage.add_rule("a", "None")
    assert stage.pods() == ["one"]
    status, reason, message = stage.condition()
    assert (status, reason) == ("False", "NoEffect")
    assert message.startswith(
        "1 published device selected. 1 allocated device selected. "
        "1 pod would be evicted in 1 namespace if the effect was NoExecute."
    )
