"""The contract of storages: one function for each behaviour. test_contract calls all of these functions.

The behaviours in `always` hold for every storage. The behaviours in `single_writer` hold for a storage that
is the only writer of its database, and so knows the result of a write before its commit.

Each function gets an opener. `opener(window=…, watcher_buffer=…)` returns an empty storage for `async with`.
`window` is the number of changes in the watch history. A function passes its own `window` if it needs more
changes than the smallest tested window has.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from fakeapi_storage.interface import Entry, Event, Storage, Watcher


class Opener(Protocol):
    def __call__(
        self, *, window: int | None = None, watcher_buffer: int | None = None
    ) -> AbstractAsyncContextManager[Storage]: ...


Behaviour: TypeAlias = Callable[[Opener], Awaitable[None]]


def keys(entries: list[Entry]) -> list[str]:
    return [entry.key for entry in entries]


async def put(storage: Storage, key: str, value: bytes = b"") -> Entry:
    """Creates the storage key, or updates its newest entry; returns the new entry."""
    newest = storage.newest(key)
    return await (
        storage.create(key, value) if newest is None else storage.update(key, value, newest.revision)
    )


async def collect(watcher: Watcher, count: int) -> list[Event]:
    events: list[Event] = []
    async with asyncio.timeout(5):
        while len(events) < count:
            events += await watcher.next_batch()
    return events


async def is_idle(watcher: Watcher) -> bool:
    """Whether the watcher has no events, so that a consumer of its events must wait."""
    waiting = asyncio.ensure_future(watcher.next_batch())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    idle = not waiting.done()
    waiting.cancel()
    return idle
