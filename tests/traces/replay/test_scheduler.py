"""The scheduler of a replay sends requests in parallel, unless a request must wait for earlier requests."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from fakeapi.clients.messages import Response
from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.analysis.request_facts import facts_of
from fakeapi.traces.model import Exchange, Request
from fakeapi.traces.replay.scheduler import Scheduler

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims"


class Log:
    """Logs the requests that start and end, by number. `most`: the maximum number of parallel requests."""

    def __init__(self) -> None:
        self.began: list[int] = []
        self.ended: list[int] = []
        self.most = 0

    async def perform(self, work: Step) -> None:
        self.began.append(work.place)
        self.most = max(self.most, len(self.began) - len(self.ended))
        for _ in range(20):
            await asyncio.sleep(0)
        self.ended.append(work.place)


def work(place: int, method: str, path: str, actor: str = "a", **bodies: Any) -> Step:
    request = Request(method, path, (), json.dumps(bodies.get("sent", {})).encode())
    answer = Response(200, (), json.dumps(bodies.get("answer", {}), separators=(",", ":")).encode())
    exchange = Exchange(place, place, actor, request, answer)
    return Step(place, exchange, facts_of(exchange))


def run(works: list[Step], *, by_actor: bool = False, window: int = 64) -> Log:
    log = Log()

    async def main() -> None:
        scheduler = Scheduler(log.perform, by_actor=by_actor, workers=16, window=window)
        for each in works:
            await scheduler.put(each)
        await scheduler.drain()
        await scheduler.close()

    asyncio.run(main())
    assert sorted(log.ended) == sorted(each.place for each in works)
    return log


def test_requests_about_one_object_keep_their_order() -> None:
    log = run([work(place, "PUT", f"{CLAIMS}/x") for place in range(10)])
    assert log.ended == list(range(10))
    assert log.most == 1


def test_requests_about_different_objects_run_beside_each_other() -> None:
    assert run([work(place, "PUT", f"{CLAIMS}/x{place}") for place in range(10)]).most > 5


def test_a_list_waits_and_holds_back() -> None:
    works = [work(place, "PUT", f"{CLAIMS}/x{place}") for place in range(5)]
    works.append(work(5, "GET", CLAIMS))
    works += [work(place, "PUT", f"{CLAIMS}/x{place}") for place in range(6, 10)]
    log = run(works)
    assert log.ended.index(5) == log.began.index(5) == 5


def test_a_list_of_all_namespaces_waits_for_each() -> None:
    works = [work(place, "PUT", CLAIMS.replace("/ns/", f"/ns{place}/") + "/x") for place in range(5)]
    works.append(work(5, "GET", "/apis/resource.k8s.io/v1/resourceclaims"))
    assert run(works).began.index(5) == 5


def test_a_list_of_something_else_waits_for_nothing() -> None:
    works = [work(0, "PUT", f"{CLAIMS}/x"), work(1, "GET", "/apis/resource.k8s.io/v1/deviceclasses")]
    assert run(works).most == 2


def test_what_names_a_uid_waits_for_its_creation() -> None:
    uid = "11111111-2222-4333-8444-555555555555"
    body = {"metadata": {"name": "owner", "uid": uid}}
    child = {"metadata": {"ownerReferences": [{"uid": uid}]}}
    log = run([work(0, "POST", CLAIMS, answer=body), work(1, "PUT", f"{CLAIMS}/child", sent=child)])
    assert log.most == 1


def test_a_namespace_is_deleted_after_what_is_asked_of_it_and_made_before() -> None:
    body = {"metadata": {"name": "ns"}}
    log = run(
        [
            work(0, "POST", "/api/v1/namespaces", answer=body),
            work(1, "PUT", f"{CLAIMS}/x"),
            work(2, "PUT", f"{CLAIMS}/y"),
            work(3, "DELETE", "/api/v1/namespaces/ns"),
        ]
    )
    assert log.began[0] == 0
    assert log.began[3] == 3
    assert log.most == 2


def test_the_requests_of_one_actor_keep_their_order() -> None:
    works = [work(place, "PUT", f"{CLAIMS}/x{place}", actor="ab"[place % 2]) for place in range(10)]
    log = run(works, by_actor=True)
    assert [place for place in log.ended if place % 2] == [1, 3, 5, 7, 9]
    assert log.most == 2


def test_no_more_is_read_ahead_than_the_window_holds() -> None:
    assert run([work(place, "PUT", f"{CLAIMS}/x{place}") for place in range(20)], window=3).most <= 3


@pytest.mark.parametrize("when", ["put", "drain"])
def test_what_a_request_raises_ends_everything(when: str) -> None:
    async def fail(_: Step) -> None:
        raise OSError(when)

    async def main(then: Callable[[Scheduler], Coroutine[Any, Any, None]]) -> None:
        scheduler = Scheduler(fail, by_actor=False, workers=2, window=1)
        try:
            await scheduler.put(work(0, "PUT", f"{CLAIMS}/x"))
            await then(scheduler)
        finally:
            await scheduler.close()

    async def put(scheduler: Scheduler) -> None:
        await scheduler.put(work(1, "PUT", f"{CLAIMS}/y"))

    with pytest.raises(OSError, match=when):
        asyncio.run(main(put if when == "put" else Scheduler.drain))
