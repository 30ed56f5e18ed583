"""The pods of a gang are scheduled together or not at all."""

import asyncio
from collections.abc import Iterator, Mapping

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.scheduler.controller import SchedulerController
from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.node_state import NodeState
from tests.controllers.workloads.groups import (
    BETA,
    add_class,
    add_node,
    group,
    member,
    message_of,
    nodes_of,
    server,
)
from tests.controllers.workloads.objects import Object, condition


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with server() as running:
        add_class(running)
        yield running


def condition_of_group(api: FakeAPI) -> Object:
    api.settle()
    stored = api.get("PodGroup", "g", namespace="default", api_version=BETA)
    found = condition(stored.get("status") or {}, "PodGroupInitiallyScheduled")
    assert found is not None
    return found


def test_pods_wait_until_min_count_pods_exist(api: FakeAPI) -> None:
    add_node(api, "a")
    api.create(group(gang=2))
    api.create(member("x"))
    assert nodes_of(api) == {}
    api.create(member("y"))
    assert nodes_of(api) == {"x": "a", "y": "a"}
    scheduled = condition_of_group(api)
    assert (scheduled["status"], scheduled["reason"]) == ("True", "Scheduled")


def test_no_pod_is_bound_if_one_of_min_count_does_not_fit(api: FakeAPI) -> None:
    add_node(api, "a", cpu="2")
    api.create(group(gang=2))
    for name in ("x", "y"):
        api.create(member(name, cpu="2"))
    assert nodes_of(api) == {}
    assert message_of(api, "x") == (
        "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: No preemption "
        "victims found for incoming preemptor"
    )
    assert message_of(api, "y").startswith("0/1 nodes are available: 1 Insufficient cpu.")
    refused = condition_of_group(api)
    assert (refused["status"], refused["reason"]) == ("False", "Unschedulable")
    add_node(api, "b", cpu="2")
    assert sorted(nodes_of(api).values()) == ["a", "b"]
    assert condition_of_group(api)["status"] == "True"


def test_a_gang_that_does_not_fit_takes_no_devices(api: FakeAPI) -> None:
    add_node(api, "a", devices=2)
    api.create(group(gang=3))
    for name in ("x", "y", "z"):
        api.create(member(name, claims=True))
    assert nodes_of(api) == {}
    assert all(
        "allocation" not in claim["status"] for claim in api.list("ResourceClaim", namespace="default")
    )
    add_node(api, "b", devices=1)
    assert sorted(nodes_of(api).values()) == ["a", "a", "b"]
    devices = [
        (result["pool"], result["device"])
        for claim in api.list("ResourceClaim", namespace="default")
        for result in claim["status"]["allocation"]["devices"]["results"]
    ]
    assert len(set(devices)) == 3


def test_a_gang_shares_the_claim_of_its_group(api: FakeAPI) -> None:
    add_node(api, "a", devices=1)
    api.create(group(gang=2, claims=True))
    for name in ("x", "y"):
        api.create(member(name, claims=True))
    assert nodes_of(api) == {"x": "a", "y": "a"}
    (claim,) = api.list("ResourceClaim", namespace="default")
    assert [consumer["resource"] for consumer in claim["status"]["reservedFor"]] == ["podgroups"]


def test_further_pods_of_a_running_gang_are_scheduled_alone(api: FakeAPI) -> None:
    add_node(api, "a", cpu="3")
    api.create(group(gang=2))
    for name in ("x", "y"):
        api.create(member(name, cpu="1"))
    assert len(nodes_of(api)) == 2
    api.create(member("z", cpu="1"))
    assert nodes_of(api)["z"] == "a"


def test_more_than_min_count_pods_are_bound_as_far_as_they_fit(api: FakeAPI) -> None:
    add_node(api, "a", cpu="2")
    api.create(group(gang=2))
    api.settle()
    api.create_all([member(name, cpu="1") for name in ("x", "y", "z")])
    assert nodes_of(api) == {"x": "a", "y": "a"}
    add_node(api, "b", cpu="2")
    assert len(nodes_of(api)) == 3


def test_pods_of_a_basic_group_are_scheduled_one_by_one(api: FakeAPI) -> None:
    add_node(api, "a", cpu="1")
    api.create(group())
    for name in ("x", "y"):
        api.create(member(name, cpu="1"))
    assert len(nodes_of(api)) == 1


def test_a_refused_pod_is_tried_again_if_a_node_came_while_its_gang_was_tried(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_node(api, "a", cpu="1")
    api.create(group(gang=1))
    api.create(member("x", cpu="1"))
    assert nodes_of(api) == {"x": "a"}
    api.create_all([member(name, cpu="1") for name in ("y", "z")])
    assert nodes_of(api) == {"x": "a"}
    attempt = SchedulerController._attempt

    async def with_new_node(
        self: SchedulerController, pod: Object, states: Mapping[str, NodeState], effort: Effort
    ) -> Outcome:
        outcome = await attempt(self, pod, states, effort)
        if not outcome.node and "b" not in self._nodes.objects:
            await asyncio.to_thread(add_node, api, "b", cpu="1")
            node = await asyncio.to_thread(api.get, "Node", "b")
            while self._nodes.objects.get("b") != node:  # noqa: ASYNC110 - the informer has no event
                await asyncio.sleep(0)
        return outcome

    monkeypatch.setattr(SchedulerController, "_attempt", with_new_node)
    api.delete("Pod", "x", namespace="default", options={"gracePeriodSeconds": 0})
    assert nodes_of(api) == {"y": "a", "z": "b"}


def test_a_gang_whose_search_for_devices_gave_up_is_retried_after_a_delay(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.clock.freeze()
    attempt = SchedulerController._attempt

    async def costly(
        self: SchedulerController, pod: Object, states: Mapping[str, NodeState], effort: Effort
    ) -> Outcome:
        effort.gave_up = True
        return await attempt(self, pod, states, effort)

    monkeypatch.setattr(SchedulerController, "_attempt", costly)
    api.create(group(gang=2))
    for name in ("x", "y"):
        api.create(member(name))
    assert nodes_of(api) == {}
    add_node(api, "a")
    assert nodes_of(api) == {}
    api.clock.advance(10)
    assert nodes_of(api) == {"x": "a", "y": "a"}
