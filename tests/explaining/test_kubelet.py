"""Explanations of scheduled pods that do not start have the errors of the kubelet and of the driver."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.explaining.manifests import claim, device, device_class, pod, request, resource_slice

SIMULATED = "sim.example.com"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36", controllers="all", nodes="a") as server:
        yield server


def test_a_driver_that_is_not_registered_is_named(api: FakeAPI) -> None:
    device_class(api)
    resource_slice(api, "a", [device("gpu-0")])
    claim(api, "gpu")
    pod(api, "train", "gpu")
    api.settle()
    why = api.explain("pod", "train")
    assert (why.verdict, why.reasons[0].code) == ("starting", "DriverNotRegistered")
    assert (
        why.summary
        == "the kubelet of node a cannot prepare claim gpu: driver gpu.example.com is not registered"
    )


def test_the_error_of_a_driver_is_in_the_first_line(api: FakeAPI) -> None:
    driver = api.add_driver(SIMULATED, nodes={"a": 2})
    driver.prepare(error="it is too hot")
    claim(api, "gpu", request(class_name=SIMULATED))
    pod(api, "train", "gpu")
    api.settle()
    why = api.explain("pod", "train")
    assert (why.verdict, why.reasons[0].code) == ("starting", "PrepareFailed")
    assert why.summary == f"driver {SIMULATED} on node a could not prepare claim gpu: it is too hot"
    reason, free = why.reasons[0], f"free in pool {SIMULATED}/a: sim-1"
    assert reason.details == [
        f"request gpu has device {SIMULATED}/a/sim-0",
        f"{free}; the error may also concern these, and only a new claim gets another device",
    ]
    assert (reason.object, reason.nodes) == (reason.claim, ["a"])
    (change,) = reason.changes
    assert change.text == (
        f"let driver {SIMULATED} work again: `fakeapi drivers prepare {SIMULATED}`; the kubelet tries again"
    )
    assert change.driver == SIMULATED
    assert api.explain("claim", "gpu").summary == why.summary


def test_a_running_pod_is_placed_on_its_node(api: FakeAPI) -> None:
    api.add_driver(SIMULATED, nodes={"a": 1})
    claim(api, "gpu", request(class_name=SIMULATED))
    pod(api, "train", "gpu")
    api.settle()
    why = api.explain("pod", "train")
    assert (why.verdict, why.summary) == ("placed", "it is on node a, the only feasible one of 1")
    assert [(one.name, one.chosen) for one in why.nodes] == [("a", True)]


def _crash(api: FakeAPI, phase: str, state: dict[str, Any]) -> None:
    """Creates a pod on node b with a container in this state, whose last termination has the exit code 3."""
    pod(api, "gnu", nodeName="b")
    times = {"startedAt": "2030-01-01T00:00:00Z", "finishedAt": "2030-01-01T00:00:01Z"}
    ended = {"terminated": {"exitCode": 3, "reason": "Error", "message": "cannot open /dev/accel0", **times}}
    container = {
        "name": "main",
        "image": "train",
        "imageID": "",
        "ready": False,
        "restartCount": 2 if state else 0,
        "state": state or ended,
        "lastState": ended if state else {},
    }
    status = {"phase": phase, "containerStatuses": [container]}
    api.patch("Pod", "gnu", {"status": status}, subresource="status")


def test_the_crash_of_a_pod_comes_before_its_node(api: FakeAPI) -> None:
    _crash(api, "Running", {"waiting": {"reason": "CrashLoopBackOff"}})
    why = api.explain("pod", "gnu")
    crash = "container main: CrashLoopBackOff, exit code 3, 2 restarts: cannot open /dev/accel0"
    assert (why.verdict, why.summary) == ("crashing", crash)
    assert (why.reasons[0].code, why.reasons[0].path) == ("ContainerCrashed", "status.containerStatuses[0]")
    assert why.details[:2] == ["it is on node b", "phase Running"]


def test_a_failed_pod_has_the_exit_code_of_its_container(api: FakeAPI) -> None:
    _crash(api, "Failed", {})
    why = api.explain("pod", "gnu")
    crash = "container main: Error, exit code 3: cannot open /dev/accel0"
    assert (why.verdict, why.summary) == ("finished", f"it has ended: Failed: {crash}")
