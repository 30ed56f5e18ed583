"""Since 1.37, the configuration in an allocation omits request names if it applies to all requests."""

import asyncio
from typing import Any

import pytest

from fakeapi.controllers.allocation.allocator import Inventory, allocate
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocatedState, Slice
from fakeapi.controllers.allocation.pools import Slices
from fakeapi.controllers.allocation.rules import allocation_rules
from fakeapi.registry.offloading.heavy_steps import HeavySteps

Object = dict[str, Any]
OPAQUE = {"opaque": {"driver": "d", "parameters": {}}}


def config_for(minor: int, *wanted: list[str]) -> list[Object]:
    """Allocates a claim with the requests `a` and `b`; returns the requests of each configuration entry.

    `minor`: the minor version of the release, such as 33. `wanted`: the requests of each configuration entry
    in the claim.
    """
    requests = [{"name": name, "exactly": {"deviceClassName": "c"}} for name in ("a", "b")]
    config = [{"requests": names, **OPAQUE} for names in wanted]
    claim = {
        "metadata": {"namespace": "ns", "name": "x"},
        "spec": {"devices": {"requests": requests, "config": config}},
        "status": {},
    }
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": "one"}, {"name": "two"}]
    slices = Slices([Slice("s", {"driver": "d", "pool": pool, "allNodes": True, "devices": devices})])
    classes = {"c": {"metadata": {"name": "c"}, "spec": {"config": [OPAQUE]}}}
    allocation = allocate(
        [claim],
        {"metadata": {"name": "n"}},
        Inventory(slices, classes, AllocatedState()),
        allocation_rules(minor, {}),
        lambda expression, driver, device: True,
        lambda: "share",
        Effort(HeavySteps()).on_node(),
    )
    result = asyncio.run(allocation)
    assert result is not None
    return [each.get("requests") for each in result[0]["devices"]["config"]]


@pytest.mark.parametrize(
    ("minor", "expected"),
    [(36, [["a", "b"], ["a", "b"], ["a", "b"], ["b"]]), (37, [None, None, ["b"]])],
)
def test_configuration_for_all_requests_names_none_from_1_37_on(minor: int, expected: list[Any]) -> None:
    assert config_for(minor, ["a", "b"], ["b"]) == expected
