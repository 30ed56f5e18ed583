"""An explanation works in small steps, so that other clients of the server wait only a short time."""

import sys
from collections.abc import Callable, Coroutine, Generator, Iterator
from types import FrameType
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining import refused_writes, running_server
from fakeapi.registry.offloading import turns
from tests.explaining.manifests import (
    DRIVER,
    Object,
    claim,
    device,
    device_class,
    node,
    pod,
    request,
    resource_slice,
)

DEVICES = 8
"""Number of devices of each node; all are in use."""

NODES = 8
"""Number of nodes at first: enough to reach the limits of an explanation on nodes and devices."""

MORE_NODES = 12
"""Number of nodes that are added."""

CALLS_A_NODE = 15.0
"""Maximum growth of the longest step for each added node, in function calls.

One step on 1,000 nodes then takes a few milliseconds. Sorting all nodes once is allowed; describing the
devices of all nodes is not.
"""


class Steps:
    """Runs a coroutine, and counts the function calls of each of its steps on the event loop."""

    def __init__(self, work: Coroutine[Any, Any, Any], calls: list[int]) -> None:
        self._work = work
        self._calls = calls

    def __await__(self) -> Generator[Any, None, Any]:
        steps = self._work.__await__()
        while True:
            count = 0

            def counting(_frame: FrameType, event: str, _value: Any) -> None:
                nonlocal count
                count += event in {"call", "c_call"}

            sys.setprofile(counting)
            try:
                waits_for = next(steps)
            except StopIteration as end:
                return end.value
            finally:
                sys.setprofile(None)
                self._calls.append(count)
            yield waits_for


@pytest.fixture(scope="module")
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.34", controllers="") as server:
        device_class(server)
        yield server


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns the list of the function calls of each step of the explanations from now on.

    Each explanation gives a turn to other tasks whenever it may.
    """
    counts: list[int] = []
    explain = running_server.explain_running

    async def counted(*args: Any) -> Any:
        return await Steps(explain(*args), counts)

    monkeypatch.setattr(turns, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(refused_writes, "ENTRIES_MAX", 10)  # this limit is reached before there are nodes
    monkeypatch.setattr(running_server, "explain_running", counted)
    return counts


def _add_nodes(api: FakeAPI, first: int, count: int) -> None:
    """Creates nodes whose devices are all in use by one claim and its pod."""
    for number in range(first, first + count):
        name, used = f"node-{number:04}", f"used-{number}"
        node(api, name)
        api.patch("Node", name, {"metadata": {"labels": {"zone": f"z{number % 3}"}}})
        resource_slice(api, name, [device(f"gpu-{one}", numa=one % 2) for one in range(DEVICES)])
        claim(api, used, request(count=DEVICES))
        uid = pod(api, used, used, nodeName=name)["metadata"]["uid"]
        results = [
            {"request": "gpu", "driver": DRIVER, "pool": name, "device": f"gpu-{one}"}
            for one in range(DEVICES)
        ]
        consumer = {"resource": "pods", "name": used, "uid": uid}
        status = {"allocation": {"devices": {"results": results}}, "reservedFor": [consumer]}
        api.patch("ResourceClaim", used, {"status": status}, subresource="status")


_TOO_SMALL = 'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0'
_AFFINITY = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "zone"}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "train"}},
}
_LARGE = [{"name": "main", "image": "i", "resources": {"requests": {"cpu": "20"}}}]
_SITUATIONS: dict[str, tuple[list[Object], Object, Object]] = {
    "in use": ([request()], {}, {}),
    "too many": ([request(count=DEVICES + 1)], {}, {}),
    "selector": ([request("gpu", _TOO_SMALL)], {}, {}),
    "constraint": ([request(count=5)], {"constraints": [{"matchAttribute": f"{DRIVER}/numa"}]}, {}),
    "several requests": ([request("one", count=3), request("two", count=3)], {}, {}),
    "resources": ([request()], {}, {"containers": _LARGE}),
    "node selector": ([request()], {}, {"nodeSelector": {"zone": "west"}}),
    "affinity": ([request()], {}, {"affinity": {"podAffinity": {_REQUIRED: [_AFFINITY]}}}),
    "spread": ([request()], {}, {"topologySpreadConstraints": [_SPREAD], "labels": {"app": "train"}}),
}
"""The requests of a claim, further fields of the claim, and fields of the pod that uses the claim."""


def _explain_pods(api: FakeAPI, nodes: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    for situation, (requests, of_claim, of_pod) in _SITUATIONS.items():
        name = f"{situation.replace(' ', '-')}-{nodes}"
        claim(api, name, *requests, **of_claim)
        pod(api, name, name, **of_pod)
        yield situation, lambda name=name: api.explain("pod", name)  # type: ignore[misc]
    yield "claim", lambda: api.explain("claim", f"in-use-{nodes}")
    yield "placed", lambda: api.explain("pod", "used-0")
    yield "allocated claim", lambda: api.explain("claim", "used-0")


def _longest_steps(api: FakeAPI, nodes: int, calls: list[int]) -> dict[str, int]:
    """Returns the number of function calls of the longest step of each explanation."""
    longest = {}
    for number, (situation, explain) in enumerate(_explain_pods(api, nodes)):
        explain()  # loads modules, and compiles selectors
        pod(api, f"change-{nodes}-{number}")  # the indexes of the last explanation are then out of date
        calls.clear()
        assert explain().text
        longest[situation] = max(calls)
    return longest


def test_the_longest_step_of_an_explanation_hardly_grows_with_the_number_of_nodes(
    api: FakeAPI, calls: list[int]
) -> None:
    _add_nodes(api, 0, NODES)
    few = _longest_steps(api, NODES, calls)
    _add_nodes(api, NODES, MORE_NODES)
    many = _longest_steps(api, NODES + MORE_NODES, calls)
    growth = {situation: (many[situation] - few[situation]) / MORE_NODES for situation in few}
    assert {situation: calls for situation, calls in growth.items() if calls > CALLS_A_NODE} == {}
