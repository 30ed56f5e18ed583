"""The writer of a server that shares a database: sends accepted writes to the database in groups."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from fakeapi_storage import writer as limits
from fakeapi_storage.errors import (
    FutureRevision,
    KeyExists,
    KeyNotFound,
    OutcomeUnknown,
    Overloaded,
    RevisionConflict,
    StorageError,
    StorageReset,
)
from fakeapi_storage.interface import Checkpoint, Entry, Guard
from fakeapi_storage.log import Row
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.postgresql.follower import Follower
from fakeapi_storage.postgresql.log import Appended, Outcome, PostgresqlLog, Proposal

BATCH_BYTES_MAX = 64 * 1024 * 1024
"""Maximum total size, in bytes, of the values in one transaction. A larger single value is sent alone."""

log = logging.getLogger(__name__)


class _Write(NamedTuple):
    proposal: Proposal
    future: asyncio.Future[Entry]
    epoch: int
    """The epoch of the entries that the caller knew. Each replacement of all entries begins a new epoch."""


class SharedWriter:
    """Sends writes to the database, and applies them to memory after the database has stored them.

    The class sends one group of writes at a time; writes accepted meanwhile form the next group. The future
    of a stored write resolves once memory includes the write. The database can refuse a write. The future of
    a refused write fails once memory includes the entry that caused the refusal.
    """

    def __init__(self, database: PostgresqlLog, committed: Committed, follower: Follower) -> None:
        self._log = database
        self._committed = committed
        self._follower = follower
        self._loop = asyncio.get_running_loop()
        self._queue: deque[_Write] = deque()
        self._exclusive = asyncio.Lock()
        self._draining: asyncio.Task[None] | None = None
        self._accepted = self._settled = 0
        self._waiters: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._compaction_not_before = 0

    def create(self, key: str, value: bytes, *, unless_changed: Guard | None = None) -> asyncio.Future[Entry]:
        limits.check_text(key)
        limits.check_size(value)
        return self._accept(Proposal(key, value, 0, False, unless_changed))

    def update(
        self, key: str, value: bytes, expected: int, *, unless_changed: Guard | None = None
    ) -> asyncio.Future[Entry]:
        limits.check_size(value)
        self._check_not_passed(key, expected)
        return self._accept(Proposal(key, value, expected, False, unless_changed))

    def delete(self, key: str, expected: int, value: bytes | None) -> asyncio.Future[Entry]:
        if value is not None:
            limits.check_size(value)
        self._check_not_passed(key, expected)
        return self._accept(Proposal(key, value, expected, True))

    def wait_committed(self, revision: int | None) -> asyncio.Future[None]:
        future: asyncio.Future[None] = self._loop.create_future()
        if revision is not None and revision > self._committed.revision:
            raise FutureRevision(revision, self._committed.revision)
        if revision is not None or self._settled == self._accepted:
            future.set_result(None)
        else:
            self._waiters.append((self._accepted, future))
        return future

    async def compact(self, revision: int) -> None:
        async with self._exclusive:
            while self._committed.history.oldest < revision:
                await self._follower.refresh()
                if revision > self._committed.revision:
                    raise FutureRevision(revision, self._committed.revision)
                await self._compact(revision, waits=True)

    async def set_labels(self, labels: dict[str, str]) -> None:
        async with self._exclusive:
            await self._log.set_labels(labels)

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool) -> None:
        limits.check_entries(checkpoint)
        async with self._exclusive:
            revision, epoch = await self._log.replace(checkpoint, rewind=rewind)
            self._compaction_not_before = 0
            if epoch <= self._follower.epoch:
                return  # the follower has already applied the replacement
            self._follower.replaced(epoch)
            self._committed.replace(checkpoint.entries, revision, StorageReset())
            self._fail(self._taken(len(self._queue)), StorageReset())

    async def close(self) -> None:
        """Waits until all accepted writes are sent; callers must not add writes any more."""
        while self._draining is not None and not self._draining.done():
            await asyncio.wait([self._draining])

    def _check_not_passed(self, key: str, expected: int) -> None:
        """Raises RevisionConflict if memory already has a newer entry for the key than `expected`.

        The database makes the same check for entries that are not in memory yet.
        """
        limits.check_text(key)
        actual = self._committed.get(key)
        if actual is not None and actual.revision > expected:
            raise RevisionConflict(actual, expected)

    def _accept(self, proposal: Proposal) -> asyncio.Future[Entry]:
        if len(self._queue) >= limits.QUEUE_WRITES_MAX:
            raise Overloaded(limits.QUEUE_WRITES_MAX)
        future: asyncio.Future[Entry] = self._loop.create_future()
        self._accepted += 1
        self._queue.append(_Write(proposal, future, self._follower.epoch))
        if self._draining is None or self._draining.done():
            self._draining = self._loop.create_task(self._drain())
        return future

    async def _drain(self) -> None:
        while self._queue:
            async with self._exclusive:
                batch = self._taken(self._batch_size())
                if batch:
                    await self._commit(batch)

    def _batch_size(self) -> int:
        count = total = 0
        for write in islice(self._queue, limits.BATCH_WRITES_MAX):
            total += len(write.proposal.value or b"")
            if count and total > BATCH_BYTES_MAX:
                break
            count += 1
        return count

    def _taken(self, count: int) -> list[_Write]:
        return [self._queue.popleft() for _ in range(count)]

    async def _commit(self, batch: list[_Write]) -> None:
        epoch, known = self._follower.epoch, self._committed.revision
        late = [write for write in batch if write.epoch != epoch]
        self._fail(late, StorageReset())
        batch = [write for write in batch if write.epoch == epoch]
        if not batch:
            return
        try:
            appended = await self._log.append(epoch, known, [write.proposal for write in batch])
        except StorageError as error:
            self._fail(batch, error)
            return
        except Exception as error:  # whatever the error is, all waiting callers receive it
            log.exception("unexpected error in a write")
            self._fail(batch, OutcomeUnknown(str(error)))
            return
        except asyncio.CancelledError:
            self._fail(batch, OutcomeUnknown("the server stops"))
            raise
        try:
            await self._catch_up(appended)
            if appended.before.epoch != epoch or self._follower.epoch != epoch:
                self._fail(batch, StorageReset())
                return
            self._answer(batch, appended)
        except StorageError as error:
            self._follower.begin_again()
            self._fail(batch, OutcomeUnknown(str(error)))
            return
        await self._compact_if_due()

    async def _catch_up(self, appended: Appended) -> None:
        """Reads the changes that an append did not return because this server was disconnected too long."""
        before = appended.before
        lacks = before.compacted > before.after and self._committed.revision < before.revision
        if before.epoch != self._follower.epoch or lacks:
            await self._follower.refresh()

    def _answer(self, batch: Sequence[_Write], appended: Appended) -> None:
        """Applies the stored writes to memory, and resolves the futures of the group.

        The future of a refused write fails only after memory includes all earlier changes.
        """
        rows = [row for row in appended.before.rows if row.revision > self._committed.revision]
        stored: list[tuple[_Write, Outcome]] = []
        for write, outcome in zip(batch, appended.outcomes, strict=True):
            if outcome.revision:
                stored.append((write, outcome))
                if outcome.revision > self._committed.revision:
                    rows.append(_row(write.proposal, outcome))
                continue
            self._follower.replay(rows)
            rows = []
            self._refuse(write, outcome)
        self._follower.replay(rows)
        for write, outcome in stored:
            if not write.future.done():
                write.future.set_result(self._entry(write.proposal, outcome))
        self._settle(len(batch))

    def _entry(self, proposal: Proposal, outcome: Outcome) -> Entry:
        event = self._committed.history.event(outcome.revision)
        if event is not None:
            return event.entry
        return Entry(proposal.key, proposal.value or b"", outcome.revision, outcome.created)

    def _refuse(self, write: _Write, outcome: Outcome) -> None:
        proposal = write.proposal
        actual = self._committed.get(proposal.key)
        error: StorageError
        if proposal.expected and actual is None:
            error = KeyNotFound(proposal.key)
        else:
            seen = actual or Entry(proposal.key, b"", outcome.previous, outcome.previous)
            is_taken = not proposal.expected and (actual is not None or proposal.guard is None)
            error = KeyExists(seen) if is_taken else RevisionConflict(seen, proposal.expected)
        _set_exception(write.future, error)

    def _fail(self, writes: Sequence[_Write], error: StorageError) -> None:
        for write in writes:
            _set_exception(write.future, error)
        self._settle(len(writes))

    def _settle(self, count: int) -> None:
        self._settled += count
        while self._waiters and self._waiters[0][0] <= self._settled:
            _, future = self._waiters.popleft()
            if not future.done():
                future.set_result(None)

    async def _compact_if_due(self) -> None:
        due = self._committed.history.next_compaction()
        if due is None or self._committed.revision < self._compaction_not_before:
            return
        try:
            await self._compact(due, waits=False)
        except StorageError as error:
            log.warning("compaction at revision %d failed, the history stays longer: %s", due, error)
            self._compaction_not_before = self._committed.revision + limits.COMPACTION_RETRY_REVISIONS

    async def _compact(self, revision: int, *, waits: bool) -> None:
        history = self._committed.history
        oldest, epoch = history.oldest, self._follower.epoch
        stale = [*history.stale(revision)]
        compacted = await self._log.compact(epoch, oldest, revision, stale, waits=waits)
        history = self._committed.history
        if epoch == self._follower.epoch and history.oldest < compacted <= self._committed.revision:
            history.compact(compacted)


def _row(proposal: Proposal, outcome: Outcome) -> Row:
    return Row(
        outcome.revision, proposal.key, outcome.created, outcome.previous, proposal.deleted, proposal.value
    )


def _set_exception(future: asyncio.Future[Entry], error: StorageError) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # the caller may have left; the loop then logs no error
