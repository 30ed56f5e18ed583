"""WatchProgress: how far an open watch has come, for its entry in the journal."""

from collections.abc import Callable


def _nothing_waits() -> int:
    return 0


class WatchProgress:
    """Counters that the watch itself moves on; read by whoever looks at its entry.

    `taken` events were given to the stream and `sent` of them have left it; `version` is the resourceVersion
    of the last one taken. `waiting` counts those that the stream has not taken yet.
    """

    __slots__ = ("bookmarks", "ended", "sent", "taken", "version", "waiting")

    def __init__(self, version: int = 0, waiting: Callable[[], int] = _nothing_waits) -> None:
        self.taken = self.sent = self.bookmarks = 0
        self.version = version
        self.waiting = waiting
        self.ended: float | None = None

    @property
    def is_open(self) -> bool:
        return self.ended is None

    @property
    def behind(self) -> int:
        """Events that have happened and have not been sent; 0 once the watch is over."""
        return self.taken - self.sent + self.waiting() if self.is_open else 0

    def end(self, now: float) -> None:
        """The watch is over; it lets go of the stream. Again it does nothing."""
        if self.ended is None:
            self.ended = now
            self.waiting = _nothing_waits
