"""Runs a registry without HTTP, with the storage and the resources of one release and a frozen clock."""

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
from fakeapi.registry.requests.name_matching import check_name, match_namespace
from fakeapi.registry.requests.options import (
    DeleteOptions,
    ListOptions,
    ObjectReference,
    Warnings,
    WatchOptions,
    WriteOptions,
    WriteResult,
)
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server_write import ServerWrite
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
    """Returns the registry resource of a kind, without adding it to a catalogue."""
    return Resource(kind, release, definition_of, CONTEXT)


def widgets(release: Release, **fields: Any) -> Kind:
    """Returns a kind that no release has: ResourceClaims under the name Widget.

    `fields`: attributes of the kind to change.
    """
    own = {"group": "example.com", "version": "v1", "kind": "Widget", "list_kind": "WidgetList"}
    names = {"resource": "widgets", "singular": "widget"}
    return replace(release.kind(GROUP, "v1beta1", "resourceclaims"), **{**own, **names, **fields})


class Clock(SeededClockAndNames):
    """A clock that moves only when a test advances it."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.seconds = START
        self.frozen = True

    def now(self) -> float:
        return self.seconds


class World:
    """Calls a registry's verbs (create, update, …), mostly on ResourceClaims, with dicts as objects.

    `warnings`: the warnings of the last call.
    """

    def __init__(self, registry: Registry, clock: Clock, version: str) -> None:
        self.clock, self.registry = clock, registry
        self.server, self.store = registry.server, registry.store
        self.catalogue, self.storage = registry.catalogue, registry.storage
        claims = self.catalogue.find(GROUP, version, "resourceclaims")
        assert claims is not None
        self.claims = claims
        self.warnings = Warnings()

    def resource(self, name: str, version: str = "v1", group: str = "") -> Resource:
        """Returns a served resource by name, version and API group.

        Raises AssertionError if it is not served.
        """
        resource = self.catalogue.find(group, version, name)
        assert resource is not None, f"{name} is not served"
        return resource

    def on(self, resource: Resource) -> "World":
        """Returns a copy of this object that calls the verbs on `resource` instead of ResourceClaims.

        The resource must be namespaced.
        """
        other = copy.copy(self)
        other.claims = resource
        return other

    def claim(self, name: str = "", **metadata: Any) -> Object:
        spec: Object = {"resourceClassName": "gpu.example.com"}
        if self.claims.kind.version != "v1alpha2":
            spec = {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}}
        return {"metadata": {"name": name, **metadata}, "spec": spec}

    async def create(self, body: Object, namespace: str = NAMESPACE, **options: Any) -> Object:
        write_options = self._options(options)
        target = ObjectReference(namespace)
        obj = self._read(body, write_options)
        match_namespace(self.claims, target, obj["metadata"])
        return decoded(await creating.create(self._request(target, write_options), obj))

    async def update(self, body: Object, subresource: str = "", **options: Any) -> Object:
        write_options = self._options(options)
        obj = self._read(body, write_options)
        target = self.target(body["metadata"]["name"], subresource)
        check_name(self.claims, target, obj)
        return decoded(await updating.update(self._request(target, write_options), obj))

    async def patch(
        self,
        name: str,
        patch: Any,
        media_type: str = MERGE_PATCH,
        subresource: str = "",
        **options: Any,
    ) -> Object:
        write_options = self._options(options)
        text = json.dumps(patch, separators=(",", ":")).encode()
        target = self.target(name, subresource)
        return decoded(await patching.patch(self._request(target, write_options), text, media_type))

    async def delete(self, name: str, **options: Any) -> Object:
        return decoded(await self.outcome_of_delete(name, **options))

    async def outcome_of_delete(self, name: str, **options: Any) -> WriteResult:
        return await deleting.delete(self.server, self.claims, self.target(name), DeleteOptions(**options))

    def get(self, name: str) -> Object:
        entry = self.store.get(self.claims, self.target(name))
        obj: Object = json.loads(self.claims.json_of(entry.value, entry.revision))
        return obj

    def list(self, namespace: str = NAMESPACE, **options: Any) -> listing.Listed:
        return listing.list_entries(
            self.storage, self.claims, ObjectReference(namespace), ListOptions(**selected(options))
        )

    def watch(self, namespace: str = NAMESPACE, **options: Any) -> watching.Watch:
        watch_options = WatchOptions(**selected(options))
        return watching.open_watch(self.storage, self.claims, ObjectReference(namespace), watch_options)

    def target(self, name: str, subresource: str = "") -> ObjectReference:
        return ObjectReference(NAMESPACE, name, subresource)

    def _read(self, body: Object, options: WriteOptions) -> Object:
        text = json.dumps(body, separators=(",", ":")).encode()
        return read_object(self.claims.body_type, text, "application/json", options.validation, self.warnings)

    def _request(self, target: ObjectReference, options: WriteOptions) -> ServerWrite:
        return WriteRequest(self.server, self.claims, target, options, self.warnings)

    def _options(self, options: Object) -> WriteOptions:
        self.warnings = Warnings()
        return WriteOptions(**{"manager": "tester", **options})


def decoded(outcome: WriteResult) -> Object:
    obj: Object = json.loads(outcome.body)
    return obj


def selected(options: Object) -> Object:
    """Parses the selectors `labels` and `fields` in the options of a list or watch; returns all options."""
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
    """Runs a scenario with a new registry of the release.

    `history`: maximum number of changes in the watch history. `gates`: feature gates by name.
    """

    async def run() -> None:
        async with world(release, history, **gates) as here:
            await scenario(here)

    asyncio.run(run())


async def refusal(call: Awaitable[Any]) -> ApiError:
    """Awaits a registry call that must fail; returns its ApiError. Raises AssertionError if it succeeds."""
    try:
        answer = await call
    except ApiError as error:
        return error
    raise AssertionError(f"not refused: {answer}")


def names(listed: listing.Listed) -> list[str]:
    return [entry.key.rpartition("/")[2] for entry in listed.entries]


def version_of(obj: Object) -> int:
    return int(obj["metadata"]["resourceVersion"])
