"""The time limit and the random numbers of a part of the torture suite."""

import os
import random
import time
from collections.abc import Iterator


def patience(seconds: float) -> float:
    """Returns how many seconds to wait for an action that takes at most `seconds` on an idle machine.

    The result grows with the machine's load per processor. An action that takes longer counts as hanging.
    """
    return seconds * max(1.0, *(load / (os.cpu_count() or 1) for load in os.getloadavg()))


class Finding(Exception):
    """Raised if the server behaves wrongly.

    The message has the facts that a reader needs to repeat the failure.
    """


class Unavailable(Exception):
    """Raised if the machine lacks a program or module that a part needs; the message names it."""


class Budget:
    """A time limit, which starts when this object is created, and random numbers from a seed."""

    def __init__(self, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.seed = seed
        self.random = random.Random(seed)
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    def rounds(self) -> Iterator[int]:
        """Yields the number 0 of the first round, and then 1, 2, … until the time is over."""
        number = 0
        while number == 0 or self.left > 0:
            yield number
            number += 1
