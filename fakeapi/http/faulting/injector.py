"""Injector: applies the armed faults to requests and watches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakeapi.asgi import ClientGone
from fakeapi.cluster import Cluster
from fakeapi.faults.actions import (
    OF_WATCHES,
    CompetingWrite,
    Drop,
    GoAway,
    Refuse,
    Stale,
    Stall,
    Tear,
    Wait,
)
from fakeapi.faults.armed import ArmedFault
from fakeapi.http.context import RequestContext
from fakeapi.http.faulting.competing import write_before
from fakeapi.http.faulting.content import Content
from fakeapi.http.faulting.pause import pause_for_client
from fakeapi.http.faulting.refusing import refusal_of
from fakeapi.http.faulting.responses import broken, dropped
from fakeapi.http.faulting.staleness import show_stale_state
from fakeapi.http.faulting.watch_faults import Ending, watch_fault_of
from fakeapi.http.pipeline import Handler
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse, Response, StreamingResponse
from fakeapi.http.watch import OpenWatch, Watches
from fakeapi.machinery.meta.request_info import RequestInfo

After = Callable[[AnyResponse], AnyResponse]


@dataclass(frozen=True, slots=True)
class Asked:
    """The properties of a request that the rules of faults compare, such as the verb and the user."""

    verb: str
    info: RequestInfo | None
    user: str
    agent: str
    name: str


def asked(ctx: RequestContext, name: str = "") -> Asked:
    """Returns the properties of a request that the rules of faults compare.

    `name`: the name of the object if the path has no name, as in a create request.
    """
    name = (ctx.info.name if ctx.info is not None else "") or name
    return Asked(ctx.verb, ctx.info, ctx.user.name, ctx.agent, name)


class Injector:
    """Applies the faults of a cluster in the order in which they were armed."""

    def __init__(self, cluster: Cluster, watches: Watches) -> None:
        self._cluster = cluster
        self._clock = cluster.clock
        self._watches = watches
        cluster.faults.subscribe(self._meet_open_watches)

    async def apply(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        """Applies the faults that fire for a request, and returns the response.

        `proceed`: handles the request. If a fault returns a response, neither the request nor the later
        faults run. Raises ApiError if the request fails, and ClientGone if the client disconnects.
        """
        content = Content(ctx, self._cluster)
        armed = self._cluster.faults.armed
        names_new = ctx.verb == "create" and any(fault.rule.match.name for fault in armed)
        request = asked(ctx, await content.name() if names_new else "")
        after: list[After] = []
        watch_faults: list[ArmedFault] = []
        for fault in armed:
            if not fault.matches(request) or not await content.fits(fault):
                continue
            if not fault.comes_due(self._clock.now()):
                continue
            ctx.faults = (*ctx.faults, fault.name)
            if isinstance(fault.rule.action, OF_WATCHES):
                watch_faults.append(fault)
                continue
            if isinstance(fault.rule.action, Refuse):
                return await self._refused(fault, fault.rule.action, ctx, content)
            done = await self._act(fault, ctx, proceed, after)
            if done is not None:
                return done
            if isinstance(fault.rule.action, Stale):
                watch_faults.append(fault)
        response = await proceed(ctx)
        watch = self._watches.of(response) if isinstance(response, StreamingResponse) else None
        if watch is not None:
            for fault in watch_faults:
                self._add_filter(fault, watch, opening=True)
        for change in after:
            response = change(response)
        return response

    async def _act(
        self, fault: ArmedFault, ctx: RequestContext, proceed: Handler, after: list[After]
    ) -> Response | None:
        """Applies a fault before the request runs.

        Returns a response that replaces the response of the request; None to run the request. `after`:
        receives functions that change the response of the request later.

        During a delay, raises ClientGone if the client disconnects, and ApiError 413 if the body is too long.
        """
        # The clock is read first, because a test may move the clock as soon as `fired` changes.
        begun = self._clock.monotonic()
        fault.fired += 1
        match fault.rule.action:
            case Wait(seconds=seconds, spread=spread):
                await self._wait(ctx.request, begun + seconds + spread * fault.chance.random())
            case Drop(after_commit=False):
                return dropped()
            case Drop():
                after.append(_lost)
            case Tear(part=part):
                after.append(lambda response: _torn(response, part))
            case Stall(seconds=seconds, part=part):
                after.append(lambda response: _stalled(response, part, self._clock, seconds))
            case CompetingWrite():
                if not await write_before(ctx, proceed):
                    fault.fired -= 1
            case Stale(seconds=seconds):
                over = bool(seconds) and self._clock.now() >= fault.armed_at + seconds
                if over or not show_stale_state(ctx, fault.revision):
                    fault.fired -= 1
            case GoAway():
                after.append(_going_away)
        return None

    async def _refused(
        self, fault: ArmedFault, refuse: Refuse, ctx: RequestContext, content: Content
    ) -> Response:
        fault.fired += 1
        new_name = await content.name() if ctx.verb == "create" and "{name}" in refuse.message else ""
        return refusal_of(refuse, ctx, self._cluster.catalogue, new_name)

    async def _wait(self, request: Request, until: float) -> None:
        """Waits until the clock's monotonic time reaches `until`.

        Raises ClientGone if the client disconnects; the request then does not run, as in kube-apiserver.
        Raises ApiError 413 if the body is too long.
        """
        receive = request.receive
        request.unread(await request.body())
        if not await pause_for_client(self._clock, until, receive):
            raise ClientGone

    def _meet_open_watches(self, fault: ArmedFault) -> None:
        """Applies a newly armed fault to the open watches that its rule matches, except for observers."""
        if not isinstance(fault.rule.action, (*OF_WATCHES, Stale)):
            return
        for watch in self._watches.all_open():
            if watch.ctx.request.is_from_observer:
                continue
            if fault.matches(asked(watch.ctx)) and fault.comes_due(self._clock.now()):
                event_filter = self._add_filter(fault, watch, opening=False)
                if isinstance(event_filter, Ending):
                    event_filter.end_now()

    def _add_filter(self, fault: ArmedFault, watch: OpenWatch, *, opening: bool) -> Any:
        event_filter = watch_fault_of(fault, watch, self._clock, opening=opening)
        if event_filter is not None:
            watch.events.filters.append(event_filter)
        return event_filter


def _lost(response: AnyResponse) -> AnyResponse:
    response.close()
    return dropped()


def _torn(response: AnyResponse, part: float) -> AnyResponse:
    return broken(response, part) if isinstance(response, Response) else response


def _stalled(response: AnyResponse, part: float, clock: Any, seconds: float) -> AnyResponse:
    return broken(response, part, clock, seconds) if isinstance(response, Response) else response


def _going_away(response: AnyResponse) -> AnyResponse:
    response.headers.append((b"connection", b"close"))
    return response
