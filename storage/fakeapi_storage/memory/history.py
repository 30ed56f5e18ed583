"""The history: recent committed events, for lists at old revisions and for resumed watches."""

from collections.abc import Iterable

from fakeapi_storage.errors import Compacted, FutureRevision
from fakeapi_storage.interface import Entry, Event, EventKind

COMPACTION_REVISIONS_MAX = 256
"""Number of revisions above the window at which an automatic compaction runs, even for a large window.

Deleting this many rows delays writes by about 1 ms.
"""

HELD_BYTES_MAX = 256 * 1024 * 1024
"""Maximum size, in bytes, of the values that only the history needs.

If the values are larger, a compaction removes the oldest events, even if the history then has fewer events
than its window.
"""


class History:
    """The events of the revisions after `oldest` up to `newest`; each revision has one event.

    Automatic compaction keeps at least `window` events, unless their values are too large; see
    `next_compaction`.
    """

    __slots__ = ("_events", "_held", "_oldest", "_tombstones", "_window")

    def __init__(self, oldest: int, window: int) -> None:
        self._oldest = oldest
        self._window = window
        self._events: list[Event] = []
        self._tombstones: dict[str, int] = {}
        self._held = 0

    @property
    def oldest(self) -> int:
        return self._oldest

    @property
    def newest(self) -> int:
        return self._oldest + len(self._events)

    def last_deletion(self, key: str) -> int:
        """Returns the revision of the last deletion of the key; 0 if the history has no such deletion."""
        return self._tombstones.get(key, 0)

    def append(self, event: Event) -> None:
        self._events.append(event)
        if event.previous is not None:
            self._held += len(event.previous.value)
        if event.kind is EventKind.DELETE:
            self._tombstones[event.entry.key] = event.entry.revision

    def since(self, revision: int) -> list[Event]:
        """Returns the events newer than `revision`; [] if `revision` is in the future.

        Raises `Compacted` if events after `revision` are already discarded.
        """
        if revision < self._oldest:
            raise Compacted(revision, self._oldest)
        return self._events[revision - self._oldest :]

    def event(self, revision: int) -> Event | None:
        """Returns the event of a revision; None if the revision is compacted or in the future."""
        return self._events[revision - self._oldest - 1] if self._oldest < revision <= self.newest else None

    def undo(self, prefix: str, revision: int) -> dict[str, Entry | None]:
        """Returns, by key, the entries at `revision` of keys that begin with `prefix` and changed later.

        An entry is None if the key did not exist at `revision`. Raises `Compacted` if `revision` is too old,
        and `FutureRevision` if `revision` is newer than the newest.
        """
        if revision > self.newest:
            raise FutureRevision(revision, self.newest)
        undo: dict[str, Entry | None] = {}
        for event in self.since(revision):
            key = event.entry.key
            if key.startswith(prefix) and key not in undo:
                undo[key] = event.previous
        return undo

    def next_compaction(self) -> int | None:
        """Returns the revision at which to compact; None if no compaction is due.

        A compaction is due in two cases:

        - The history exceeds the window by a tenth, or by COMPACTION_REVISIONS_MAX. Therefore one compaction
          removes many events.
        - The values that only the history needs exceed HELD_BYTES_MAX.
        """
        length = len(self._events)
        if length > self._window + min(self._window // 10, COMPACTION_REVISIONS_MAX):
            return self.newest - self._window
        if self._held <= HELD_BYTES_MAX:
            return None
        held_bytes, count = self._held, 0
        while held_bytes > HELD_BYTES_MAX * 3 // 4:
            previous = self._events[count].previous
            held_bytes -= len(previous.value) if previous is not None else 0
            count += 1
        return self._oldest + count

    def stale(self, revision: int) -> Iterable[int]:
        """Yields the revisions of the log rows that a compaction at `revision` can delete.

        Lists and watches at `revision` or later do not need these rows.
        """
        for event in self._events[: revision - self._oldest]:
            if event.previous is not None:
                yield event.previous.revision
            if event.kind is EventKind.DELETE:
                yield event.entry.revision

    def compact(self, revision: int) -> None:
        """Discards the events up to `revision`. `revision` must be from `oldest` to `newest`."""
        count = revision - self._oldest
        for event in self._events[:count]:
            if event.previous is not None:
                self._held -= len(event.previous.value)
            if event.kind is EventKind.DELETE and self._tombstones[event.entry.key] == event.entry.revision:
                del self._tombstones[event.entry.key]
        del self._events[:count]
        self._oldest = revision
