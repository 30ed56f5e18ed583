"""Keeps the committed entries in memory, with their history and watchers. All three change together."""

from collections.abc import Iterable, Sequence

from fakeapi_storage.errors import StorageError, StorageFailed
from fakeapi_storage.interface import Checkpoint, Entry, Event, EventKind, Page
from fakeapi_storage.log import Row, Snapshot
from fakeapi_storage.memory.broadcast import Broadcast, Subscription
from fakeapi_storage.memory.history import History
from fakeapi_storage.memory.index import Index


class Committed:
    """The committed entries in memory. Serves reads and watches, and converts log rows to events."""

    def __init__(self, snapshot: Snapshot, *, window: int, watcher_buffer: int) -> None:
        self._window = window
        self._load(snapshot, watcher_buffer)

    def _load(self, snapshot: Snapshot, watcher_buffer: int) -> None:
        base = [row for row in snapshot.rows if row.revision <= snapshot.compacted]
        entries = (Entry(row.key, row.value or b"", row.revision, row.created) for row in base)
        self._begin(entries, snapshot.compacted, watcher_buffer)
        self.replay(snapshot.rows[len(base) :])

    def _begin(self, entries: Iterable[Entry], revision: int, watcher_buffer: int) -> None:
        self._index = Index(entries)
        self._history = History(revision, self._window)
        self._broadcast = Broadcast(revision, watcher_buffer)

    @property
    def revision(self) -> int:
        return self._broadcast.revision

    @property
    def history(self) -> History:
        return self._history

    def get(self, key: str) -> Entry | None:
        return self._index.get(key)

    def page(self, prefix: str, start_after: str | None, limit: int | None, at: int | None) -> Page:
        revision = self.revision if at is None else at
        undo = {} if revision == self.revision else self._history.undo(prefix, revision)
        entries, remaining = self._index.page(prefix, start_after, limit, undo)
        return Page(entries, revision, remaining)

    def watch(self, prefix: str, since: int | None) -> Subscription:
        floor = self.revision if since is None else since
        return self._broadcast.subscribe(prefix, self._history.since(floor), floor)

    def is_watched(self, key: str) -> bool:
        return self._broadcast.is_watched(key)

    def apply(self, events: Sequence[Event]) -> None:
        """Applies the next events, in order, to the committed state, and delivers them to watchers."""
        for event in events:
            self._index.apply(event)
            self._history.append(event)
        self._broadcast.publish(events)

    def replay(self, rows: Iterable[Row]) -> list[Event]:
        """Applies the next rows of the database's log, and returns their events.

        Raises `StorageFailed` if the log has a gap.
        """
        events: list[Event] = []
        try:
            for revision, row in enumerate(rows, self.revision + 1):
                event = self._event_of(row, revision)
                self._index.apply(event)
                self._history.append(event)
                events.append(event)
        finally:
            if events:
                self._broadcast.publish(events)
        return events

    def _event_of(self, row: Row, revision: int) -> Event:
        previous = self._index.get(row.key)
        follows = not row.deleted if previous is None else row.previous == previous.revision
        if row.revision != revision or not follows:
            raise StorageFailed(
                f"the database is damaged: revision {row.revision} ({row.key!r}) follows no known state"
            )
        value = row.value
        if value is None:
            value = previous.value if previous is not None else b""
        kind = EventKind.DELETE if row.deleted else EventKind.PUT
        return Event(kind, Entry(row.key, value, row.revision, row.created), previous)

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(tuple(self._index), self.revision)

    def replace(self, entries: Iterable[Entry], revision: int, reason: StorageError) -> None:
        """Replaces all entries, discards the history, and ends all watchers with `reason`.

        Continues at `revision`.
        """
        self._broadcast.end(reason, drop=True)
        self._begin(entries, revision, self._broadcast.limit)

    def reload(self, snapshot: Snapshot, reason: StorageError) -> None:
        """Replaces the entries and the history with the rows of `snapshot`, a copy of the log in the
        database.

        Ends all watchers with `reason`. Raises `StorageFailed` if the snapshot is damaged.
        """
        self._broadcast.end(reason, drop=True)
        self._load(snapshot, self._broadcast.limit)

    def end(self, reason: StorageError) -> None:
        """Ends all watchers; each watcher still returns the events in its buffer."""
        self._broadcast.end(reason, drop=False)
