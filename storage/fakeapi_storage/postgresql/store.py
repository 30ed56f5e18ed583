"""The store of one server among several on a PostgreSQL database."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import MappingProxyType

from fakeapi_storage.errors import Closed
from fakeapi_storage.format import Format
from fakeapi_storage.interface import (
    INITIAL_REVISION,
    Checkpoint,
    Entry,
    Event,
    Guard,
    Page,
    SharedStorage,
    Watcher,
)
from fakeapi_storage.location import Location
from fakeapi_storage.log import Snapshot
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.postgresql.follower import Follower
from fakeapi_storage.postgresql.link import Link
from fakeapi_storage.postgresql.log import PostgresqlLog
from fakeapi_storage.postgresql.opening import Ready, make_ready
from fakeapi_storage.postgresql.writer import SharedWriter

_EMPTY = Checkpoint((), INITIAL_REVISION)


async def open_shared(
    location: Location, wanted: Format, settings: str, *, window: int, watcher_buffer: int
) -> "SharedStore":
    """Opens a database that other servers may have open. Raises `OpenFailed`, `StorageError`."""
    ready = await make_ready(location, wanted, settings)
    empty = Snapshot(INITIAL_REVISION, [], {})
    committed = Committed(empty, window=window, watcher_buffer=watcher_buffer)
    reading = Link(location.url, ready.session_name)
    log = PostgresqlLog(Link(location.url, ready.session_name), reading)
    follower = Follower(log, committed)
    reading.prepare = follower.listen
    try:
        await follower.load()
    except BaseException:
        await log.close()
        raise
    return SharedStore(log, committed, follower, ready)


class SharedStore:
    """`SharedStorage` over a log that other servers write too. Made by `open_shared`."""

    def __init__(self, log: PostgresqlLog, committed: Committed, follower: Follower, ready: Ready) -> None:
        self._log = log
        self._committed = committed
        self._follower = follower
        self._labels = dict(ready.labels)
        self._agreed = dict(ready.agreed)
        self._writer = SharedWriter(log, committed, follower)
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

    async def refresh(self) -> None:
        self._require_open()
        await self._follower.refresh()

    def on_events(self, call: Callable[[Sequence[Event]], None]) -> None:
        self._follower.on_events = call

    def on_reload(self, call: Callable[[bool], None]) -> None:
        self._follower.on_reload = call

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
        await self.restore(_EMPTY, rewind=True)

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
            await self._follower.close()
        finally:
            self._committed.end(Closed())
            await self._log.close()

    async def _finish(self, work: Coroutine[None, None, None]) -> None:
        """Awaits work that runs to its end even if the caller is cancelled: memory and database agree."""
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        await asyncio.shield(task)

    def _require_open(self) -> None:
        if self._closing is not None:
            raise Closed


def _is_shared_storage(store: SharedStore) -> SharedStorage:
    return store
