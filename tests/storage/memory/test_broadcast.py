"""Storage events reach all watchers with a matching key prefix, and a slow watcher does not delay others."""

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi_storage.errors import Closed, StorageReset, WatcherOverflow
from fakeapi_storage.interface import INITIAL_REVISION, Entry, Event, EventKind
from fakeapi_storage.memory.broadcast import DELIVERED_BYTES_MAX, Broadcast, Subscription


def event(revision: int, key: str, value: bytes = b"") -> Event:
    return Event(EventKind.PUT, Entry(key, value, revision, revision), None)


def subscribe(broadcast: Broadcast, prefix: str) -> Subscription:
    return broadcast.subscribe(prefix, [], broadcast.revision)


def taken(watcher: Subscription) -> list[str]:
    """Ends the watcher; returns the keys of the events that were still waiting for delivery."""

    async def take() -> list[str]:
        watcher.end(Closed(), drop=False)
        keys: list[str] = []
        with contextlib.suppress(Closed):
            keys += [event.entry.key for event in await watcher.next_batch()]
        return keys

    return asyncio.run(take())


def test_an_event_reaches_every_prefix_of_its_key_and_nothing_else() -> None:
    broadcast = Broadcast(INITIAL_REVISION, limit=10)
    names = ["", "/", "/a", "/a/", "/a/b", "/a/bc", "/b", "/a/b/"]
    prefixes = {name: subscribe(broadcast, name) for name in names}
    keys = ["/a/b", "/a", "/b/x", "/a/b/c", "/a/b"]
    broadcast.publish([event(INITIAL_REVISION + 1 + n, key) for n, key in enumerate(keys)])
    for name in names:
        assert taken(prefixes[name]) == [key for key in keys if key.startswith(name)]


def test_watchers_that_left_are_forgotten() -> None:
    broadcast = Broadcast(INITIAL_REVISION, limit=10)
    watchers = [subscribe(broadcast, prefix) for prefix in ("/a", "/a", "/abc", "/b")]
    for watcher in watchers[:-1]:
        watcher.close()
    assert broadcast.watched == ["/b"]
    broadcast.publish([event(INITIAL_REVISION + 1, "/a"), event(INITIAL_REVISION + 2, "/b")])
    assert [taken(watcher) for watcher in watchers] == [[], [], [], ["/b"]]


def test_a_watcher_may_be_full_and_one_event_more_ends_it_alone() -> None:
    async def main() -> None:
        broadcast = Broadcast(INITIAL_REVISION, limit=2)
        slow, other = subscribe(broadcast, "/"), subscribe(broadcast, "/")
        for n in range(2):
            broadcast.publish([event(INITIAL_REVISION + 1 + n, "/a")])
        assert len(await other.next_batch()) == 2
        broadcast.publish([event(INITIAL_REVISION + 3, "/a")])
        with pytest.raises(WatcherOverflow):
            await slow.next_batch()
        assert slow.progress == INITIAL_REVISION
        assert len(await other.next_batch()) == 1

    asyncio.run(main())


def test_a_thousand_waiting_watchers_all_wake_with_the_events() -> None:
    async def main() -> None:
        broadcast = Broadcast(INITIAL_REVISION, limit=2)
        watchers = [subscribe(broadcast, f"/{n % 10}/") for n in range(1000)]
        waiting = [asyncio.ensure_future(watcher.next_batch()) for watcher in watchers]
        await asyncio.sleep(0)
        broadcast.publish([event(INITIAL_REVISION + 1 + n, f"/{n}/x") for n in range(10)])
        batches = await asyncio.gather(*waiting)
        assert [[e.entry.key for e in batch] for batch in batches] == [[f"/{n % 10}/x"] for n in range(1000)]

    asyncio.run(main())


def test_one_turn_of_the_event_loop_delivers_a_bounded_number_of_bytes() -> None:
    async def main() -> None:
        broadcast = Broadcast(INITIAL_REVISION, limit=10)
        value = bytes(DELIVERED_BYTES_MAX // 4)
        watchers = [subscribe(broadcast, "/") for _ in range(16)]
        direct: list[Subscription] = []

        def record(watcher: Subscription, _: Sequence[Event]) -> bool:
            direct.append(watcher)
            return True

        for watcher in watchers[:8]:
            watcher.deliver(partial(record, watcher))
        waiting = [asyncio.ensure_future(watcher.next_batch()) for watcher in watchers]
        await asyncio.sleep(0)
        broadcast.publish([event(INITIAL_REVISION + 1, "/a", value)])
        assert direct == watchers[:4]
        finished: list[int] = []
        while len(finished) < 12:
            await asyncio.sleep(0)
            finished.append(sum(task.done() for task in waiting))
        assert max(after - before for before, after in pairwise([0, *finished])) == 4
        assert [task.done() for task in waiting] == 4 * [False] + 12 * [True]
        for task in waiting[:4]:
            task.cancel()

    asyncio.run(main())


def test_an_end_may_let_what_is_waiting_be_handed_out_first() -> None:
    async def main() -> None:
        broadcast = Broadcast(INITIAL_REVISION, limit=2)
        drained, dropped = subscribe(broadcast, "/"), subscribe(broadcast, "/")
        broadcast.publish([event(INITIAL_REVISION + 1, "/a")])
        dropped.end(StorageReset(), drop=True)
        broadcast.end(Closed(), drop=False)
        assert drained.progress == INITIAL_REVISION
        assert len(await drained.next_batch()) == 1
        assert drained.progress == INITIAL_REVISION + 1
        with pytest.raises(Closed):
            await drained.next_batch()
        with pytest.raises(StorageReset):
            await dropped.next_batch()

    asyncio.run(main())


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.booleans(), st.booleans()), max_size=12))
def test_events_come_each_once_and_in_order_whether_they_are_taken_in_their_turn_or_handed_out(
    batches: list[tuple[int, bool, bool, bool]],
) -> None:
    """Publishes batches of events; the watcher must get each event once and in order.

    A batch is (number of events, whether the consumer accepts them, whether a task waits for the next batch,
    whether the events are so large that another watcher uses up the bytes of the turn).
    """

    async def scenario() -> list[int]:
        broadcast = Broadcast(INITIAL_REVISION, limit=100)
        earlier = subscribe(broadcast, "")
        earlier.deliver(lambda _: True)
        always_waiting = asyncio.ensure_future(earlier.next_batch())
        await asyncio.sleep(0)
        watcher = subscribe(broadcast, "")
        values: list[int] = []
        takes = False

        def take(events: Sequence[Event]) -> bool:
            if takes:
                values.extend(event.entry.revision for event in events)
            return takes

        watcher.deliver(take)
        waiting: asyncio.Task[list[Event]] | None = None
        large = bytes(DELIVERED_BYTES_MAX)
        revision = INITIAL_REVISION
        for count, takes, waits, are_large in batches:  # noqa: B007 - `take` reads it
            if waits and waiting is None:
                waiting = asyncio.ensure_future(watcher.next_batch())
                await asyncio.sleep(0)
            value = large if are_large else b""
            broadcast.publish([event(revision + 1 + number, "/a", value) for number in range(count)])
            revision += count
            if waiting is not None and waiting.done():
                values += [each.entry.revision for each in waiting.result()]
                waiting = None
            elif waiting is not None and watcher.waiting:
                values += [each.entry.revision for each in await waiting]
                waiting = None
        always_waiting.cancel()
        watcher.end(Closed(), drop=False)
        with contextlib.suppress(Closed):
            values += [each.entry.revision for each in await (waiting or watcher.next_batch())]
        return values

    assert asyncio.run(scenario()) == [
        INITIAL_REVISION + 1 + number for number in range(sum(count for count, *_ in batches))
    ]
