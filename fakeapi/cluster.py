"""Cluster: the state of one API server without HTTP.

It joins storage, catalogue and clock according to the settings. What else works on the state of a cluster
(journal, faults, controllers, snapshots) belongs to it; how clients reach it is `fakeapi.http`'s work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

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

T = TypeVar("T")

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


class Cluster:
    """The objects of one cluster, and what is served of them; used in one event loop."""

    def __init__(self, settings: Settings, clock: ClockAndNames | None = None) -> None:
        """Raises UnknownRelease, UnknownGate."""
        self.settings = settings
        self.clock = clock or SystemClockAndNames()
        self._serving: Serving = served(settings.release, settings.feature_gates)
        self._storage: Storage | None = None
        self._store: Store | None = None
        self._catalogue: Catalogue | None = None

    @property
    def storage(self) -> Storage:
        return _started(self._storage)

    @property
    def store(self) -> Store:
        return _started(self._store)

    @property
    def catalogue(self) -> Catalogue:
        return _started(self._catalogue)

    async def start(self) -> None:
        """Opens the storage and makes the state of an empty cluster. Raises what the storage raises."""
        settings = self.settings
        self._storage = await open_storage(
            settings.database,
            durability=settings.durability,
            window=settings.history,
            data_format=STORED_FORMAT,
        )
        self._store = Store(self._storage, self.clock)
        self._catalogue = self._make_catalogue(self._storage)
        try:
            await self._ensure_namespaces()
        except BaseException:
            await self._storage.close()
            raise

    async def reset(self) -> None:
        """Begins again as a new cluster: no objects but the first namespaces. Watches of the storage end."""
        await self.storage.reset()
        self.store.forget()
        await self._ensure_namespaces()

    async def stop(self) -> None:
        """Closes the storage; what was accepted is committed. Not started, it does nothing."""
        if self._storage is not None:
            await self._storage.close()

    def _make_catalogue(self, storage: Storage) -> Catalogue:
        resources: list[Resource] = []
        catalogue: Catalogue

        context = StrategyContext(
            namespace_labels=lambda namespace: catalogue.namespace_labels(storage, namespace),
            now=lambda: times.now_text(self.clock.now()),
        )
        for version in self._serving.versions:
            for kind in version.kinds:
                validator = name_is_dns_label if kind.resource == NAMESPACES else name_is_dns_subdomain
                strategies = strategies_of(kind, version.release, context)
                resources.append(Resource(kind, version.release, strategies, validator))
        catalogue = Catalogue(resources, self._serving.primary)
        return catalogue

    async def _ensure_namespaces(self) -> None:
        """The namespaces that every cluster begins with, one after the other, as a new server makes them."""
        store, resource = self.store, self.catalogue.namespaces
        options = WriteOptions(manager="kube-apiserver")
        for name in INITIAL_NAMESPACES:
            if store.storage.newest(resource.key("", name)) is not None:
                continue
            body = resource.empty_object()
            body["metadata"]["name"] = name
            obj = resource.strategy_for("").default(body)
            await store.create(resource, ObjectReference(name=name), obj, options, Warnings())


def _started(part: T | None) -> T:
    if part is None:
        raise RuntimeError("the cluster is not started")
    return part
