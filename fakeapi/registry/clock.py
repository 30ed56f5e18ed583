"""Where time and chance come from: one injected source, so that a test can make them repeat."""

import os
import random
import time
from typing import Protocol

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5


class ClockAndNames(Protocol):
    """Time and chance of one server."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def uid(self) -> str:
        """A version 4 UUID that no other object has."""
        ...

    def suffix(self) -> str:
        """Five characters for the end of a generated name, from the letters that Kubernetes uses."""
        ...


class SystemClockAndNames:
    """The machine's own clock and randomness."""

    now = staticmethod(time.time)

    def uid(self) -> str:
        return _uuid(os.urandom(16))

    def suffix(self) -> str:
        return "".join(random.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))  # noqa: S311 - names are no secrets


class SeededClockAndNames:
    """The same uids and suffixes for the same seed, in order of use; time from the clock that is given."""

    def __init__(self, seed: int, clock: ClockAndNames | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatability is the point
        self._clock = clock or SystemClockAndNames()

    def now(self) -> float:
        return self._clock.now()

    def uid(self) -> str:
        return _uuid(self._random.randbytes(16))

    def suffix(self) -> str:
        return "".join(self._random.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))


def _uuid(data: bytes) -> str:
    text = data.hex()
    variant = "89ab"[data[8] >> 6]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
