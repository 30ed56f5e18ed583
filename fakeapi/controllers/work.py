"""WorkQueue: keys that controllers have to reconcile, each once, in the order of their arrival.

Follows k8s.io/client-go `util/workqueue`: a waiting key is not added again, and a key that fails comes back
with increasing delays.
"""

import asyncio
from collections.abc import Callable, Hashable
from typing import TypeAlias

from fakeapi.clock.clocks import Clock
from fakeapi.controllers.informer import pause

Item: TypeAlias = tuple[str, Hashable]
"""A controller's name and one of its keys."""

RETRY_SECONDS_MIN = 0.005
RETRY_SECONDS_MAX = 1000.0
"""Shortest and longest delay in seconds before a failed key is retried; the delay doubles each time."""


def retry_seconds(failures: int) -> float:
    """Returns the delay in seconds for a failed key that had already failed `failures` times before."""
    return min(RETRY_SECONDS_MIN * 2.0 ** min(failures, 60), RETRY_SECONDS_MAX)


class WorkQueue:
    """Keys that are waiting, and keys that come back after a delay."""

    def __init__(self, clock: Clock, on_change: Callable[[], None]) -> None:
        """Takes `on_change`, which is called whenever a key is added."""
        self._clock = clock
        self._on_change = on_change
        self._waiting: dict[Item, None] = {}
        self._failures: dict[Item, int] = {}
        self._later: dict[Item, tuple[float, asyncio.Task[None]]] = {}

    def __len__(self) -> int:
        """Returns the number of waiting keys."""
        return len(self._waiting)

    @property
    def waiting(self) -> list[Item]:
        return list(self._waiting)

    @property
    def has_due(self) -> bool:
        """Whether a delayed key is due but not in the queue yet."""
        now = self._clock.monotonic()
        return any(due <= now for due, _ in self._later.values())

    def add(self, item: Item) -> None:
        self._waiting.setdefault(item)
        self._on_change()

    def pop(self) -> Item | None:
        """Removes and returns the key that arrived first; None if no key waits."""
        for item in self._waiting:
            del self._waiting[item]
            return item
        return None

    def add_after(self, item: Item, seconds: float) -> None:
        """Adds the key after `seconds`; if it is delayed already, the earlier time counts."""
        due = self._clock.monotonic() + seconds
        known = self._later.get(item)
        if known is not None:
            if known[0] <= due:
                return
            known[1].cancel()
        self._later[item] = due, asyncio.ensure_future(self._add_later(item, seconds))

    def retry(self, item: Item) -> None:
        """Adds a key that failed, after a delay that grows with its failures."""
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        self.add_after(item, retry_seconds(failures))

    def succeed(self, item: Item) -> None:
        """Forgets the failures of a key."""
        self._failures.pop(item, None)

    def close(self) -> None:
        for _, task in self._later.values():
            task.cancel()
        self._later.clear()

    async def _add_later(self, item: Item, seconds: float) -> None:
        await pause(self._clock, seconds)
        del self._later[item]
        self.add(item)
