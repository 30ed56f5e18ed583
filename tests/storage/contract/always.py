"""Behaviours of every storage, also if its database has other writers."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from fakeapi_storage import writer
from fakeapi_storage.errors import (
    Closed,
    Compacted,
    FutureRevision,
    InvalidEntry,
    KeyExists,
    KeyNotFound,
    RevisionConflict,
    WatcherOverflow,
)
from fakeapi_storage.interface import INITIAL_REVISION, Checkpoint, Entry, Event, EventKind
from tests.storage.contract import Behaviour, Opener, collect, is_idle, keys, put

BEHAVIOURS: list[Behaviour] = []


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS.append(function)
    return function


# Writing


@behaviour
async def an_empty_store_is_at_the_initial_revision(opener: Opener) -> None:
    async with opener() as storage:
        assert (storage.revision, storage.oldest) == (INITIAL_REVISION, INITIAL_REVISION)
        assert storage.get("/a") is None
        assert storage.newest("/a") is None
        page = storage.list("")
        assert (page.entries, page.revision, page.more, page.remaining) == ([], INITIAL_REVISION, False, 0)


@behaviour
async def a_create_is_given_the_next_revision(opener: Opener) -> None:
    async with opener() as storage:
        first = await storage.create("/a", b"1")
        second = await storage.create("/b", b"2")
        assert first == Entry("/a", b"1", INITIAL_REVISION + 1, INITIAL_REVISION + 1)
        assert second == Entry("/b", b"2", INITIAL_REVISION + 2, INITIAL_REVISION + 2)
        assert (storage.get("/a"), storage.get("/b"), storage.revision) == (first, second, second.revision)


@behaviour
async def a_create_of_an_existing_key_is_refused_with_its_entry(opener: Opener) -> None:
    async with opener() as storage:
        entry = await storage.create("/a", b"1")
        with pytest.raises(KeyExists) as refusal:
            await storage.create("/a", b"2")
        assert refusal.value.actual == entry
        assert (storage.get("/a"), storage.revision) == (entry, entry.revision)


@behaviour
async def an_update_replaces_the_value_and_keeps_the_creation(opener: Opener) -> None:
    async with opener() as storage:
        old = await storage.create("/a", b"1")
        new = await storage.update("/a", b"2", old.revision)
        assert new == Entry("/a", b"2", old.revision + 1, old.created)
        assert storage.get("/a") == new


@behaviour
async def a_write_that_expects_another_revision_is_refused_with_the_actual_entry(opener: Opener) -> None:
    async with opener() as storage:
        old = await storage.create("/a", b"1")
        new = await storage.update("/a", b"2", old.revision)
        attempts: list[Callable[[], Awaitable[Entry]]] = [
            lambda: storage.update("/a", b"3", old.revision),
            lambda: storage.delete("/a", old.revision),
            lambda: storage.update("/a", b"3", new.revision + 1),
        ]
        for attempt in attempts:
            with pytest.raises(RevisionConflict) as refusal:
                await attempt()
            assert refusal.value.actual == new
        assert (storage.get("/a"), storage.revision) == (new, new.revision)


@behaviour
async def an_update_or_a_delete_of_a_missing_key_is_refused(opener: Opener) -> None:
    async with opener() as storage:
        with pytest.raises(KeyNotFound):
            await storage.update("/a", b"", INITIAL_REVISION)
        with pytest.raises(KeyNotFound):
            await storage.delete("/a", INITIAL_REVISION)
        gone = await storage.delete("/b", (await storage.create("/b", b"")).revision)
        with pytest.raises(KeyNotFound):
            await storage.update("/b", b"", gone.revision)


@behaviour
async def a_deletion_answers_the_last_entry_with_its_own_revision(opener: Opener) -> None:
    async with opener() as storage:
        first, second = await storage.create("/a", b"1"), await storage.create("/b", b"2")
        plain = await storage.delete("/a", first.revision)
        final = await storage.delete("/b", second.revision, b"last")
        assert plain == Entry("/a", b"1", second.revision + 1, first.created)
        assert final == Entry("/b", b"last", second.revision + 2, second.created)
        assert (storage.get("/a"), storage.get("/b"), storage.revision) == (None, None, final.revision)


@behaviour
async def a_key_created_again_is_a_new_incarnation(opener: Opener) -> None:
    async with opener() as storage:
        for _ in range(3):
            entry = await storage.create("/a", b"")
            assert entry.created == entry.revision == storage.revision
            await storage.delete("/a", entry.revision)


@behaviour
async def keys_and_values_are_opaque(opener: Opener) -> None:
    async with opener() as storage:
        for key in ("", "/nul\0key", "/é", "/'; DROP TABLE log; --", "/\U0010ffff"):
            for value in (b"", b"\0\xff", b"x" * 100_000):
                assert (await put(storage, key, value)).value == value
                assert storage.list("", at=storage.revision).revision == storage.revision


@behaviour
async def an_entry_that_can_not_be_stored_is_refused_and_spoils_no_other(opener: Opener) -> None:
    async with opener() as storage:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(writer, "VALUE_BYTES_MAX", 10)
            good = await storage.create("/a", b"x" * 10)
            attempts: list[Callable[[], Awaitable[Entry]]] = [
                lambda: storage.create("/\ud800", b""),
                lambda: storage.create("/b", b"x" * 11),
                lambda: storage.update("/a", b"x" * 11, good.revision),
                lambda: storage.delete("/a", good.revision, b"x" * 11),
            ]
            for attempt in attempts:
                with pytest.raises(InvalidEntry):
                    await attempt()
        assert good.revision == storage.revision
        assert keys(storage.list("").entries) == ["/a"]


# Several writers


@behaviour
async def writers_that_read_committed_entries_lose_no_update(opener: Opener) -> None:
    async with opener() as storage:
        await storage.create("/counter", b"0")
        conflicts = 0

        async def count() -> None:
            nonlocal conflicts
            for _ in range(5):
                while True:
                    entry = storage.get("/counter")
                    assert entry is not None
                    try:
                        await storage.update("/counter", str(int(entry.value) + 1).encode(), entry.revision)
                        break
                    except RevisionConflict as conflict:
                        conflicts += 1
                        await storage.wait_committed(conflict.actual.revision)

        await asyncio.gather(*(count() for _ in range(8)))
        entry = storage.get("/counter")
        assert entry is not None
        assert entry.value == b"40"
        assert conflicts > 0


@behaviour
async def newest_shows_at_least_what_is_committed(opener: Opener) -> None:
    async with opener() as storage:
        first = await storage.create("/a", b"1")
        assert storage.newest("/a") == storage.get("/a") == first
        second = await storage.update("/a", b"2", first.revision)
        assert storage.newest("/a") == storage.get("/a") == second
        await storage.wait_committed(second.revision)
        await storage.wait_committed()
        await storage.delete("/a", second.revision)
        assert storage.newest("/a") is storage.get("/a") is None


@behaviour
async def labels_are_replaced_as_a_whole_and_survive_a_reset(opener: Opener) -> None:
    async with opener() as storage:
        assert storage.labels == {}
        await storage.set_labels({"release": "1.31", "by": "x"})
        await storage.set_labels({"release": "1.33"})
        await storage.create("/a", b"")
        await storage.reset()
        assert storage.labels == {"release": "1.33"}
        assert storage.revision == INITIAL_REVISION


@behaviour
async def a_write_whose_caller_leaves_is_committed_all_the_same(opener: Opener) -> None:
    async with opener() as storage:
        left, stayed = storage.create("/a", b""), storage.create("/b", b"")
        left.cancel()
        await stayed
        assert keys(storage.list("").entries) == ["/a", "/b"]


# Listing


@behaviour
async def a_list_holds_the_keys_of_its_prefix_in_order(opener: Opener) -> None:
    async with opener() as storage:
        for key in ("/b/2", "/a/2", "/a", "/a/1", "/a0", "/b/1", "/aé", "/a/\U0010ffff"):
            await storage.create(key, b"")
        assert keys(storage.list("/a/").entries) == ["/a/1", "/a/2", "/a/\U0010ffff"]
        assert keys(storage.list("/a").entries) == [
            "/a", "/a/1", "/a/2", "/a/\U0010ffff", "/a0", "/aé"
        ]  # fmt: skip
        assert keys(storage.list("").entries) == keys(storage.list("/").entries)
        assert storage.list("/c").entries == []
        assert keys(storage.list("/a/\U0010ffff").entries) == ["/a/\U0010ffff"]


@behaviour
async def a_page_says_what_remains_after_it(opener: Opener) -> None:
    async with opener() as storage:
        for n in range(7):
            await storage.create(f"/a/{n}", b"")
        await storage.create("/b", b"")
        seen, after = [], None
        for size, remaining in ((3, 4), (3, 1), (1, 0)):
            page = storage.list("/a/", start_after=after, limit=3)
            assert (len(page.entries), page.remaining, page.more) == (size, remaining, remaining > 0)
            seen += keys(page.entries)
            after = seen[-1]
        assert seen == [f"/a/{n}" for n in range(7)]
        assert storage.list("/a/", start_after="/a/6").entries == []
        assert storage.list("/a/", start_after="/b").entries == []
        assert keys(storage.list("/a/", start_after="/a", limit=1).entries) == ["/a/0"]
        with pytest.raises(ValueError, match="0 entries"):
            storage.list("/a/", limit=0)


@behaviour
async def a_list_at_a_revision_is_the_state_of_that_revision(opener: Opener) -> None:
    async with opener() as storage:
        states = {storage.revision: storage.list("").entries}
        steps: list[Callable[[], Awaitable[Entry]]] = [
            lambda: put(storage, "/a", b"1"),
            lambda: put(storage, "/b", b"1"),
            lambda: put(storage, "/a", b"2"),
            lambda: storage.delete("/a", storage.revision),
            lambda: put(storage, "/c", b"1"),
            lambda: put(storage, "/a", b"3"),
            lambda: storage.delete("/a", storage.revision, b"final"),
        ]
        for step in steps:
            await step()
            states[storage.revision] = storage.list("").entries
        for revision, entries in states.items():
            page = storage.list("", at=revision)
            assert (page.entries, page.revision) == (entries, revision)
            assert storage.list("/a", at=revision).entries == [e for e in entries if e.key == "/a"]


@behaviour
async def pages_of_one_revision_make_one_list_while_entries_change(opener: Opener) -> None:
    async with opener() as storage:
        for n in range(0, 9, 2):
            await storage.create(f"/a/{n}", b"old")
        whole = storage.list("/a/")
        seen: list[Entry] = []
        for n in range(5):
            after = seen[-1].key if seen else None
            page = storage.list("/a/", start_after=after, limit=1, at=whole.revision)
            assert page.remaining == 4 - n
            seen += page.entries
            await storage.create(f"/a/{2 * n + 1}", b"new")
            await storage.delete(f"/a/{2 * n}", seen[-1].revision)
            if n < 4:
                last = storage.get("/a/8")
                assert last is not None
                assert last.value == b"old"
        assert seen == whole.entries


@behaviour
async def a_list_of_the_future_is_refused(opener: Opener) -> None:
    async with opener() as storage:
        pending = storage.create("/a", b"")
        with pytest.raises(FutureRevision) as refusal:
            storage.list("", at=INITIAL_REVISION + 1)
        assert (refusal.value.revision, refusal.value.current) == (INITIAL_REVISION + 1, INITIAL_REVISION)
        await pending
        assert keys(storage.list("", at=INITIAL_REVISION + 1).entries) == ["/a"]


# Watching


@behaviour
async def a_watcher_sees_each_change_of_its_prefix_once_and_in_order(opener: Opener) -> None:
    async with opener() as storage:
        watcher = storage.watch("/a/")
        created = await storage.create("/a/1", b"1")
        await storage.create("/b/1", b"")
        updated = await storage.update("/a/1", b"2", created.revision)
        deleted = await storage.delete("/a/1", updated.revision, b"final")
        expected = [
            Event(EventKind.PUT, created, None),
            Event(EventKind.PUT, updated, created),
            Event(EventKind.DELETE, deleted, updated),
        ]
        assert await collect(watcher, 3) == expected
        assert await is_idle(watcher)


@behaviour
async def keys_of_a_watched_prefix_are_watched(opener: Opener) -> None:
    async with opener() as storage:
        storage.watch("/a/")
        assert storage.is_watched("/a/1")


@behaviour
async def a_watcher_resumes_from_history_and_goes_on_live(opener: Opener) -> None:
    async with opener() as storage:
        revisions = [(await put(storage, f"/{n % 3}")).revision for n in range(6)]
        watchers = {since: storage.watch("/", since) for since in (INITIAL_REVISION, *revisions)}
        revisions += [(await put(storage, f"/{n % 3}")).revision for n in range(6)]
        for since, watcher in watchers.items():
            expected = [revision for revision in revisions if revision > since]
            events = await collect(watcher, len(expected))
            assert [event.entry.revision for event in events] == expected


@behaviour
async def a_watcher_without_a_revision_starts_now(opener: Opener) -> None:
    async with opener() as storage:
        await storage.create("/a", b"")
        pending = storage.create("/b", b"")
        watcher = storage.watch("/")
        await pending
        assert [event.entry.key for event in await collect(watcher, 1)] == ["/b"]


@behaviour
async def a_watcher_from_the_future_waits_for_it(opener: Opener) -> None:
    async with opener() as storage:
        watchers = [storage.watch("/", INITIAL_REVISION + ahead) for ahead in (1, 2)]
        await storage.create("/0", b"")
        await asyncio.gather(*(storage.create(f"/{n}", b"") for n in (1, 2)))
        for ahead, watcher in enumerate(watchers, start=1):
            events = await collect(watcher, 3 - ahead)
            assert [event.entry.key for event in events] == ["/1", "/2"][ahead - 1 :]


@behaviour
async def an_event_is_seen_only_once_it_is_committed(opener: Opener) -> None:
    async with opener() as storage:
        watcher = storage.watch("/")
        pending = storage.create("/a", b"")
        [event] = await collect(watcher, 1)
        assert storage.get("/a") == event.entry == await pending


@behaviour
async def progress_is_the_revision_up_to_which_all_was_handed_out(opener: Opener) -> None:
    async with opener() as storage:
        watcher = storage.watch("/a")
        assert watcher.progress == INITIAL_REVISION
        await storage.create("/b", b"")
        assert watcher.progress == storage.revision
        await storage.create("/a", b"")
        await storage.create("/b2", b"")
        assert watcher.progress == storage.revision - 2
        await watcher.next_batch()
        assert watcher.progress == storage.revision
        watcher.close()
        final = watcher.progress
        await storage.create("/a2", b"")
        assert watcher.progress == final < storage.revision


@behaviour
async def a_cancelled_wait_loses_no_event(opener: Opener) -> None:
    async with opener() as storage:
        watcher = storage.watch("/")
        waiting = asyncio.ensure_future(watcher.next_batch())
        await asyncio.sleep(0)
        await storage.create("/a", b"")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        got = [] if waiting.cancelled() else waiting.result()
        await storage.create("/b", b"")
        got += await collect(watcher, 2 - len(got))
        assert [event.entry.key for event in got] == ["/a", "/b"]


@behaviour
async def a_watcher_that_does_not_keep_up_ends_and_holds_up_nobody(opener: Opener) -> None:
    async with opener(watcher_buffer=4) as storage:
        slow, quick = storage.watch("/"), storage.watch("/")
        for n in range(5):
            await storage.create(f"/{n}", b"")
            assert len(await quick.next_batch()) == 1
        for _ in range(2):
            with pytest.raises(WatcherOverflow) as end:
                await slow.next_batch()
            assert end.value.limit == 4
        resumed = storage.watch("/", slow.progress)
        assert len(await collect(resumed, 5)) == 5


@behaviour
async def history_that_a_watcher_starts_with_is_no_overflow(opener: Opener) -> None:
    async with opener(watcher_buffer=4) as storage:
        for n in range(10):
            await storage.create(f"/{n}", b"")
        watcher = storage.watch("/", INITIAL_REVISION)
        await asyncio.gather(*(storage.create(f"/live/{n}", b"") for n in range(4)))
        assert len(await watcher.next_batch()) == 14
        await asyncio.gather(*(storage.create(f"/late/{n}", b"") for n in range(5)))
        with pytest.raises(WatcherOverflow):
            await watcher.next_batch()


@behaviour
async def a_closed_watcher_wakes_its_consumer_and_stays_closed(opener: Opener) -> None:
    async with opener() as storage:
        watcher, other = storage.watch("/"), storage.watch("/")
        waiting = asyncio.ensure_future(watcher.next_batch())
        await asyncio.sleep(0)
        watcher.close()
        watcher.close()
        with pytest.raises(Closed):
            await waiting
        await storage.create("/a", b"")
        with pytest.raises(Closed):
            await watcher.next_batch()
        assert len(await collect(other, 1)) == 1


# Compaction


@behaviour
async def compaction_forgets_the_past_and_keeps_the_entries(opener: Opener) -> None:
    async with opener() as storage:
        await storage.create("/kept", b"kept")
        for n in range(5):
            entry = await put(storage, "/a", str(n).encode())
        await storage.delete("/a", entry.revision)
        at, state = storage.revision, storage.list("").entries
        await put(storage, "/b")
        live = storage.watch("/", at)
        await storage.compact(at)
        assert storage.oldest == at
        assert storage.list("", at=at).entries == state
        for attempt in (lambda: storage.list("", at=at - 1), lambda: storage.watch("/", at - 1)):
            with pytest.raises(Compacted) as refusal:
                attempt()
            assert (refusal.value.revision, refusal.value.oldest) == (at - 1, at)
        assert len(await collect(live, 1)) == len(await collect(storage.watch("/", at), 1)) == 1
        assert (await storage.create("/a", b"again")).revision == storage.revision


@behaviour
async def compaction_of_what_is_compacted_does_nothing_and_of_the_future_is_refused(opener: Opener) -> None:
    async with opener() as storage:
        await storage.create("/a", b"")
        await storage.compact(storage.revision)
        await storage.compact(storage.revision - 1)
        assert storage.oldest == storage.revision
        with pytest.raises(FutureRevision):
            await storage.compact(storage.revision + 1)


@behaviour
async def a_window_of_revisions_stays_answerable_and_not_much_more(opener: Opener) -> None:
    async with opener(window=20) as storage:
        watcher = storage.watch("/")
        states = {storage.revision: storage.list("").entries}
        for n in range(150):
            await put(storage, f"/{n % 7}", str(n).encode())
            states[storage.revision] = storage.list("").entries
            await storage.wait_committed(storage.revision)
        assert len(await collect(watcher, 150)) == 150
        await storage.compact(INITIAL_REVISION)  # waits for an automatic compaction
        assert 20 <= storage.revision - storage.oldest <= 22
        for revision in range(storage.oldest, storage.revision + 1):
            assert storage.list("", at=revision).entries == states[revision]


# Close


@behaviour
async def a_reset_starts_again_from_the_first_revision(opener: Opener) -> None:
    async with opener() as storage:
        for _ in range(3):
            first = await storage.create("/a", b"1")
            assert first.revision == INITIAL_REVISION + 1
            await storage.delete("/a", first.revision)
            await storage.create("/b", b"1")
            await storage.compact(first.revision)
            await storage.reset()
            assert (storage.revision, storage.oldest) == (INITIAL_REVISION, INITIAL_REVISION)
            assert (storage.list("").entries, storage.newest("/b"), storage.get("/b")) == ([], None, None)


@behaviour
async def a_restored_checkpoint_brings_back_its_entries_with_their_revisions(opener: Opener) -> None:
    async with opener() as storage:
        kept, changed = await storage.create("/a", b"1"), await storage.create("/b", b"1")
        checkpoint = storage.checkpoint()
        await storage.delete("/a", kept.revision)
        await storage.update("/b", b"2", changed.revision)
        await storage.create("/c", b"1")
        await storage.restore(checkpoint)
        assert storage.list("").entries == [kept, changed]
        assert (storage.newest("/b"), storage.newest("/c")) == (changed, None)
        again = await storage.update("/b", b"3", changed.revision)
        assert (again.created, storage.get("/b")) == (changed.created, again)


@behaviour
async def a_restored_store_goes_on_after_every_revision_there_was_and_resumes_none_of_them(
    opener: Opener,
) -> None:
    async with opener() as storage:
        empty = storage.checkpoint()
        entry = await storage.create("/a", b"1")
        await storage.restore(empty)
        assert storage.revision == storage.oldest == entry.revision + 1
        with pytest.raises(Compacted):
            storage.watch("/", entry.revision)
        assert (await storage.create("/a", b"1")).revision == entry.revision + 2


@behaviour
async def a_restore_that_rewinds_gives_the_same_revisions_again(opener: Opener) -> None:
    async with opener() as storage:
        await storage.create("/a", b"1")
        checkpoint = storage.checkpoint()
        first = await storage.create("/b", b"1")
        for _ in range(2):
            await storage.restore(checkpoint, rewind=True)
            assert (storage.revision, storage.oldest) == (checkpoint.revision, checkpoint.revision)
            assert await storage.create("/b", b"1") == first


@behaviour
async def a_checkpoint_of_one_store_is_restored_in_another(opener: Opener) -> None:
    async with opener() as storage:
        await put(storage, "/a", b"1")
        await put(storage, "/a", b"2")
        await storage.wait_committed()
        checkpoint = storage.checkpoint()
    async with opener() as other:
        await other.restore(checkpoint)
        assert other.list("").entries == list(checkpoint.entries)
        assert other.revision > checkpoint.revision


@behaviour
async def a_checkpoint_that_no_store_can_have_changes_nothing(opener: Opener) -> None:
    def made(*places: tuple[str, int, int]) -> Checkpoint:
        return Checkpoint(tuple(Entry(key, b"", revision, created) for key, revision, created in places), 5)

    async with opener() as storage:
        entry = await storage.create("/a", b"1")
        for bad in (
            made(("/b", 2, 2), ("/a", 3, 3)),
            made(("/a", 2, 2), ("/a", 3, 3)),
            made(("/a", 2, 2), ("/b", 2, 2)),
            made(("/a", 6, 6)),
            made(("/a", 2, 3)),
            made(("/a", 0, 0)),
            made(("/\ud800", 2, 2)),
        ):
            with pytest.raises(InvalidEntry):
                await storage.restore(bad)
        assert (storage.list("").entries, storage.revision) == ([entry], entry.revision)


@behaviour
async def a_reset_whose_caller_leaves_is_done_all_the_same(opener: Opener) -> None:
    async with opener() as storage:
        await storage.create("/a", b"")
        reset = asyncio.ensure_future(storage.reset())
        await asyncio.sleep(0)
        reset.cancel()
        await storage.compact(INITIAL_REVISION)  # waits for the reset before it
        assert (storage.revision, storage.list("").entries) == (INITIAL_REVISION, [])
        await storage.create("/a", b"")


@behaviour
async def closing_commits_what_is_accepted_and_then_refuses(opener: Opener) -> None:
    async with opener() as storage:
        watcher = storage.watch("/")
        pending = [storage.create(f"/{n}", b"") for n in range(writer.BATCH_WRITES_MAX + 1)]
        closing = asyncio.ensure_future(storage.close())
        await asyncio.sleep(0)
        with pytest.raises(Closed):
            storage.create("/late", b"")
        await closing
        await storage.close()
        assert all(write.done() and write.result() for write in pending)
        assert len(await collect(watcher, len(pending))) == len(pending)
        for attempt in (watcher.next_batch, storage.reset, lambda: storage.compact(INITIAL_REVISION)):
            with pytest.raises(Closed):
                await attempt()
        with pytest.raises(Closed):
            storage.watch("/")
