"""The store of a server that shares a PostgreSQL database with other servers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from fakeapi_storage.base_store import BaseStore
from fakeapi_storage.errors import Closed
from fakeapi_storage.format import Format
from fakeapi_storage.interface import (
    INITIAL_REVISION,
    Entry,
    Event,
    Guard,
    SharedStorage,
)
from fakeapi_storage.location import Location
from fakeapi_storage.log import Snapshot
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.postgresql.follower import Follower
from fakeapi_storage.postgresql.link import Connection, Link
from fakeapi_storage.postgresql.log import PostgresqlLog
from fakeapi_storage.postgresql.opening import Ready, make_ready
from fakeapi_storage.postgresql.peers import APPLICATION
from fakeapi_storage.postgresql.writer import SharedWriter


async def open_shared(
    location: Location, wanted: Format, settings: str, *, window: int, watcher_buffer: int
) -> "SharedStore":
    """Opens a database that other servers may have open.

    - `wanted`: the format of keys and values that the application uses.
    - `settings`: the settings that all servers of the database must share.

    While a server with these settings is connected, servers with other settings cannot open the database. If
    this server loses its connections, a server with other settings may open the database. Then this server
    can connect again only after that server has stopped.

    Raises `OpenFailed` if the database cannot be used, and `StorageError` if the entries cannot be read.
    """
    ready = await make_ready(location, wanted, settings)
    empty = Snapshot(INITIAL_REVISION, [], {})
    committed = Committed(empty, window=window, watcher_buffer=watcher_buffer)
    reading, writing = (Link(location.url, APPLICATION) for _ in range(2))
    log = PostgresqlLog(writing, reading)
    follower = Follower(log, committed)

    async def prepare_reading(connection: Connection) -> None:
        await ready.peers.join(connection)
        await follower.listen(connection)

    writing.prepare, reading.prepare = ready.peers.join, prepare_reading
    try:
        await follower.load()
    except BaseException:
        await log.close()
        raise
    return SharedStore(log, committed, follower, ready)


class SharedStore(BaseStore):
    """A `SharedStorage`: other servers also write to its database. Create it with `open_shared`."""

    def __init__(self, log: PostgresqlLog, committed: Committed, follower: Follower, ready: Ready) -> None:
        super().__init__(committed, ready.labels)
        self._log = log
        self._follower = follower
        self._agreed = dict(ready.agreed)
        self._writer = SharedWriter(log, committed, follower)

    @property
    def _maintenance(self) -> SharedWriter:
        return self._writer

    @property
    def agreed(self) -> Mapping[str, str]:
        return MappingProxyType(self._agreed)

    async def agree(self, name: str, proposal: str) -> str:
        self._require_open()
        kept = self._agreed[name] = await self._log.agree(name, proposal)
        return kept

    def create(self, key: str, value: bytes, *, unless_changed: Guard | None = None) -> asyncio.Future[Entry]:
        self._require_open()
        return self._writer.create(key, value, unless_changed=unless_changed)

    def update(
        self, key: str, value: bytes, expected: int, *, unless_changed: Guard | None = None
    ) -> asyncio.Future[Entry]:
        self._require_open()
        return self._writer.update(key, value, expected, unless_changed=unless_changed)

    def delete(self, key: str, expected: int, value: bytes | None = None) -> asyncio.Future[Entry]:
        self._require_open()
        return self._writer.delete(key, expected, value)

    def newest(self, key: str) -> Entry | None:
        return self._committed.get(key)

    def is_watched(self, key: str) -> bool:
        return True

    async def refresh(self) -> None:
        self._require_open()
        await self._follower.refresh()

    def on_events(self, call: Callable[[Sequence[Event]], None]) -> None:
        self._follower.on_events = call

    def on_reload(self, call: Callable[[bool], None]) -> None:
        self._follower.on_reload = call

    async def _close(self) -> None:
        try:
            await self._writer.close()
            await self._follower.close()
        finally:
            self._committed.end(Closed())
            await self._log.close()


def _is_shared_storage(store: SharedStore) -> SharedStorage:
    return store
