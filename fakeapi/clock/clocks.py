"""Sources of time, uids and name suffixes for a server, so that tests can control and repeat them."""

import asyncio
import os
import random
import time
from contextlib import AbstractAsyncContextManager
from typing import Protocol

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5


class Clock(Protocol):
    """A source of the time of day and of monotonic time. Offers timeouts that use this time."""

    def now(self) -> float:
        """Returns the time of day in seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Returns monotonic time: seconds since an arbitrary moment. The value never decreases."""
        ...

    def timeout(self, delay: float) -> AbstractAsyncContextManager[object]:
        """Returns a context manager that raises TimeoutError if its block takes longer than `delay` seconds.

        Works like `asyncio.timeout`, but measures the time of this clock.
        """
        ...


def runs_by_itself(clock: Clock) -> bool:
    """Whether a clock certainly runs without calls that move its time.

    False for a frozen clock, and for a clock without the attribute `frozen`.
    """
    return not getattr(clock, "frozen", True)


class ClockAndNames(Clock, Protocol):
    """A clock that also generates uids, name suffixes and random numbers."""

    def uid(self) -> str:
        """Returns a new version 4 UUID."""
        ...

    def suffix(self) -> str:
        """Returns five random characters for a generated name. Uses the characters that Kubernetes uses."""
        ...

    def fraction(self) -> float:
        """Returns a random number from 0 to below 1, for example for the durations of watches."""
        ...


class SystemClock:
    """The machine's clock, as a Clock."""

    now = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)
    timeout = staticmethod(asyncio.timeout)


class SystemClockAndNames(SystemClock):
    """The machine's clock, with random uids and name suffixes."""

    fraction = staticmethod(random.random)

    def uid(self) -> str:
        return _uuid(os.urandom(16))

    def suffix(self) -> str:
        return "".join(random.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))  # noqa: S311 - names are public


class SeededClockAndNames:
    """Generates a repeatable sequence of uids, name suffixes and random numbers from a seed.

    `clock`: the source of time; None for the machine's clock.
    """

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
