"""Manager: runs the controllers of one server. The controllers reconcile one key at a time."""

import asyncio
import logging
from collections.abc import Coroutine, Hashable, Mapping
from typing import Any

from fakeapi.asgi import ASGIApp
from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clock.clocks import Clock
from fakeapi.cluster import Cluster
from fakeapi.controllers.activity import Activity, ControllerReport
from fakeapi.controllers.controller import Controller, ControllerContext, MakeController
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.work import Item, WorkQueue, key_text
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.printable import printable_line
from fakeapi.registry.model.resource import Resource

log = logging.getLogger("fakeapi.controllers")

CATCH_UP_SECONDS = 1.0
"""Maximum seconds to wait for the caches before a controller reconciles a key.

After this time, the controller works with outdated caches.
"""
CATCH_UP_WAITS = 50
"""Number of short waits into which CATCH_UP_SECONDS is divided.

On a busy machine, the process may pause, so that one long timeout could pass before the caches are updated.
With many short waits, such a pause uses up only one wait.
"""
CONFLICTS_AT_ONCE_MAX = 10
"""Maximum number of immediate retries of a key after conflicts (409). Later retries have growing delays."""


async def _done_in(clock: Clock, event: "asyncio.Future[None]", seconds: float) -> bool:
    """Waits until a future is done or `seconds` have passed on the clock; returns whether the future was
    done.
    """
    try:
        async with clock.timeout(seconds):
            await asyncio.shield(event)
    except TimeoutError:
        return False
    return True


class NotSettled(FakeAPIError, TimeoutError):
    """Raised if the controllers still have work at the timeout of `settle`. The message lists this work."""


class Manager:
    """The controllers of one server, with their caches and work queue.

    Reconciles one key at a time, after the caches have received all earlier writes. Therefore, tests with the
    same seed, clock and requests have the same results.
    """

    def __init__(
        self,
        app: ASGIApp,
        cluster: Cluster,
        makers: Mapping[str, MakeController],
        *,
        token: str | None = None,
        host: str = "localhost",
    ) -> None:
        self._app = app
        self._cluster = cluster
        self._token = token
        self._host = host
        self._changed = asyncio.Event()
        self._queue = WorkQueue(cluster.clock, self._changed.set)
        self._informers: dict[ServedResource, Informer] = {}
        self._followed: list[tuple[Informer, Resource]] = []
        self._unlisted: list[Informer] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._spawned: set[asyncio.Task[None]] = set()
        self._resting: dict[asyncio.Task[None], tuple[asyncio.Future[None], float]] = {}
        self._up_to_date = (-1, 0)
        """The store's number of changes and the number of caches when no cache was behind."""
        self._busy: Item | None = None
        self._conflicts: dict[Item, int] = {}
        self._activity = Activity()
        self._controllers = {
            name: make(ControllerContext(name, cluster, self)) for name, make in makers.items()
        }

    def __getitem__(self, name: str) -> Controller:
        """Returns the controller with this name. Raises KeyError if the server does not run this
        controller.
        """
        return self._controllers[name]

    @property
    def names(self) -> list[str]:
        """The names of the controllers that this server runs."""
        return [*self._controllers]

    def find(self, name: str) -> Controller | None:
        """Returns the controller with this name; None if the server does not run this controller."""
        return self._controllers.get(name)

    async def start(self) -> None:
        """Starts the controllers, fills their caches and begins to reconcile keys.

        Raises the exceptions of the `start` methods of the controllers.
        """
        for controller in self._controllers.values():
            await controller.start()
        await self._list_new()
        self._tasks.append(asyncio.ensure_future(self._work()))

    async def stop(self) -> None:
        """Cancels all running work and stops the controllers. Can be called more than once."""
        tasks, self._tasks = [*self._tasks, *self._spawned, *self._resting], []
        self._queue.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for controller in self._controllers.values():
            await controller.stop()

    async def settle(self, seconds: float) -> None:
        """Waits until no controller has work that is due now.

        Ignores keys that are due later, such as failed keys. Raises NotSettled after `seconds` of real time.
        """
        try:
            async with asyncio.timeout(seconds):
                while not await self._is_settled():
                    self._changed.clear()
                    if not self._is_idle():
                        await self._changed.wait()
        except TimeoutError:
            raise NotSettled(f"the controllers did not settle in {seconds:g} s: {self._left()}") from None

    def reports(self) -> list[ControllerReport]:
        """Returns a report about each controller's work, in the order in which the controllers started."""
        return self._activity.reports(self._controllers, self._queue, self._busy)

    def retry_delays(self, text: str) -> dict[str, float]:
        """Returns the seconds until controllers try an object again, by the name of the controller.

        `text`: the key of the object as `key_text` writes it, such as "Pod team-a/train".
        """
        return {name: seconds for (name, key), seconds in self._queue.delays() if key_text(key) == text}

    # methods of the protocol Work -------------------------------------------------------------------

    def api(self, agent: str) -> InProcessClient:
        return InProcessClient(self._app, agent, token=self._token, host=self._host)

    def informer(self, resource: ServedResource) -> Informer:
        """Returns the informer (cache) of a resource.

        A new informer is filled before the next key is reconciled.
        """
        cache = self._informers.get(resource)
        if cache is None:
            api = self.api(
                f"kube-controller-manager/{self._cluster.catalogue.primary.version} (linux/amd64) "
                "kubernetes/fakeapi/shared-informers"
            )
            cache = self._informers[resource] = Informer(api, resource)
            cache.notify(self._changed)
            served = self._cluster.catalogue.find(resource.group, resource.version, resource.plural)
            if served is not None:
                self._followed.append((cache, served))
            self._unlisted.append(cache)
            self._changed.set()
        return cache

    def add(self, controller: str, key: Hashable) -> None:
        self._queue.add((controller, key))

    def count_failure(self, controller: str, key: Hashable, problem: object) -> None:
        """Counts a failure of a key that its controller retries without raising an error."""
        self._activity.fail((controller, key), problem)

    def add_after(self, controller: str, key: Hashable, seconds: float) -> None:
        self._queue.add_after((controller, key), seconds)

    def spawn(self, controller: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._begin(controller, work)
        self._spawned.add(task)
        task.add_done_callback(self._forget)
        return task

    def run(self, controller: str, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(self._begin(controller, work))

    async def wait(self, event: "asyncio.Future[None]", seconds: float) -> bool:
        task = asyncio.current_task()
        if task not in self._spawned:
            return await _done_in(self._cluster.clock, event, seconds)
        self._spawned.discard(task)
        self._resting[task] = event, self._cluster.clock.monotonic() + seconds
        self._changed.set()
        try:
            return await _done_in(self._cluster.clock, event, seconds)
        finally:
            del self._resting[task]
            self._spawned.add(task)

    # the work -------------------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            self._changed.clear()
            await self._list_new()
            item = self._queue.pop()
            if item is None:
                await self._changed.wait()
                continue
            self._busy = item
            try:
                await self._caught_up()
                await self._reconcile(item)
            finally:
                self._busy = None
                self._changed.set()

    async def _reconcile(self, item: Item) -> None:
        name, key = item
        try:
            await self._controllers[name].reconcile(key)
        except StatusError as problem:
            conflicts = self._conflicts.get(item, 0)
            if problem.is_conflict and conflicts < CONFLICTS_AT_ONCE_MAX:
                self._conflicts[item] = conflicts + 1
                self._queue.add(item)
                return
            log.warning("%s: %s: %s", name, key_text(key), printable_line(problem))
            self._activity.fail(item, problem)
            self._queue.retry(item)
        except Exception as error:
            log.exception("%s: unexpected error at %s", name, key_text(key))
            self._activity.fail(item, f"unexpected {type(error).__name__}")
            self._queue.retry(item)
        else:
            self._activity.succeed(item)
            self._queue.succeed(item)
        self._conflicts.pop(item, None)

    async def _list_new(self) -> None:
        while self._unlisted:
            informer = self._unlisted.pop(0)
            try:
                await informer.list()
            except StatusError as problem:
                log.warning("cannot list %s: %s", informer.resource.plural, printable_line(problem))
            self._tasks.append(asyncio.ensure_future(informer.run()))

    async def _caught_up(self) -> None:
        """Waits until the caches have received all writes, for at most CATCH_UP_SECONDS."""
        if not self._is_behind():
            return
        for _ in range(CATCH_UP_WAITS):
            try:
                async with asyncio.timeout(CATCH_UP_SECONDS / CATCH_UP_WAITS):
                    while self._is_behind():
                        self._changed.clear()
                        await self._changed.wait()
                return
            except TimeoutError:
                continue
        log.debug("the caches are behind: %s", self._behind())

    def _is_behind(self) -> bool:
        """Whether a cache lacks a write. Compares all caches only after a write: positions only grow."""
        store = self._cluster.store
        state = store.changes, len(self._followed)
        if state != self._up_to_date:
            if any(informer.position < store.newest(resource) for informer, resource in self._followed):
                return True
            self._up_to_date = state
        return False

    def _behind(self) -> list[str]:
        newest = self._cluster.store.newest
        return [
            informer.resource.plural
            for informer, resource in self._followed
            if informer.position < newest(resource)
        ]

    async def _is_settled(self) -> bool:
        await self._caught_up()
        return self._is_idle()

    def _is_idle(self) -> bool:
        has_work = self._queue or self._queue.has_due or self._busy or self._spawned or self._unlisted
        return not has_work and not self._is_behind() and not self._has_awakened()

    def _has_awakened(self) -> bool:
        """Whether a task in `wait` will continue now: its event is done or its time is over."""
        now = self._cluster.clock.monotonic()
        return any(event.done() or due <= now for event, due in self._resting.values())

    def _left(self) -> str:
        left = [f"{name} {key}" for name, key in [*filter(None, [self._busy]), *self._queue.waiting][:5]]
        if self._spawned:
            left.append(f"{len(self._spawned)} calls that are not answered")
        return ", ".join(left) or "its caches are behind"

    def _begin(self, controller: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(self._guard(controller, work))
        task.add_done_callback(lambda _: work.close())  # a task that is cancelled early never awaits `work`
        return task

    async def _guard(self, controller: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except StatusError as problem:
            log.warning("%s: %s", controller, printable_line(problem))
        except Exception:
            log.exception("%s: unexpected error", controller)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._spawned.discard(task)
        self._changed.set()
