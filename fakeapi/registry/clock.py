"""Clock, timers, uids and name suffixes of a server, injected so that tests can control and repeat them."""

import asyncio
import os
import random
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5


class Clock(Protocol):
    """The time of day, and the time that passes."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back. Timers count in these."""
        ...

    def timeout(self, delay: float) -> AbstractAsyncContextManager[object]:
        """Cancels its block after `delay` seconds and raises TimeoutError, as `asyncio.timeout` does."""
        ...


class ClockAndNames(Clock, Protocol):
    """A clock, and where everything random comes from."""

    def uid(self) -> str:
        """A version 4 UUID that no other object has."""
        ...

    def suffix(self) -> str:
        """Five characters for the end of a generated name, from the letters that Kubernetes uses."""
        ...

    def fraction(self) -> float:
        """A random number from 0 to below 1, such as spreads the ends of watches."""
        ...


class SystemClock:
    """The machine's own clock."""

    now = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)
    timeout = staticmethod(asyncio.timeout)


class SystemClockAndNames(SystemClock):
    """The machine's own clock and randomness."""

    fraction = staticmethod(random.random)

    def uid(self) -> str:
        return _uuid(os.urandom(16))

    def suffix(self) -> str:
        return "".join(random.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))  # noqa: S311 - names are no secrets


@dataclass(eq=False, slots=True)
class _Timer:
    """A timeout that waits: in its loop, until `deadline` of the clock."""

    deadline: float
    inner: asyncio.Timeout
    loop: asyncio.AbstractEventLoop


class AdjustableClock:
    """A clock that can be frozen, resumed and moved forward, with every timer that waits on it.

    Safe to change from any thread. Moved forward, it goes there at once, and each timer that is due by then
    expires once, those that were due first before the others.
    """

    def __init__(self, *, frozen_at: float | None = None) -> None:
        """Runs with the machine's clock, or stands still at `frozen_at`, in seconds since the epoch."""
        self._lock = threading.Lock()
        self._timers: set[_Timer] = set()
        self._ahead = 0.0  # of the machine's monotonic clock
        self._frozen: float | None = None  # the time at which it stands, as `monotonic` tells it
        self._epoch = time.time() - time.monotonic()
        if frozen_at is not None:
            self._frozen = self.monotonic()
            self._epoch = frozen_at - self._frozen

    def now(self) -> float:
        return self._epoch + self.monotonic()

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead if self._frozen is None else self._frozen

    @property
    def frozen(self) -> bool:
        return self._frozen is not None

    def freeze(self) -> None:
        """Stands still until `resume`; frozen already, it does nothing."""
        with self._lock:
            self._frozen = self.monotonic()
            self._rearm()

    def resume(self) -> None:
        """Goes on from where it stands; running already, it does nothing."""
        with self._lock:
            if self._frozen is None:
                return
            self._ahead = self._frozen - time.monotonic()
            self._frozen = None
            self._rearm()

    def advance(self, seconds: float) -> None:
        """Moves forward at once. Raises ValueError for a step back: revisions and leases rely on time."""
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"a clock is moved forward by seconds of 0 or more, not {seconds}")
        with self._lock:
            if self._frozen is None:
                self._ahead += seconds
            else:
                self._frozen += seconds
            self._rearm()

    @asynccontextmanager
    async def timeout(self, delay: float) -> AsyncIterator[asyncio.Timeout]:
        async with asyncio.timeout(None) as inner:
            timer = _Timer(self.monotonic() + delay, inner, asyncio.get_running_loop())
            with self._lock:
                self._timers.add(timer)
            self._arm(timer)
            try:
                yield inner
            finally:
                with self._lock:
                    self._timers.discard(timer)

    def _rearm(self) -> None:
        for timer in sorted(self._timers, key=lambda each: each.deadline):
            timer.loop.call_soon_threadsafe(self._arm, timer)

    def _arm(self, timer: _Timer) -> None:
        """In the timer's own thread: sets when it expires by the machine's clock, if the clock runs."""
        if timer not in self._timers or timer.inner.expired():
            return
        left = timer.deadline - self.monotonic()
        if left <= 0:
            timer.inner.reschedule(timer.loop.time())
        else:
            timer.inner.reschedule(None if self.frozen else timer.loop.time() + left)


class SeededClockAndNames:
    """The same uids, suffixes and fractions for the same seed, in order of use; time from the clock given."""

    def __init__(self, seed: int, clock: Clock | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatability is the point
        self._clock = clock or SystemClock()
        self.fraction = self._random.random

    def now(self) -> float:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def timeout(self, delay: float) -> AbstractAsyncContextManager[object]:
        return self._clock.timeout(delay)

    def uid(self) -> str:
        return _uuid(self._random.randbytes(16))

    def suffix(self) -> str:
        return "".join(self._random.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))


def _uuid(data: bytes) -> str:
    text = data.hex()
    variant = "89ab"[data[8] >> 6]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
