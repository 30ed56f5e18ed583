"""Replays a trace: sends its requests to a target server, and compares the responses with the trace."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush

from fakeapi.clients.http import HttpClient, UnsendableRequest
from fakeapi.clients.messages import Response, first_header
from fakeapi.clients.target import Target, TargetError
from fakeapi.machinery.printable import printable
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.analysis.plan import ReplayPlan, Step, plan_replay
from fakeapi.traces.analysis.request_facts import head_of, version_number
from fakeapi.traces.comparing.differences import Difference, DifferenceKind
from fakeapi.traces.comparing.events import compare_events, learn_events
from fakeapi.traces.comparing.reasons import Explainer
from fakeapi.traces.comparing.responses import compare_answers, status_of
from fakeapi.traces.comparing.values import CompareOptions
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.messages import CBOR, PROTOBUF, is_watch
from fakeapi.traces.model import Exchange, Gap
from fakeapi.traces.replay.open_watch import (
    LATER_PATIENCE_SECONDS,
    PATIENCE_SECONDS,
    QUIET_SECONDS,
    OpenWatch,
)
from fakeapi.traces.replay.options import Options, Progress
from fakeapi.traces.replay.pacing import ReplayControl
from fakeapi.traces.replay.page_places import place_of_answer, place_of_event
from fakeapi.traces.replay.restore import InitialStateRestorer
from fakeapi.traces.replay.rewrite import NotRewritable, rewritten_request, sent_headers
from fakeapi.traces.replay.scheduler import Scheduler
from fakeapi.traces.replay.server_times import ServerTimeRewriter
from fakeapi.traces.replay.target_discovery import current_version, release_of, served_paths
from fakeapi.traces.reporting.builder import ReportBuilder
from fakeapi.traces.reporting.report import Report
from fakeapi.traces.reporting.results import NotCompared

ACTORS_MAX = 64
"""Maximum number of parallel requests in the order "actors". More clients wait until a request ends."""

IMPATIENT_AFTER = 3
"""Number of watches with missing events after which later watches wait only LATER_PATIENCE_SECONDS."""

OWN_GROUPS = frozenset({"resource.k8s.io"})
"""The API groups that fakeapi serves completely.

If fakeapi does not serve a resource of these groups, the report says "not of this release".
"""


async def replay(
    reader: TraceReader,
    target: Target,
    options: Options | None = None,
    *,
    control: ReplayControl | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Replays a trace against a target, and returns the report.

    - `control`: pauses or stops the replay; None for no control.
    - `on_progress`: called after each exchange, always with the same object.

    Raises TraceError for an unreadable trace, and TargetError for a target that does not respond.
    """
    options = options or Options()
    connections = ACTORS_MAX if options.order == "actors" else options.connections
    client = HttpClient(target, connections)
    replayer = Replayer(reader, client, options, control or ReplayControl(), on_progress)
    try:
        return await replayer.run()
    finally:
        await replayer.close()
        await client.close()


class _Stop(Exception):
    """Raised to end the replay when the user or an option stops it.

    The report prints the message of the exception after "Stopped".
    """


class Replayer:
    """Replays one trace once. `run` returns the report."""

    def __init__(
        self,
        reader: TraceReader,
        client: HttpClient,
        options: Options,
        control: ReplayControl,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._reader = reader
        self._client = client
        self._options = options
        self._control = control
        self._on_progress = on_progress
        self._identities = IdentityMap()
        self._compare_options = CompareOptions(strict=options.strict, ignored=options.ignore)
        self._progress = Progress()
        self._served: frozenset[str] = frozenset()
        self._watches: dict[int, OpenWatch] = {}
        self._watch_ends: list[tuple[float, int, Step]] = []
        self._late_watches = 0
        self._restorer: InitialStateRestorer | None = None
        self._scheduler: Scheduler | None = None
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
        """Plans the replay, creates the initial objects, sends the requests, and returns the report."""
        plan = plan_replay(self._reader, self._options.until)
        self._prepare(plan, await release_of(self._client))
        self._served = await served_paths(self._client, plan.group_versions)
        if self._options.seed:
            self._restorer = InitialStateRestorer(self._client, self._identities, self._served)
            self.report.seeded += await self._restorer.restore(plan)
        self._identities.versions.base = await current_version(self._client)
        self._began = self._progress.began = time.monotonic()
        try:
            await self._send_all(plan)
        except _Stop as stop:
            self.report.stopped = str(stop)
        self.report.seconds = time.monotonic() - self._began
        self.report.finish()
        return self.report

    async def close(self) -> None:
        """Cancels open requests and closes open watches."""
        if self._scheduler is not None:
            await self._scheduler.close()
        for watch in self._watches.values():
            await watch.close(0)

    def _prepare(self, plan: ReplayPlan, release: str) -> None:
        report, progress = self.report, self._progress
        report.exchanges = progress.total = len(plan.order)
        report.reordered = plan.reordered
        report.notes = plan.notes
        progress.since, progress.until = plan.since, plan.until
        self._builder = ReportBuilder(report, Explainer(plan, (report.release, release)))
        self._times = ServerTimeRewriter(self._client, self._identities, plan.server_times)

    async def _send_all(self, plan: ReplayPlan) -> None:
        if self._options.order != "recorded":
            self._scheduler = Scheduler(
                self._perform,
                by_actor=self._options.order == "actors",
                workers=ACTORS_MAX if self._options.order == "actors" else self._options.connections,
            )
        for step in plan.steps(self._reader):
            exchange = step.exchange
            await self._close_watches(exchange.offset)
            await self._wait_for(exchange, plan.since)
            await self._put(step)
            if exchange.events is not None:
                end = exchange.offset + exchange.duration
                heappush(self._watch_ends, (end, step.place, step._replace(closing=True)))
        await self._close_watches(float("inf"))
        if self._scheduler is not None:
            await self._scheduler.drain()

    async def _put(self, step: Step) -> None:
        if self._scheduler is None:
            await self._perform(step)
        else:
            await self._scheduler.put(step)

    async def _wait_for(self, exchange: Exchange, since: float) -> None:
        """Waits while the replay is paused, and with the option `speed` until the time of the exchange.

        `since`: the time in the trace at which the replay began, in seconds after the start of the trace.
        Raises _Stop if the user has stopped the replay.
        """
        if not await self._control.passed(exchange.offset):
            raise _Stop("by request")
        if self._options.speed:
            due = self._began + (exchange.offset - since) / self._options.speed + self._control.paused
            while (left := due - time.monotonic()) > 0:
                await asyncio.sleep(min(left, 1.0))
                self._tell()

    async def _perform(self, step: Step) -> None:
        if step.closing:
            watch = self._watches.pop(step.place, None)
            if watch is not None:
                await self._finish_watch(watch)
            return
        if self._restorer is not None:
            self.report.seeded += await self._restorer.restore_late(step.place)
        if self._is_sendable(step):
            await self._send(step)
        self._progress.done += 1
        self._progress.offset = step.exchange.offset
        self._tell()
        if self._options.stop_at_first and self.report.unexplained:
            raise _Stop("at the first divergence")

    def _tell(self) -> None:
        self._progress.divergent = self.report.divergent
        if self._on_progress is not None:
            self._on_progress(self._progress)

    def _is_sendable(self, step: Step) -> bool:
        """Whether the target serves the resource and the trace has the request body.

        The target need not serve the resource if the recorded server did not know the path either. Adds a
        step that is not sendable to the report.
        """
        exchange, path = step.exchange, step.facts.path
        response = exchange.response
        unknown = response is not None and _is_unknown_path(response)
        if path.resource and not unknown and path.discovery_path not in self._served:
            group_version = f"{path.group}/{path.version}" if path.group else path.version
            why = "not of this release" if path.group in OWN_GROUPS else "not served"
            self._builder.unserved(step, f"{path.full_resource} ({group_version}): {why}")
            return False
        if exchange.lacks(Gap.REQUEST_BODY):
            self._builder.unsent(step)
            return False
        return True

    async def _send(self, step: Step) -> None:
        exchange = step.exchange
        self.report.replayed += 1
        not_compared: tuple[NotCompared | None, str] = (None, "")
        try:
            target, headers, body = rewritten_request(
                exchange, step.facts, self._identities, keep_names=self._options.keep_names
            )
        except NotRewritable as error:
            not_compared = (NotCompared.NOT_REWRITTEN, str(error))
            target, headers, body = exchange.request.target, sent_headers(exchange), exchange.request.body
        answer: OpenWatch | Response
        try:
            body = await self._times.rewritten(step, body)
            if exchange.events is not None or is_watch(exchange.request.method, exchange.request.target):
                answer = await OpenWatch.open(self._client, step, target, headers)
            else:
                answer = await self._client.send(exchange.request.method, target, headers, body)
        except UnsendableRequest as error:
            self._builder.uncompared(step, NotCompared.NOT_HTTP, str(error))
            return
        except TargetError as error:
            asked = f"{exchange.request.method} {exchange.request.target}"
            where = exchange.place or f"exchange {exchange.id}"
            raise TargetError(printable(f"{error} (after {asked}, {where})")) from error
        if isinstance(answer, OpenWatch):
            await self._keep_watch(step, answer)
        else:
            place = partial(place_of_answer, target, body, answer.body, self._identities)
            self._compare(step, answer, not_compared, place)

    async def _keep_watch(self, step: Step, watch: OpenWatch) -> None:
        """Keeps a watch open until the time in the trace at which the recorded watch ended.

        If the recorded server rejected the watch, closes the watch and reports a difference. If the trace
        lacks the response, closes the watch and reports it as not compared.
        """
        if step.exchange.events is None:
            await watch.close(0)
            recorded = step.exchange.response
            if recorded is None:
                self._builder.uncompared(step, NotCompared.NO_RESPONSE)
            else:
                differences = [Difference(DifferenceKind.STATUS_CODE, "", status_of(recorded), "200")]
                self._builder.differs(step, differences, 200)
            return
        self.report.watches += 1
        self._watches[step.place] = watch

    async def _close_watches(self, offset: float) -> None:
        """Closes the watches that ended before `offset`, in seconds after the start of the trace.

        Earlier requests to the collections of these watches are finished first.
        """
        while self._watch_ends and self._watch_ends[0][0] < offset:
            _, _, step = heappop(self._watch_ends)
            await self._put(step)

    async def _finish_watch(self, watch: OpenWatch) -> None:
        step = watch.step
        exchange, options = step.exchange, self._compare_options
        known = not exchange.lacks(Gap.WATCH_EVENTS)
        patience = PATIENCE_SECONDS if self._late_watches < IMPATIENT_AFTER else LATER_PATIENCE_SECONDS
        came = await watch.close(patience if known else 0, quiet=QUIET_SECONDS if options.strict else 0)
        if not known:
            self._builder.uncompared(step, NotCompared.NO_EVENTS)
            return
        self._late_watches += not came
        events = exchange.events or ()
        self.report.events += len(events)
        learn_events(events, watch.lines, self._identities)
        comparison = compare_events(
            events,
            watch.lines,
            self._identities,
            options,
            in_order=self._scheduler is None,
            whole=options.strict or exchange.ended == "server",
        )
        differences = comparison.differences
        if watch.failure:
            broken = Difference(DifferenceKind.STREAM_BROKEN, "", exchange.ended, watch.failure)
            differences = [broken, *differences]
        identities = self._identities
        self._builder.watched(
            step, differences, comparison, lambda key, event: place_of_event(key, event, identities)
        )

    def _compare(
        self,
        step: Step,
        answer: Response,
        not_compared: tuple[NotCompared | None, str],
        place: Callable[[], str],
    ) -> None:
        """Compares a response with the recorded response, and reports the result.

        - `answer`: the response in the replay.
        - `not_compared`: the reason why the bodies cannot be compared, and a detail. The reason is None if
          the bodies can be compared.
        - `place`: a function that returns the URL fragment under which the live page displays the object.
        """
        exchange = step.exchange
        recorded = exchange.response
        if recorded is None:
            self._builder.uncompared(step, NotCompared.NO_RESPONSE)
            return
        options = self._compare_options
        if exchange.lacks(Gap.MANAGED_FIELDS):
            options = replace(options, managed_fields=False)
        reason, detail = not_compared
        if reason is None:
            reason, detail = self._not_compared(step, recorded, answer)
        if reason is NotCompared.SELF_DESCRIPTION and _is_of_another_document(step, recorded, answer):
            self._builder.uncompared(step, reason, detail)
            return
        if reason is None and self._is_page(step, recorded):
            reason, options = NotCompared.PAGE, replace(options, page=True)
        differences = compare_answers(
            recorded, answer, self._identities, options, body=reason in {None, NotCompared.PAGE}
        )
        if step.facts.verb == "list":
            version = version_number(head_of(answer.body).metadata.version)
            self._identities.versions.learn_collection(
                step.facts.path.collection, step.facts.answered_version, version
            )
        if differences:
            self._builder.differs(step, differences, answer.status, place())
        elif reason is not None:
            self._builder.uncompared(step, reason, detail)
        else:
            self._builder.same(step)

    def _is_page(self, step: Step, recorded: Response) -> bool:
        """Whether a recorded response is a page of a list that can have other objects in the replay."""
        if step.facts.verb != "list" or not self._identities.has_names:
            return False
        return b'"continue":"' in recorded.body or "continue=" in step.exchange.request.target

    def _not_compared(
        self, step: Step, recorded: Response, answer: Response
    ) -> tuple[NotCompared | None, str]:
        """Returns the reason why the bodies cannot be compared, and a detail such as the media type.

        The reason is None if the bodies can be compared.
        """
        if step.exchange.lacks(Gap.RESPONSE_BODY):
            return NotCompared.NO_BODY, ""
        if step.exchange.lacks(Gap.RESPONSE_END):
            return NotCompared.CUT_OFF, ""
        if not step.facts.path.resource and not self._compare_options.strict:
            return None if recorded.body == answer.body else NotCompared.SELF_DESCRIPTION, ""
        media = first_header(recorded.headers, "content-type")
        if media.startswith((PROTOBUF, CBOR)):
            return NotCompared.FORMAT, media.partition(";")[0]
        return None, ""


def _is_of_another_document(step: Step, recorded: Response, answer: Response) -> bool:
    """Whether two responses to a request for an OpenAPI document differ only because the documents differ.

    The hash in the query and the ETag of If-None-Match belong to the document of the recorded server. A
    server with another document redirects (301) or sends it (200), instead of 304 Not Modified.
    """
    statuses = {recorded.status, answer.status}
    return step.exchange.request.target.startswith("/openapi/") and statuses <= {200, 301, 304}


def _is_unknown_path(response: Response) -> bool:
    """Whether a response is the 404 of a server that does not serve the path."""
    return response.status == 404 and b"could not find the requested resource" in response.body
