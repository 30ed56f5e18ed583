"""Allowance: a token bucket that limits the rate of a client's actions."""

from collections.abc import Callable


class Allowance:
    """A token bucket, which starts full.

    - `at_once`: the number of tokens in a full bucket, which is the maximum size of a burst.
    - `per_second`: the number of new tokens per second.
    - `now`: a function that returns the time in seconds.
    """

    def __init__(self, at_once: int, per_second: float, now: Callable[[], float]) -> None:
        self._most = float(at_once)
        self._left = float(at_once)
        self._per_second = per_second
        self._now = now
        self._counted = now()

    def take(self) -> bool:
        """Takes a token from the bucket. Returns False, and takes nothing, if the bucket is empty."""
        now = self._now()
        self._left = min(self._most, self._left + (now - self._counted) * self._per_second)
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
