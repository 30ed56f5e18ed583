"""ClusterObjects: reads stored objects, for admission plugins, validation and authorizers."""

import asyncio
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

from fakeapi.machinery.json_types import Object
from fakeapi.registry.store import Store
from fakeapi.registry.stored import form as stored_form
from fakeapi_storage import Entry

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

Result = TypeVar("Result")

_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("loop of the objects", default=None)

FindResource: TypeAlias = "Callable[[str, str, str], Resource | None]"
"""A function that returns the served Resource by group, version and name; None without such a Resource."""


class ClusterObjects(msgspec.Struct, frozen=True):
    """Reads stored objects in the internal version.

    Works only for kinds that store all their versions under the same keys.
    """

    store: Store
    find: FindResource

    def get(self, group: str, resource: str, namespace: str, name: str) -> Object | None:
        """Returns the newest version of an object, even if not committed yet; None for a missing object."""
        entry = _read(lambda: self.store.storage.newest(f"{_prefix(group, resource, namespace)}{name}"))
        return None if entry is None else stored_form.decode(entry)

    def entries(self, group: str, resource: str, namespace: str = "") -> list[Entry]:
        """Returns the committed storage entries of a resource's objects, sorted by key.

        `namespace`: only the objects in this namespace; "" for all namespaces.
        """
        prefix = _prefix(group, resource, namespace)
        return _read(lambda: self.store.storage.list(prefix, start_after=None, limit=None, at=None).entries)

    def list(self, group: str, resource: str, namespace: str = "") -> Iterator[Object]:
        """Yields the committed objects of a resource, sorted by storage key.

        `namespace`: only the objects in this namespace; "" for all namespaces.
        """
        return (stored_form.decode(entry) for entry in self.entries(group, resource, namespace))

    def namespace_labels(self, name: str) -> Object:
        """Returns the labels of a namespace; {} if the namespace does not exist."""
        namespace = self.get("", "namespaces", "", name)
        return {} if namespace is None else namespace["metadata"].get("labels") or {}


def reading_on(loop: asyncio.AbstractEventLoop, step: Callable[[], Result]) -> Result:
    """Calls the function `step` in this thread and returns its result.

    Meanwhile, ClusterObjects reads the storage on the event loop `loop`. The current thread must
    not be the thread of this event loop.
    """
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
