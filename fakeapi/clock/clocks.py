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


def runs_by_itself(clock: Clock) -> bool:
    """Whether time passes without a test that moves the clock; False for clocks that do not say `frozen`."""
    return not getattr(clock, "frozen", True)


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
