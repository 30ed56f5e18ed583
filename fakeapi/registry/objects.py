"""ClusterObjects: how admission plugins read and change other objects of the cluster."""

import asyncio
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from fakeapi.machinery.json_types import Object
from fakeapi.registry.store import Store
from fakeapi.registry.stored import form as stored_form
from fakeapi_storage import Entry

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

Result = TypeVar("Result")

_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("loop of the objects", default=None)

FindResource: TypeAlias = "Callable[[str, str, str], Resource | None]"
"""The served resource of a group, a version and a name."""


@dataclass(frozen=True, slots=True)
class ClusterObjects:
    """Objects of kinds that have one hub, as they are stored."""

    store: Store
    find: FindResource

    def get(self, group: str, resource: str, namespace: str, name: str) -> Object | None:
        """The newest accepted object; None where there is none."""
        entry = _read(lambda: self.store.storage.newest(f"{_prefix(group, resource, namespace)}{name}"))
        return None if entry is None else stored_form.decode(entry)

    def entries(self, group: str, resource: str, namespace: str = "") -> list[Entry]:
        """The committed entries of a resource, of one namespace if it is named, by name."""
        prefix = _prefix(group, resource, namespace)
        return _read(lambda: self.store.storage.list(prefix, start_after=None, limit=None, at=None).entries)

    def list(self, group: str, resource: str, namespace: str = "") -> Iterator[Object]:
        """The committed objects of a resource, of one namespace if it is named, by name."""
        return (stored_form.decode(entry) for entry in self.entries(group, resource, namespace))

    def namespace_labels(self, name: str) -> Object:
        """The labels of a namespace; none where it does not exist."""
        found = self.get("", "namespaces", "", name)
        return {} if found is None else found["metadata"].get("labels") or {}


def reading_on(loop: asyncio.AbstractEventLoop, step: Callable[[], Result]) -> Result:
    """Runs a step in another thread, with its reads of objects made on the event loop; returns its result."""
    token = _loop.set(loop)
    try:
        return step()
    finally:
        _loop.reset(token)


def _read(read: Callable[[], Result]) -> Result:
    loop = _loop.get()
    if loop is None:
        return read()

    async def on_loop() -> Result:
        return read()

    return asyncio.run_coroutine_threadsafe(on_loop(), loop).result()


def _prefix(group: str, resource: str, namespace: str) -> str:
    prefix = f"/{group or 'core'}/{resource}/"
    return f"{prefix}{namespace}/" if namespace else prefix
