"""Sends the requests of a trace again, and compares the answers with the recorded ones.

Three orders: "recorded", one request at a time, in the order in which they took effect; "actors", each actor
in its own order beside the others; "fast", as many at a time as the objects' own order allows.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Literal

from fakeapi.traces.client.http import CONNECTIONS, HttpClient, TargetError
from fakeapi.traces.client.upstream import Upstream
from fakeapi.traces.comparing.reasons import Explainer
from fakeapi.traces.comparing.responses import Comparison, Difference, compare_answers, status_of
from fakeapi.traces.fieldpaths import FieldPath
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange, Response
from fakeapi.traces.recording.messages import first, is_watch
from fakeapi.traces.replay.identity_map import Identities
from fakeapi.traces.replay.initial_state import Seed, of_kinds
from fakeapi.traces.replay.pacing import Control
from fakeapi.traces.replay.plan import Survey, survey
from fakeapi.traces.replay.request_facts import facts_of
from fakeapi.traces.replay.restore import Seeder
from fakeapi.traces.replay.rewrite import Unsendable, headers_now, request_now
from fakeapi.traces.replay.scheduler import Lanes, Work
from fakeapi.traces.replay.target import current_version, served_paths
from fakeapi.traces.replay.watches import (
    LATER_PATIENCE_SECONDS,
    PATIENCE_SECONDS,
    QUIET_SECONDS,
    OpenWatch,
    compare_events,
    learn_events,
)
from fakeapi.traces.reporting.builder import Journal
from fakeapi.traces.reporting.report import Report

Order = Literal["recorded", "actors", "fast"]
ORDERS: tuple[Order, ...] = ("recorded", "actors", "fast")

ACTORS_MAX = 64
"""Requests at a time in the order "actors"; further actors wait."""

IMPATIENT_AFTER = 3
"""Watches whose events did not come, after which less time is given to the others."""

OWN_GROUPS = frozenset({"resource.k8s.io"})
"""Whose resources are this server's own business; others belong to other components."""

_NO_ANSWER = "the trace has no answer"
_MISSING_BODY = "request body"
_BINARY = ("application/vnd.kubernetes.protobuf", "application/cbor")


@dataclass(frozen=True, slots=True)
class Options:
    """How to replay.

    `speed`: 1 keeps the recorded pace, 10 is ten times as fast, None does not wait. `until`: the offset after
    which nothing is sent. `seed`: first make what the trace takes for granted. `marks`: keep what a time line
    needs. `stop_at_first`: end at the first divergence that nothing explains. `keep_names`: ask for the names
    that the recorded server generated, instead of letting this one generate others.
    """

    order: Order = "recorded"
    speed: float | None = None
    until: float | None = None
    strict: bool = False
    ignore: tuple[FieldPath, ...] = ()
    seed: bool = True
    marks: bool = False
    stop_at_first: bool = False
    keep_names: bool = False
    connections: int = CONNECTIONS


@dataclass(slots=True)
class Progress:
    """How far a replay is. `offset`: of the exchange that was sent last. Rates count from `began`."""

    total: int = 0
    done: int = 0
    offset: float = 0.0
    since: float = 0.0
    until: float = 0.0
    divergent: int = 0
    began: float = field(default_factory=time.monotonic)


async def replay(
    reader: TraceReader,
    target: Upstream,
    options: Options | None = None,
    *,
    control: Control | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Raises TraceError for a trace that cannot be read, TargetError for a server that does not answer."""
    options = options or Options()
    connections = ACTORS_MAX if options.order == "actors" else options.connections
    client = HttpClient(target, connections)
    replayer = Replayer(reader, client, options, control or Control(), on_progress)
    try:
        return await replayer.run()
    finally:
        await replayer.close()
        await client.close()


class _Stop(Exception):
    """The replay ends here, as it was told to."""


class Replayer:
    """One replay."""

    def __init__(
        self,
        reader: TraceReader,
        client: HttpClient,
        options: Options,
        control: Control,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._reader = reader
        self._client = client
        self._options = options
        self._control = control
        self._on_progress = on_progress
        self._identities = Identities()
        self._how = Comparison(strict=options.strict, ignored=options.ignore)
        self._progress = Progress()
        self._served: frozenset[str] = frozenset()
        self._late: dict[int, list[Seed]] = {}
        self._watches: dict[int, OpenWatch] = {}
        self._ends: list[tuple[float, int, Exchange]] = []
        self._impatience = 0
        self._lanes: Lanes | None = None
        self._began = 0.0
        header = reader.header
        self.report = Report(
            trace=str(reader.path),
            release=header.release,
            target=client.url,
            order=options.order,
            strict=options.strict,
            marks=[] if options.marks else None,
        )

    async def run(self) -> Report:
        """Everything, from the first look at the trace on."""
        found = survey(self._reader, self._options.until)
        self._prepare(found)
        self._served = await served_paths(self._client, found.roots)
        if self._options.seed:
            await self._seed(found)
        self._identities.versions.base = await current_version(self._client)
        self._began = self._progress.began = time.monotonic()
        try:
            await self._send_all(found)
        except _Stop as stop:
            self.report.stopped = str(stop)
        self.report.seconds = time.monotonic() - self._began
        self.report.finish()
        return self.report

    async def close(self) -> None:
        """Ends what is still going on."""
        if self._lanes is not None:
            await self._lanes.close()
        for watch in self._watches.values():
            await watch.close(0)

    def _prepare(self, found: Survey) -> None:
        report, progress = self.report, self._progress
        report.exchanges = progress.total = len(found.order)
        report.reordered = found.reordered
        report.notes = found.notes
        progress.since, progress.until = found.since, found.until
        self._journal = Journal(report, Explainer(found.seeds, found.written))

    async def _seed(self, found: Survey) -> None:
        seeder = self._seeder = Seeder(self._client, self._identities, self._served)
        self.report.seeded += await seeder.make_namespaces(found.namespaces)
        for seed in of_kinds(found.seeds, self._served):
            if seed.before >= 0:
                self._late.setdefault(seed.before, []).append(seed)
            else:
                self.report.seeded.append(await seeder.make(seed))

    async def _send_all(self, found: Survey) -> None:
        if self._options.order != "recorded":
            self._lanes = Lanes(
                self._perform,
                by_actor=self._options.order == "actors",
                workers=ACTORS_MAX if self._options.order == "actors" else self._options.connections,
            )
        for place, exchange in found.exchanges(self._reader):
            await self._close_watches(exchange.offset)
            await self._wait_for(exchange, found.since)
            await self._put(Work(place, exchange, facts_of(exchange)))
            if exchange.events is not None:
                heappush(self._ends, (exchange.offset + exchange.duration, place, exchange))
        await self._close_watches(float("inf"))
        if self._lanes is not None:
            await self._lanes.drain()

    async def _put(self, work: Work) -> None:
        if self._lanes is None:
            await self._perform(work)
        else:
            await self._lanes.put(work)

    async def _wait_for(self, exchange: Exchange, since: float) -> None:
        """Until it is the exchange's time."""
        if not await self._control.passed(exchange.offset):
            raise _Stop("by request")
        if self._options.speed:
            due = self._began + (exchange.offset - since) / self._options.speed + self._control.paused
            while (left := due - time.monotonic()) > 0:
                await asyncio.sleep(min(left, 1.0))
                self._tell()

    async def _perform(self, work: Work) -> None:
        if work.closing:
            watch = self._watches.pop(work.place, None)
            if watch is not None:
                await self._finish_watch(watch)
            return
        for seed in self._late.pop(work.place, ()):
            self.report.seeded.append(await self._seeder.make(seed))
        if self._is_served(work):
            await self._ask(work)
        self._progress.done += 1
        self._progress.offset = work.exchange.offset
        self._tell()
        if self._options.stop_at_first and self.report.unexplained:
            raise _Stop("at the first divergence")

    def _tell(self) -> None:
        self._progress.divergent = self.report.divergent
        if self._on_progress is not None:
            self._on_progress(self._progress)

    def _is_served(self, work: Work) -> bool:
        """Whether the request is worth sending; notes the others."""
        exchange, address = work.exchange, work.facts.address
        response = exchange.response
        if address.resource and not (response is not None and _is_unknown_path(response)):
            name = f"{address.resource}/{address.subresource}" if address.subresource else address.resource
            if f"{address.root}/{name}" not in self._served:
                group = f"{address.group}/{address.version}" if address.group else address.version
                why = "not of this release" if address.group in OWN_GROUPS else "belongs to other components"
                self._journal.unserved(work, f"{name} ({group}): {why}")
                return False
        if _MISSING_BODY in exchange.missing:
            self._journal.unsent(work)
            return False
        return True

    async def _ask(self, work: Work) -> None:
        exchange, facts = work.exchange, work.facts
        self.report.replayed += 1
        try:
            target, headers, body = request_now(
                exchange, facts, self._identities, keep_names=self._options.keep_names
            )
        except Unsendable as error:
            self._journal.uncompared(work, f"sent as recorded: {error}")
            target, headers, body = exchange.request.target, headers_now(exchange), exchange.request.body
        try:
            if exchange.events is not None or is_watch(exchange.request.method, exchange.request.target):
                answer = await OpenWatch.open(self._client, exchange, work.place, target, headers)
            else:
                answer = await self._client.send(exchange.request.method, target, headers, body)
        except TargetError as error:
            asked = f"{exchange.request.method} {exchange.request.target}"
            where = exchange.place or f"exchange {exchange.id}"
            raise TargetError(f"{error} (asked for {asked}, {where})") from error
        if isinstance(answer, OpenWatch):
            await self._keep(work, answer)
        else:
            self._judge(work, answer)

    async def _keep(self, work: Work, watch: OpenWatch) -> None:
        exchange = work.exchange
        if exchange.events is None:
            await watch.close(0)
            recorded = exchange.response
            if recorded is None:
                self._journal.uncompared(work, _NO_ANSWER)
            else:
                found = [Difference("status code", "", status_of(recorded), "200")]
                self._journal.differs(work, found, 200)
            return
        self.report.watches += 1
        self._watches[work.place] = watch

    async def _close_watches(self, offset: float) -> None:
        """Closes those that were closed before the offset, when what was asked before is answered."""
        while self._ends and self._ends[0][0] < offset:
            _, place, exchange = heappop(self._ends)
            await self._put(Work(place, exchange, facts_of(exchange), closing=True))

    async def _finish_watch(self, watch: OpenWatch) -> None:
        exchange = watch.exchange
        work = Work(watch.place, exchange, facts_of(exchange))
        known = not any(each.startswith("watch events") for each in exchange.missing)
        patience = PATIENCE_SECONDS if self._impatience < IMPATIENT_AFTER else LATER_PATIENCE_SECONDS
        came = await watch.close(patience if known else 0, quiet=QUIET_SECONDS if self._how.strict else 0)
        if not known:
            self._journal.uncompared(work, "watch events are not in the trace")
            return
        self._impatience += not came
        events = exchange.events or ()
        self.report.events += len(events)
        learn_events(events, watch.lines, self._identities)
        found = compare_events(
            events,
            watch.lines,
            self._identities,
            self._how,
            in_order=self._lanes is None,
            whole=self._how.strict or exchange.ended == "server",
        )
        differences = found.differences
        if watch.failure:
            differences = [Difference("stream broken", "", exchange.ended, watch.failure), *differences]
        self._journal.watched(work, differences, found)

    def _judge(self, work: Work, answer: Response) -> None:
        exchange = work.exchange
        recorded = exchange.response
        if recorded is None:
            self._journal.uncompared(work, _NO_ANSWER)
            return
        how = self._how
        if any(each.startswith("managedFields") for each in exchange.missing):
            how = replace(how, managed_fields=False)
        reason = self._incomparable(work, recorded, answer)
        if not reason and self._is_page(work, recorded):
            reason, how = "a page of a list, whose order follows generated names", replace(how, page=True)
        found = compare_answers(recorded, answer, self._identities, how, body=how.page or not reason)
        if found:
            self._journal.differs(work, found, answer.status)
        elif reason:
            self._journal.uncompared(work, reason)
        else:
            self._journal.same(work)

    def _is_page(self, work: Work, recorded: Response) -> bool:
        """Whether the answer is a part of a list in which other objects may be now."""
        if work.facts.verb != "list" or not self._identities.has_names:
            return False
        return b'"continue":"' in recorded.body or "continue=" in work.exchange.request.target

    def _incomparable(self, work: Work, recorded: Response, answer: Response) -> str:
        """Why only the status can be compared; "" where there is no reason."""
        if any(each.startswith("response body") for each in work.exchange.missing):
            return "the trace lacks the answer's body"
        if not work.facts.address.resource and not self._how.strict:
            return "" if recorded.body == answer.body else "what a server says of itself"
        media = first(recorded.headers, "content-type")
        if media.startswith(_BINARY):
            return f"answers in {media.partition(';')[0]}"
        return ""


def _is_unknown_path(response: Response) -> bool:
    """Whether the recorded server did not serve it either."""
    return response.status == 404 and b"could not find the requested resource" in response.body


__all__ = ["ORDERS", "Options", "Order", "Progress", "Replayer", "replay"]
