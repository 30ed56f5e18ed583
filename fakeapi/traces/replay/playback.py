"""Playback: creates the objects of a trace as of a given time, and then repeats the later writes.

The writes keep their recorded times. Reads, watches and failed writes are not repeated. Other clients can
also write to the server. A recorded write can therefore get 409. The playback sends such a write again
without its resourceVersion, so that it succeeds.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from fakeapi.clients.http import HttpClient, UnsendableRequest
from fakeapi.clients.messages import Headers, Response
from fakeapi.clients.target import Target
from fakeapi.machinery.codec import JsonError, decode, encode
from fakeapi.machinery.printable import printable
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.analysis.plan import ReplayPlan, Step, plan_replay
from fakeapi.traces.analysis.request_facts import RequestFacts
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange, Gap
from fakeapi.traces.replay.restore import InitialStateRestorer
from fakeapi.traces.replay.rewrite import NotRewritable, rewritten_request
from fakeapi.traces.replay.target_discovery import served_paths
from fakeapi.traces.reporting.results import RestoredObject


@dataclass(slots=True)
class PlaybackSummary:
    """Counts the writes of a playback: successful, failed, not served and not sendable writes.

    - `written`: the number of successful writes.
    - `failed`: the number of failed writes by status code.
    - `unserved`: the numbers of writes that were not sent, by resource; the target does not serve these
      resources.
    - `unsendable`: the number of writes that are not valid HTTP requests.
    - `seeded`: the objects that were created because they existed before the trace.
    """

    written: int = 0
    failed: Counter[int] = field(default_factory=Counter)
    unserved: Counter[str] = field(default_factory=Counter)
    unsendable: int = 0
    seeded: list[RestoredObject] = field(default_factory=list)

    def __str__(self) -> str:
        """Returns the numbers in one line: "32 writes, 2 refused (409), 5 not served (pods/status)"."""
        parts = [f"{self.written} writes"]
        if self.failed:
            parts.append(f"{self.failed.total()} refused ({', '.join(map(str, sorted(self.failed)))})")
        if self.unserved:
            parts.append(f"{self.unserved.total()} not served ({', '.join(sorted(self.unserved))})")
        if self.unsendable:
            parts.append(f"{self.unsendable} not HTTP")
        return printable(", ".join(parts))


class Playback:
    """Repeats the writes of one trace on one server.

    The methods raise TraceError if the trace cannot be read, and TargetError if the server does not respond.
    """

    def __init__(self, reader: TraceReader, target: Target) -> None:
        self.summary = PlaybackSummary()
        self._reader = reader
        self._client = HttpClient(target)
        self._identities = IdentityMap()
        self._source: Iterator[Step] = iter(())
        self._next: Step | None = None
        self.since = 0.0
        self.until = 0.0

    async def begin(self, at: float = 0.0) -> None:
        """Creates the initial objects, and repeats all writes up to `at` as fast as possible.

        `at`: a time in seconds after the start of the trace.
        """
        plan = plan_replay(self._reader)
        self.since, self.until = plan.since, plan.until
        self._served = await served_paths(self._client, plan.group_versions)
        await self._restore(plan)
        self._source = plan.steps(self._reader)
        self._advance()
        while self._next is not None and self._next.exchange.offset <= at:
            await self._apply(self._next)
            self._advance()

    async def go_on(self, at: float = 0.0, speed: float = 1.0) -> None:
        """Repeats the remaining writes at their times, `speed` times as fast as recorded.

        `at`: the time in the trace that corresponds to the time of this call, in seconds after the start of
        the trace.
        """
        began = time.monotonic()
        while self._next is not None:
            step = self._next
            due = began + (step.exchange.offset - at) / speed
            if (left := due - time.monotonic()) > 0:
                await asyncio.sleep(left)
            await self._apply(step)
            self._advance()

    async def close(self) -> None:
        await self._client.close()

    def _advance(self) -> None:
        self._next = next(self._source, None)

    async def _restore(self, plan: ReplayPlan) -> None:
        restorer = self._restorer = InitialStateRestorer(self._client, self._identities, self._served)
        self.summary.seeded += await restorer.restore(plan)

    async def _apply(self, step: Step) -> None:
        self.summary.seeded += await self._restorer.restore_late(step.place)
        exchange, facts = step.exchange, step.facts
        if not facts.is_write or not 200 <= facts.status < 300 or exchange.lacks(Gap.REQUEST_BODY):
            return
        if facts.path.discovery_path not in self._served:
            self.summary.unserved[facts.path.full_resource] += 1
            return
        try:
            answer = await self._write(exchange, facts)
        except UnsendableRequest:
            self.summary.unsendable += 1
            return
        if answer.status >= 300:
            self.summary.failed[answer.status] += 1
            return
        self.summary.written += 1
        if exchange.response is not None:
            self._learn(exchange.response, answer)

    async def _write(self, exchange: Exchange, facts: RequestFacts) -> Response:
        try:
            target, headers, body = rewritten_request(exchange, facts, self._identities, keep_names=True)
        except NotRewritable:
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
    """Returns a JSON body without resourceVersion and preconditions.

    Returns None if the body contains neither, or is not a JSON object.
    """
    try:
        value = decode(body)
    except JsonError:
        return None
    if not isinstance(value, dict):
        return None
    metadata, changed = value.get("metadata"), False
    if isinstance(metadata, dict) and metadata.get("resourceVersion"):
        # Remove the uid too, because another client may have deleted and created the object.
        metadata.pop("uid", None)
        del metadata["resourceVersion"]
        changed = True
    if value.pop("preconditions", None):
        changed = True
    return encode(value) if changed else None
