"""The store of a single process: reads and watches use memory, and a writer stores the writes."""

import asyncio
from collections.abc import Mapping

from fakeapi_storage.base_store import BaseStore
from fakeapi_storage.errors import Closed
from fakeapi_storage.interface import Entry, Storage
from fakeapi_storage.log import Log
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.memory.writer import MemoryWriter
from fakeapi_storage.writer import Writer


class Store(BaseStore):
    """A `Storage` for one process, in a database or only in memory. Create it with `open_storage`."""

    def __init__(self, log: Log | None, committed: Committed, labels: Mapping[str, str]) -> None:
        super().__init__(committed, labels)
        self._writer = MemoryWriter(committed) if log is None else Writer(log, committed)

    @property
    def _maintenance(self) -> Writer:
        return self._writer

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

    async def _close(self) -> None:
        try:
            await self._writer.close()
        finally:
            self._committed.end(Closed())


def _is_storage(store: Store) -> Storage:
    return store
