"""Controllers limit their memory, the number of retries, and the time until a retry."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames
from fakeapi.cluster import Cluster
from fakeapi.controllers import event_series, events, work
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.manager import Manager
from fakeapi.controllers.resourceclaim import ResourceClaimController
from fakeapi.controllers.scheduler.claim_binding import ATTEMPTS_MAX
from fakeapi.controllers.scheduler.controller import SchedulerController
from fakeapi.controllers.scheduler.queue import BACKOFF_SECONDS_MAX
from fakeapi.http.app import Application
from fakeapi.settings import Settings

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "x"}]},
}
CLAIM = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "metadata": {"name": "c"},
    "spec": {"devices": {}},
}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"pods": "110", "cpu": "8", "memory": "8Gi"}},
}


def with_api(test: Callable[[InProcessClient], Awaitable[None]]) -> None:
    """Starts a server and calls `test` with a client of its API in the same event loop."""

    async def main() -> None:
        app = Application(Cluster(Settings(release="1.33")))
        await app.startup()
        try:
            await test(InProcessClient(app, "test"))
        finally:
            await app.shutdown()

    asyncio.run(main())


ControllerType = TypeVar("ControllerType", bound=Controller)


def with_controller(
    kind: type[ControllerType], test: Callable[[Manager, ControllerType, InProcessClient], Awaitable[None]]
) -> None:
    """Starts one controller with a frozen clock.

    Calls `test` with the manager, the controller and a client of the API, in the same event loop.
    """

    async def main() -> None:
        clock = SeededClockAndNames(1, AdjustableClock(frozen_at=0))
        app = Application(cluster := Cluster(Settings(release="1.33", clock=clock)))
        await app.startup()
        manager = Manager(app, cluster, {kind.name: kind})
        await manager.start()
        try:
            controller = manager[kind.name]
            assert isinstance(controller, kind)
            await test(manager, controller, InProcessClient(app, "test"))
        finally:
            await manager.stop()
            await app.shutdown()

    asyncio.run(main())


def test_an_event_that_is_too_long_ends_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.clients.in_process.LINE_BYTES_MAX", 5_000)
    seen: list[str] = []

    async def test(api: InProcessClient) -> None:
        for name, size in (("short", 10), ("long", 10_000)):
            body = {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name},
                "data": {"a": "x" * size},
            }
            stored = await api.create(MAPS, body)
            before = str(int(stored["metadata"]["resourceVersion"]) - 1)
            query = {
                "resourceVersion": before,
                "timeoutSeconds": "1",
                "fieldSelector": f"metadata.name={name}",
            }
            if size < 5_000:
                await api.watch(MAPS, query, lambda event: seen.append(event["object"]["metadata"]["name"]))
                continue
            with pytest.raises(StatusError, match="a line is longer than 5000 bytes"):
                await api.watch(MAPS, query, lambda event: seen.append(event["object"]["metadata"]["name"]))

    with_api(test)
    assert seen == ["short"]


@pytest.mark.parametrize(
    ("make", "path", "how"),
    [
        (events.EventRecorder, "/api/v1/namespaces/default/events", ("message",)),
        (
            event_series.EventSeriesRecorder,
            "/apis/events.k8s.io/v1/namespaces/default/events",
            ("Acting", "message"),
        ),
    ],
)
def test_of_too_many_events_all_are_forgotten_and_equal_ones_counted_anew(
    make: Any, path: str, how: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "EVENTS_MAX", 3)
    seconds = itertools.count(1)
    resource = SimpleNamespace(
        path=lambda namespace: path,
        path_of=lambda obj: f"{path}/{obj['metadata']['name']}",
        api_version="events.k8s.io/v1",
    )
    context = SimpleNamespace(
        clock=SimpleNamespace(now=lambda: next(seconds), suffix=str),
        now=lambda: "2020-01-01T00:00:00Z",
        served=lambda group, plural: resource,
    )

    async def test(api: InProcessClient) -> None:
        pod = await api.create(PODS, POD)
        recorder = make(context, api, "example.com/test")
        for number in (0, 1, 2, 0, 3, 0):
            await recorder.record(pod, "Normal", f"Reason{number}", *how)
        found = await api.get(path)
        reasons = sorted(each["reason"] for each in found["items"])
        assert reasons == ["Reason0", "Reason0", "Reason1", "Reason2", "Reason3"]

    with_api(test)


def test_a_key_that_fails_for_ever_comes_back_after_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def pause(clock: object, seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(work, "pause", pause)

    async def main() -> None:
        came = asyncio.Event()
        queue = work.WorkQueue(AdjustableClock(frozen_at=0), came.set)
        for _ in range(100):
            queue.retry(("controller", "key"))
            await came.wait()
            came.clear()
            assert queue.pop() == ("controller", "key")

    asyncio.run(main())
    assert waited == sorted(waited)
    assert waited[-1] == waited[-2] == work.RETRY_SECONDS_MAX


def test_the_delay_of_a_key_begins_when_the_key_is_added() -> None:
    async def main() -> None:
        clock = AdjustableClock(frozen_at=0)
        came = asyncio.Event()
        queue = work.WorkQueue(clock, came.set)
        queue.add_after(("controller", "key"), 10)
        clock.advance(10)  # before the task of the queue has begun
        await asyncio.wait_for(came.wait(), 5)
        assert queue.pop() == ("controller", "key")
        assert queue.delayed == []

    asyncio.run(main())


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Returns a list that records the delay in seconds of each retry, instead of retrying."""
    values: list[float] = []
    monkeypatch.setattr(work.WorkQueue, "add_after", lambda self, item, seconds: values.append(seconds))
    return values


def test_a_pod_that_cannot_be_bound_comes_back_after_a_bounded_time(delays: list[float]) -> None:
    async def test(manager: Manager, scheduler: SchedulerController, api: InProcessClient) -> None:
        pod = await api.create(PODS, POD)
        await manager.settle(20)
        delays.clear()
        for _ in range(20):
            await scheduler._give_up(pod, "it fails")

    with_controller(SchedulerController, test)
    assert delays[:5] == [1, 2, 4, 8, BACKOFF_SECONDS_MAX]
    assert set(delays[4:]) == {BACKOFF_SECONDS_MAX}


def test_a_claim_that_changes_all_the_time_is_given_up(
    monkeypatch: pytest.MonkeyPatch, delays: list[float]
) -> None:
    attempts: list[str] = []

    async def conflict(*_: object, **__: object) -> None:
        attempts.append("update")
        raise StatusError(409, {"reason": "Conflict", "message": "somebody else was faster"})

    monkeypatch.setattr("fakeapi.controllers.scheduler.claim_binding.Binder._update", conflict)

    async def test(manager: Manager, scheduler: SchedulerController, api: InProcessClient) -> None:
        await api.create(CLAIMS, CLAIM)
        await api.create("/api/v1/nodes", NODE)
        await api.patch("/api/v1/nodes/n", {"spec": {"taints": None}})
        spec = {
            "containers": [{"name": "c", "image": "x"}],
            "resourceClaims": [{"name": "c", "resourceClaimName": "c"}],
        }
        await api.create(PODS, {**POD, "spec": spec})
        await manager.settle(20)
        pod = await api.get(f"{PODS}/p")
        assert "somebody else was faster" in pod["status"]["conditions"][0]["message"]

    with_controller(SchedulerController, test)
    assert len(attempts) == ATTEMPTS_MAX


def test_pods_that_are_not_remembered_as_deleted_free_their_claims_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fakeapi.controllers.resourceclaim.DELETED_MAX", 2)
    names = [f"p{number}" for number in range(5)]
    spec = {**POD["spec"], "resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}

    async def test(manager: Manager, controller: ResourceClaimController, api: InProcessClient) -> None:
        await api.create(CLAIMS, CLAIM)
        pods = [await api.create(PODS, {**POD, "metadata": {"name": name}, "spec": spec}) for name in names]
        users = [
            {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
            for pod in pods
        ]
        await api.patch(
            f"{CLAIMS}/c/status", {"status": {"allocation": {"devices": {}}, "reservedFor": users}}
        )
        await manager.settle(20)
        assert len((await api.get(f"{CLAIMS}/c"))["status"]["reservedFor"]) == len(names)
        for name in names:
            await api.delete(f"{PODS}/{name}", grace=0)
        await manager.settle(20)
        assert len(controller._deleted) == 2
        assert "reservedFor" not in (await api.get(f"{CLAIMS}/c"))["status"]

    with_controller(ResourceClaimController, test)


def device(number: int, group: str) -> dict[str, Any]:
    return {"name": f"d{number}", "basic": {"attributes": {"group": {"string": group}}}}


async def asked_for(
    api: InProcessClient, manager: Manager, count: int, *groups: str, selector: str = ""
) -> str:
    """Creates a node, devices, and a pod that needs `count` devices with the same group attribute.

    Returns the scheduler's message about the pod. `groups`: the group of each device. `selector`: a CEL
    expression for the DeviceClass.
    """
    await api.create("/api/v1/nodes", NODE)
    await api.patch("/api/v1/nodes/n", {"spec": {"taints": None}})
    resources, version = "/apis/resource.k8s.io/v1beta1", {"apiVersion": "resource.k8s.io/v1beta1"}
    await api.create(
        f"{resources}/resourceslices",
        {
            **version,
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {
                "driver": "example.com",
                "nodeName": "n",
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
                "devices": [device(number, group) for number, group in enumerate(groups)],
            },
        },
    )
    selectors = [{"cel": {"expression": selector}}] if selector else []
    await api.create(
        f"{resources}/deviceclasses",
        {**version, "kind": "DeviceClass", "metadata": {"name": "any"}, "spec": {"selectors": selectors}},
    )
    devices = {
        "requests": [{"name": "r", "deviceClassName": "any", "allocationMode": "ExactCount", "count": count}],
        "constraints": [{"matchAttribute": "example.com/group"}],
    }
    await api.create(CLAIMS, {**CLAIM, "spec": {"devices": devices}})
    spec = {**POD["spec"], "resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}
    await api.create(PODS, {**POD, "spec": spec})
    await manager.settle(20)
    return str((await api.get(f"{PODS}/p"))["status"]["conditions"][0].get("message", ""))


@pytest.mark.parametrize(
    ("tries", "message"),
    [(100_000, "cannot allocate all claims"), (1_000, "timed out trying to allocate devices")],
)
def test_a_search_for_devices_that_goes_on_and_on_is_given_up(
    tries: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.controllers.allocation.effort.TRIES_MAX", tries)

    async def test(manager: Manager, scheduler: SchedulerController, api: InProcessClient) -> None:
        output = await asked_for(api, manager, 9, *"a" * 8, *"b" * 8)
        assert output.startswith(f"0/1 nodes are available: 1 {message}.")

    with_controller(SchedulerController, test)


def test_a_pod_is_tried_again_if_a_node_came_during_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.registry.offloading.turns.TURN_SECONDS", -1.0)

    async def test(manager: Manager, scheduler: SchedulerController, api: InProcessClient) -> None:
        nodes = [{**NODE, "metadata": {"name": "m"}}]

        async def create_node(effort: Effort) -> None:
            if nodes:
                await api.create("/api/v1/nodes", nodes.pop())
            await asyncio.sleep(0)

        monkeypatch.setattr(Effort, "give_turn", create_node)
        message = await asked_for(api, manager, 5, *"a" * 4, *"b" * 4)
        assert message.startswith("0/2 nodes are available: ")

    with_controller(SchedulerController, test)


@pytest.mark.parametrize(("seconds", "times"), [(100.0, 0), (-1.0, 1)])
def test_selectors_that_take_too_long_end_the_search(
    seconds: float, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.controllers.allocation.effort.SECONDS_MAX", seconds)

    async def test(manager: Manager, scheduler: SchedulerController, api: InProcessClient) -> None:
        output = await asked_for(api, manager, 2, "a", "a", selector="true")
        assert output.count("timed out trying to allocate devices") == times

    with_controller(SchedulerController, test)
