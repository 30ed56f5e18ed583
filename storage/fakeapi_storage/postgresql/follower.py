"""Keeps the memory of one server up with the log that all servers of the database write."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from fakeapi_storage.errors import (
    Closed,
    Compacted,
    OutcomeUnknown,
    StorageError,
    StorageReset,
    Unreachable,
)
from fakeapi_storage.interface import Event
from fakeapi_storage.log import Row, Snapshot
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.link import Connection
from fakeapi_storage.postgresql.log import PostgresqlLog, Read

POLL_SECONDS = 1.0
"""Between two looks at the log where no notification comes, and no request needs one."""

NO_EPOCH = -1
"""Nothing is known of the log."""

log = logging.getLogger(__name__)


class Follower:
    """Reads the log, and shows what others wrote in it.

    A notification says that there is something new; a poll stands behind it. One read of the log answers
    everybody who waits for it by then.
    """

    def __init__(self, database: PostgresqlLog, committed: Committed) -> None:
        self.epoch = NO_EPOCH
        self.on_events: Callable[[Sequence[Event]], None] = _nothing
        """Called with the events that were just applied, before anybody else runs."""
        self.on_reload: Callable[[bool], None] = _nothing_reloaded
        """Called when all entries were read again, with whether they had been replaced."""
        self._log = database
        self._committed = committed
        self._waiting: list[asyncio.Future[None]] = []
        self._wake = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._failure = ""
        self._is_loaded = False

    async def listen(self, connection: Connection) -> None:
        """Has a new connection say when there is something new, and looks at once what was missed."""
        await connection.add_listener(schema.CHANNEL, self._notified)
        self._wake.set()

    async def load(self) -> None:
        """Reads everything for the first time, and begins to follow. Raises `StorageError`."""
        self.take(await self._log.read(self.epoch, -1))
        self._is_loaded = True
        self._reading = asyncio.create_task(self._follow())

    async def refresh(self) -> None:
        """Waits until everything is shown that was committed in the database before the call.

        Raises `Unreachable`, `StorageFailed`, `Closed`.
        """
        if self._reading is None or self._reading.done():
            raise Closed
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._wake.set()
        await waiter

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._answer(self._waiting, Closed())

    def take(self, read: Read) -> bool:
        """Shows what was read, as far as it is newer than what is shown.

        False where it does not lead there, as the reader has begun again meanwhile: read once more. Raises
        `StorageFailed`.
        """
        known = self._committed.revision
        is_of_before = read.known_epoch != self.epoch  # another epoch has begun here while it was read
        if is_of_before and read.epoch < self.epoch:
            return True
        went_back = not is_of_before and (read.epoch, read.revision) < (self.epoch, read.after)
        if read.epoch > self.epoch or read.compacted > known or went_back:
            if not read.is_whole:
                return False
            self._reload(read)
            return True
        self.replay([row for row in read.rows if row.revision > known])
        self._compact(read.compacted)
        return True

    def replay(self, rows: Sequence[Row]) -> list[Event]:
        """Shows the next rows. Raises `StorageFailed`."""
        if not rows:
            return []
        events = self._committed.replay(rows)
        self.on_events(events)
        return events

    def replaced(self, epoch: int) -> None:
        """Notes that this server itself has replaced all entries."""
        self.epoch = epoch

    def begin_again(self) -> None:
        """Has the next read bring everything: what is shown is not what the log says."""
        self.epoch = NO_EPOCH
        self._wake.set()

    def _reload(self, read: Read) -> None:
        """Shows what was read alone, where all rows were: they were replaced, a copy of the database from
        before was put in its place, or rows that are lacking here are compacted.
        """
        is_replaced = read.epoch != self.epoch or read.revision < read.after
        reason = StorageReset() if is_replaced else Compacted(self._committed.revision, read.compacted)
        self.epoch = read.epoch
        self._committed.reload(Snapshot(read.compacted, read.rows, {}), reason)
        if self._is_loaded:
            why = "they were replaced" if is_replaced else "too many changes were missed"
            log.warning("all objects were read again, and watches end: %s", why)
            self.on_reload(is_replaced)

    def _compact(self, compacted: int) -> None:
        history = self._committed.history
        wanted = min(compacted, self._committed.revision)
        if wanted > history.oldest:
            history.compact(wanted)

    def _notified(self, _connection: Any, _pid: int, _channel: str, payload: object) -> None:
        revision = str(payload)
        if not revision.isdecimal() or int(revision) > self._committed.revision:
            self._wake.set()

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._wake.wait()
            self._wake.clear()
            waiting, self._waiting = self._waiting, []
            try:
                read = await self._log.read(self.epoch, self._committed.revision)
                is_taken = self._take_or_begin_again(read)
            except asyncio.CancelledError:
                self._answer(waiting, Closed())
                raise
            except OutcomeUnknown as error:
                self._failed(Unreachable(str(error.__cause__ or error)), waiting)
            except StorageError as error:
                self._failed(error, waiting)
            except Exception as error:  # whatever it is, those who wait are told, and the next read is tried
                log.exception("unexpected error in reading the log")
                self._failed(Unreachable(str(error)), waiting)
            else:
                if self._failure:
                    log.warning("the database answers again")
                    self._failure = ""
                if is_taken:
                    self._answer(waiting, None)
                else:
                    self._waiting = [*waiting, *self._waiting]
                    self._wake.set()

    def _take_or_begin_again(self, read: Read) -> bool:
        try:
            return self.take(read)
        except StorageError:
            self.begin_again()
            raise

    def _failed(self, error: StorageError, waiting: Sequence[asyncio.Future[None]]) -> None:
        """Logs why the log is not read: once, until it is or fails for another reason."""
        if str(error) != self._failure:
            log.error("the log is not read, only older states are answered: %s", error)
            self._failure = str(error)
        self._answer(waiting, error)

    def _answer(self, waiting: Sequence[asyncio.Future[None]], error: StorageError | None) -> None:
        for each in waiting:
            if each.done():
                continue
            if error is None:
                each.set_result(None)
            else:
                each.set_exception(error)
                each.exception()  # mark as retrieved: of a caller that left, the loop need log nothing


def _nothing(events: Sequence[Event]) -> None:
    """Nobody follows."""


def _nothing_reloaded(is_replaced: bool) -> None:  # noqa: FBT001 - a callback
    """Nobody follows."""
