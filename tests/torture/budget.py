"""The time and the randomness that a part of the torture suite is given."""

import os
import random
import time
from collections.abc import Iterator


def patience(seconds: float) -> float:
    """How long to wait for what takes at most `seconds` on a machine with nothing else to do.

    Longer by the number of processes that wait for a processor or a disk, each processor has so many more to
    serve: what does not come even then hangs.
    """
    return seconds * max(1.0, *(load / (os.cpu_count() or 1) for load in os.getloadavg()))


class Finding(Exception):
    """The server broke a promise; the message says which, and how."""


class Unavailable(Exception):
    """A part needs what the machine does not have; the message says what."""


class Budget:
    """Seconds to work for, from now on, and a source of randomness that its seed repeats."""

    def __init__(self, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.seed = seed
        self.random = random.Random(seed)
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    def rounds(self) -> Iterator[int]:
        """Numbers of rounds until the time is over; at least one."""
        number = 0
        while number == 0 or self.left > 0:
            yield number
            number += 1
