"""The contract of storage: keys, bytes and revisions.

Every change of the store gets the next *revision*, one integer that grows over all keys without a gap. An
entry's revision is that of its last change. A write passes three stages:

- *accepted*: checked against the newest state that this process knows, and queued;
- *committed*: in the database, with its revision; from here on `get`, `list` and `revision` show it and
  watchers receive it;
- *acknowledged*: the future of the write has its result, and its revision is known. What was acknowledged
  survives the process.

A write that does not fit the state (`KeyExists`, `KeyNotFound`, `RevisionConflict`) is refused: the call
raises, or, if another server's write to the same database came first, the future that it returned fails.

A store that is the only writer of its database promises more: it refuses at once, and gives the revision when
it accepts. `newest` then shows what is accepted, and reading it, computing, and writing with its revision as
`expected` in one step of the event loop can not conflict.

A store belongs to the event loop that opened it and is not thread-safe. Plain methods never wait.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

INITIAL_REVISION = 1
"""Revision of the empty store, as in etcd: the first change gets the next one, 0 stays free for callers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value. `created` is the revision that created this incarnation of the key."""

    key: str
    value: bytes
    revision: int
    created: int


class EventKind(Enum):
    PUT = "PUT"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Event:
    """One committed change.

    `entry` is the entry after a PUT. For a DELETE it is the last entry with the revision of the deletion and
    the final value, if the deletion gave one. `previous` is the entry before: None if the event created it.
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
    """The committed entries at a revision, in the order of their keys. No store changes it any more."""

    entries: tuple[Entry, ...]
    revision: int


class Watcher(Protocol):
    """The events of a prefix or a key, each once, in the order of their revisions, for one consumer."""

    @property
    def progress(self) -> int:
        """The revision up to which every matching event has been handed out; never falls."""
        ...

    @property
    def waiting(self) -> int:
        """The number of events that `next_batch` would hand out now."""
        ...

    async def next_batch(self) -> list[Event]:
        """All events that are waiting, at least one; waits for the first. A cancelled wait loses no event.

        Raises, now and ever after, once the watcher has ended: `WatcherOverflow` if the consumer did not keep
        up and `StorageReset` after a reset (both at once, what was waiting is dropped), `Closed` after
        `close()`, or, once what was waiting has been handed out, after the store was closed.
        """
        ...

    def deliver(self, take: Callable[[Sequence[Event]], bool]) -> None:
        """From now on offers events to `take` in the turn of their commit, while the consumer waits.

        Of a prefix all are given the same list. What it takes (True) is not handed out again. It must neither
        raise nor wait.
        """
        ...

    def close(self) -> None:
        """Ends the watcher and wakes its consumer. Closing twice is allowed."""
        ...


class Storage(Protocol):
    """A store of entries with a history. See the module for the stages of a write.

    Writes check and queue at once, and raise `InvalidEntry`, `Overloaded` and `Closed` at once. The future
    that they return resolves after the commit to the entry as its event shows it. It fails with what the
    method names if the write is refused only then; and with `StorageFailed` or `StorageReset`: then the write
    is not stored, and neither is any other that was accepted and not committed at that time. Cancelling the
    future does not take the write back.
    """

    @property
    def revision(self) -> int:
        """The newest committed revision."""
        ...

    @property
    def oldest(self) -> int:
        """The oldest revision that `list` answers and `watch` resumes from; older ones are compacted."""
        ...

    @property
    def labels(self) -> Mapping[str, str]:
        """Free text about the database, such as the release that wrote it. Not part of the history."""
        ...

    def create(self, key: str, value: bytes) -> asyncio.Future[Entry]:
        """Stores a new entry. Refused with `KeyExists`."""
        ...

    def update(self, key: str, value: bytes, expected: int) -> asyncio.Future[Entry]:
        """Replaces the value of the entry whose revision is `expected`.

        Refused with `KeyNotFound`, `RevisionConflict`.
        """
        ...

    def delete(self, key: str, expected: int, value: bytes | None = None) -> asyncio.Future[Entry]:
        """Deletes the entry whose revision is `expected`; its event shows `value`, or else the last value.

        Refused with `KeyNotFound`, `RevisionConflict`.
        """
        ...

    def newest(self, key: str) -> Entry | None:
        """The newest entry that this process knows: accepted, if its revision is known by then, or committed.

        Answer nobody from it before `wait_committed`.
        """
        ...

    def wait_committed(self, revision: int | None = None) -> asyncio.Future[None]:
        """Resolves when everything up to `revision`, which `newest` or a refusal named, is committed.

        None: everything that was accepted so far, such as the deletion of an entry that `newest` no longer
        shows. Fails as the writes do if it never will be. Call it in the same step as the `newest` that it is
        about: revisions of failed writes are given again. Raises `FutureRevision` for one not given yet.
        """
        ...

    def get(self, key: str) -> Entry | None:
        """The committed entry."""
        ...

    def list(
        self, prefix: str, *, start_after: str | None = None, limit: int | None = None, at: int | None = None
    ) -> Page:
        """The committed entries whose keys start with `prefix` and sort after `start_after`, at most `limit`.

        `at` answers as of that revision exactly, so that pages of one revision make one consistent list.
        Raises `Compacted` and `FutureRevision` for `at`, ValueError for a limit below 1.
        """
        ...

    def watch(self, prefix: str, since: int | None = None) -> Watcher:
        """Events newer than `since`, first from the history, then live, without gap or repeat.

        None: from now. `since` may be in the future. Raises `Compacted`, `Closed`.
        """
        ...

    def is_watched(self, key: str) -> bool:
        """Whether a watcher of this process, or perhaps of another server, receives events of the key."""
        ...

    async def compact(self, revision: int) -> None:
        """Forgets the history before `revision`; entries stay. Does nothing if that is done already.

        Older revisions are `Compacted` from then on, as after a long time; also what a test of clients wants
        that must list again ("too old resource version").

        Raises `FutureRevision`, `StorageFailed`, `Closed`.
        """
        ...

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        """Replaces all labels, which survive a reset. Raises `StorageFailed`, `Closed`."""
        ...

    def checkpoint(self) -> Checkpoint:
        """All committed entries; costs some 8 bytes an entry, as values are shared."""
        ...

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool = False) -> None:
        """Replaces all entries by those of a checkpoint, which keep their revisions; labels stay.

        The store goes on from a revision newer than any before, and everything older is `Compacted`: nobody
        can resume from what is no longer true. With `rewind` it goes on from the checkpoint's own revision,
        as often as that is restored; then only those may go on who saw nothing newer.

        Writes not committed by then fail and watchers end with `StorageReset`. Raises `InvalidEntry` for
        entries that no store can have, `StorageFailed`, and `Closed`; then nothing has changed.
        """
        ...

    async def reset(self) -> None:
        """Empties the store and starts again from the first revision.

        Writes not committed by then fail and watchers end with `StorageReset`. Raises `StorageFailed`, then
        nothing has changed, and `Closed`.
        """
        ...

    async def close(self) -> None:
        """Commits what is accepted, ends the watchers, lets go of the file. Closing twice is allowed."""
        ...


class Guard(NamedTuple):
    """A condition of a write: no key that begins with `prefix` was changed after the revision `since`."""

    prefix: str
    since: int


@runtime_checkable
class SharedStorage(Storage, Protocol):
    """A store of a database that several servers have open, of which this is one.

    A write is decided by the database: it is refused if any server's write came first. What the plain methods
    show is committed, and may be older than what another server has acknowledged: see `refresh`.

    Calls also fail with `Unreachable`, which stores nothing; writes with `OutcomeUnknown`. Watchers end with
    `StorageReset` if any server replaces all entries, and with `Compacted` if this one was away for so long
    that it can not tell every change.
    """

    async def refresh(self) -> None:
        """Waits until everything is shown that any server had acknowledged before the call.

        Raises `Unreachable`, `StorageFailed`, `Closed`.
        """
        ...

    @property
    def agreed(self) -> Mapping[str, str]:
        """Values that the servers agreed on by `agree`, as known to this server. They survive a reset."""
        ...

    async def agree(self, name: str, proposal: str) -> str:
        """The text that all servers have under a name: the first that one of them proposed.

        Raises `Unreachable`, `OutcomeUnknown`, `StorageFailed`, `Closed`.
        """
        ...

    def create(self, key: str, value: bytes, *, unless_changed: Guard | None = None) -> asyncio.Future[Entry]:
        """As `Storage.create`; refused with `RevisionConflict` too if the guard does not hold."""
        ...

    def update(
        self, key: str, value: bytes, expected: int, *, unless_changed: Guard | None = None
    ) -> asyncio.Future[Entry]:
        """As `Storage.update`, with `unless_changed` as in `create`."""
        ...

    def on_events(self, call: Callable[[Sequence[Event]], None]) -> None:
        """Has `call` called with changes of any server once they are shown, before anybody else runs."""
        ...

    def on_reload(self, call: Callable[[bool], None]) -> None:
        """Has `call` called when all entries were read again, with whether a server had replaced them."""
        ...
