"""Clock, timers, uids and name suffixes of a server, injected so that tests can control and repeat them."""

import asyncio
import os
import random
import time
from contextlib import AbstractAsyncContextManager
from typing import Protocol

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5


class Clock(Protocol):
    """A source of the time of day and of monotonic time, with timers."""

    def now(self) -> float:
        """Returns the time of day in seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Returns seconds since an arbitrary moment; the value never decreases. Timers use this time."""
        ...

    def timeout(self, delay: float) -> AbstractAsyncContextManager[object]:
        """Cancels its block after `delay` seconds and raises TimeoutError, like `asyncio.timeout`."""
        ...


def runs_by_itself(clock: Clock) -> bool:
    """Whether time passes on its own; False for a frozen clock and for one without a `frozen` attribute."""
    return not getattr(clock, "frozen", True)


class ClockAndNames(Clock, Protocol):
    """A clock that also generates uids, name suffixes and random numbers."""

    def uid(self) -> str:
        """Returns a new version 4 UUID."""
        ...

    def suffix(self) -> str:
        """Returns five random characters for a generated name, from the letters that Kubernetes uses."""
        ...

    def fraction(self) -> float:
        """Returns a random number x with 0 <= x < 1; for example, to spread the ends of watches."""
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
        return "".join(random.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))  # noqa: S311 - names are public


class SeededClockAndNames:
    """Generates a repeatable sequence of uids, suffixes and fractions from a seed; `clock` gives the time."""

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
