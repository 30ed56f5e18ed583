"""The ASGI application of a cluster: request filters, the Kubernetes API, and the control API."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fakeapi.aggregation.aggregator import Aggregator
from fakeapi.asgi import ASGIApp, ClientGone, Receive, Scope, Send
from fakeapi.authentication.credentials import Anonymous, Credentials
from fakeapi.cluster import Cluster
from fakeapi.http import websocket
from fakeapi.http.compression import compress
from fakeapi.http.context import RequestContext
from fakeapi.http.delegating import Delegating
from fakeapi.http.discovery.service import Discovery
from fakeapi.http.filters.authentication import Authentication
from fakeapi.http.filters.authorization import Authorization
from fakeapi.http.filters.deadline import deadline
from fakeapi.http.filters.errors import answer_errors
from fakeapi.http.filters.faults import Faults
from fakeapi.http.filters.hosts import Hosts
from fakeapi.http.filters.impersonation import Impersonation
from fakeapi.http.filters.latency import Latency
from fakeapi.http.flows import Flows
from fakeapi.http.journaling import Journaling
from fakeapi.http.metrics.page import MetricsPage
from fakeapi.http.pages import malformed_url
from fakeapi.http.pipeline import Filter, Handler, chain
from fakeapi.http.query import BAD_ESCAPE
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse
from fakeapi.http.routing import Router
from fakeapi.http.verbs import Verbs
from fakeapi.http.watch import Watches
from fakeapi.machinery.hosts import HostRules
from fakeapi.machinery.meta.request_info import parse, verb_of
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.server import Server
from fakeapi.releases import Release

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from fakeapi.http.auditing import Auditing

CONTROL = "/_fakeapi"
"""The path prefix of the control API of fakeapi; Kubernetes does not use this prefix."""
_COMPRESSION_GATE = "APIResponseCompression"
_UID_GATE = "RemoteRequestHeaderUID"
OPEN = Credentials()
"""Default credentials: the server treats all clients without credentials as administrators."""


def _is_of_control(path: str) -> bool:
    return path == CONTROL or path.startswith(f"{CONTROL}/")


async def _not_started(ctx: RequestContext) -> AnyResponse:
    raise RuntimeError("the application is not started: its server speaks no lifespan protocol")


def _auditing_of(cluster: Cluster) -> "Auditing | None":
    """Returns the auditing of the server; None unless both options `audit_log` and `audit_policy` are set.

    Imports the code of auditing only if one of these options is set. Raises PolicyError for an invalid audit
    policy.
    """
    if cluster.settings.audit_log is None and cluster.settings.audit_policy is None:
        return None
    from fakeapi.http.auditing import auditing_of  # noqa: PLC0415 - loaded only for an audit log

    return auditing_of(cluster.settings, cluster.clock.now)


class Application:
    """Serves a cluster through any ASGI server that supports the lifespan protocol.

    - `credentials`: the accepted tokens and client certificates. By default, the server treats all clients
      without credentials as administrators.
    - `hosts`: the accepted Host and Origin headers; None accepts all. Has effect only if the server treats
      clients without credentials as administrators.
    - `control`: the ASGI application for paths below /_fakeapi; None responds to these paths with 404.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        credentials: Credentials = OPEN,
        hosts: HostRules | None = None,
        control: ASGIApp | None = None,
    ) -> None:
        self._cluster = cluster
        self._credentials = credentials
        self._hosts = hosts
        self._handle: Handler = _not_started
        self._journaling: Journaling | None = None
        mode = cluster.settings.journal
        if mode != "off":
            keeps_answers = mode == "bodies"
            self._journaling = Journaling(cluster.journal, cluster.clock, keeps_answers=keeps_answers)
        self._auditing = _auditing_of(cluster)
        self._watches: Watches | None = None
        self._metrics: MetricsPage | None = None
        self._compresses = False
        self._control = control
        self._aggregator: Aggregator | None = None
        self._flows: Flows | None = None
        cluster.follow(self)

    async def startup(self) -> None:
        """Starts the cluster and builds the chain of request filters.

        Raises the exceptions of `Cluster.start`, and OSError if the audit log cannot be opened.
        """
        await self._cluster.start()
        if self._auditing is not None:
            self._auditing.open()
        server, catalogue = self._cluster.server, self._cluster.catalogue
        self._compresses = catalogue.primary.gates.get(_COMPRESSION_GATE, True)
        self._watches = Watches(server.store)
        self._flows = Flows(server, self._cluster.bootstrap)
        self._metrics = MetricsPage(self._cluster.storage, catalogue, self._watches, self._audit_events)
        self._aggregator = aggregator = Aggregator(
            server,
            self._cluster.service_urls,
            catalogue.primary.quirks.aggregator_reads,
            self._cluster.proxy_identity,
        )
        discovery = Discovery(
            catalogue, lambda: server.tokens.signer, server.heavy, self._metrics, aggregator.discovered
        )
        catalogue.subscribe(self._watches.end)
        filters = self._filters(server, catalogue.primary, lambda ctx: discovery.is_open(ctx.request))
        filters.append(Faults(self._cluster, self._watches))
        delegating = Delegating(aggregator.apis, sends_uid=catalogue.primary.gates.enabled(_UID_GATE))
        router = Router(
            catalogue, self._cluster.bootstrap, Verbs(server), self._watches, discovery, delegating
        )
        aggregator.start()
        self._handle = chain(filters, router)

    def _filters(
        self, server: Server, release: Release, is_open: Callable[[RequestContext], bool]
    ) -> list[Filter]:
        filters: list[Filter] = [answer_errors]
        if self._cluster.settings.latency:
            filters.append(Latency(self._cluster.settings.latency, self._cluster.clock))
        if self._credentials.anonymous is Anonymous.ADMINISTRATOR and self._hosts is not None:
            filters.append(Hosts(self._hosts, is_open))
        filters.append(deadline)
        if server.store.shared is not None:
            from fakeapi.http.filters.freshness import Freshness  # noqa: PLC0415 - loaded only for shared storage

            filters.append(Freshness(server.store.shared))
        filters.append(Authentication(server, release, self._credentials, is_open))
        if self._auditing is not None:
            filters.append(self._auditing)
        filters.append(Impersonation(server.authorizer, release))
        if server.authorizer is not ALWAYS_ALLOW or self._auditing is not None:
            filters.append(Authorization(server.authorizer, release.gates))
        return filters

    def _audit_events(self) -> int:
        return 0 if self._auditing is None else self._auditing.events

    async def shutdown(self) -> None:
        """Ends the watches and stops the cluster. Commits all accepted writes before it stops.

        Also writes the remaining audit events to the audit log.
        """
        self.end_watches()
        if self._aggregator is not None:
            await self._aggregator.stop()
        try:
            await self._cluster.stop()
        finally:
            if self._auditing is not None:
                self._auditing.close()

    async def reset(self) -> None:
        """Resets the cluster to its initial objects, and ends all open watches."""
        await self._cluster.reset()

    async def before_replacement(self) -> None:
        self.end_watches()
        if self._aggregator is not None:
            await self._aggregator.stop()

    async def after_replacement(self, *, empty: bool) -> None:
        """Resets the counts of /metrics after a reset of the cluster, and starts the aggregator again.

        `empty`: whether the cluster was reset, not restored.
        """
        if empty and self._metrics is not None:
            self._metrics.reset()
        if self._aggregator is not None:
            self._aggregator.start()

    def end_watches(self) -> None:
        """Ends all open watches as if their timeouts had passed.

        Also calls the functions registered with `Cluster.on_end`.
        """
        self._cluster.end_followers()
        if self._watches is not None:
            self._watches.end_all()

    @property
    def open_watches(self) -> int:
        """The number of watches that are open now."""
        return 0 if self._watches is None else len(self._watches)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, control = scope["type"], self._control
        if kind == "http" and control is not None and _is_of_control(scope["path"]):
            await control({**scope, "root_path": scope.get("root_path", "") + CONTROL}, receive, send)
        elif kind == "http":
            await self._answer(scope, receive, send)
        elif kind == "websocket":
            await websocket.serve(self._answer, scope, receive, send)
        else:
            await self._starlette(scope, receive, send)

    def _answer(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Serves one HTTP request.

        Does not use Starlette's routes, because these routes fail for line breaks in paths.
        """
        request = Request.of(scope, receive)
        info = parse(request.path)
        verb = verb_of(request.method, info, request.query_string.decode("latin-1"))
        ctx = RequestContext(request, info, verb, self._cluster.clock.now())
        if audit_id := request.headers.get(b"audit-id"):
            ctx.id = audit_id
        if self._auditing is None:
            return self._respond(ctx, receive, send)
        remote = (scope.get("client") or ("",))[0]
        return self._auditing.observe(ctx, remote, send, partial(self._respond, ctx, receive))

    async def _respond(self, ctx: RequestContext, receive: Receive, send: Send) -> None:
        """Handles a request and sends its response."""
        request = ctx.request
        journaling = self._journaling
        started = 0.0 if journaling is None else journaling.now()
        counters = None if self._metrics is None else self._metrics.counters
        began = 0.0 if counters is None else counters.begin(ctx.verb)
        response: AnyResponse | None = None
        try:
            try:
                response = malformed_url() if BAD_ESCAPE.search(request.raw_path) else await self._handle(ctx)
            except ClientGone:
                return
            finally:
                if journaling is not None:
                    journaling.note(ctx, started, response)
            try:
                await request.drain()
            except ClientGone:
                response.close()
                return
            if self._compresses:
                await compress(response, request)
            if self._flows is not None:
                send = self._flows.marking(ctx, send)
            await response.send(ctx.id, receive, send, without_body=request.method == "HEAD")
        finally:
            if counters is not None:
                counters.end(ctx, response, began)

    @cached_property
    def _starlette(self) -> "Starlette":
        """A Starlette application that handles the lifespan protocol of ASGI servers.

        The ASGI server of fakeapi does not use this protocol.
        """
        from starlette.applications import Starlette  # noqa: PLC0415 - loaded only for other servers

        return Starlette(lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: "Starlette") -> AsyncIterator[None]:
        await self.startup()
        try:
            yield
        finally:
            await self.shutdown()
