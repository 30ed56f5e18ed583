"""The composition root: the one place that joins the layers into an ASGI application."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from fakeapi.http.endpoint import Endpoint
from fakeapi.machinery.golang import times
from fakeapi.machinery.meta.names import name_is_dns_label, name_is_dns_subdomain
from fakeapi.registry.catalogue import INITIAL_NAMESPACES, NAMESPACES, Catalogue
from fakeapi.registry.clock import ClockAndNames, SystemClockAndNames
from fakeapi.registry.groups.strategies import StrategyContext, strategies_of
from fakeapi.registry.options import ObjectReference, Warnings, WriteOptions
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store
from fakeapi.registry.stored_format import STORED_FORMAT
from fakeapi.releases import Serving, served
from fakeapi_storage import WINDOW_REVISIONS, Storage, open_storage

HISTORY_MAX = WINDOW_REVISIONS
"""Changes that a watch or a list at a version can go back to; older versions are Expired."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is told once. See `fakeapi serve --help` for what each means."""

    release: str | None = None
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    database: str | None = None
    durability: Literal["normal", "full"] = "normal"
    token: str | None = None
    history: int = HISTORY_MAX


class Application:
    """An ASGI application with a state of its own."""

    def __init__(self, settings: Settings, source: ClockAndNames | None = None) -> None:
        """Raises UnknownRelease, UnknownGate."""
        self._settings = settings
        self._source = source or SystemClockAndNames()
        self._serving: Serving = served(settings.release, settings.feature_gates)
        self._storage: Storage | None = None
        self._endpoint: Endpoint | None = None
        self._asgi = Starlette()
        self._asgi.router.default = self.answer  # a route would pass over paths with a line break

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """For ASGI servers other than our own runner, which calls these two itself."""
        await self.startup()
        try:
            yield
        finally:
            await self.shutdown()

    async def startup(self) -> None:
        """Open the storage and make the state of an empty cluster. Raises what the storage raises."""
        settings = self._settings
        self._storage = await open_storage(
            settings.database,
            durability=settings.durability,
            window=settings.history,
            data_format=STORED_FORMAT,
        )
        store = Store(self._storage, self._source)
        catalogue = self._catalogue(self._storage)
        self._endpoint = Endpoint(store, catalogue, settings.token)
        self._store, self._served = store, catalogue
        try:
            await self._ensure_namespaces()
        except BaseException:
            await self._storage.close()
            raise

    async def shutdown(self) -> None:
        """End the watches and close the storage; what was accepted is committed."""
        self.end_watches()
        if self._storage is not None:
            await self._storage.close()

    async def reset(self) -> None:
        """Begin again as a new cluster: no objects but the first namespaces, no open watches."""
        assert self._storage is not None, "reset before startup"
        self.end_watches()
        await self._storage.reset()
        self._store.forget()
        await self._ensure_namespaces()

    def end_watches(self) -> None:
        """End all open watches as if their time had come."""
        if self._endpoint is not None:
            self._endpoint.streams.end_all()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._asgi(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request. WebSocket is refused."""
        assert self._endpoint is not None, "request before startup"
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return
        await self._endpoint(scope, receive, send)

    def _catalogue(self, storage: Storage) -> Catalogue:
        resources: list[Resource] = []
        catalogue: Catalogue

        around = StrategyContext(
            namespace_labels=lambda namespace: catalogue.namespace_labels(storage, namespace),
            now=lambda: times.now_text(self._source.now()),
        )
        for version in self._serving.versions:
            for kind in version.kinds:
                validator = name_is_dns_label if kind.resource == NAMESPACES else name_is_dns_subdomain
                strategies = strategies_of(kind, version.release, around)
                resources.append(Resource(kind, version.release, strategies, validator))
        catalogue = Catalogue(resources, self._serving.primary)
        return catalogue

    async def _ensure_namespaces(self) -> None:
        """The namespaces that every cluster begins with, one after the other, as a new server makes them."""
        resource = self._served.namespaces
        options = WriteOptions(manager="kube-apiserver")
        for name in INITIAL_NAMESPACES:
            if self._store.storage.newest(resource.key("", name)) is not None:
                continue
            body = resource.empty_object()
            body["metadata"]["name"] = name
            obj = resource.strategy_for("").default(body)
            await self._store.create(resource, ObjectReference(name=name), obj, options, Warnings())
