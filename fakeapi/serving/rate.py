"""Rate limits for clients, as a token bucket."""

from collections.abc import Callable


class Allowance:
    """A token bucket: `at_once` tokens in a burst, and `per_second` on average."""

    def __init__(self, at_once: int, per_second: float, now: Callable[[], float]) -> None:
        self._most = float(at_once)
        self._left = float(at_once)
        self._per_second = per_second
        self._now = now
        self._counted = now()

    def take(self) -> bool:
        """Takes a token; returns False if none is left."""
        now = self._now()
        self._left = min(self._most, self._left + (now - self._counted) * self._per_second)
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
