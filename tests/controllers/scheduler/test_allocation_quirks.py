"""The device allocator reproduces the quirks of each release, with all feature gates on.

The expected results come from each release's k8s.io/dynamic-resource-allocation with the same objects.
"""

import asyncio
from typing import Any

import pytest

from fakeapi.controllers.allocation.allocator import Inventory, allocate
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocatedState, DeviceID, Slice
from fakeapi.controllers.allocation.pools import Slices
from fakeapi.controllers.allocation.rules import allocation_rules
from fakeapi.registry.offloading.heavy_steps import HeavySteps

Object = dict[str, Any]
GATES = dict.fromkeys(
    (
        "DRAPrioritizedList",
        "DRAPartitionableDevices",
        "DRADeviceTaints",
        "DRAConsumableCapacity",
        "DRADeviceBindingConditions",
        "DRAResourceClaimDeviceStatus",
    ),
    True,
)
TWO_OF_TEN = [{"counterSet": "memory", "counters": {"amount": {"value": "10"}}}]


def sharing(name: str, **fields: Any) -> Object:
    return {"name": name, "allowMultipleAllocations": True, **fields}


def pool_slice(name: str, *devices: Object, slices: int = 1, pool: str = "p", **fields: Any) -> Slice:
    about = {"name": pool, "generation": 1, "resourceSliceCount": slices}
    return Slice(name, {"driver": "d", "pool": about, "allNodes": True, "devices": [*devices], **fields})


def request(name: str = "r", **fields: Any) -> Object:
    return {"name": name, "exactly": {"deviceClassName": "c", **fields}}


def devices(
    minor: int,
    slices: list[Slice],
    *requests: Object,
    constraints: list[Object] | None = None,
    state: AllocatedState | None = None,
) -> list[str] | None:
    """Allocates these device requests; returns the names of the devices, or None if the requests do not fit.

    - `minor`: the minor version of the release, such as 34
    - `constraints`: the constraints of the claim
    - `state`: the devices that are already allocated; None means no devices

    A CEL selector in these tests is the name of a device and matches this device.
    """
    claim = {
        "metadata": {"namespace": "ns", "name": "x"},
        "spec": {"devices": {"requests": [*requests], "constraints": constraints or []}},
        "status": {},
    }
    allocation = allocate(
        [claim],
        {"metadata": {"name": "n"}},
        Inventory(Slices(slices), {"c": {"metadata": {"name": "c"}, "spec": {}}}, state or AllocatedState()),
        allocation_rules(minor, GATES),
        lambda expression, driver, device: bool(device["name"] == expression),
        lambda: "share",
        Effort(HeavySteps()).on_node(),
    )
    result = asyncio.run(allocation)
    return None if result is None else [each["device"] for each in result[0]["devices"]["results"]]


def counters(amount: str) -> Object:
    return {"sharedCounters": [{"name": "memory", "counters": {"amount": {"value": amount}}}]}


@pytest.mark.parametrize(("minor", "expected"), [(34, ["b"]), (35, None), (36, None)])
def test_counters_of_another_slice_do_not_limit_in_1_34(minor: int, expected: list[str] | None) -> None:
    # Since 1.35, a slice with counters has no devices.
    slices = [
        pool_slice("counters", slices=2, **counters("10")),
        pool_slice("devices", {"name": "a", "consumesCounters": TWO_OF_TEN},
                   {"name": "b", "consumesCounters": TWO_OF_TEN}, slices=2),
    ]  # fmt: skip
    state = AllocatedState(devices={DeviceID("d", "p", "a")})
    assert devices(minor, slices, request(), state=state) == expected


@pytest.mark.parametrize(("minor", "expected"), [(34, None), (35, None), (36, ["free"])])
def test_a_tainted_device_keeps_its_counters_until_1_35(minor: int, expected: list[str] | None) -> None:
    tainted = {
        "name": "bad",
        "taints": [{"key": "k", "effect": "NoSchedule"}],
        "consumesCounters": TWO_OF_TEN,
    }
    free = {"name": "free", "consumesCounters": TWO_OF_TEN}
    one = [pool_slice("s", tainted, free, **counters("10"))]
    two = [pool_slice("counters", slices=2, **counters("10")), pool_slice("s", tainted, free, slices=2)]
    assert devices(minor, one if minor == 34 else two, request()) == expected


@pytest.mark.parametrize(("minor", "expected"), [(34, None), (35, ["large"]), (36, ["large"])])
def test_in_1_34_the_first_device_of_a_slice_must_have_the_capacity(
    minor: int, expected: list[str] | None
) -> None:
    slices = [pool_slice("s", {"name": "small"}, {"name": "large", "capacity": {"m": {"value": "8"}}})]
    assert devices(minor, slices, request(capacity={"requests": {"m": "4"}})) == expected


@pytest.mark.parametrize(("minor", "expected"), [(34, ["a", "b"]), (35, None), (36, None)])
def test_in_1_34_equal_values_of_two_devices_are_distinct(minor: int, expected: list[str] | None) -> None:
    model = {"attributes": {"model": {"string": "A"}}}
    slices = [pool_slice("s", {"name": "a", **model}, {"name": "b", **model})]
    distinct: list[Object] = [{"distinctAttribute": "d/model"}]
    assert devices(minor, slices, request("r0"), request("r1"), constraints=distinct) == expected


@pytest.mark.parametrize(
    ("minor", "expected"), [(35, ["a", "b", "c"]), (36, ["a", "b", "c"]), (37, ["a", "b", "d"])]
)
def test_since_1_37_a_device_differs_from_all_earlier_devices_of_its_request(
    minor: int, expected: list[str]
) -> None:
    models = {"a": "A", "b": "B", "c": "A", "d": "D"}
    listed = [{"name": name, "attributes": {"model": {"string": model}}} for name, model in models.items()]
    distinct: list[Object] = [{"distinctAttribute": "d/model"}]
    found = devices(minor, [pool_slice("s", *listed)], request(count=3), constraints=distinct)
    assert found == expected


@pytest.mark.parametrize(("minor", "expected"), [(34, ["a", "a"]), (35, ["a", "a"]), (36, ["a", "a"])])
def test_a_shared_device_is_taken_twice(minor: int, expected: list[str]) -> None:
    slices = [pool_slice("s", sharing("a", capacity={"m": {"value": "8"}}))]
    asked = {"capacity": {"requests": {"m": "4"}}}
    assert devices(minor, slices, request("r0", **asked), request("r1", **asked)) == expected


@pytest.mark.parametrize("minor", [34, 35, 36, 37])
def test_devices_with_binding_conditions_come_last(minor: int) -> None:
    waits = {"name": "waits", "bindingConditions": ["ready"], "bindingFailureConditions": ["failed"]}
    slices = [pool_slice("s0", waits, pool="a"), pool_slice("s1", {"name": "plain"}, pool="b")]
    assert devices(minor, slices, request()) == ["plain"]


@pytest.mark.parametrize(
    ("minor", "expected"), [(33, None), (34, None), (35, None), (36, ["b"]), (37, ["b"])]
)
def test_until_1_35_all_devices_of_the_second_choice_are_those_that_the_first_selects(
    minor: int, expected: list[str] | None
) -> None:
    choices = [
        {
            "name": f"only-{name}",
            "deviceClassName": "c",
            "allocationMode": "All",
            "selectors": [{"cel": {"expression": name}}],
        }
        for name in ("a", "b")
    ]
    in_use = AllocatedState(devices={DeviceID("d", "p", "a")})
    slices = [pool_slice("s", {"name": "a"}, {"name": "b"})]
    asked = {"name": "r", "firstAvailable": choices}
    assert devices(minor, slices, asked, state=in_use) == expected
