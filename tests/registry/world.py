"""A registry without HTTP: storage, store and catalogue of one release, with a clock that stands still."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fakeapi.cluster import Cluster, Settings
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import field_selector, label_selector
from fakeapi.machinery.patch.media_types import MERGE_PATCH
from fakeapi.registry import stored_form
from fakeapi.registry.clock import SeededClockAndNames
from fakeapi.registry.options import (
    DeleteOptions,
    ListOptions,
    ObjectReference,
    Warnings,
    WatchOptions,
    WriteOptions,
    WriteResult,
)
from fakeapi.registry.request_decoding import read_object
from fakeapi.registry.verbs import deleting, listing, patching, watching

GROUP = "resource.k8s.io"
NAMESPACE = "default"
START = 1_800_000_000.0


class Clock(SeededClockAndNames):
    """A source whose time passes only when a test says so."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.seconds = START

    def now(self) -> float:
        return self.seconds


class World:
    """The registry's verbs on claims, with dicts in and out. `warnings` are those of the last call."""

    def __init__(self, cluster: Cluster, clock: Clock, version: str) -> None:
        self.clock = clock
        self.store, self.catalogue, self.storage = cluster.store, cluster.catalogue, cluster.storage
        found = self.catalogue.find(GROUP, version, "resourceclaims")
        assert found is not None
        self.claims = found
        self.warnings = Warnings()

    def claim(self, name: str = "", **metadata: Any) -> Object:
        spec: Object = {"resourceClassName": "gpu.example.com"}
        if self.claims.kind.version != "v1alpha2":
            spec = {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}}
        return {"metadata": {"name": name, **metadata}, "spec": spec}

    async def create(self, body: Object, namespace: str = NAMESPACE, **options: Any) -> Object:
        wanted = self._options(options)
        target = ObjectReference(namespace)
        obj = self._read(body, wanted)
        patching.match_namespace(self.claims, target, obj["metadata"])
        return decoded(await self.store.create(self.claims, target, obj, wanted, self.warnings))

    async def update(self, body: Object, subresource: str = "", **options: Any) -> Object:
        wanted = self._options(options)
        obj = self._read(body, wanted)
        target = self.target(body["metadata"]["name"], subresource)
        patching.check_name(self.claims, target, obj)
        return decoded(await self.store.update(self.claims, target, obj, wanted, self.warnings))

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

        def read() -> patching.Patch:
            return patching.read_patch(self.claims, text, media_type, wanted.validation)

        target = self.target(name, subresource)
        return decoded(await patching.patch(self.store, self.claims, target, read, wanted, self.warnings))

    async def delete(self, name: str, **options: Any) -> Object:
        return decoded(await self.outcome_of_delete(name, **options))

    async def outcome_of_delete(self, name: str, **options: Any) -> WriteResult:
        return await deleting.delete(self.store, self.claims, self.target(name), DeleteOptions(**options))

    def get(self, name: str) -> Object:
        return stored_form.decode(self.store.get(self.claims, self.target(name)))

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
        return read_object(self.claims, text, "application/json", options.validation, self.warnings)

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
    cluster = Cluster(Settings(release=release, history=history, feature_gates=gates), clock)
    await cluster.start()
    try:
        minor = int(release.partition(".")[2])
        yield World(cluster, clock, "v1alpha2" if minor < 31 else "v1alpha3")
    finally:
        await cluster.stop()


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
