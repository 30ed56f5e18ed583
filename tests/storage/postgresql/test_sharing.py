"""Several servers that share a PostgreSQL database act as one server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import asyncpg
import pytest

from fakeapi_storage import (
    INITIAL_REVISION,
    Compacted,
    Guard,
    KeyExists,
    KeyNotFound,
    OutcomeUnknown,
    RevisionConflict,
    SharedStorage,
    StorageReset,
    open_storage,
)
from fakeapi_storage.postgresql import writer
from fakeapi_storage.postgresql.log import Read
from fakeapi_storage.postgresql.store import SharedStore
from tests.postgresql_server import PostgreSQL
from tests.storage.contract import collect, keys, put


@asynccontextmanager
async def opened(count: int, place: str, *, window: int = 10_000) -> AsyncIterator[list[SharedStorage]]:
    async with AsyncExitStack() as stack:
        stores: list[SharedStorage] = []
        for _ in range(count):
            store = await open_storage(place, window=window)
            stack.push_async_callback(store.close)
            assert isinstance(store, SharedStore)
            stores.append(store)
        yield stores


@contextmanager
def unaware(store: SharedStorage) -> Iterator[None]:
    """Prevents the storage from reading other servers' writes during the block.

    The storage still reads its own writes.
    """
    assert isinstance(store, SharedStore)
    read, may_read = store._log.read, asyncio.Event()

    async def late(epoch: int, after: int) -> Read:
        await may_read.wait()
        return await read(epoch, after)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store._log, "read", late)
        yield
    may_read.set()


def several(
    use: Callable[[list[SharedStorage]], Awaitable[None]], place: str, count: int = 2, window: int = 10_000
) -> None:
    async def main() -> None:
        async with opened(count, place, window=window) as stores:
            await use(stores)

    asyncio.run(main())


def test_a_refresh_shows_what_another_server_has_acknowledged(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        for number in range(20):
            entry = await first.create(f"/{number}", b"")
            await second.refresh()
            assert second.get(f"/{number}") == entry
            first, second = second, first

    several(use, postgresql.place())


def test_a_stale_write_is_refused_wherever_it_is_sent(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        old = await first.create("/a", b"1")
        await second.refresh()
        new = await second.update("/a", b"2", old.revision)
        with pytest.raises(RevisionConflict) as conflict:
            await first.update("/a", b"3", old.revision)
        assert conflict.value.actual == new == first.get("/a")
        with pytest.raises(KeyExists) as exists:
            await first.create("/a", b"4")
        assert exists.value.actual == new
        await second.delete("/a", new.revision)
        with pytest.raises(KeyNotFound):
            await first.delete("/a", new.revision)
        assert first.get("/a") is None

    several(use, postgresql.place())


def test_what_a_write_is_refused_by_is_shown_then(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        with unaware(second):
            entry = await first.create("/a", b"1")
            with pytest.raises(KeyExists):
                await second.create("/a", b"2")
            assert second.get("/a") == entry

    several(use, postgresql.place())


def test_every_server_gives_every_event_once_and_in_order(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        watchers = [store.watch("/", INITIAL_REVISION) for store in stores]

        async def write(number: int, store: SharedStorage) -> None:
            for count in range(100):
                await store.create(f"/{number}/{count}", b"")

        await asyncio.gather(*(write(number, store) for number, store in enumerate(stores)))
        seen = [await collect(watcher, 300) for watcher in watchers]
        assert seen[0] == seen[1] == seen[2]
        first = INITIAL_REVISION + 1
        assert [event.entry.revision for event in seen[0]] == [*range(first, first + 300)]

    several(use, postgresql.place(), 3)


def test_a_watch_resumes_on_another_server(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        watcher = first.watch("/")
        for number in range(4):
            await second.create(f"/{number}", b"")
        seen = await collect(watcher, 4)
        await first.create("/4", b"")
        resumed = second.watch("/", seen[1].entry.revision)
        assert [event.entry.key for event in await collect(resumed, 3)] == ["/2", "/3", "/4"]

    several(use, postgresql.place())


def test_counters_that_servers_count_together_lose_nothing(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        await stores[0].create("/counter", b"0")

        async def count(store: SharedStorage) -> None:
            for _ in range(10):
                while True:
                    await store.refresh()
                    entry = store.get("/counter")
                    assert entry is not None
                    try:
                        await store.update("/counter", str(int(entry.value) + 1).encode(), entry.revision)
                        break
                    except RevisionConflict:
                        continue

        await asyncio.gather(*(count(store) for store in stores for _ in range(3)))
        await stores[0].refresh()
        entry = stores[0].get("/counter")
        assert entry is not None
        assert entry.value == b"90"

    several(use, postgresql.place(), 3)


def test_a_guarded_write_is_refused_where_a_neighbour_was_written_meanwhile(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        guard = Guard("/p/", first.revision)
        both = [
            first.create("/p/a", b"", unless_changed=guard),
            first.create("/p/b", b"", unless_changed=guard),
        ]
        results = await asyncio.gather(*both, return_exceptions=True)
        assert [isinstance(each, RevisionConflict) for each in results] == [False, True]
        await first.create("/q/x", b"")
        await second.refresh()
        guard = Guard("/p/", second.revision)
        guarded = second.create("/p/c", b"", unless_changed=guard)
        assert await guarded
        with unaware(first):
            guard = Guard("/p/", first.revision)
            await second.create("/p/d", b"")
            with pytest.raises(RevisionConflict):
                await first.create("/p/e", b"", unless_changed=guard)

    several(use, postgresql.place())


def test_a_reset_by_one_server_ends_the_watches_of_all(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        await first.create("/a", b"")
        await second.refresh()
        reloads: list[int] = []
        second.on_reload(lambda is_replaced: reloads.append(second.revision * is_replaced))
        watcher = second.watch("/")
        await first.reset()
        with pytest.raises(StorageReset):
            await asyncio.wait_for(watcher.next_batch(), 5)
        assert (second.revision, second.list("").entries, reloads) == (
            INITIAL_REVISION,
            [],
            [INITIAL_REVISION],
        )
        assert (await second.create("/b", b"")).revision == INITIAL_REVISION + 1

    several(use, postgresql.place())


class SlowRead:
    """Delays the first read of the shared log until the test sets the event `may_return`.

    `sees_later`: whether the read also waits for the event `may_read` before its database query. The result
    then includes the writes before that event.
    """

    def __init__(self, store: SharedStorage, patch: pytest.MonkeyPatch, *, sees_later: bool) -> None:
        assert isinstance(store, SharedStore)
        self._read = store._log.read
        self._sees_later = sees_later
        self.asked, self.may_read, self.has_read, self.may_return = (asyncio.Event() for _ in range(4))
        patch.setattr(store._log, "read", self)

    async def __call__(self, epoch: int, after: int) -> Read:
        if self.asked.is_set():
            return await self._read(epoch, after)
        self.asked.set()
        if self._sees_later:
            await self.may_read.wait()
        read = await self._read(epoch, after)
        self.has_read.set()
        await self.may_return.wait()
        return read


@pytest.mark.parametrize("sees_later", [True, False], ids=["seen after the reset", "seen before it"])
def test_a_read_that_was_asked_before_a_reset_takes_nothing_from_what_came_after_it(
    sees_later: bool,  # noqa: FBT001 - pytest
    postgresql: PostgreSQL,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        [store] = stores
        for number in range(8):
            await store.create(f"/{number}", b"")
        slow = SlowRead(store, monkeypatch, sees_later=sees_later)
        refreshed = asyncio.ensure_future(store.refresh())
        await slow.asked.wait()
        if not sees_later:
            await slow.has_read.wait()
        await store.reset()
        slow.may_read.set()
        await slow.has_read.wait()
        for name in ("/a", "/b"):
            await store.create(name, b"")
        slow.may_return.set()
        await refreshed
        assert keys(store.list("").entries) == ["/a", "/b"]
        assert (await store.create("/c", b"")).revision == INITIAL_REVISION + 3

    several(use, postgresql.place(), 1)


def test_a_read_of_new_rows_alone_is_not_taken_for_everything(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        [store] = stores
        assert isinstance(store, SharedStore)
        for number in range(8):
            await store.create(f"/{number}", b"")
        await store.compact(store.revision)
        slow = SlowRead(store, monkeypatch, sees_later=False)
        refreshed = asyncio.ensure_future(store.refresh())
        await slow.has_read.wait()
        store._follower.begin_again()
        slow.may_return.set()
        await refreshed
        assert len(store.list("").entries) == 8

    several(use, postgresql.place(), 1)


def test_a_copy_of_the_database_from_before_a_reset_is_noticed(postgresql: PostgreSQL) -> None:
    place = postgresql.place()
    url, _, schema = place.partition("?search_path=")

    async def use(stores: list[SharedStorage]) -> None:
        [store] = stores
        await store.create("/a", b"")
        await store.reset()
        back = f"UPDATE {schema}.fakeapi_state SET epoch = epoch - 1, revision = 1, compacted = 1"
        postgresql.sql(back, f"DELETE FROM {schema}.fakeapi_log", url=url)
        await store.refresh()
        assert (await store.create("/b", b"")).revision == 2

    several(use, place, 1)


def test_a_write_of_before_a_restore_is_not_stored_after_it(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        with unaware(second):
            await first.reset()
            late = second.create("/late", b"")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        with pytest.raises(StorageReset):
            await late
        assert second.list("").entries == []
        await second.create("/later", b"")

    several(use, postgresql.place())


def test_compaction_by_one_server_is_that_of_all(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        for number in range(10):
            await put(first, "/a", str(number).encode())
        await first.compact(first.revision - 2)
        await second.refresh()
        assert second.oldest == first.oldest
        with pytest.raises(Compacted):
            second.watch("/", second.oldest - 1)
        assert keys(second.list("", at=second.oldest).entries) == ["/a"]

    several(use, postgresql.place())


def test_a_server_that_was_away_too_long_reads_everything_again_and_its_watches_are_expired(
    postgresql: PostgreSQL,
) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        watcher = second.watch("/")
        with unaware(second):
            for number in range(60):
                await put(first, f"/{number % 3}", b"")
            await first.compact(first.revision - 5)
        with pytest.raises(Compacted):
            await asyncio.wait_for(watcher.next_batch(), 10)
        await second.refresh()
        assert second.list("").entries == first.list("").entries
        assert (second.revision, second.oldest) == (first.revision, first.oldest)
        last = first.revision
        assert (await put(second, "/0", b"1")).revision == last + 1

    several(use, postgresql.place())


def test_large_values_that_wait_together_are_all_stored(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        [store] = stores
        monkeypatch.setattr(writer, "BATCH_BYTES_MAX", 1000)
        writes = [store.create(f"/{number}", b"x" * size) for number, size in enumerate((600, 600, 3000, 1))]
        entries = await asyncio.gather(*writes)
        assert [entry.revision - INITIAL_REVISION for entry in entries] == [1, 2, 3, 4]

    several(use, postgresql.place(), 1)


def test_servers_agree_on_what_the_first_proposed(postgresql: PostgreSQL) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        first, second = stores
        kept = await asyncio.gather(first.agree("key", "1"), second.agree("key", "2"))
        assert kept[0] == kept[1]
        await first.reset()
        assert await second.agree("key", "3") == kept[0]
        assert first.agreed == second.agreed == {"key": kept[0]}

    several(use, postgresql.place())


def test_a_session_whose_end_was_announced_is_given_up_and_begun_again(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(stores: list[SharedStorage]) -> None:
        [store] = stores
        assert isinstance(store, SharedStore)
        await store.create("/a", b"")
        session, fetch = store._log._writing._connection, asyncpg.Connection.fetch

        async def fetched(connection: Any, *arguments: Any) -> Any:
            if connection is session:
                raise asyncpg.InternalClientError("another operation (2) is in progress")
            return await fetch(connection, *arguments)

        monkeypatch.setattr(asyncpg.Connection, "fetch", fetched)
        with pytest.raises(OutcomeUnknown):
            await store.create("/b", b"")
        assert await store.create("/b", b"") == store.get("/b")

    several(use, postgresql.place(), 1)
