"""Devices that consume the same counter set must share a compatibility group (alpha in 1.37).

The cases equal those of compatibility_groups_test.go in k8s.io/dynamic-resource-allocation 0.37.
"""

import asyncio
from typing import Any

import pytest

from fakeapi.controllers.allocation.allocator import OPTIONAL_NODE_OPERATIONS, Inventory, allocate
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocatedState, DeviceID, Slice
from fakeapi.controllers.allocation.pools import Slices, usable_slices
from fakeapi.controllers.allocation.rules import allocation_rules
from fakeapi.registry.offloading.heavy_steps import HeavySteps

Object = dict[str, Any]
ON = {"DRAPartitionableDevices": True, "DRADeviceCompatibilityGroups": True, "DRAConsumableCapacity": True}


def device(name: str, *groups: str, counter_set: str = "memory", amount: str = "1") -> Object:
    used: Object = {"counterSet": counter_set, "counters": {"amount": {"value": amount}}}
    if groups:
        used["compatibilityGroups"] = [*groups]
    return {"name": name, "consumesCounters": [used]}


def slices_of(*devices: Object, **fields: Any) -> list[Slice]:
    about = {"name": "p", "generation": 1, "resourceSliceCount": 2}
    common = {"driver": "d", "pool": about, "allNodes": True}
    sets = [{"name": name, "counters": {"amount": {"value": "10"}}} for name in ("memory", "other")]
    return [
        Slice("counters", {**common, "sharedCounters": sets}),
        Slice("devices", {**common, "devices": [*devices], **fields}),
    ]


def allocated(
    slices: list[Slice],
    count: int,
    in_use: tuple[str, ...] = (),
    gates: dict[str, bool] | None = None,
    features: tuple[str, ...] = (),
) -> Any:
    """Returns the results for a claim of `count` devices; None if the devices do not suffice."""
    rules = allocation_rules(37, ON if gates is None else gates)
    claim = {
        "metadata": {"namespace": "ns", "name": "x"},
        "spec": {
            "devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c", "count": count}}]}
        },
        "status": {},
    }
    state = AllocatedState({DeviceID("d", "p", name) for name in in_use})
    node = {"metadata": {"name": "n"}, "status": {"declaredFeatures": [*features]}}
    inventory = Inventory(
        Slices(usable_slices(slices, rules)), {"c": {"metadata": {"name": "c"}, "spec": {}}}, state
    )
    effort = Effort(HeavySteps()).on_node()
    result = asyncio.run(allocate([claim], node, inventory, rules, lambda *_: True, lambda: "share", effort))
    return None if result is None else result[0]["devices"]["results"]


def names(results: Any) -> list[str] | None:
    return None if results is None else [result["device"] for result in results]


@pytest.mark.parametrize(
    ("devices", "count", "expected"),
    [
        ([device("a", "x"), device("b", "x")], 2, ["a", "b"]),
        ([device("a", "x"), device("b", "y")], 2, None),
        ([device("a", "x"), device("b", "y"), device("c", "x")], 2, ["a", "c"]),
        ([device("a", "x", "y"), device("b", "y", "z"), device("c", "z")], 3, None),
        ([device("a", "x", "y"), device("b", "y", "z"), device("c", "y")], 3, ["a", "b", "c"]),
        ([device("a"), device("b")], 2, ["a", "b"]),
        ([device("a"), device("b", "x")], 2, None),
        ([device("a", "x"), device("b")], 2, None),
        ([device("a", "x"), device("b", "y", counter_set="other")], 2, ["a", "b"]),
    ],
)
def test_devices_of_one_counter_set_need_a_group_that_all_have(
    devices: list[Object], count: int, expected: list[str] | None
) -> None:
    assert names(allocated(slices_of(*devices), count)) == expected


@pytest.mark.parametrize(("groups", "expected"), [(("x",), ["b"]), (("y",), None), ((), None)])
def test_a_device_needs_a_group_of_the_devices_that_are_in_use(
    groups: tuple[str, ...], expected: list[str] | None
) -> None:
    slices = slices_of(device("a", "x"), device("b", *groups))
    assert names(allocated(slices, 1, in_use=("a",))) == expected


def test_a_device_that_does_not_fit_leaves_the_groups_as_they_were() -> None:
    slices = slices_of(device("a", "x", "y"), device("b", "x", amount="10"), device("c", "y"))
    assert names(allocated(slices, 2)) == ["a", "c"]


def test_slices_with_groups_make_their_pool_incomplete_while_the_gate_is_off() -> None:
    off = {**ON, "DRADeviceCompatibilityGroups": False}
    assert allocated(slices_of(device("a", "x"), device("b")), 1, gates=off) is None
    assert names(allocated(slices_of(device("a"), device("b")), 1, gates=off)) == ["a"]


def test_a_driver_may_skip_operations_only_on_nodes_that_declare_the_feature() -> None:
    on = {**ON, "DRAOptionalNodeOperations": True}
    slices = slices_of(device("a"), skipNodeOperations=["All"])
    assert allocated(slices, 1, gates=on) is None
    assert allocated(slices, 1, features=(OPTIONAL_NODE_OPERATIONS,)) is None
    [result] = allocated(slices, 1, gates=on, features=(OPTIONAL_NODE_OPERATIONS,))
    assert (result["device"], result["skipNodeOperations"]) == ("a", ["All"])
