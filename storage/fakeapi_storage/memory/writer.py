"""Writes to a store that has no database."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from fakeapi_storage.interface import INITIAL_REVISION, Checkpoint
from fakeapi_storage.log import Log, Row, Snapshot
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.writer import Writer


class NoLog:
    """A `Log` that stores nothing."""

    async def load(self) -> Snapshot:
        return Snapshot(INITIAL_REVISION, [], {})

    async def append(self, rows: Sequence[Row]) -> None: ...

    async def read(self, after: int) -> list[Row]:
        return []

    async def compact(self, revision: int, stale: Iterable[int]) -> None: ...

    async def replace(self, compacted: int, rows: Iterable[Row]) -> None:
        await asyncio.sleep(0)  # writes during a restore fail, as with every engine

    async def set_labels(self, labels: Mapping[str, str]) -> None: ...

    async def close(self) -> None: ...


class MemoryWriter(Writer):
    """The only writer of a store without a database.

    Writes accepted in one step of the event loop are committed in the next step, without a task or a thread.
    Each step commits at most BATCH_WRITES_MAX writes.
    """

    def __init__(self, committed: Committed) -> None:
        super().__init__(NoLog(), committed)
        self._is_due = False

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool) -> None:
        try:
            await super().restore(checkpoint, rewind=rewind)
        finally:
            if self._queue:
                self._start_draining()

    async def close(self) -> None:
        async with self._exclusive:
            while self._queue:
                self._commit_batch()

    def _start_draining(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._drain_now)

    def _drain_now(self) -> None:
        """Commits one batch of writes.

        The next batch waits for the next step of the event loop, so that consumers of watchers can run.
        """
        self._is_due = False
        if self._exclusive.locked():
            return  # a restore is running, and calls `_start_draining` at its end
        self._commit_batch()
        if self._queue:
            self._start_draining()

    def _commit_batch(self) -> None:
        batch = self._batch()
        if not batch:
            return
        self._publish(batch)
        history = self._committed.history
        due = history.next_compaction()
        if due is not None:
            history.compact(due)


def _is_log(log: NoLog) -> Log:
    return log
