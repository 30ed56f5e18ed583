"""The writer keeps memory and database equal, also after failed transactions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest

from fakeapi_storage import writer
from fakeapi_storage.errors import StorageFailed
from fakeapi_storage.interface import INITIAL_REVISION
from fakeapi_storage.log import Log, Row, Snapshot
from fakeapi_storage.memory import history
from fakeapi_storage.memory.committed import Committed
from fakeapi_storage.store import Store
from tests.storage.engines import open_log


class FaultyLog:
    """A fake storage log. Its next transaction can fail before or after the commit."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.fail_before = False
        self.fail_after = False
        self.fail_compaction = False
        self.appended: list[int] = []
        self.compactions = 0

    async def load(self) -> Snapshot:
        return await self.log.load()

    async def append(self, rows: Sequence[Row]) -> None:
        await self._transact(lambda: self.log.append(rows))
        self.appended.append(len(rows))

    async def read(self, after: int) -> list[Row]:
        return await self.log.read(after)

    async def compact(self, revision: int, stale: Iterable[int]) -> None:
        self.compactions += 1
        if self.fail_compaction:
            self.fail_compaction, self.fail_before = False, True
        await self._transact(lambda: self.log.compact(revision, stale))

    async def replace(self, compacted: int, rows: Iterable[Row]) -> None:
        await self._transact(lambda: self.log.replace(compacted, rows))

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        await self._transact(lambda: self.log.set_labels(labels))

    async def close(self) -> None:
        await self.log.close()

    async def _transact(self, transaction: Callable[[], Awaitable[None]]) -> None:
        if self.fail_before:
            self.fail_before = False
            await asyncio.sleep(0)
            raise StorageFailed("before")
        await transaction()
        if self.fail_after:
            self.fail_after = False
            raise StorageFailed("after")


def _is_a_log(log: FaultyLog) -> Log:
    return log


@asynccontextmanager
async def opened(*, window: int = 1_000) -> AsyncIterator[tuple[Store, FaultyLog]]:
    log = FaultyLog((await open_log()).log)
    committed = Committed(await log.load(), window=window, watcher_buffer=1_000)
    store = Store(log, committed, {})
    yield store, log
    await store.close()


async def rows(log: FaultyLog) -> list[int]:
    return [row.revision for row in await log.read(0)]


def test_a_failed_commit_fails_all_that_is_accepted_and_the_next_write_starts_afresh() -> None:
    async def main() -> None:
        async with opened() as (store, log):
            kept = await store.create("/kept", b"")
            log.fail_before = True
            writes = [store.update("/kept", b"2", kept.revision), store.create("/a", b"")]
            await asyncio.sleep(0)
            writes.append(store.create("/queued-behind", b""))
            settled = store.wait_committed(kept.revision + 3)
            results = await asyncio.gather(*writes, settled, return_exceptions=True)
            assert [str(result) for result in results] == ["before"] * 4
            assert store.newest("/kept") == store.get("/kept") == kept
            assert store.newest("/a") is store.newest("/queued-behind") is None
            assert (await store.create("/a", b"")).revision == kept.revision + 1
            assert await rows(log) == [kept.revision, kept.revision + 1]

    asyncio.run(main())


def test_a_commit_that_is_reported_as_failed_and_is_stored_is_taken_in_before_the_next_write() -> None:
    async def main() -> None:
        async with opened() as (store, log):
            watcher = store.watch("")
            log.fail_after = True
            with pytest.raises(StorageFailed, match="after"):
                await store.create("/a", b"1")
            assert (store.get("/a"), store.newest("/a")) == (None, None)
            with pytest.raises(StorageFailed, match="found to be stored after all"):
                await store.create("/b", b"")
            found = store.get("/a")
            assert found is not None
            assert found.value == b"1"
            assert (await store.create("/b", b"")).revision == found.revision + 1
            events = [*await watcher.next_batch()]
            assert [event.entry.revision for event in events] == await rows(log)

    asyncio.run(main())


def test_a_failed_reset_changes_nothing() -> None:
    async def main() -> None:
        async with opened() as (store, log):
            entry = await store.create("/a", b"")
            watcher = store.watch("", INITIAL_REVISION)
            log.fail_before = True
            with pytest.raises(StorageFailed):
                await store.reset()
            assert store.get("/a") == entry
            assert len(await watcher.next_batch()) == 1
            await store.reset()
            assert store.revision == INITIAL_REVISION

    asyncio.run(main())


def test_a_failed_restore_changes_nothing() -> None:
    async def main() -> None:
        async with opened() as (store, log):
            empty = store.checkpoint()
            entry = await store.create("/a", b"")
            log.fail_before = True
            with pytest.raises(StorageFailed):
                await store.restore(empty)
            assert (store.get("/a"), store.revision) == (entry, entry.revision)
            await store.restore(empty)
            assert store.get("/a") is None

    asyncio.run(main())


def test_a_failed_compaction_fails_no_write_and_is_tried_again_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "COMPACTION_RETRY_REVISIONS", 5)

    async def update(store: Store, count: int) -> None:
        for _ in range(count):
            newest = store.newest("/a")
            assert newest is not None
            await store.update("/a", b"", newest.revision)
        await store.compact(INITIAL_REVISION)  # waits for an automatic compaction

    async def main() -> None:
        async with opened(window=10) as (store, log):
            await store.create("/a", b"")
            await update(store, 10)
            assert (store.oldest, log.compactions) == (INITIAL_REVISION, 0)
            log.fail_compaction = True
            await update(store, 5)
            assert (store.oldest, log.compactions) == (INITIAL_REVISION, 1)
            await update(store, 1)
            assert (store.oldest, log.compactions) == (store.revision - 10, 2)

    asyncio.run(main())
    assert "compaction at revision" in caplog.text


def test_writes_that_wait_together_share_transactions() -> None:
    async def main() -> None:
        async with opened() as (store, log):
            await asyncio.gather(*(store.create(f"/{n}", b"") for n in range(600)))
            assert log.appended == [256, 256, 88]

    asyncio.run(main())


def test_an_error_that_nobody_foresaw_is_told_to_those_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with opened() as (store, log):

            async def broken(_: Sequence[Row]) -> None:
                raise ZeroDivisionError("unforeseen")

            with monkeypatch.context() as patch:
                patch.setattr(log, "append", broken)
                with pytest.raises(StorageFailed, match="unforeseen"):
                    await store.create("/a", b"")
            assert (await store.create("/a", b"")).revision == INITIAL_REVISION + 1

    asyncio.run(main())


def test_compaction_leaves_one_row_for_each_entry_and_the_rows_of_the_window() -> None:
    async def main() -> None:
        async with opened(window=10) as (store, log):
            for n in range(60):
                newest = store.newest("/a")
                if newest is None:
                    await store.create("/a", b"")
                elif n % 5 == 4:
                    await store.delete("/a", newest.revision)
                else:
                    await store.update("/a", b"", newest.revision)
            await store.create("/b", b"")
            await store.compact(store.revision)
            live = sorted(entry.revision for entry in store.list("").entries)
            assert await rows(log) == live

    asyncio.run(main())


def test_values_that_only_the_past_holds_are_limited_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "HELD_BYTES_MAX", 10_000)

    async def main() -> None:
        async with opened() as (store, _):
            entry = await store.create("/a", bytes(1_000))
            for _ in range(50):
                entry = await store.update("/a", bytes(1_000), entry.revision)
            await store.compact(INITIAL_REVISION)
            assert 7 <= store.revision - store.oldest <= 10

    asyncio.run(main())
