"""The contract of storages: one function for each behaviour, run by test_contract.

`always` holds for every storage. `single_writer` holds for a storage that is the only writer of its database,
and so knows the result of a write before its commit.

A behaviour gets an opener; `opener(window=…, watcher_buffer=…)` returns an empty storage for an `async with`.
A behaviour that needs more history than the smallest tested window opens its storage with its own window.
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
    """Creates or updates a key."""
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
    """Whether the watcher has no events: its consumer starts and must wait."""
    waiting = asyncio.ensure_future(watcher.next_batch())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    idle = not waiting.done()
    waiting.cancel()
    return idle
