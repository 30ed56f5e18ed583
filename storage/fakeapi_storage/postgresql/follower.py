"""Keeps the entries in one server's memory up to date with the shared log in the PostgreSQL database."""

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
"""Seconds between two reads of the shared log if neither a notification nor a caller triggers a read."""

NO_EPOCH = -1
"""The value of `Follower.epoch` before the first read, and when all rows must be read again.

Each replacement of all entries in the database begins a new epoch, with the next number.
"""

log = logging.getLogger(__name__)


class Follower:
    """Reads the shared log, and applies the changes of other servers to the committed entries in memory.

    A notification announces changes; a poll finds changes whose notification was lost. One read of the log
    serves all callers that wait at that time.
    """

    def __init__(self, database: PostgresqlLog, committed: Committed) -> None:
        self.epoch = NO_EPOCH
        self.on_events: Callable[[Sequence[Event]], None] = _nothing
        """A function that receives the applied events, before other code runs."""
        self.on_reload: Callable[[bool], None] = _nothing_reloaded
        """A function that is called after all entries were read again.

        The argument is true if a server had replaced all entries.
        """
        self._log = database
        self._committed = committed
        self._waiting: list[asyncio.Future[None]] = []
        self._wake = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._failure = ""
        self._is_loaded = False

    async def listen(self, connection: Connection) -> None:
        """Subscribes a new connection to notifications, and reads missed changes from the shared log."""
        await connection.add_listener(schema.CHANNEL, self._notified)
        self._wake.set()

    async def load(self) -> None:
        """Reads all entries for the first time, and then follows the shared log.

        Raises `StorageError` if the shared log cannot be read.
        """
        self.take(await self._log.read(self.epoch, -1))
        self._is_loaded = True
        self._reading = asyncio.create_task(self._follow())

    async def refresh(self) -> None:
        """Waits until this server has applied all changes that were committed before the call.

        Raises `Unreachable` if the database server does not respond, `StorageFailed` if reading fails, and
        `Closed` if the store is closed.
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
        """Applies the rows in `read` that are newer than the committed state, and returns True.

        Ignores rows of an epoch that this server has already replaced, and returns True. Changes nothing and
        returns False if the rows do not continue the committed state. Then the caller must read again. This
        happens if `begin_again` was called during the read.

        Raises `StorageFailed` if the rows are damaged.
        """
        known = self._committed.revision
        is_of_before = read.known_epoch != self.epoch  # this server began a new epoch during the read
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
        """Applies the next rows of the database's log, and returns their events.

        Raises `StorageFailed` if the log has a gap.
        """
        if not rows:
            return []
        events = self._committed.replay(rows)
        self.on_events(events)
        return events

    def replaced(self, epoch: int) -> None:
        """Sets the epoch after this server itself has replaced all entries."""
        self.epoch = epoch

    def begin_again(self) -> None:
        """Makes the next read return all rows of the shared log.

        Call this method when the entries in memory differ from the shared log.
        """
        self.epoch = NO_EPOCH
        self._wake.set()

    def _reload(self, read: Read) -> None:
        """Replaces the committed state with the rows in `read`, which are all rows, and ends watches.

        This happens if a server replaced the entries, if the database was restored from an older copy, or if
        rows that this server lacks are compacted.
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
        target = min(compacted, self._committed.revision)
        if target > history.oldest:
            history.compact(target)

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
            except Exception as error:  # waiting callers receive any error, and the next read follows
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
        """Logs why the shared log cannot be read; once for each reason.

        Passes the error to the waiting callers.
        """
        if str(error) != self._failure:
            log.error("the log is not read, only older states are answered: %s", error)
            self._failure = str(error)
        self._answer(waiting, error)

    def _answer(self, waiting: Sequence[asyncio.Future[None]], error: StorageError | None) -> None:
        for waiter in waiting:
            if waiter.done():
                continue
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)
                waiter.exception()  # the caller may have left; the loop then logs no error


def _nothing(events: Sequence[Event]) -> None:
    """Does nothing; the default value of `Follower.on_events`."""


def _nothing_reloaded(is_replaced: bool) -> None:  # noqa: FBT001 - a callback
    """Does nothing; the default value of `Follower.on_reload`."""
