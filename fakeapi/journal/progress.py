"""WatchProgress: counts the events that a watch has sent, for the watch's entry in the journal."""

from collections.abc import Callable


def _nothing_waits() -> int:
    return 0


class WatchProgress:
    """The progress of a watch. The watch updates these counts, and the watch's journal entry contains them.

    - `taken`: the number of events that the stream has received from the storage.
    - `sent`: the number of these events that the stream has sent to the client.
    - `bookmarks`: the number of sent bookmarks.
    - `version`: the resourceVersion of the last sent event; 0 before the first event.
    - `bookmark_version`: the resourceVersion of the last sent bookmark; 0 before the first bookmark.
    - `waiting`: returns the number of events that the stream has not yet received from the storage.
    - `ended`: when the watch ended, in seconds since the epoch; None while the watch is open.
    """

    __slots__ = ("bookmark_version", "bookmarks", "ended", "sent", "taken", "version", "waiting")

    def __init__(self, waiting: Callable[[], int] = _nothing_waits) -> None:
        self.taken = self.sent = self.bookmarks = 0
        self.version = self.bookmark_version = 0
        self.waiting = waiting
        self.ended: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the watch is still open."""
        return self.ended is None

    @property
    def behind(self) -> int:
        """The number of events that the server still has to send to the watch; 0 after its end."""
        return self.taken - self.sent + self.waiting() if self.is_open else 0

    def send_taken(self, version: int) -> None:
        """Counts all received events as sent. `version`: the resourceVersion of the last of them."""
        self.sent = self.taken
        self.version = max(self.version, version)

    def end(self, now: float) -> None:
        """Marks the watch as ended at `now` (seconds since the epoch). A second call does nothing."""
        if self.ended is None:
            self.ended = now
            self.waiting = _nothing_waits
