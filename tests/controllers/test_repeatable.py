"""With the same seed, clock and requests, the controllers make exactly the same writes.

The tests send a request only after the controllers have settled, because timing depends on the machine.
"""

from typing import Any

import pytest

pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi import FakeAPI
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames

Object = dict[str, Any]
CONTROLLERS = "namespace,garbagecollector,scheduler,resourceclaim,resourcequota,devicetainteviction"
KINDS = ("Namespace", "ServiceAccount", "ConfigMap", "Node", "Pod", "ResourceClaim", "Event")
VERSION = "resource.k8s.io/v1"


def outcome(seed: int) -> list[list[Object]]:
    """Runs a scenario on a server with this seed; returns all objects, with uids, names and versions."""
    clock = AdjustableClock(frozen_at=1_800_000_000)
    with FakeAPI(release="1.36", controllers=CONTROLLERS, clock=SeededClockAndNames(seed, clock)) as api:
        api.settle()
        play(api, clock)
        return [api.list(kind, api_version=None if kind != "Event" else "v1") for kind in KINDS]


def play(api: FakeAPI, clock: AdjustableClock) -> None:
    for name in ("a", "b", "c"):
        size = {"cpu": "4", "memory": "16Gi", "pods": "110"}
        node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        api.create({**node, "status": {"capacity": size, "allocatable": size}})
        api.settle()
        api.patch("Node", name, {"spec": {"taints": None}})
        api.settle()
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": "one"}, {"name": "two"}]
        create(
            api, "ResourceSlice", name, {"driver": "d", "pool": pool, "nodeName": name, "devices": devices}
        )
    create(api, "DeviceClass", "c", {})
    requests = [{"name": "r", "exactly": {"deviceClassName": "c"}}]
    create(api, "ResourceClaimTemplate", "t", {"spec": {"devices": {"requests": requests}}})
    for number in range(8):
        claims = [{"name": "x", "resourceClaimTemplateName": "t"}]
        container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}
        spec = {"containers": [container], "resourceClaims": claims, "terminationGracePeriodSeconds": 0}
        metadata = {"generateName": f"p{number}-"}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        api.settle()
    clock.advance(1.5)
    api.settle()
    for pod in api.list("Pod", namespace="default")[:3]:
        api.delete("Pod", pod["metadata"]["name"])
        api.settle()
    clock.advance(20)
    api.settle()


def create(api: FakeAPI, kind: str, name: str, spec: Object) -> None:
    api.create({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})
    api.settle()


def test_two_runs_with_one_seed_write_the_same() -> None:
    assert outcome(7) == outcome(7)


def test_another_seed_gives_other_names() -> None:
    assert outcome(7) != outcome(8)
