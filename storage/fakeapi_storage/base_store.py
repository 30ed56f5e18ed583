"""The base class of stores: reads from memory, and changes of the whole store, such as compaction."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from types import MappingProxyType
from typing import Protocol

from fakeapi_storage.errors import Closed
from fakeapi_storage.interface import INITIAL_REVISION, Checkpoint, Entry, Page, Watcher
from fakeapi_storage.memory.committed import Committed

EMPTY = Checkpoint((), INITIAL_REVISION)


class MaintainingWriter(Protocol):
    """The methods of a store's writer that change the whole store, or wait for its writes."""

    async def compact(self, revision: int) -> None: ...

    async def set_labels(self, labels: dict[str, str]) -> None: ...

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool) -> None: ...

    def wait_committed(self, revision: int | None) -> asyncio.Future[None]: ...


class BaseStore(ABC):
    """Implements `Storage`, except the methods that write single entries or return uncommitted entries.

    Reads use the committed entries in memory.
    """

    def __init__(self, committed: Committed, labels: Mapping[str, str]) -> None:
        self._committed = committed
        self._labels = dict(labels)
        self._working: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None

    @property
    @abstractmethod
    def _maintenance(self) -> MaintainingWriter:
        """The writer of the store, which also compacts and restores the store."""

    @abstractmethod
    async def _close(self) -> None:
        """Closes the engine and ends all watches with `Closed`. `close` calls this method only once."""

    @property
    def revision(self) -> int:
        return self._committed.revision

    @property
    def oldest(self) -> int:
        return self._committed.history.oldest

    @property
    def labels(self) -> Mapping[str, str]:
        return MappingProxyType(self._labels)

    def wait_committed(self, revision: int | None = None) -> asyncio.Future[None]:
        return self._maintenance.wait_committed(revision)

    def get(self, key: str) -> Entry | None:
        return self._committed.get(key)

    def list(
        self, prefix: str, *, start_after: str | None = None, limit: int | None = None, at: int | None = None
    ) -> Page:
        if limit is not None and limit < 1:
            raise ValueError(f"a page of {limit} entries")
        return self._committed.page(prefix, start_after, limit, at)

    def watch(self, prefix: str, since: int | None = None) -> Watcher:
        self._require_open()
        return self._committed.watch(prefix, since)

    def is_watched(self, key: str) -> bool:
        return self._committed.is_watched(key)

    async def compact(self, revision: int) -> None:
        self._require_open()
        await self._finish(self._maintenance.compact(revision))

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        self._require_open()
        await self._finish(self._set_labels(dict(labels)))

    def checkpoint(self) -> Checkpoint:
        return self._committed.checkpoint()

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool = False) -> None:
        self._require_open()
        await self._finish(self._maintenance.restore(checkpoint, rewind=rewind))

    async def reset(self) -> None:
        await self.restore(EMPTY, rewind=True)

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        await asyncio.shield(self._closing)

    async def _set_labels(self, labels: dict[str, str]) -> None:
        await self._maintenance.set_labels(labels)
        self._labels = labels

    async def _finish(self, work: Coroutine[None, None, None]) -> None:
        """Awaits the coroutine `work`, which continues even if the caller is cancelled.

        If the work stopped in the middle, the entries in memory and in the database could differ.
        """
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        await asyncio.shield(task)

    def _require_open(self) -> None:
        if self._closing is not None:
            raise Closed
