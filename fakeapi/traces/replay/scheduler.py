"""Sends several exchanges at a time, each after those that it depends on.

Exchanges about one object keep their order; a list, a watch and a deletecollection wait for what was asked
of their collection before, and hold back what comes after; what names the uid of an object waits for its
creation. With `by_actor`, the exchanges of one actor keep their order too.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from fakeapi.traces.model import Exchange
from fakeapi.traces.replay.addresses import NAMESPACES
from fakeapi.traces.replay.causal_order import Key
from fakeapi.traces.replay.request_facts import COLLECTIONS, Facts

WINDOW = 512
"""Exchanges that are read ahead; reading waits while as many are not answered."""

_UID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OWN_UID = re.compile(rb'"uid":"([0-9a-f-]{36})"')

Scope = tuple[str, str, str]


class Work(NamedTuple):
    """One exchange to be sent, or, with `closing`, a watch to be closed."""

    place: int
    exchange: Exchange
    facts: Facts
    closing: bool = False


class _Job:
    __slots__ = ("done", "following", "member_of", "noted_in", "waiting", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.waiting = 0
        self.done = False
        self.following: list[_Job] = []
        self.noted_in: list[tuple[dict[Any, _Job], Any]] = []
        self.member_of: list[set[_Job]] = []


class Lanes:
    """`perform` sends one exchange; what it raises ends everything and is raised by `put` or `drain`."""

    def __init__(
        self,
        perform: Callable[[Work], Awaitable[None]],
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

    async def put(self, work: Work) -> None:
        """Returns when there is room for the next."""
        while self._outstanding >= self._window and self._failure is None:
            await self._until_change()
        self._check()
        job = _Job(work)
        self._outstanding += 1
        for before in self._before(job):
            if before is not job and not before.done:
                before.following.append(job)
                job.waiting += 1
        if not job.waiting:
            self._start(job)
            await asyncio.sleep(0)

    async def drain(self) -> None:
        """Returns when everything is answered."""
        while self._outstanding and self._failure is None:
            await self._until_change()
        self._check()

    async def close(self) -> None:
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
        """The jobs that must be done first; notes what later ones must wait for."""
        work = job.work
        found: set[_Job] = set()
        if self._by_actor and not work.closing:
            self._follow(job, work.exchange.actor, found)
        group, resource, namespace, name = work.facts.address.key
        if not resource:
            return found
        # A namespace waits for all that is in it, and is waited for.
        inside: Key = ("", NAMESPACES, "", namespace or name)
        if resource == NAMESPACES and name and work.facts.is_write:
            found.update(self._open.get(("", "", name), ()))
        elif namespace and inside in self._last:
            found.add(self._last[inside])
        scopes = {(group, resource, namespace), (group, resource, "")}
        found.update(self._barriers[scope] for scope in scopes if scope in self._barriers)
        if work.facts.verb in COLLECTIONS:
            found.update(self._open.get((group, resource, namespace), ()))
            self._set(self._barriers, (group, resource, namespace), job)
        elif name:
            self._follow(job, work.facts.address.key, found)
        self._note_open(job, {*scopes, ("", "", namespace)} if namespace else scopes)
        self._note_uids(job, found)
        return found

    def _follow(self, job: _Job, key: Key | str, found: set[_Job]) -> None:
        before = self._last.get(key)
        if before is not None:
            found.add(before)
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

    def _note_uids(self, job: _Job, found: set[_Job]) -> None:
        exchange = job.work.exchange
        if self._creators and b'"uid"' in exchange.request.body:
            for uid in _UID.findall(exchange.request.body):
                if uid in self._creators:
                    found.add(self._creators[uid])
        if job.work.facts.verb == "create" and exchange.response is not None:
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
                await self._perform(job.work)
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 - handed to who puts work in
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
