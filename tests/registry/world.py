"""A registry without HTTP: storage, store and catalogue of one release, with a clock that stands still."""

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from fakeapi.clock.clocks import SeededClockAndNames
from fakeapi.controlplane.registry import Registry, open_registry
from fakeapi.kinds import definition_of
from fakeapi.kinds.common.defaults import apply_defaults
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.meta import field_selector, label_selector
from fakeapi.machinery.patch.media_types import MERGE_PATCH
from fakeapi.registry.model.definition import StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.decoding import read_object
from fakeapi.registry.requests.naming import check_name, match_namespace
from fakeapi.registry.requests.options import (
    DeleteOptions,
    ListOptions,
    ObjectReference,
    Warnings,
    WatchOptions,
    WriteOptions,
    WriteResult,
)
from fakeapi.registry.verbs import creating, deleting, listing, patching, updating, watching
from fakeapi.releases import Kind, Release, served
from fakeapi_storage import open_storage

Object = dict[str, Any]
GROUP = "resource.k8s.io"
NAMESPACE = "default"
START = 1_800_000_000.0


CONTEXT = StrategyContext(
    namespace_labels=lambda _: {}, now=lambda: "2030-01-01T00:00:00Z", apply_defaults=apply_defaults
)


def resource_of(kind: Kind, release: Release) -> Resource:
    """A resource that no server serves."""
    return Resource(kind, release, definition_of, CONTEXT)


def widgets(release: Release, **fields: Any) -> Kind:
    """A kind that no release has and no module defines: claims by another name."""
    own = {"group": "example.com", "version": "v1", "kind": "Widget", "list_kind": "WidgetList"}
    names = {"resource": "widgets", "singular": "widget"}
    return replace(release.kind(GROUP, "v1beta1", "resourceclaims"), **{**own, **names, **fields})


class Clock(SeededClockAndNames):
    """A source whose time passes only when a test says so."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.seconds = START
        self.frozen = True

    def now(self) -> float:
        return self.seconds


class World:
    """The registry's verbs on claims, with dicts in and out. `warnings` are those of the last call."""

    def __init__(self, registry: Registry, clock: Clock, version: str) -> None:
        self.clock, self.registry = clock, registry
        self.server, self.store = registry.server, registry.store
        self.catalogue, self.storage = registry.catalogue, registry.storage
        found = self.catalogue.find(GROUP, version, "resourceclaims")
        assert found is not None
        self.claims = found
        self.warnings = Warnings()

    def resource(self, name: str, version: str = "v1", group: str = "") -> Resource:
        """A served resource."""
        found = self.catalogue.find(group, version, name)
        assert found is not None, f"{name} is not served"
        return found

    def on(self, resource: Resource) -> "World":
        """The same world, its verbs on another namespaced resource."""
        other = copy.copy(self)
        other.claims = resource
        return other

    def claim(self, name: str = "", **metadata: Any) -> Object:
        spec: Object = {"resourceClassName": "gpu.example.com"}
        if self.claims.kind.version != "v1alpha2":
            spec = {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}}
        return {"metadata": {"name": name, **metadata}, "spec": spec}

    async def create(self, body: Object, namespace: str = NAMESPACE, **options: Any) -> Object:
        wanted = self._options(options)
        target = ObjectReference(namespace)
        obj = self._read(body, wanted)
        match_namespace(self.claims, target, obj["metadata"])
        return decoded(await creating.create(self.server, self.claims, target, obj, wanted, self.warnings))

    async def update(self, body: Object, subresource: str = "", **options: Any) -> Object:
        wanted = self._options(options)
        obj = self._read(body, wanted)
        target = self.target(body["metadata"]["name"], subresource)
        check_name(self.claims, target, obj)
        return decoded(await updating.update(self.server, self.claims, target, obj, wanted, self.warnings))

    async def patch(
        self,
        name: str,
        patch: Any,
        media_type: str = MERGE_PATCH,
        subresource: str = "",
        **options: Any,
    ) -> Object:
        wanted = self._options(options)
        text = json.dumps(patch, separators=(",", ":")).encode()
        target = self.target(name, subresource)
        return decoded(
            await patching.patch(self.server, self.claims, target, text, media_type, wanted, self.warnings)
        )

    async def delete(self, name: str, **options: Any) -> Object:
        return decoded(await self.outcome_of_delete(name, **options))

    async def outcome_of_delete(self, name: str, **options: Any) -> WriteResult:
        return await deleting.delete(self.server, self.claims, self.target(name), DeleteOptions(**options))

    def get(self, name: str) -> Object:
        entry = self.store.get(self.claims, self.target(name))
        found: Object = json.loads(self.claims.json_of(entry.value, entry.revision))
        return found

    def list(self, namespace: str = NAMESPACE, **options: Any) -> listing.Listed:
        return listing.list_entries(
            self.storage, self.claims, ObjectReference(namespace), ListOptions(**selected(options))
        )

    def watch(self, namespace: str = NAMESPACE, **options: Any) -> watching.Watch:
        wanted = WatchOptions(**selected(options))
        return watching.open_watch(self.storage, self.claims, ObjectReference(namespace), wanted)

    def target(self, name: str, subresource: str = "") -> ObjectReference:
        return ObjectReference(NAMESPACE, name, subresource)

    def _read(self, body: Object, options: WriteOptions) -> Object:
        text = json.dumps(body, separators=(",", ":")).encode()
        return read_object(self.claims.body_type, text, "application/json", options.validation, self.warnings)

    def _options(self, options: Object) -> WriteOptions:
        self.warnings = Warnings()
        return WriteOptions(**{"manager": "tester", **options})


def decoded(outcome: WriteResult) -> Object:
    found: Object = json.loads(outcome.body)
    return found


def selected(options: Object) -> Object:
    """Options with their selectors parsed."""
    parsers: dict[str, Callable[[str], Any]] = {
        "labels": label_selector.parse,
        "fields": field_selector.parse,
    }
    return {name: parsers[name](value) if name in parsers else value for name, value in options.items()}


@asynccontextmanager
async def world(release: str = "1.31", history: int = 1000, **gates: bool) -> AsyncIterator[World]:
    clock = Clock()
    storage = await open_storage(None, window=history)
    registry = open_registry(storage, served(release, gates), clock)
    try:
        await registry.ensure_initial_objects()
        minor = int(release.partition(".")[2])
        yield World(registry, clock, "v1alpha2" if minor < 31 else "v1alpha3")
    finally:
        await storage.close()


def in_world(
    scenario: Callable[[World], Awaitable[None]], release: str = "1.31", history: int = 1000, **gates: bool
) -> None:
    """Run a scenario in a world of its own."""

    async def run() -> None:
        async with world(release, history, **gates) as here:
            await scenario(here)

    asyncio.run(run())


async def refusal(call: Awaitable[Any]) -> ApiError:
    """The error that a call ends with."""
    try:
        answer = await call
    except ApiError as error:
        return error
    raise AssertionError(f"not refused: {answer}")


def names(listed: listing.Listed) -> list[str]:
    return [entry.key.rpartition("/")[2] for entry in listed.entries]


def version_of(obj: Object) -> int:
    return int(obj["metadata"]["resourceVersion"])
