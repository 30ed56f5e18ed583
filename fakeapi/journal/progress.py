"""WatchProgress: how many events a watch has sent, for its entry in the journal."""

from collections.abc import Callable


def _nothing_waits() -> int:
    return 0


class WatchProgress:
    """Counters that a watch updates; its journal entry shows them.

    The stream has taken `taken` events and sent `sent` of them; `version` is the resourceVersion of the last
    event taken. `waiting` returns the number of events that the stream has not taken yet.
    """

    __slots__ = ("bookmarks", "ended", "sent", "taken", "version", "waiting")

    def __init__(self, version: int = 0, waiting: Callable[[], int] = _nothing_waits) -> None:
        self.taken = self.sent = self.bookmarks = 0
        self.version = version
        self.waiting = waiting
        self.ended: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the watch is still open."""
        return self.ended is None

    @property
    def behind(self) -> int:
        """The number of events that have happened but are not sent; 0 once the watch has ended."""
        return self.taken - self.sent + self.waiting() if self.is_open else 0

    def end(self, now: float) -> None:
        """Ends the watch and releases its stream; a second call does nothing."""
        if self.ended is None:
            self.ended = now
            self.waiting = _nothing_waits
