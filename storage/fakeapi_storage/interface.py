"""The contract of storage: keys, bytes and revisions.

Every change of the store gets the next *revision*: one integer for all keys, which grows without gaps. The
revision of an entry is that of its last change. A write has three stages:

- *accepted*: checked against the newest state that this process knows, and queued;
- *committed*: in the database, with its revision; from now on `get`, `list` and `revision` show it and
  watchers receive it;
- *acknowledged*: the future of the write has its result, and its revision is known. An acknowledged write
  survives the process.

A write that does not fit the state (`KeyExists`, `KeyNotFound`, `RevisionConflict`) is refused: the call
raises. If another server's write to the same database was first, the returned future fails instead.

A store that is the only writer of its database promises more: it refuses at once, and assigns the revision
when it accepts. Then `newest` shows accepted writes. A caller that reads it, and writes with its revision as
`expected` in the same step of the event loop, cannot get a conflict.

A store belongs to the event loop that opened it and is not thread-safe. Plain methods never wait.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

INITIAL_REVISION = 1
"""Revision of the empty store, as in etcd: the first change gets the next one, and callers may use 0."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value. `created` is the revision at which the key was last created."""

    key: str
    value: bytes
    revision: int
    created: int


class EventKind(Enum):
    PUT = "PUT"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Event:
    """A committed change.

    `entry` is the entry after a PUT. For a DELETE it is the last entry, with the revision of the deletion and
    the final value, if the deletion has one. `previous` is the entry before, None if the event created the
    key.
    """

    kind: EventKind
    entry: Entry
    previous: Entry | None


@dataclass(frozen=True, slots=True)
class Page:
    """Entries in the order of their keys, as they were at `revision`.

    `remaining` counts the entries of the prefix after the last one of the page.
    """

    entries: list[Entry]
    revision: int
    remaining: int

    @property
    def more(self) -> bool:
        return self.remaining > 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The committed entries at a revision, in the order of their keys; a checkpoint never changes."""

    entries: tuple[Entry, ...]
    revision: int


class Watcher(Protocol):
    """The events of a prefix or a key, each once, in the order of their revisions, for one consumer."""

    @property
    def progress(self) -> int:
        """The revision up to which the consumer has received every matching event; it never decreases."""
        ...

    @property
    def waiting(self) -> int:
        """The number of events that `next_batch` would return now."""
        ...

    async def next_batch(self) -> list[Event]:
        """Waits for an event, and returns all events that wait; a cancelled call loses none.

        Raises, at this and every later call, after the watcher has ended: `WatcherOverflow` if the consumer
        did not keep up, `StorageReset` after a reset, `Closed` after `close()`. These drop waiting events.
        After the store was closed, it raises `Closed` when the waiting events have been returned.
        """
        ...

    def deliver(self, take: Callable[[Sequence[Event]], bool]) -> None:
        """Offers events to `take` in the turn of their commit from now on, while the consumer waits.

        Watchers of one prefix receive the same list. If `take` returns True, `next_batch` does not return
        these events. `take` must neither raise nor wait.
        """
        ...

    def close(self) -> None:
        """Ends the watcher and wakes its consumer. Closing twice is allowed."""
        ...


class Storage(Protocol):
    """A store of entries with a history. The module describes the stages of a write.

    A write is checked and queued at once, and raises `InvalidEntry`, `Overloaded` and `Closed` at once. Its
    future resolves after the commit to the entry that the event shows.

    The future fails with the errors of the method if the write is refused only then. It fails with
    `StorageFailed` or `StorageReset` if the write is not stored; then all other writes that were accepted and
    not committed at that time are not stored either. Cancelling the future does not cancel the write.
    """

    @property
    def revision(self) -> int:
        """The newest committed revision."""
        ...

    @property
    def oldest(self) -> int:
        """The oldest revision that `list` and `watch` accept; older ones are compacted."""
        ...

    @property
    def labels(self) -> Mapping[str, str]:
        """Free text about the database, such as the release that wrote it. Not part of the history."""
        ...

    def create(self, key: str, value: bytes) -> asyncio.Future[Entry]:
        """Stores a new entry. The write is refused with `KeyExists`."""
        ...

    def update(self, key: str, value: bytes, expected: int) -> asyncio.Future[Entry]:
        """Replaces the value of the entry whose revision is `expected`.

        The write is refused with `KeyNotFound` or `RevisionConflict`.
        """
        ...

    def delete(self, key: str, expected: int, value: bytes | None = None) -> asyncio.Future[Entry]:
        """Deletes the entry whose revision is `expected`; its event shows `value`, or else the last value.

        The write is refused with `KeyNotFound` or `RevisionConflict`.
        """
        ...

    def newest(self, key: str) -> Entry | None:
        """Returns the newest entry that this process knows.

        It may be accepted and not yet committed, if its revision is known. So call `wait_committed` before
        you use it in a response.
        """
        ...

    def wait_committed(self, revision: int | None = None) -> asyncio.Future[None]:
        """Returns a future for the commit of everything up to `revision`, from `newest` or from a refusal.

        With None the future is for all writes accepted so far, such as the deletion of an entry that `newest`
        no longer returns. The future fails if these writes fail. Call the method in the same step of the
        event loop as `newest`, because the revisions of failed writes are assigned again. Raises
        `FutureRevision` for a revision that is not assigned yet.
        """
        ...

    def get(self, key: str) -> Entry | None:
        """Returns the committed entry of the key; None if there is none."""
        ...

    def list(
        self, prefix: str, *, start_after: str | None = None, limit: int | None = None, at: int | None = None
    ) -> Page:
        """Returns at most `limit` committed entries with keys that start with `prefix`, after `start_after`.

        With `at` it returns the entries as of exactly that revision, so that pages of one revision make one
        consistent list. Raises `Compacted` and `FutureRevision` for `at`, ValueError for a limit below 1.
        """
        ...

    def watch(self, prefix: str, since: int | None = None) -> Watcher:
        """Watches events newer than `since`: first from the history, then live, without gap or repetition.

        None means from now. `since` may be in the future. Raises `Compacted`, `Closed`.
        """
        ...

    def is_watched(self, key: str) -> bool:
        """Whether a watcher of this process, or perhaps of another server, receives events of the key."""
        ...

    async def compact(self, revision: int) -> None:
        """Deletes the history before `revision`; entries stay. Does nothing if it is deleted already.

        Older revisions are `Compacted` from then on, as they are after a long time. Tests use it to make
        clients list again ("too old resource version"). Raises `FutureRevision`, `StorageFailed`, `Closed`.
        """
        ...

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        """Replaces all labels, which survive a reset. Raises `StorageFailed`, `Closed`."""
        ...

    def checkpoint(self) -> Checkpoint:
        """Returns all committed entries; costs some 8 bytes an entry, because values are shared."""
        ...

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool = False) -> None:
        """Replaces all entries by those of a checkpoint, which keep their revisions; labels stay.

        The store continues at a revision newer than any before, and all older revisions are `Compacted`: so
        no client can resume from stale data. With `rewind` it continues at the checkpoint's own revision,
        also at the second restore. Then only clients that saw nothing newer may continue.

        Writes that are not committed yet fail and watchers end, both with `StorageReset`. Raises
        `InvalidEntry` for entries that no store can have, `StorageFailed`, and `Closed`; then nothing has
        changed.
        """
        ...

    async def reset(self) -> None:
        """Empties the store and starts again from the first revision.

        Writes that are not committed yet fail and watchers end, both with `StorageReset`. Raises
        `StorageFailed` and `Closed`; then nothing has changed.
        """
        ...

    async def close(self) -> None:
        """Commits accepted writes, ends the watchers, closes the database. Closing twice is allowed."""
        ...


class Guard(NamedTuple):
    """A condition of a write: no key that begins with `prefix` was changed after the revision `since`."""

    prefix: str
    since: int


@runtime_checkable
class SharedStorage(Storage, Protocol):
    """A store of a database that this and other servers have open.

    The database decides on each write, and refuses it if any server's write was first. The plain methods show
    committed entries, which may be older than writes that another server has acknowledged: see `refresh`.

    Calls may also fail with `Unreachable`, which stores nothing; writes with `OutcomeUnknown`. Watchers end
    with `StorageReset` if any server replaces all entries. They end with `Compacted` if this server was
    disconnected so long that it missed changes.
    """

    async def refresh(self) -> None:
        """Waits until this server shows all writes that any server had acknowledged before the call.

        Raises `Unreachable`, `StorageFailed`, `Closed`.
        """
        ...

    @property
    def agreed(self) -> Mapping[str, str]:
        """The values that servers agreed on by `agree`, as far as this server knows. They survive a reset."""
        ...

    async def agree(self, name: str, proposal: str) -> str:
        """Returns the text that all servers have under a name: the first one that a server proposed.

        Raises `Unreachable`, `OutcomeUnknown`, `StorageFailed`, `Closed`.
        """
        ...

    def create(self, key: str, value: bytes, *, unless_changed: Guard | None = None) -> asyncio.Future[Entry]:
        """Stores a new entry, like `Storage.create`.

        The write is refused with `KeyExists`, or with `RevisionConflict` if `unless_changed` does not hold.
        """
        ...

    def update(
        self, key: str, value: bytes, expected: int, *, unless_changed: Guard | None = None
    ) -> asyncio.Future[Entry]:
        """Replaces the value of the entry whose revision is `expected`, like `Storage.update`.

        The write is refused with `KeyNotFound` or `RevisionConflict`, the latter also if `unless_changed`
        does not hold.
        """
        ...

    def on_events(self, call: Callable[[Sequence[Event]], None]) -> None:
        """Registers a function for the changes of all servers, which is called as soon as they are shown."""
        ...

    def on_reload(self, call: Callable[[bool], None]) -> None:
        """Registers a function for the time after all entries were read again.

        Its argument is whether a server had replaced the entries.
        """
        ...
