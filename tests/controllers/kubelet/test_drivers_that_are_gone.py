"""Deleted pods and their namespace wait while the DRA driver of a claim is missing, as in Kubernetes.

The clock is frozen, because the tests need no retries.
"""

from collections.abc import Iterator

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from tests.controllers.kubelet.python_driver import (
    NAME,
    PythonDriver,
    create_pod,
    create_template,
    publish,
)

VERSIONS = {
    "1.31": ("v1alpha3", "1.0.0"),
    "1.33": ("v1beta1", "v1beta1.DRAPlugin"),
    "1.34": ("v1", "v1beta1.DRAPlugin"),
    "1.37": ("v1", "v1.DRAPlugin"),
}
NOW = {"gracePeriodSeconds": 0}


@pytest.fixture(params=list(VERSIONS))
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(
        release=request.param, feature_gates=gates, controllers="all", frozen_at="2026-01-31T12:00:00Z"
    ) as server:
        server.create_namespace("team")
        publish(server, VERSIONS[request.param][0])
        create_template(server, VERSIONS[request.param][0], "team")
        server.settle()
        yield server


def driver_of(api: FakeAPI) -> PythonDriver:
    assert api.release is not None
    return PythonDriver(api.node(), VERSIONS[api.release][1])


def left(api: FakeAPI) -> tuple[bool, int]:
    """Returns whether the namespace `team` exists, and how many pods it has."""
    api.settle()
    names = [each["metadata"]["name"] for each in api.list("Namespace")]
    return "team" in names, len(api.list("Pod", namespace="team"))


def run_pod_and_lose_driver(api: FakeAPI) -> None:
    with driver_of(api) as driver:
        assert driver.registered.wait(10)
        create_pod(api, namespace="team")
        api.settle()
        assert api.get("Pod", "pod", namespace="team")["status"]["phase"] == "Running"
    while api.node().drivers:
        api.settle()


def test_a_namespace_goes_when_the_driver_is_back_that_its_pod_waits_for(api: FakeAPI) -> None:
    run_pod_and_lose_driver(api)
    api.delete("Namespace", "team")
    assert left(api) == (True, 1)
    assert "deletionTimestamp" in api.get("Pod", "pod", namespace="team")["metadata"]
    events = api.list("Event", namespace="team", api_version="v1")
    assert [each["reason"] for each in events if "unprepare" in each["message"]] == []
    with driver_of(api) as driver:
        assert driver.registered.wait(10)
        assert driver.released.wait(10)
        assert left(api) == (False, 0)
        assert len(driver.unprepared) == 1


def test_a_pod_that_is_deleted_by_force_goes_at_once_and_its_claim_is_unprepared_later(api: FakeAPI) -> None:
    run_pod_and_lose_driver(api)
    api.delete("Pod", "pod", namespace="team", options=NOW)
    assert left(api) == (True, 0)
    api.delete("Namespace", "team")
    assert left(api) == (False, 0)
    with driver_of(api) as driver:
        assert driver.registered.wait(10)
        assert driver.released.wait(10)
        assert len(driver.unprepared) == 1


def test_a_pod_whose_driver_never_came_ends_except_in_1_31_to_1_33(api: FakeAPI) -> None:
    waits = api.release in {"1.31", "1.33"}
    create_pod(api, namespace="team")
    api.settle()
    assert api.get("Pod", "pod", namespace="team")["status"]["phase"] == "Pending"
    [message] = {
        each["message"]
        for each in api.list("Event", namespace="team", api_version="v1")
        if each["reason"] == "FailedPrepareDynamicResources"
    }
    assert message == "Failed to prepare dynamic resources: " + (
        f"failed to get gRPC client for driver {NAME}: plugin name {NAME} not found in the list of "
        "registered DRA plugins"
        if waits
        else f"prepare dynamic resources: DRA driver {NAME} is not registered"
    )
    api.delete("Namespace", "team")
    assert left(api) == ((True, 1) if waits else (False, 0))
    with driver_of(api) as driver:
        assert driver.registered.wait(10)
        assert not waits or driver.released.wait(10)
        assert left(api) == (False, 0)


@pytest.mark.parametrize("api", ["1.37"], indirect=True)
def test_a_refused_write_of_the_kubelet_is_tried_again(api: FakeAPI) -> None:
    with driver_of(api) as driver:
        assert driver.registered.wait(10)
        fault = api.faults.unavailable("patch pods/status", agent="kubelet/*", times=1)
        create_pod(api, namespace="team")
        api.settle()
        assert fault.fired == 1
        api.clock.advance(1)
        api.settle()
        assert api.get("Pod", "pod", namespace="team")["status"]["phase"] == "Running"
