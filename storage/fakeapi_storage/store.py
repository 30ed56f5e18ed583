"""The store: reads and watches are answered from memory, writes go through a writer."""

import asyncio
from collections.abc import Coroutine, Mapping
from types import MappingProxyType

from fakeapi_storage.errors import Closed
from fakeapi_storage.interface import INITIAL_REVISION, Checkpoint, Entry, Page, Storage, Watcher
from fakeapi_storage.log import Log
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.memory.writer import MemoryWriter
from fakeapi_storage.writer import Writer

EMPTY = Checkpoint((), INITIAL_REVISION)


class Store:
    """`Storage` over a log; without one the state is in memory alone. Made by
    `fakeapi_storage.open.open_storage`.
    """

    def __init__(self, log: Log | None, committed: Committed, labels: Mapping[str, str]) -> None:
        self._committed = committed
        self._labels = dict(labels)
        self._writer = MemoryWriter(committed) if log is None else Writer(log, committed)
        self._working: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Task[None] | None = None

    @property
    def revision(self) -> int:
        return self._committed.revision

    @property
    def oldest(self) -> int:
        return self._committed.history.oldest

    @property
    def labels(self) -> Mapping[str, str]:
        return MappingProxyType(self._labels)

    def create(self, key: str, value: bytes) -> asyncio.Future[Entry]:
        self._require_open()
        return self._writer.create(key, value)

    def update(self, key: str, value: bytes, expected: int) -> asyncio.Future[Entry]:
        self._require_open()
        return self._writer.update(key, value, expected)

    def delete(self, key: str, expected: int, value: bytes | None = None) -> asyncio.Future[Entry]:
        self._require_open()
        return self._writer.delete(key, expected, value)

    def newest(self, key: str) -> Entry | None:
        return self._writer.newest(key)

    def wait_committed(self, revision: int | None = None) -> asyncio.Future[None]:
        return self._writer.wait_committed(revision)

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

    async def compact(self, revision: int) -> None:
        self._require_open()
        await self._finish(self._writer.compact(revision))

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        self._require_open()
        await self._finish(self._set_labels(dict(labels)))

    def checkpoint(self) -> Checkpoint:
        return self._committed.checkpoint()

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool = False) -> None:
        self._require_open()
        await self._finish(self._writer.restore(checkpoint, rewind=rewind))

    async def reset(self) -> None:
        await self.restore(EMPTY, rewind=True)

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        await asyncio.shield(self._closing)

    async def _set_labels(self, labels: dict[str, str]) -> None:
        await self._writer.set_labels(labels)
        self._labels = labels

    async def _close(self) -> None:
        try:
            await self._writer.close()
        finally:
            self._committed.end(Closed())

    async def _finish(self, work: Coroutine[None, None, None]) -> None:
        """Awaits work that runs to its end even if the caller is cancelled: memory and database agree."""
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        await asyncio.shield(task)

    def _require_open(self) -> None:
        if self._closing is not None:
            raise Closed


def _is_storage(store: Store) -> Storage:
    return store
