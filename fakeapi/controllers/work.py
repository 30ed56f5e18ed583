"""WorkQueue: the keys that controllers must reconcile, without duplicates, in the order of arrival.

Follows k8s.io/client-go `util/workqueue`. Ignores a key that is already waiting. Retries a failed key with
increasing delays.
"""

import asyncio
from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias

from fakeapi.clock.clocks import Clock
from fakeapi.controllers.informer import pause
from fakeapi.machinery.printable import printable_line

Item: TypeAlias = tuple[str, Hashable]
"""The name of a controller, and a key for this controller to reconcile."""

_KINDS = {"pod": "Pod", "claim": "ResourceClaim", "rule": "DeviceTaintRule"}
"""The first parts of keys that stand for kinds, and the kinds."""


def key_text(key: Hashable) -> str:
    """Returns a key as one printable line for messages, such as "Pod team-a/train" or "team-a/budget"."""
    if not isinstance(key, tuple):
        return printable_line(key)
    first, *rest = map(str, key)
    kind = f"{_KINDS[first]} " if first in _KINDS else ""
    return printable_line(kind + "/".join(part for part in (rest if kind else (first, *rest)) if part))


RETRY_SECONDS_MIN = 0.005
RETRY_SECONDS_MAX = 1000.0
"""Longest delay, in seconds, before a failed key is retried.

The delay starts at RETRY_SECONDS_MIN and doubles with each failure.
"""


def retry_seconds(failures: int) -> float:
    """Returns the delay in seconds before the next retry of a key.

    `failures`: the number of times that the key failed before its last failure.
    """
    return min(RETRY_SECONDS_MIN * 2.0 ** min(failures, 60), RETRY_SECONDS_MAX)


class WorkQueue:
    """The keys that wait for their controllers, and the keys that are added after a delay."""

    def __init__(self, clock: Clock, on_change: Callable[[], None]) -> None:
        """Starts without keys. `clock`: measures the delays. `on_change`: called whenever a key is added."""
        self._clock = clock
        self._on_change = on_change
        self._waiting: dict[Item, None] = {}
        self._failures: dict[Item, int] = {}
        self._later: dict[Item, tuple[float, asyncio.Task[None]]] = {}

    def __len__(self) -> int:
        """Returns the number of keys that wait in the queue."""
        return len(self._waiting)

    @property
    def waiting(self) -> list[Item]:
        return list(self._waiting)

    @property
    def delayed(self) -> list[Item]:
        """The keys that are added after a delay, such as failed keys."""
        return list(self._later)

    def delays(self) -> Iterator[tuple[Item, float]]:
        """Yields each delayed key with the seconds until the queue adds it."""
        now = self._clock.monotonic()
        return ((item, max(0.0, due - now)) for item, (due, _) in self._later.items())

    @property
    def has_due(self) -> bool:
        """Whether the delay of a key is over, but the key is not in the queue yet."""
        now = self._clock.monotonic()
        return any(due <= now for due, _ in self._later.values())

    def add(self, item: Item) -> None:
        self._waiting.setdefault(item)
        self._on_change()

    def pop(self) -> Item | None:
        """Removes the key that arrived first and returns it; None if the queue is empty."""
        for item in self._waiting:
            del self._waiting[item]
            return item
        return None

    def add_after(self, item: Item, seconds: float) -> None:
        """Adds an item after a delay of `seconds` on the queue's clock.

        If the item is already delayed, keeps the earlier time.
        """
        now = self._clock.monotonic()
        due = now + seconds
        known = self._later.get(item)
        if known is not None:
            if known[0] <= due:
                return
            known[1].cancel()
        self._later[item] = due, asyncio.ensure_future(self._add_later(item, seconds, now))

    def retry(self, item: Item) -> None:
        """Adds a failed key after a delay that grows with the number of its failures."""
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        self.add_after(item, retry_seconds(failures))

    def succeed(self, item: Item) -> None:
        """Forgets the failures of a key after its controller reconciled it."""
        self._failures.pop(item, None)

    def close(self) -> None:
        for _, task in self._later.values():
            task.cancel()
        self._later.clear()

    async def _add_later(self, item: Item, seconds: float, since: float) -> None:
        """Adds an item when `seconds` have passed since the monotonic time `since`.

        The clock may have moved before this task begins.
        """
        left = seconds - (self._clock.monotonic() - since)
        if left > 0:
            await pause(self._clock, left)
        del self._later[item]
        self.add(item)
