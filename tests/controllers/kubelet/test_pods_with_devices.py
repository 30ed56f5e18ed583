"""Containers get the devices of their claims. The claims stay prepared until the last container has ended."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi import FakeAPI
from tests.controllers.kubelet.frozen_pod import advance

DRIVER = "gpu.example.com"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="all", frozen_at="2026-01-31T12:00:00Z") as server:
        server.add_driver(DRIVER, nodes={"node": 1})
        yield server


def create_pod(api: FakeAPI, name: str = "pod") -> None:
    request = {"name": "gpu", "exactly": {"deviceClassName": DRIVER}}
    spec: dict[str, Any] = {"devices": {"requests": [request]}}
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name}}
    api.create({**claim, "spec": spec})
    containers = [
        {"name": "main", "image": "i", "resources": {"claims": [{"name": "gpu"}]}},
        {"name": "other", "image": "i"},
    ]
    spec = {"resourceClaims": [{"name": "gpu", "resourceClaimName": name}], "containers": containers}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    api.settle()


def prepared(api: FakeAPI) -> int:
    api.settle()
    return len(list(api.node("node").prepared))


def test_a_container_has_the_environment_of_its_devices(api: FakeAPI) -> None:
    create_pod(api)
    view = api.container("default", "pod", "main")
    assert (view.cdi_devices, view.env["GPU_DEVICE_0"]) == ((f"{DRIVER}/gpu=gpu-0",), "gpu-0")
    other = api.container("default", "pod", "other")
    assert (other.cdi_devices, "GPU_DEVICE_0" in other.env) == ((), False)


@pytest.mark.parametrize("grace", [None, 0])
def test_a_claim_stays_prepared_until_the_last_container_has_ended(api: FakeAPI, grace: int | None) -> None:
    api.containers.behave(container="other", stop_after="8s")
    create_pod(api)
    query = {} if grace is None else {"gracePeriodSeconds": grace}
    api.request("DELETE", "/api/v1/namespaces/default/pods/pod", query=query)
    assert prepared(api) == 1
    assert len(api.list("Pod")) == (1 if grace is None else 0)
    advance(api, 7)
    assert prepared(api) == 1
    advance(api, 1)
    assert (prepared(api), api.list("Pod")) == (0, [])


def test_a_pod_waits_for_the_device_of_a_pod_that_takes_its_time_to_end(api: FakeAPI) -> None:
    api.containers.behave(stop_after="8s")
    create_pod(api, "first")
    create_pod(api, "second")
    assert api.get("Pod", "second")["status"]["phase"] == "Pending"
    api.delete("Pod", "first")
    api.settle()
    assert api.get("Pod", "second")["status"]["phase"] == "Pending"
    advance(api, 8)
    assert api.get("Pod", "second")["status"]["phase"] == "Running"
