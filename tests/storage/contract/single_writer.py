"""Behaviours of a storage that is the only writer of its database, and so returns new revisions at once."""

import asyncio

import pytest

from fakeapi_storage import writer
from fakeapi_storage.errors import (
    FutureRevision,
    KeyExists,
    KeyNotFound,
    Overloaded,
    RevisionConflict,
    StorageReset,
)
from fakeapi_storage.interface import INITIAL_REVISION, Entry
from tests.storage.contract import Behaviour, Opener, collect

BEHAVIOURS: list[Behaviour] = []


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS.append(function)
    return function


@behaviour
async def what_can_not_be_accepted_is_refused_at_once(opener: Opener) -> None:
    async with opener() as storage:
        entry = await storage.create("/a", b"")
        with pytest.raises(KeyExists):
            storage.create("/a", b"")
        with pytest.raises(RevisionConflict):
            storage.update("/a", b"", entry.revision - 1)
        with pytest.raises(KeyNotFound):
            storage.delete("/b", entry.revision)
        deleted = storage.delete("/a", entry.revision)
        with pytest.raises(KeyNotFound):
            storage.update("/a", b"", entry.revision)
        await deleted


@behaviour
async def newest_shows_what_is_accepted_and_get_what_is_committed(opener: Opener) -> None:
    async with opener() as storage:
        before = storage.revision
        created = storage.create("/a", b"1")
        newest = storage.newest("/a")
        assert newest == Entry("/a", b"1", before + 1, before + 1)
        updated = storage.update("/a", b"2", newest.revision)
        assert storage.newest("/a") == Entry("/a", b"2", before + 2, before + 1)
        deleted = storage.delete("/a", before + 2)
        assert storage.newest("/a") is None
        again = storage.create("/a", b"3")
        assert storage.newest("/a") == Entry("/a", b"3", before + 4, before + 4)
        assert (storage.get("/a"), storage.revision) == (None, before)
        results = await asyncio.gather(created, updated, deleted, again)
        assert [entry.revision for entry in results] == [before + 1, before + 2, before + 3, before + 4]
        assert storage.get("/a") == storage.newest("/a") == results[-1]


@behaviour
async def wait_committed_waits_for_the_commit_of_its_revision(opener: Opener) -> None:
    async with opener() as storage:
        await storage.wait_committed(INITIAL_REVISION)
        first, second = storage.create("/a", b""), storage.create("/b", b"")
        assert storage.revision == INITIAL_REVISION
        await storage.wait_committed(INITIAL_REVISION + 1)
        assert storage.revision >= INITIAL_REVISION + 1
        assert first.done()
        await storage.wait_committed(INITIAL_REVISION + 2)
        assert second.done()
        with pytest.raises(FutureRevision):
            storage.wait_committed(INITIAL_REVISION + 3)
        deleted = storage.delete("/a", INITIAL_REVISION + 1)
        assert storage.newest("/a") is None
        await storage.wait_committed()
        assert deleted.done()


@behaviour
async def writers_that_read_the_newest_entry_and_write_in_one_step_never_conflict(opener: Opener) -> None:
    async with opener(window=10_000) as storage:
        watcher = storage.watch("/counter")
        await storage.create("/counter", b"0")

        async def count() -> list[int]:
            revisions = []
            for _ in range(20):
                newest = storage.newest("/counter")
                assert newest is not None
                value = str(int(newest.value) + 1).encode()
                revisions.append((await storage.update("/counter", value, newest.revision)).revision)
            return revisions

        revisions = await asyncio.gather(*(count() for _ in range(32)))
        assert all(mine == sorted(mine) for mine in revisions)
        assert sorted(revision for mine in revisions for revision in mine) == list(
            range(INITIAL_REVISION + 2, INITIAL_REVISION + 2 + 640)
        )
        events = await collect(watcher, 641)
        assert [int(event.entry.value) for event in events] == list(range(641))


@behaviour
async def more_writes_than_a_transaction_takes_are_all_committed_in_order(opener: Opener) -> None:
    async with opener() as storage:
        count = 2 * writer.BATCH_WRITES_MAX + 10
        watcher = storage.watch("/")
        writes = [storage.create(f"/{n}", b"") for n in range(count)]
        await storage.wait_committed(INITIAL_REVISION + count)
        entries = [write.result() for write in writes]
        expected = list(range(INITIAL_REVISION + 1, INITIAL_REVISION + 1 + count))
        assert [entry.revision for entry in entries] == expected
        assert [event.entry.revision for event in await collect(watcher, count)] == expected


@behaviour
async def a_write_beyond_the_queue_is_refused_and_leaves_no_trace(opener: Opener) -> None:
    async with opener() as storage:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(writer, "QUEUE_WRITES_MAX", 2)
            queued = [storage.create("/a", b""), storage.create("/b", b"")]
            with pytest.raises(Overloaded):
                storage.create("/c", b"")
            assert storage.newest("/c") is None
            await asyncio.gather(*queued)
            assert (await storage.create("/c", b"")).revision == INITIAL_REVISION + 3


@behaviour
async def a_restore_ends_watchers_and_fails_what_is_not_committed(opener: Opener) -> None:
    async with opener() as storage:
        kept = await storage.create("/a", b"1")
        checkpoint = storage.checkpoint()
        watcher = storage.watch("/")
        restore = asyncio.ensure_future(storage.restore(checkpoint))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        pending = storage.create("/b", b"")
        await restore
        for ended in (watcher.next_batch(), pending):
            with pytest.raises(StorageReset):
                await ended
        assert storage.list("").entries == [kept]


@behaviour
async def a_reset_ends_watchers_and_fails_what_is_not_committed(opener: Opener) -> None:
    async with opener() as storage:
        watcher, idle = storage.watch("/"), storage.watch("/x")
        await storage.create("/a", b"")
        waiting = asyncio.ensure_future(idle.next_batch())
        await asyncio.sleep(0)
        reset = asyncio.ensure_future(storage.reset())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        pending = storage.create("/b", b"")
        settling = storage.wait_committed(INITIAL_REVISION + 2)
        await reset
        for ended in (waiting, watcher.next_batch(), pending, settling):
            with pytest.raises(StorageReset):
                await ended
        fresh = storage.watch("/")
        entry = await storage.create("/b", b"")
        assert entry.revision == INITIAL_REVISION + 1
        assert [event.entry for event in await collect(fresh, 1)] == [entry]
