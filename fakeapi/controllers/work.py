"""WorkQueue: keys that controllers have to look at, in the order in which they came, each once.

Follows k8s.io/client-go `util/workqueue`: a key that waits is not added again, one that failed comes back
later and later.
"""

import asyncio
from collections.abc import Callable, Hashable
from typing import TypeAlias

from fakeapi.clock.clocks import Clock
from fakeapi.controllers.informer import pause

Item: TypeAlias = tuple[str, Hashable]
"""A controller's name and a key of its own."""

RETRY_SECONDS_MIN = 0.005
RETRY_SECONDS_MAX = 1000.0
"""The first and the longest time until a key that failed comes back; each time is twice the one before."""


def retry_seconds(failures: int) -> float:
    """The time until a key comes back that has failed, and had failed `failures` times before."""
    return min(RETRY_SECONDS_MIN * 2.0 ** min(failures, 60), RETRY_SECONDS_MAX)


class WorkQueue:
    """Keys that wait now, and keys that come back when their time has come."""

    def __init__(self, clock: Clock, on_change: Callable[[], None]) -> None:
        """`on_change` is called when a key was added."""
        self._clock = clock
        self._on_change = on_change
        self._waiting: dict[Item, None] = {}
        self._failures: dict[Item, int] = {}
        self._later: dict[Item, tuple[float, asyncio.Task[None]]] = {}

    def __len__(self) -> int:
        """The keys that wait now."""
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
        """The key that came first; None if there is none."""
        for item in self._waiting:
            del self._waiting[item]
            return item
        return None

    def add_after(self, item: Item, seconds: float) -> None:
        """Adds the key when `seconds` have passed; of several times the earliest counts."""
        due = self._clock.monotonic() + seconds
        known = self._later.get(item)
        if known is not None:
            if known[0] <= due:
                return
            known[1].cancel()
        self._later[item] = due, asyncio.ensure_future(self._add_later(item, seconds))

    def retry(self, item: Item) -> None:
        """Adds a key that failed, after a time that grows with its failures."""
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
