"""The scheduler limits its search for devices for each pod, and lets other tasks run during the search."""

import asyncio
from typing import Any

import pytest

from fakeapi.controllers.allocation import effort as efforts
from fakeapi.controllers.allocation import model
from fakeapi.controllers.allocation import pools as pools_module
from fakeapi.controllers.allocation.allocator import Inventory, allocate
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocatedState, Device, NodeError, Slice
from fakeapi.controllers.allocation.pools import Slices, gather_pools
from fakeapi.controllers.allocation.rules import allocation_rules
from fakeapi.controllers.allocation.search import Search
from fakeapi.machinery.cel.allowance import current
from fakeapi.machinery.cel.limits import EVENT_LOOP_COST_MAX
from fakeapi.registry.offloading import turns as turns_module
from fakeapi.registry.offloading.heavy_steps import HeavySteps

Object = dict[str, Any]
DEVICES = 18


def matches_at_once(expression: str, driver: str, device: Object) -> bool:
    return True


def matches_expensively(expression: str, driver: str, device: Object) -> bool:
    allowance = current()
    if allowance is not None:
        allowance.pay(EVENT_LOOP_COST_MAX * 1000)
    return True


def search(effort: Effort, *, count: int, matcher: Any = matches_at_once) -> Any:
    """Allocates `count` devices that have the same attribute value, by the rules of 1.33.

    Returns the allocations; None if too few devices have the same value. Half of the devices have the value
    0, and the others 1. `matcher`: evaluates the CEL selectors.
    """
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"d{i}", "attributes": {"a": {"int": i % 2}}} for i in range(DEVICES)]
    slices = [Slice("s", {"driver": "d", "pool": pool, "allNodes": True, "devices": devices})]
    selectors = [{"cel": {"expression": "true"}}]
    devices_spec = {
        "requests": [{"name": "r", "exactly": {"deviceClassName": "c", "count": count}}],
        "constraints": [{"matchAttribute": "d/a"}],
    }
    return allocate(
        [{"metadata": {"namespace": "ns", "name": "x"}, "spec": {"devices": devices_spec}, "status": {}}],
        {"metadata": {"name": "n"}},
        Inventory(
            Slices(slices),
            {"c": {"metadata": {"name": "c"}, "spec": {"selectors": selectors}}},
            AllocatedState(),
        ),
        allocation_rules(33, {}),
        matcher,
        lambda: "share",
        effort.on_node(),
    )


async def results(effort: Effort, nodes: int, count: int) -> list[str]:
    """Searches for devices on `nodes` nodes; returns "allocated", "none" or an error message for each node.

    The searches share the limit `effort`.
    """
    outcomes = []
    for _ in range(nodes):
        try:
            outcomes.append("none" if await search(effort, count=count) is None else "allocated")
        except NodeError as error:
            outcomes.append(str(error))
    return outcomes


def test_searches_on_all_nodes_together_have_one_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(efforts, "TRIES_MAX", 1000)
    effort = Effort(HeavySteps())
    nodes = 50
    outcomes = asyncio.run(results(effort, nodes, DEVICES // 2 + 1))
    assert outcomes == ["timed out trying to allocate devices"] * nodes
    assert effort.gave_up
    assert effort.tries >= -nodes


def test_devices_that_fit_at_first_try_are_allocated_when_nothing_is_left() -> None:
    effort = Effort(HeavySteps())
    effort.tries = 0
    assert asyncio.run(results(effort, 1, DEVICES // 2)) == ["allocated"]


def test_a_search_creates_only_the_devices_that_it_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    created = tried = 0
    is_usable = Search._is_usable

    def device(*fields: Any) -> Device:
        nonlocal created
        created += 1
        return Device(*fields)

    async def counted(*arguments: Any) -> bool:
        nonlocal tried
        tried += 1
        return await is_usable(*arguments)

    monkeypatch.setattr(model, "Device", device)
    monkeypatch.setattr(Search, "_is_usable", counted)
    assert asyncio.run(results(Effort(HeavySteps()), 1, DEVICES // 2 + 1)) == ["none"]
    assert created == tried > DEVICES


def test_a_search_lets_other_tasks_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "TURN_SECONDS", -1.0)

    async def turns() -> int:
        searching = asyncio.ensure_future(search(Effort(HeavySteps()), count=DEVICES // 2))
        number = 0
        while not searching.done():
            await asyncio.sleep(0)
            number += 1
        return number

    assert asyncio.run(turns()) > DEVICES


def test_expensive_selectors_are_evaluated_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = 0
    to_thread = asyncio.to_thread

    async def counted(*args: Any) -> Any:
        nonlocal threads
        threads += 1
        return await to_thread(*args)

    monkeypatch.setattr(asyncio, "to_thread", counted)
    asyncio.run(search(Effort(HeavySteps()), count=1))
    assert threads == 0
    asyncio.run(search(Effort(HeavySteps()), count=1, matcher=matches_expensively))
    assert threads > 0


def partitioned_slices(node: str) -> list[Slice]:
    """Returns the two slices of a node's pool: the counters, and a partition that consumes them."""
    pool = {"name": node, "generation": 1, "resourceSliceCount": 2}
    counters = {"memory": {"value": "1Gi"}}
    partition = {"name": "p", "consumesCounters": [{"counterSet": "gpu", "counters": counters}]}
    common = {"driver": "d", "pool": pool, "nodeName": node}
    return [
        Slice(f"{node}-a", {**common, "sharedCounters": [{"name": "gpu", "counters": counters}]}),
        Slice(f"{node}-b", {**common, "devices": [partition]}),
    ]


def test_nodes_share_the_validation_of_the_counters_of_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    validated = []
    real = pools_module._counter_problem

    def count(own: list[Slice], users: list[Slice]) -> str:
        validated.append(own[0].name)
        return real(own, users)

    monkeypatch.setattr(pools_module, "_counter_problem", count)
    nodes = [f"n{number:02}" for number in range(30)]
    slices = Slices(each for node in nodes for each in partitioned_slices(node))
    rules = allocation_rules(36, {"DRAPartitionableDevices": True})
    for node in nodes:
        pools = gather_pools(slices, {"metadata": {"name": node}}, rules)
        assert len(pools) == len(nodes)
        assert [pool.id.pool for pool in pools if pool.slices] == [node]
        assert not any(pool.problem or pool.is_incomplete for pool in pools)
    # A node has both slices of its own pool, and the counters of each other pool: two lists, two calls each.
    assert len(validated) <= 4 * len(nodes)
