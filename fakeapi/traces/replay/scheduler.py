"""Runs recorded requests (exchanges) in parallel, each after the exchanges that it depends on.

- Exchanges about the same object keep their order.
- A list, watch or deletecollection waits for all earlier requests to its collection. Later requests to the
  collection wait for the list, watch or deletecollection.
- A request that contains an object's uid waits for the creation of the object.
- With `by_actor`, the exchanges of one client also keep their order.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.analysis.causal_order import Key
from fakeapi.traces.analysis.plan import Step
from fakeapi.traces.analysis.request_facts import COLLECTIONS
from fakeapi.traces.analysis.resource_path import NAMESPACES

WINDOW = 512
"""Maximum number of unfinished exchanges. At this number, reading the trace pauses."""

_UID = lazy_pattern(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OWN_UID = lazy_pattern(rb'"uid":"([0-9a-f-]{36})"')

Scope = tuple[str, str, str]


class _Job:
    __slots__ = ("done", "following", "member_of", "noted_in", "step", "waiting")

    def __init__(self, step: Step) -> None:
        self.step = step
        self.waiting = 0
        self.done = False
        self.following: list[_Job] = []
        self.noted_in: list[tuple[dict[Any, _Job], Any]] = []
        self.member_of: list[set[_Job]] = []


class Scheduler:
    """Runs the steps of a replay in parallel, each after the steps that it depends on.

    A step sends a recorded request, or ends a recorded watch.

    - `perform`: runs one step. If it raises an error, `put` and `drain` raise the first such error.
    - `by_actor`: whether the steps of one client keep their order.
    - `workers`: the maximum number of steps that run in parallel.
    - `window`: the maximum number of unfinished steps.
    """

    def __init__(
        self,
        perform: Callable[[Step], Awaitable[None]],
        *,
        by_actor: bool,
        workers: int,
        window: int = WINDOW,
    ) -> None:
        self._perform = perform
        self._by_actor = by_actor
        self._window = window
        self._outstanding = 0
        self._room = asyncio.Event()
        self._ready: deque[_Job] = deque()
        self._idle: deque[asyncio.Future[None]] = deque()
        self._failure: BaseException | None = None
        self._last: dict[Key | str, _Job] = {}
        self._barriers: dict[Scope, _Job] = {}
        self._open: dict[Scope, set[_Job]] = {}
        self._creators: dict[bytes, _Job] = {}
        self._workers = [asyncio.create_task(self._work()) for _ in range(workers)]

    async def put(self, step: Step) -> None:
        """Adds a step to run. First waits until fewer than `window` steps are unfinished."""
        while self._outstanding >= self._window and self._failure is None:
            await self._until_change()
        self._check()
        job = _Job(step)
        self._outstanding += 1
        for before in self._before(job):
            if before is not job and not before.done:
                before.following.append(job)
                job.waiting += 1
        if not job.waiting:
            self._start(job)
            await asyncio.sleep(0)

    async def drain(self) -> None:
        """Waits until all added steps are finished."""
        while self._outstanding and self._failure is None:
            await self._until_change()
        self._check()

    async def close(self) -> None:
        """Cancels all unfinished steps."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _until_change(self) -> None:
        self._room.clear()
        await self._room.wait()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _before(self, job: _Job) -> set[_Job]:
        """Returns the earlier jobs that must finish before a job.

        Also registers the job, so that later jobs can wait for it.
        """
        step = job.step
        before: set[_Job] = set()
        if self._by_actor and not step.closing:
            self._follow(job, step.exchange.actor, before)
        group, resource, namespace, name = step.facts.path.key
        if not resource:
            return before
        # A write of a namespace waits for earlier requests in this namespace. Later requests in the namespace
        # wait for the write.
        inside: Key = ("", NAMESPACES, "", namespace or name)
        if resource == NAMESPACES and name and step.facts.is_write:
            before.update(self._open.get(("", "", name), ()))
        elif namespace and inside in self._last:
            before.add(self._last[inside])
        scopes = {(group, resource, namespace), (group, resource, "")}
        before.update(self._barriers[scope] for scope in scopes if scope in self._barriers)
        if step.facts.verb in COLLECTIONS:
            before.update(self._open.get((group, resource, namespace), ()))
            self._set(self._barriers, (group, resource, namespace), job)
        elif name:
            self._follow(job, step.facts.path.key, before)
        self._note_open(job, {*scopes, ("", "", namespace)} if namespace else scopes)
        self._note_uids(job, before)
        return before

    def _follow(self, job: _Job, key: Key | str, earlier: set[_Job]) -> None:
        before = self._last.get(key)
        if before is not None:
            earlier.add(before)
        self._set(self._last, key, job)

    @staticmethod
    def _set(table: dict[Any, _Job], key: Any, job: _Job) -> None:
        table[key] = job
        job.noted_in.append((table, key))

    def _note_open(self, job: _Job, scopes: set[Scope]) -> None:
        for scope in scopes:
            members = self._open.setdefault(scope, set())
            members.add(job)
            job.member_of.append(members)

    def _note_uids(self, job: _Job, earlier: set[_Job]) -> None:
        exchange = job.step.exchange
        if self._creators and b'"uid"' in exchange.request.body:
            for uid in _UID.findall(exchange.request.body):
                if uid in self._creators:
                    earlier.add(self._creators[uid])
        if job.step.facts.verb == "create" and exchange.response is not None:
            match = _OWN_UID.search(exchange.response.body)
            if match is not None:
                self._set(self._creators, match[1], job)

    def _start(self, job: _Job) -> None:
        self._ready.append(job)
        while self._idle:
            waiter = self._idle.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return

    async def _work(self) -> None:
        while True:
            while not self._ready:
                waiter = asyncio.get_running_loop().create_future()
                self._idle.append(waiter)
                await waiter
            job = self._ready.popleft()
            try:
                await self._perform(job.step)
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 - raised by `put` or `drain`
                self._failure = self._failure or error
                self._room.set()
                return
            self._finish(job)

    def _finish(self, job: _Job) -> None:
        job.done = True
        for table, key in job.noted_in:
            if table.get(key) is job:
                del table[key]
        for members in job.member_of:
            members.discard(job)
        for after in job.following:
            after.waiting -= 1
            if not after.waiting:
                self._start(after)
        self._outstanding -= 1
        self._room.set()
