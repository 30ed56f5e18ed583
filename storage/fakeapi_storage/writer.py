"""The writer of a store: accepts writes immediately and commits them in groups."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from itertools import islice

from fakeapi_storage.errors import (
    FutureRevision,
    InvalidEntry,
    KeyExists,
    KeyNotFound,
    Overloaded,
    RevisionConflict,
    StorageError,
    StorageFailed,
    StorageReset,
)
from fakeapi_storage.interface import INITIAL_REVISION, Checkpoint, Entry, Event, EventKind
from fakeapi_storage.log import Log, Row
from fakeapi_storage.memory.committed import Committed

BATCH_WRITES_MAX = 256
"""Maximum number of writes in one transaction; further writes wait for the next transaction."""

QUEUE_WRITES_MAX = 16_384
"""Maximum number of uncommitted writes; further writes are refused with `Overloaded`."""

VALUE_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of a value in bytes; larger values are refused with `InvalidEntry`.

A larger value could make the transaction of a whole group fail.
"""

COMPACTION_RETRY_REVISIONS = 256
"""Number of revisions between a failed automatic compaction and the next attempt."""

_logger = logging.getLogger(__name__)


class _Write:
    __slots__ = ("event", "future", "row")

    def __init__(self, row: Row, event: Event, future: asyncio.Future[Entry]) -> None:
        self.row = row
        self.event = event
        self.future = future


class Writer:
    """The only writer of a store.

    A write stays in the queue until its transaction has ended. For each key with a queued write, `_newest`
    has the last accepted event. `_newest` and the committed entries together are the newest accepted state.
    """

    def __init__(self, log: Log, committed: Committed) -> None:
        self._log = log
        self._committed = committed
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Write] = deque()
        self._newest: dict[str, Event] = {}
        self._accepted = committed.revision
        self._commit_waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._exclusive = asyncio.Lock()
        self._draining: asyncio.Task[None] | None = None
        self._unsure = False
        self._failure = ""
        self._compaction_not_before = 0

    def newest(self, key: str) -> Entry | None:
        event = self._newest.get(key)
        if event is None:
            return self._committed.get(key)
        return None if event.kind is EventKind.DELETE else event.entry

    def create(self, key: str, value: bytes) -> asyncio.Future[Entry]:
        actual = self.newest(key)
        if actual is not None:
            raise KeyExists(actual)
        if not key.isascii():
            check_text(key)
        check_size(value)
        last = self._newest.get(key)
        previous = self._committed.history.last_deletion(key) if last is None else last.entry.revision
        revision = self._accepted + 1
        event = Event(EventKind.PUT, Entry(key, value, revision, revision), None)
        return self._accept(event, Row(revision, key, revision, previous, False, value))

    def update(self, key: str, value: bytes, expected: int) -> asyncio.Future[Entry]:
        actual = self._expect(key, expected)
        check_size(value)
        revision = self._accepted + 1
        event = Event(EventKind.PUT, Entry(actual.key, value, revision, actual.created), actual)
        return self._accept(event, Row(revision, key, actual.created, expected, False, value))

    def delete(self, key: str, expected: int, value: bytes | None) -> asyncio.Future[Entry]:
        actual = self._expect(key, expected)
        if value is not None:
            check_size(value)
        revision = self._accepted + 1
        last = actual.value if value is None else value
        event = Event(EventKind.DELETE, Entry(actual.key, last, revision, actual.created), actual)
        return self._accept(event, Row(revision, key, actual.created, expected, True, value))

    def wait_committed(self, revision: int | None) -> asyncio.Future[None]:
        if revision is None:
            revision = self._accepted
        if revision > self._accepted:
            raise FutureRevision(revision, self._accepted)
        future: asyncio.Future[None] = self._loop.create_future()
        if revision <= self._committed.revision:
            future.set_result(None)
        else:
            self._commit_waiters.append((revision, future))
        return future

    async def compact(self, revision: int) -> None:
        async with self._exclusive:
            if revision > self._committed.revision:
                raise FutureRevision(revision, self._committed.revision)
            if revision > self._committed.history.oldest:
                await self._compact(revision)

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        async with self._exclusive:
            await self._transact(lambda: self._log.set_labels(labels))

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool) -> None:
        check_entries(checkpoint)
        entries = checkpoint.entries
        rows = (Row(entry.revision, entry.key, entry.created, 0, False, entry.value) for entry in entries)
        async with self._exclusive:
            revision = checkpoint.revision
            if not rewind:
                revision = max(revision, self._committed.revision) + 1
            await self._transact(lambda: self._log.replace(revision, rows))
            self._committed.replace(entries, revision, StorageReset())
            self._fail(StorageReset)
            self._compaction_not_before = 0

    async def close(self) -> None:
        """Commits accepted writes, then closes the database. Do not add writes after this call."""
        while self._draining is not None and not self._draining.done():
            await asyncio.wait([self._draining])
        async with self._exclusive:
            await self._log.close()

    def _expect(self, key: str, expected: int) -> Entry:
        actual = self.newest(key)
        if actual is None:
            raise KeyNotFound(key)
        if actual.revision != expected:
            raise RevisionConflict(actual, expected)
        return actual

    def _accept(self, event: Event, row: Row) -> asyncio.Future[Entry]:
        if len(self._queue) >= QUEUE_WRITES_MAX:
            raise Overloaded(QUEUE_WRITES_MAX)
        future: asyncio.Future[Entry] = self._loop.create_future()
        self._accepted = row.revision
        self._newest[row.key] = event
        self._queue.append(_Write(row, event, future))
        self._start_draining()
        return future

    def _start_draining(self) -> None:
        if self._draining is None or self._draining.done():
            self._draining = self._loop.create_task(self._drain())

    async def _drain(self) -> None:
        while self._queue:
            async with self._exclusive:
                if self._queue:
                    await self._commit()

    async def _commit(self) -> None:
        try:
            if self._unsure:
                await self._recover()
            batch = self._batch()
            if batch:
                await self._transact(lambda: self._log.append([write.row for write in batch]))
        except Exception as error:  # noqa: BLE001 - whatever the error is, all waiting callers receive it
            self._log_failure(error)
            kind = type(error) if isinstance(error, StorageFailed) else StorageFailed
            self._fail(kind, str(error))
            return
        if self._failure:
            _logger.warning("writes are stored again")
            self._failure = ""
        if batch:
            self._publish(batch)
        await self._compact_if_due()

    def _batch(self) -> list[_Write]:
        return [*islice(self._queue, BATCH_WRITES_MAX)]

    def _log_failure(self, error: Exception) -> None:
        """Logs why writes fail. Logs the same reason again only after a success or another reason."""
        cause = str(error) or type(error).__name__
        if cause != self._failure:
            mistake = None if isinstance(error, StorageError) else error
            _logger.error("writes are not stored and fail, reads go on: %s", cause, exc_info=mistake)
        self._failure = cause

    async def _recover(self) -> None:
        """Reads the rows that an earlier transaction with an unknown outcome may have stored.

        If that transaction stored rows, all queued writes fail, because they were assigned the revisions of
        these rows.
        """
        rows = await self._log.read(self._committed.revision)
        self._unsure = False
        if rows:
            self._committed.replay(rows)
            self._fail(StorageFailed, "an earlier write was found to be stored after all")

    def _publish(self, batch: list[_Write]) -> None:
        self._committed.apply([write.event for write in batch])
        newest = self._newest
        for write in batch:
            self._queue.popleft()
            if newest[write.row.key] is write.event:
                del newest[write.row.key]
            if not write.future.done():
                write.future.set_result(write.event.entry)
        if self._commit_waiters:
            revision = self._committed.revision
            for awaited, future in self._commit_waiters:
                if awaited <= revision and not future.done():
                    future.set_result(None)
            self._commit_waiters = [waiting for waiting in self._commit_waiters if waiting[0] > revision]

    def _fail(self, kind: type[StorageError], *reason: str) -> None:
        """Empties the queue: all uncommitted writes fail with an exception of the class `kind`.

        `reason`: the arguments of the exception.
        """
        failed: list[asyncio.Future[Entry] | asyncio.Future[None]] = [
            *(write.future for write in self._queue),
            *(future for _, future in self._commit_waiters),
        ]
        self._queue.clear()
        self._commit_waiters.clear()
        self._newest.clear()
        self._accepted = self._committed.revision
        for future in failed:
            if not future.done():
                future.set_exception(kind(*reason))
                future.exception()  # the caller may have left; the loop then logs no error

    async def _compact_if_due(self) -> None:
        due = self._committed.history.next_compaction()
        if due is None or self._committed.revision < self._compaction_not_before:
            return
        try:
            await self._compact(due)
        except StorageError as error:
            _logger.warning("compaction at revision %d failed, the history stays longer: %s", due, error)
            self._compaction_not_before = self._committed.revision + COMPACTION_RETRY_REVISIONS

    async def _compact(self, revision: int) -> None:
        history = self._committed.history
        await self._transact(lambda: self._log.compact(revision, history.stale(revision)))
        history.compact(revision)

    async def _transact(self, transaction: Callable[[], Awaitable[None]]) -> None:
        if self._unsure:
            await self._recover()
        self._unsure = True
        await transaction()
        self._unsure = False


def check_text(key: str) -> None:
    """Raises `InvalidEntry` for a key that is not valid UTF-8 text."""
    try:
        key.encode()
    except UnicodeEncodeError as error:
        raise InvalidEntry(f"key {key!r} is not text: {error.reason}") from error


def check_entries(checkpoint: Checkpoint) -> None:
    """Raises `InvalidEntry` if a checkpoint has entries that no store can contain."""
    before, revisions = "", set[int]()
    for entry in checkpoint.entries:
        if entry.key <= before:
            raise InvalidEntry(f"key {entry.key!r} stands after {before!r}, and not in its order")
        if not INITIAL_REVISION < entry.created <= entry.revision <= checkpoint.revision:
            raise InvalidEntry(f"revision {entry.revision} of {entry.key!r}, created at {entry.created}")
        if entry.revision in revisions:
            raise InvalidEntry(f"revision {entry.revision} is that of two keys")
        check_text(entry.key)
        check_size(entry.value)
        before = entry.key
        revisions.add(entry.revision)


def check_size(value: bytes) -> None:
    """Raises `InvalidEntry` for a value of more than VALUE_BYTES_MAX bytes."""
    if len(value) > VALUE_BYTES_MAX:
        raise InvalidEntry(f"a value of {len(value)} bytes is larger than {VALUE_BYTES_MAX}")
