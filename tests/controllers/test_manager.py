"""The controller manager orders and retries keys, and starts and stops with the server."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import ClockAndNames, SeededClockAndNames
from fakeapi.cluster import Cluster
from fakeapi.controllers.controller import Controller, ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.manager import CONFLICTS_AT_ONCE_MAX, Manager, NotSettled
from fakeapi.controllers.names import chosen
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.controllers.work import key_text
from fakeapi.http.app import Application
from fakeapi.settings import Settings

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
SECRETS = "/api/v1/namespaces/default/secrets"


class Counting(Controller):
    """A controller that calls a function of the test for each changed Secret.

    The key is the name of the Secret.
    """

    name: ClassVar[str] = "counting"

    def __init__(self, context: ControllerContext, work: "Work") -> None:
        super().__init__(context)
        self._work = work

    async def start(self) -> None:
        self.keys: list[Any] = []
        secrets = self.context.resource("", "secrets")
        assert secrets is not None
        self.secrets = self.context.informer(secrets)
        self.secrets.on_change(lambda old, new: self.context.add((new or old or {})["metadata"]["name"]))

    async def reconcile(self, key: Any) -> None:
        self.keys.append(key)
        await self._work(self, key)


Work = Callable[[Counting, Any], Awaitable[None]]


async def nothing(controller: Counting, key: Any) -> None:
    """Does nothing for a changed Secret."""


def run(
    work: Work,
    test: Callable[[Manager, InProcessClient], Awaitable[None]],
    clock: ClockAndNames | None = None,
) -> None:
    """Starts a controller that calls `work` for each changed Secret.

    Calls `test` with the manager and a client of the API, in the same event loop.
    """

    async def main() -> None:
        app = Application(cluster := Cluster(Settings(release="1.33", clock=clock)))
        await app.startup()

        def make(context: ControllerContext) -> Controller:
            return Counting(context, work)

        manager = Manager(app, cluster, {"counting": make})
        await manager.start()
        try:
            await test(manager, InProcessClient(app, "test"))
        finally:
            await manager.stop()
            await app.shutdown()

    asyncio.run(main())


def counting(manager: Manager) -> Counting:
    controller = manager["counting"]
    assert isinstance(controller, Counting)
    return controller


def test_caches_catch_up_although_the_process_did_not_run_during_a_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fakeapi.controllers.manager.CATCH_UP_SECONDS", 0.0)
    handle = Informer._handle

    def handle_late(informer: Informer, event: Any) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: loop.call_soon(lambda: loop.call_soon(handle, informer, event)))

    monkeypatch.setattr(Informer, "_handle", handle_late)
    missing: list[str] = []

    async def write(controller: Counting, key: Any) -> None:
        name = f"s{len(controller.keys)}"
        if key != "first" and controller.secrets.get("default", key) is None:
            missing.append(key)
        if len(controller.keys) < 20:
            await controller.context.api("test").create(SECRETS, {**SECRET, "metadata": {"name": name}})
            controller.context.add(name)

    async def test(manager: Manager, api: InProcessClient) -> None:
        manager.add("counting", "first")
        await manager.settle(5)

    run(write, test)
    assert missing == []


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (("pod", "team-a", "train"), "Pod team-a/train"),
        (("rule", "", "recall"), "DeviceTaintRule recall"),
        (("team-a", "budget"), "team-a/budget"),
        ("team-a/train\n", "team-a/train"),
    ],
)
def test_a_key_is_shown_as_kind_and_place(key: str | tuple[str, ...], text: str) -> None:
    assert key_text(key) == text


def test_a_key_is_reconciled_when_the_caches_show_what_was_written() -> None:
    async def check(controller: Counting, key: Any) -> None:
        assert controller.secrets.get("default", key) is not None

    async def test(manager: Manager, api: InProcessClient) -> None:
        for number in range(20):
            await api.create(SECRETS, {**SECRET, "metadata": {"name": f"s{number}"}})
        await manager.settle(5)
        assert counting(manager).keys == [f"s{number}" for number in range(20)]

    run(check, test)


def test_a_handler_that_raises_keeps_the_change_from_no_other_handler(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(old: Any, new: Any) -> None:
        raise RuntimeError("a defect")

    async def test(manager: Manager, api: InProcessClient) -> None:
        counting(manager).secrets.on_change(fail)
        counting(manager).secrets.on_change(lambda old, new: manager.add("counting", "later handler"))
        await api.create(SECRETS, SECRET)
        await manager.settle(5)
        assert counting(manager).keys == ["s", "later handler"]

    run(nothing, test)
    assert "unexpected error in a handler of secrets" in caplog.text


def test_a_conflict_is_tried_again_at_once_and_not_for_ever() -> None:
    async def conflict(controller: Counting, key: Any) -> None:
        raise StatusError(409, {"reason": "Conflict", "message": "somebody else was faster"})

    async def test(manager: Manager, api: InProcessClient) -> None:
        await api.create(SECRETS, SECRET)
        await manager.settle(5)
        assert len(counting(manager).keys) == CONFLICTS_AT_ONCE_MAX + 1

    run(conflict, test, SeededClockAndNames(1, AdjustableClock(frozen_at=0)))


def test_a_key_that_failed_comes_back_when_the_clock_says_so() -> None:
    clock = AdjustableClock(frozen_at=0)

    failed_again = asyncio.Event()

    async def fail_once(controller: Counting, key: Any) -> None:
        if len(controller.keys) == 1:
            raise RuntimeError("a defect")
        failed_again.set()

    async def test(manager: Manager, api: InProcessClient) -> None:
        await api.create(SECRETS, SECRET)
        await manager.settle(5)
        assert counting(manager).keys == ["s"]
        clock.advance(1)
        async with asyncio.timeout(5):
            await failed_again.wait()
        await manager.settle(5)
        assert counting(manager).keys == ["s", "s"]

    run(fail_once, test, SeededClockAndNames(1, clock))


def test_what_does_not_settle_is_named() -> None:
    async def hang(controller: Counting, key: Any) -> None:
        await asyncio.get_running_loop().create_future()

    async def test(manager: Manager, api: InProcessClient) -> None:
        await api.create(SECRETS, SECRET)
        with pytest.raises(NotSettled, match=r"did not settle in 0.05 s: counting s"):
            await manager.settle(0.05)

    run(hang, test)


def test_work_that_was_spawned_is_waited_for() -> None:
    done: list[str] = []

    async def spawn(controller: Counting, key: Any) -> None:
        async def call() -> None:
            for _ in range(50):
                await asyncio.sleep(0)
            done.append(key)

        controller.context.spawn(call())

    async def test(manager: Manager, api: InProcessClient) -> None:
        await api.create(SECRETS, SECRET)
        await manager.settle(5)
        assert done == ["s"]

    run(spawn, test)


def test_an_informer_lists_again_when_its_resource_version_is_410_expired() -> None:
    async def main() -> None:
        app = Application(cluster := Cluster(Settings(release="1.33", history=1)))
        await app.startup()
        api = InProcessClient(app, "test")
        secrets = find_resource(cluster.catalogue, "", "secrets")
        assert secrets is not None
        informer = Informer(api, served_as(secrets))
        await informer.list()
        for number in range(5):
            await api.create(SECRETS, {**SECRET, "metadata": {"name": f"s{number}"}})
        moved = asyncio.Event()
        informer.notify(moved)
        following = asyncio.ensure_future(informer.run())
        try:
            async with asyncio.timeout(5):
                await moved.wait()
            assert {f"default/s{number}" for number in range(5)} <= informer.objects.keys()
        finally:
            following.cancel()
            await asyncio.wait({following})
            await app.shutdown()

    asyncio.run(main())


def test_settle_needs_controllers() -> None:
    with FakeAPI() as api, pytest.raises(RuntimeError, match="no controllers run"):
        api.settle()


def test_controllers_begin_again_after_a_reset() -> None:
    with FakeAPI(controllers="namespace") as api:
        api.settle()
        api.reset()
        api.settle()
        assert api.get("ServiceAccount", "default")


def test_controllers_get_through_a_token_and_through_host_rules() -> None:
    with FakeAPI(controllers="namespace", token="secret") as api:
        api.settle()
        assert api.get("ServiceAccount", "default")
    with FakeAPI(controllers="namespace", accept_hosts=r"^127\.0\.0\.1$") as api:
        api.settle()
        assert api.get("ServiceAccount", "default")


def test_requests_of_controllers_are_in_a_recording(tmp_path: Any) -> None:
    trace = tmp_path / "trace.jsonl"
    with FakeAPI(release="1.33", controllers="namespace", record=trace) as api:
        api.settle()
    assert "service-account-controller" in trace.read_text()


def test_names_of_controllers_come_as_text_or_list() -> None:
    assert chosen("namespace, resourceclaim") == ["namespace", "resourceclaim"]
    assert chosen(["resourceclaim", "namespace"]) == ["namespace", "resourceclaim"]
    assert chosen("") == []
    assert set(chosen("all")) >= {"namespace", "garbagecollector", "resourceclaim"}


def test_a_minus_leaves_a_controller_out_of_all() -> None:
    names = chosen("all,-scheduler, -kubelet")
    assert "scheduler" not in names
    assert "kubelet" not in names
    assert {*names, "scheduler", "kubelet"} == set(chosen("all"))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("-scheduler", "-scheduler leaves a controller out of all, so name all too: all,-scheduler"),
        ("all,-schedulers", "unknown controller schedulers; did you mean scheduler?"),
        ("all,nothing", "unknown controller nothing; choose from namespace, "),
        ("-all", "unknown controller -all; choose from namespace, "),
    ],
)
def test_a_minus_without_all_or_with_an_unknown_name_is_refused(names: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        chosen(names)


def test_an_unknown_controller_is_refused_in_a_line() -> None:
    with pytest.raises(ValueError, match=r"^unknown controller kubelets; did you mean kubelet\?$"):
        FakeAPI(controllers="kubelets").start()
