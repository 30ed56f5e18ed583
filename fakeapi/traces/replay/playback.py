"""A trace as a cluster: the state of a moment, then the recorded writes as their time comes.

Reads and watches of the trace are not repeated, and neither are writes that were refused. Others may write
too: an update that their writes make conflict is sent again without its version, so that the recorded one
wins.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.traces.client.http import HttpClient
from fakeapi.traces.client.upstream import Upstream
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange, Headers, Response
from fakeapi.traces.replay.identity_map import Identities
from fakeapi.traces.replay.initial_state import Seed, of_kinds
from fakeapi.traces.replay.plan import Survey, survey
from fakeapi.traces.replay.request_facts import Facts, facts_of
from fakeapi.traces.replay.restore import Seeded, Seeder
from fakeapi.traces.replay.rewrite import Unsendable, request_now
from fakeapi.traces.replay.target import served_paths


@dataclass(slots=True)
class Moved:
    """What has been done.

    `failed`: writes that the server refused now, by status. `unserved`: writes that were not sent, by
    resource.
    """

    written: int = 0
    failed: Counter[int] = field(default_factory=Counter)
    unserved: Counter[str] = field(default_factory=Counter)
    seeded: list[Seeded] = field(default_factory=list)

    def __str__(self) -> str:
        """As a line: "32 writes, 2 refused (409), 5 not served (pods/status)"."""
        parts = [f"{self.written} writes"]
        if self.failed:
            parts.append(f"{self.failed.total()} refused ({', '.join(map(str, sorted(self.failed)))})")
        if self.unserved:
            parts.append(f"{self.unserved.total()} not served ({', '.join(sorted(self.unserved))})")
        return ", ".join(parts)


class Motion:
    """One trace, applied to one server. Raises TraceError and TargetError."""

    def __init__(self, reader: TraceReader, target: Upstream) -> None:
        self.moved = Moved()
        self._reader = reader
        self._client = HttpClient(target)
        self._identities = Identities()
        self._late: dict[int, list[Seed]] = {}
        self._source: Iterator[tuple[int, Exchange]] = iter(())
        self._next: tuple[int, Exchange] | None = None
        self.since = 0.0
        self.until = 0.0

    async def begin(self, at: float = 0.0) -> None:
        """Makes the state of the moment that is `at` seconds after the trace's start."""
        found = survey(self._reader)
        self.since, self.until = found.since, found.until
        self._served = await served_paths(self._client, found.roots)
        await self._seed(found)
        self._source = found.exchanges(self._reader)
        self._advance()
        while self._next is not None and self._next[1].offset <= at:
            await self._apply(*self._next)
            self._advance()

    async def go_on(self, at: float = 0.0, speed: float = 1.0) -> None:
        """Applies what comes after that moment, `speed` times as fast as it was; returns after the last."""
        began = time.monotonic()
        while self._next is not None:
            place, exchange = self._next
            due = began + (exchange.offset - at) / speed
            if (left := due - time.monotonic()) > 0:
                await asyncio.sleep(left)
            await self._apply(place, exchange)
            self._advance()

    async def close(self) -> None:
        await self._client.close()

    def _advance(self) -> None:
        self._next = next(self._source, None)

    async def _seed(self, found: Survey) -> None:
        self._seeder = Seeder(self._client, self._identities, self._served)
        self.moved.seeded += await self._seeder.make_namespaces(found.namespaces)
        for seed in of_kinds(found.seeds, self._served):
            if seed.before >= 0:
                self._late.setdefault(seed.before, []).append(seed)
            else:
                self.moved.seeded.append(await self._seeder.make(seed))

    async def _apply(self, place: int, exchange: Exchange) -> None:
        for seed in self._late.pop(place, ()):
            self.moved.seeded.append(await self._seeder.make(seed))
        facts = facts_of(exchange)
        if not facts.is_write or not 200 <= facts.status < 300 or "request body" in exchange.missing:
            return
        address = facts.address
        name = f"{address.resource}/{address.subresource}" if address.subresource else address.resource
        if f"{address.root}/{name}" not in self._served:
            self.moved.unserved[name] += 1
            return
        answer = await self._write(exchange, facts)
        if answer.status >= 300:
            self.moved.failed[answer.status] += 1
            return
        self.moved.written += 1
        if exchange.response is not None:
            self._learn(exchange.response, answer)

    async def _write(self, exchange: Exchange, facts: Facts) -> Response:
        try:
            target, headers, body = request_now(exchange, facts, self._identities, keep_names=True)
        except Unsendable:
            return await self._send(exchange, exchange.request.target, (), exchange.request.body)
        answer = await self._send(exchange, target, headers, body)
        if answer.status == 409 and (free := _without_version(body)) is not None:
            answer = await self._send(exchange, target, headers, free)
        return answer

    async def _send(self, exchange: Exchange, target: str, headers: Headers, body: bytes) -> Response:
        return await self._client.send(exchange.request.method, target, headers, body)

    def _learn(self, recorded: Response, answer: Response) -> None:
        try:
            self._identities.learn(decode(recorded.body), decode(answer.body))
        except JsonError:
            return


def _without_version(body: bytes) -> bytes | None:
    """A body that names no version, and no precondition; None where it did not."""
    try:
        value = decode(body)
    except JsonError:
        return None
    if not isinstance(value, dict):
        return None
    metadata, changed = value.get("metadata"), False
    if isinstance(metadata, dict) and metadata.get("resourceVersion"):
        # Without the uid too: whoever made the object anew may have done so in between.
        metadata.pop("uid", None)
        del metadata["resourceVersion"]
        changed = True
    if value.pop("preconditions", None):
        changed = True
    return encode(value) if changed else None
