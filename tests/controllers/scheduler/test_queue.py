"""The scheduling queue returns the pods by priority, and pods of equal priority in the order of arrival."""

import random
from types import SimpleNamespace
from typing import Any

import pytest

from fakeapi.controllers.scheduler import queue
from fakeapi.controllers.scheduler.queue import SchedulingQueue

Object = dict[str, Any]


def pod(name: str, priority: int = 0, **spec: Any) -> Object:
    metadata = {"namespace": "ns", "name": name}
    return {"metadata": metadata, "spec": {"priority": priority, **spec}, "status": {}}


def new_queue(pods: dict[str, Object]) -> SchedulingQueue:
    context: Any = SimpleNamespace(add=lambda key: None, add_after=lambda key, seconds: None)
    informer: Any = SimpleNamespace(objects=pods)
    return SchedulingQueue(context, informer, ())


def popped(scheduling_queue: SchedulingQueue) -> str | None:
    first = scheduling_queue.pop()
    return None if first is None else str(first["metadata"]["name"])


@pytest.mark.parametrize("seed", range(5))
def test_pods_leave_the_queue_in_the_order_of_a_search_in_all_pods(seed: int) -> None:
    chance = random.Random(seed)
    pods: dict[str, Object] = {}
    waiting: list[str] = []
    scheduling_queue = new_queue(pods)
    for _ in range(300):
        name = f"p{chance.randrange(9)}"
        key = f"ns/{name}"
        match chance.randrange(4):
            case 0 | 1:
                pods[key] = pod(name, chance.choice([0, 5]))
                scheduling_queue.add(key)
                waiting += [] if key in waiting else [key]
            case 2:
                pods.pop(key, None)
                scheduling_queue.remove(key)
                waiting = [other for other in waiting if other != key]
            case _:
                best = max(waiting, key=lambda each: pods[each]["spec"]["priority"], default=None)
                assert popped(scheduling_queue) == (None if best is None else best.removeprefix("ns/"))
                waiting = [other for other in waiting if other != best]


def test_pods_that_need_no_node_any_more_are_left_out() -> None:
    pods = {"ns/a": pod("a", nodeName="n"), "ns/b": pod("b")}
    scheduling_queue = new_queue(pods)
    for key in ("ns/gone", "ns/a", "ns/b"):
        scheduling_queue.add(key)
    assert popped(scheduling_queue) == "b"
    assert popped(scheduling_queue) is None
    assert not scheduling_queue


def test_a_queue_drops_outdated_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "OUTDATED_MAX", 3)
    scheduling_queue = new_queue({"ns/a": pod("a")})
    for _ in range(50):
        scheduling_queue.add("ns/a")
        scheduling_queue.remove("ns/a")
    assert len(scheduling_queue._heap) <= 4
    scheduling_queue.add("ns/a")
    assert popped(scheduling_queue) == "a"
