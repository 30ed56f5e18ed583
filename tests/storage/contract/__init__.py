"""What storages do, one function for each behaviour, run by test_contract.

`always` holds for every storage, `single_writer` for one that is the only writer of its database and so knows
the fate of a write before it is committed.

A behaviour gets an opener; `opener(window=…, watcher_buffer=…)` gives an empty storage for an `async with`.
Behaviours that need more history than the smallest window under test say so by opening with their own.
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
    """Creates or updates."""
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
    """Whether the watcher has nothing to hand out: its consumer starts and has to wait."""
    waiting = asyncio.ensure_future(watcher.next_batch())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    idle = not waiting.done()
    waiting.cancel()
    return idle
